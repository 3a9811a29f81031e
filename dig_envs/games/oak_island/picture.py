"""The picture of a view of The Treasure of Oak Island: a map of the island, with its locations and
the compass, the players, the bag and the dirt pile."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from dig_envs.engine.core.events import Event
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import CENTRE, DIGGING, Location, Row
from dig_envs.games.oak_island.drawing import (
    filled_rows,
    left_in_bag,
    listed,
    locations_of,
    names_at,
    wanted_by,
)
from dig_envs.pictures.fonts import BOLD, width_of
from dig_envs.pictures.legend import Sign, letters
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    panel,
    plural,
    row,
    smooth,
)
from dig_envs.pictures.seats import (
    in_sentence,
    marked_name,
    said,
    seat_name,
    seat_panel,
    standing,
    token,
)
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import result_of, size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

LAIRDS = DIGGING[:2]  # the locations that Laird cares about (OI-15)

ACROSS = 3  # places side by side
GAP = 16.0  # between them, where the island is seen
EDGES = 12.0  # from them to the edge of the map
WIDE = (960 - 2 * MARGIN - 2 * EDGES - (ACROSS - 1) * GAP) / ACROSS  # of a place
CHIPS = 4  # characters side by side in a place
CHIP = (69.0, 22.0)
TOUCHED = 42.0  # from one row of them to the next in a column, where fingers touch them
PLACE = 122 + 26.0 * ceil(box.NUM_CHARACTERS / CHIPS)  # height of a place
MAP = 2 * PLACE + GAP + 2 * EDGES
HATS = ("orange", "sky", "green", "purple", "yellow", "red", "blue", "grey")  # of the characters
SEAT = 40.0
CUBES = 96.0  # height of bag and dirt pile
MONEY, DAZZLERS, IFSO, CLUES, NOTES = 146.0, 226.0, 424.0, 568.0, 712.0  # columns of the players
# on cubes; their colours are hues of the theme
LETTERS = {"brown": "", "green": "$", "blue": "?", "red": "◆", "yellow": "★"}
MEANINGS = {
    "brown": "dirt",
    "green": "money",
    "blue": "If so",
    "red": "Bobby Dazzlers",
    "yellow": "treasure",
}


def height(options: View) -> int:
    """The height of the picture in pixels, which depends on the options only."""
    return int(HEADER + MAP + 28 + options["num_players"] * SEAT + CUBES + MARGIN)


def headline(view: View) -> str:
    """Round, part of the round, and what is asked of whom; or who has won."""
    part = "War Room" if view["episode"] == 0 else f"Episode {view['episode']}"
    clock = f"Round {view['round']} of {view['options']['max_rounds']}, {part}, turn {view['turn']}"
    if view["phase"] != "over":
        question = {
            "war": "place a character",
            "episode": "dig, trade or visit",
            "extra": "one more cube, or stop",
        }[view["phase"]]
        return f"{clock}. {seat_name(view['to_move'], None)}: {question}"
    if view["truncated"]:
        return f"{clock}. {result_of(view)}"
    return f"{clock}. The game is over: {seat_name(view['found'], None)} has found the treasure"


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    _island(sheet)
    for k, location in enumerate(locations_of(view)):
        _location(sheet, view, viewer, location, *_corner(k))
    _compass(sheet, view, *_corner(len(box.BOX.locations)))
    y = HEADER + MAP
    for x, words in (
        (MONEY, "money"),
        (DAZZLERS, "Bobby Dazzlers"),
        (IFSO, "If so cubes"),
        (CLUES, "clue tokens"),
    ):
        sheet.text(x, y + 16, words, 10, "muted")
    sheet.text(NOTES, y + 16, f"If so and clues: at most {box.LIMIT}", 11.5, "muted")
    y += 22
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer, y + p * SEAT)
    _cubes(sheet, view, y + len(view["scores"]) * SEAT + 4)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: players, places, bag and dirt pile; return where it
    ends."""
    for x, words in ((158.0, "money"), (212.0, "Dazzlers"), (270.0, "If so"), (312.0, "clues")):
        sheet.text(x, y + 10, words, 11.5, "muted")
    y += 16
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer, y, (158.0, 212.0, 270.0, 312.0, 340.0))
        y += SEAT
        if _notes(view, p) or view["laird"] == p:
            y += 24
    y += 4
    for location in locations_of(view):
        lines = len(location.rows) + bool(_kept_away(view, viewer, location))
        tall = _tall(names_at(view, location.name), lines)
        _location(sheet, view, viewer, location, EDGE, y, INSIDE, tall)
        y += tall + 8
    here = names_at(view, box.PLACES[box.COMPASS])
    tall = _tall(here, 0) if here else 104.0
    _compass(sheet, view, EDGE, y, INSIDE, tall)
    y += tall + 8
    _cubes_in_column(sheet, view, y)
    return y + 30 + 22 * len(box.CUBE_NAMES)


def _tall(here: Sequence[str], rows: int) -> float:
    """The height of a place in a column."""
    return max(56.0 + 18 * rows, 100.0 * (rows == 0)) + TOUCHED * ceil(len(here) / CHIPS) + 6


# ---------------------------------------------------------------- the places


def _corner(k: int) -> tuple[float, float]:
    x, y = MARGIN + EDGES + k % ACROSS * (WIDE + GAP), HEADER + EDGES + k // ACROSS * (PLACE + GAP)
    return x, y


def _island(sheet: Sheet) -> None:
    """The island in the sea, behind the places."""
    wide = sheet.width - 2 * MARGIN
    sheet.box(MARGIN, HEADER, wide, MAP - 6, "sky", corner=8)
    right, low = MARGIN + wide, HEADER + MAP - 6
    middle, sea = (
        HEADER + MAP / 2,
        right - WIDE - EDGES,
    )  # left of the compass, which lies in the sea
    for by, hue in ((0, "brown"), (7, "green")):
        left, top, end, bottom = MARGIN + 3 + by, HEADER + 2 + by, right - 3 - by, low - 3 - by
        shore = (
            (left, top + 40), (left + 30, top), (left + 160, top + 5), (left + 320, top - 1),
            (left + 520, top + 4), (left + 700, top), (end - 60, top + 2), (end, top + 50),
            (end - 2, middle - 60), (end - 40, middle), (sea + 60, middle + 4 - by),
            (sea - by, middle + 40), (sea - 4 - by, bottom - 20), (sea - 60, bottom),
            (left + 320, bottom - 5), (left + 120, bottom), (left + 10, bottom - 10),
            (left + 4, middle + 30), (left, middle - 30),
        )  # fmt: skip
        sheet.path(smooth(shore), hue, "line")


def in_words(name: str) -> str:
    """A place as people write it: ``bore hole``."""
    return name.replace("_", " ")


def _kept_away(view: View, viewer: int | None, location: Location) -> str:
    """Why a player, the viewer or else the one to move, cannot dig at a location that is active
    (OI-9, OI-15); "" if nothing is in the way."""
    p = view["to_move"] if viewer is None else viewer
    if view["phase"] != "episode" or not all(filled_rows(location, names_at(view, location.name))):
        return ""
    if view["laird"] == p and location.name in LAIRDS:
        return f"Laird keeps {in_sentence(p, viewer)} away"
    if view["money"][p] < location.cost:
        return said(f"{{seat}} {{have|has}} only ${view['money'][p]}", p, viewer)
    return ""


def _location(
    sheet: Sheet,
    view: View,
    viewer: int | None,
    location: Location,
    x: float,
    y: float,
    width: float = WIDE,
    tall: float = PLACE,
) -> None:
    """A location: whether it is active, whom it wants, what it costs and brings, and who is
    there."""
    here = names_at(view, location.name)
    filled = filled_rows(location, here)
    active = all(filled)
    wants = "; ".join(
        wanted_by(row) + ("" if good else " (missing)")
        for row, good in zip(location.rows, filled, strict=True)
    )
    brings = (
        f"{plural(location.cubes, 'cube')} and up to {location.extra} more"
        if location.cubes
        else "trade and visit"
    )
    title, away = in_words(location.name).capitalize(), _kept_away(view, viewer, location)
    dug = dug_at(view, location.name)
    says = f"{title}: {'active' if active else 'not active'}. "
    says += f"{away}. " if away else ""
    says += f"A dig costs ${location.cost}: {brings}. " if location.cubes else f"For {brings}. "
    says += f"It wants {wants}. "
    says += f"Dug: {', '.join(dug)}. " if dug else ""
    with sheet.thing(f"place:{location.name}", f"{says}Here: {', '.join(here) or 'nobody'}."):
        sheet.box(
            x,
            y,
            width,
            tall,
            fill="card" if active else "surface",
            line="mark" if active else "line",
            corner=8,
            thick=2 if active else 1,
        )
        _scene(sheet, location.name, x + 21, y + 17)
        wide = 24 + sheet.text(x + 36, y + 22, title, 14, bold=True)
        sheet.text(
            x + 20 + wide,
            y + 21.5,
            "✓ active" if active else "not active",
            11,
            "mark" if active else "muted",
            bold=active,
        )
        sheet.text(
            x + width - 12,
            y + 22,
            f"${location.cost}" if location.cost else "free" if location.cubes else "",
            13,
            anchor="end",
            bold=True,
        )
        for k, (wanted, good) in enumerate(zip(location.rows, filled, strict=True)):
            _row(sheet, wanted, good, here, x + 12, y + 66 + 18 * k)
        sheet.text(x + 28, y + 66 + 18 * len(location.rows), away, 11.5, "mark", room=width - 40)
    if location.cubes:
        _pulls(sheet, location, dug, x + 12, y + 31)
    elif view["laird"] < 0:
        _laird(sheet, "Laird, at the interpretive centre", x + width - 12 - CHIP[0], y + 30)
    if location.name == CENTRE:
        sheet.text(x + 12, y + 44, "trade If so cubes, Dazzlers", 11.5, "muted")
    _characters(
        sheet,
        here,
        f"at the {in_words(location.name)}",
        x,
        y + (PLACE - 51 if width == WIDE else 58 + 18 * (len(location.rows) + bool(away))),
    )


def _row(sheet: Sheet, wanted: Row, filled: bool, here: Sequence[str], x: float, y: float) -> None:
    """A row of a location: those who are there are strong."""
    sheet.text(x, y, "✓" if filled else "○", 12, "mark" if filled else "muted", bold=filled)
    x += 16
    if len(wanted.characters) > wanted.need:
        x += sheet.text(x, y, f"{wanted.need} of", 12, "muted") + 6
    room = WIDE - 48
    size = min(
        12.0, 12 * room / sum(width_of(f"{name},", 12, BOLD) + 4 for name in wanted.characters)
    )
    for name in wanted.characters:
        there, comma = name in here, "," if name != wanted.characters[-1] else ""
        x += sheet.text(x, y, name + comma, size, "ink" if there else "muted", bold=there) + 4


def _scene(sheet: Sheet, place: str, x: float, y: float) -> None:
    """A sign for a location around a point: trees, reeds, a derrick, a tube, a house."""
    if place == "lots":
        for shift in (-5.0, 5.0):
            sheet.stroke(x + shift, y + 9, x + shift, y, "line", 2)
            sheet.polygon((x + shift - 6, y + 3), (x + shift, y - 10), (x + shift + 6, y + 3),
                          fill="green", line="line")  # fmt: skip
    elif place == "swamp":
        sheet.path(f"M{x - 11} {y + 6}q5.5 -5 11 0t11 0v4h-22z", "blue", "line")
        for shift in (-5.0, 0.0, 6.0):
            sheet.stroke(x + shift, y + 5, x + shift + 1, y - 8, "line", 1.5)
            sheet.disc(x + shift + 1, y - 8, 2, "brown", "line")
    elif place == "bore_hole":
        for shift in (-8.0, 8.0):
            sheet.stroke(x + shift, y + 9, x, y - 10, "line", 2)
        sheet.stroke(x - 5, y + 2, x + 5, y + 2, "line", 1.5)
        sheet.stroke(x, y - 10, x, y + 10, "mark", 2)
    elif place == "caisson":
        sheet.box(x - 7, y - 7, 14, 16, "grey", "line")
        sheet.path(f"M{x - 7} {y - 7}a7 3 0 0 1 14 0a7 3 0 0 1 -14 0z", "black", "line")
    else:
        sheet.box(x - 8, y - 2, 16, 11, "card", "line")
        sheet.polygon((x - 11, y - 1), (x, y - 10), (x + 11, y - 1), fill="red", line="line")
        sheet.box(x - 2, y + 3, 4, 6, "brown", "line")


def dug_at(view: View, place: str) -> list[str]:
    """The cubes that a dig which goes on has pulled at a location, by colour."""
    if "dig" not in view or view["dig"]["place"] != place:
        return []
    return [colour for colour, count in view["dig"]["cubes"].items() for _ in range(count)]


def _pulls(sheet: Sheet, location: Location, dug: Sequence[str], x: float, y: float) -> None:
    """The cubes that a dig pulls: those that one gets anyway, then each extra one, for which one
    needs a clue token; in place of the first ones those that are dug."""
    words = f"Dig at the {in_words(location.name)}"
    with sheet.thing(
        f"pull:{location.name}:0", f"{words}: {plural(location.cubes, 'cube')}, no extra one"
    ):
        for k in range(location.cubes):
            _pull(sheet, x + 19 * k, y, None, *dug[k : k + 1])
    x += 19 * location.cubes + 6
    if location.extra:
        x += sheet.text(x, y + 12.5, "+", 13, "muted", bold=True) + 6
    for extra in range(1, location.extra + 1):
        with sheet.thing(
            f"pull:{location.name}:{extra}",
            f"{words}: {plural(location.cubes, 'cube')} and {extra} extra",
        ):
            place = location.cubes + extra - 1
            _pull(sheet, x, y, extra, *dug[place : place + 1])
        x += 19


def _compass(
    sheet: Sheet, view: View, x: float, y: float, width: float = WIDE, tall: float = PLACE
) -> None:
    """The compass, with the characters who have not been placed."""
    here = names_at(view, box.PLACES[box.COMPASS])
    with sheet.thing("compass", f"Compass: {', '.join(here) or 'nobody is left on it'}"):
        sheet.box(x, y, width, tall, fill="card", line="line", corner=8)
        sheet.text(x + 12, y + 22, "Compass", 14, bold=True)
        words = f"{len(here)} to be placed" if here else "everybody has been placed"
        sheet.text(x + 12, y + 42, words, 11, "muted")
        _rose(sheet, x + width - 52, y + 54, 38)
    _characters(sheet, here, "on the compass", x, y + (PLACE - 51 if width == WIDE else 100))


def _rose(sheet: Sheet, x: float, y: float, radius: float) -> None:
    """A compass rose; north is up."""
    sheet.disc(x, y, radius, fill="card", line="line")
    small = radius * 0.2
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        tip = x + dx * radius * 0.85, y + dy * radius * 0.85
        sheet.polygon(tip, (x - dy * small, y + dx * small), (x, y), fill="ink", line="ink")
        sheet.polygon(tip, (x + dy * small, y - dx * small), (x, y), fill="card", line="ink")
    sheet.text(x + radius * 0.3, y - radius * 0.55, "N", 10, bold=True)


def _characters(sheet: Sheet, names: Sequence[str], where: str, x: float, y: float) -> None:
    """Those who are at a place, in rows from y on; in a column as high as fingers need."""
    step = TOUCHED if sheet.width < 960 else CHIP[1] + 4
    for k, name in enumerate(names):
        at = x + 5 + k % CHIPS * (CHIP[0] + 1), y + k // CHIPS * step
        with sheet.thing(f"character:{name}", f"{name}, {where}"):
            _chip(sheet, name, *at, hue="brown", high=step - 4)


def _chip(sheet: Sheet, name: str, x: float, y: float, hue: str, high: float = CHIP[1]) -> None:
    """Draw a person with a name."""
    sheet.box(x, y, CHIP[0], high, fill=hue, line="line", corner=11)
    _face(sheet, name, x + 9, y + high / 2)
    y += (high - CHIP[1]) / 2
    sheet.text(x + 19, y + 15.5, name, 11.5, "on_hue", bold=True, room=CHIP[0] - 20)


def _face(sheet: Sheet, name: str, x: float, y: float) -> None:
    """A face around a point: each character has a hat or hair, or a beard, of its own."""
    kind = box.CHARACTERS.index(name) if name in box.CHARACTERS else 1  # Laird wears a hat
    hue = HATS[kind % len(HATS)]
    sheet.disc(x, y, 8, "card", "ink")
    if kind % 4 == 0:
        sheet.path(f"M{x - 8:.1f} {y - 1:.1f}a8 8 0 0 1 16 0q-8 -6 -16 0z", hue, "ink")
    elif kind % 4 == 1:
        sheet.box(x - 5, y - 10, 10, 6, hue, "ink", 2)
        sheet.box(x - 9, y - 5, 18, 2.5, hue, "ink", 1)
    elif kind % 4 == 2:
        sheet.path(f"M{x - 8:.1f} {y:.1f}a8 8 0 0 0 16 0q-8 3 -16 0z", hue, "ink")
    else:
        sheet.path(f"M{x - 8:.1f} {y + 1:.1f}a8 8 0 0 1 16 0l-4 -5h-8z", hue, "ink")
    for shift in (-3.0, 3.0):
        sheet.disc(x + shift, y - 0.5, 1.1, "on_hue")
    sheet.path(f"M{x - 2.5:.1f} {y + 3.5:.1f}q2.5 2.5 5 0", None, "ink")


def _laird(sheet: Sheet, title: str, x: float, y: float) -> None:
    with sheet.thing("laird", title):
        _chip(sheet, "Laird", x, y, "purple")


# ---------------------------------------------------------------- the players


def _notes(view: View, p: int) -> list[str]:
    """Notes on a seat: whether it goes first, whether it found the treasure."""
    return ["goes first"] * (view["first"] == p) + ["found the treasure"] * (view["found"] == p)


def _player(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    y: float,
    columns: Sequence[float] = (MONEY, DAZZLERS, IFSO, CLUES, NOTES),
) -> None:
    """A row for a player: money, cubes, clue tokens, Laird; in a column the last of these below the
    others."""
    at_money, at_dazzlers, at_ifso, at_clues, at_notes = columns
    is_narrow = sheet.width < 960
    whose = seat_name(p, viewer)
    notes, edge = _notes(view, p), EDGE if is_narrow else MARGIN
    below = is_narrow and bool(notes or view["laird"] == p)
    money, red, blue, clues = (view[key][p] for key in ("money", "dazzlers", "ifso", "clues"))
    with sheet.thing(
        f"seat:{p}",
        ", ".join([whose, plural(view["scores"][p], "point"), *notes, *standing(view, p)]),
    ):
        seat_panel(sheet, view, p, edge, y, sheet.width - 2 * edge, SEAT - 5 + 24 * below)
        token(sheet, edge + (17 if is_narrow else 22), y + 17, p, str(p + 1))
        sheet.text(
            edge + (36 if is_narrow else 42),
            y + 22,
            marked_name(view, p, viewer),
            13,
            bold=True,
            room=at_money - edge - 42,
        )
        left = (edge + 33 if is_narrow else at_notes) + (CHIP[0] + 8) * (view["laird"] == p)
        room, colour = sheet.width - edge - 8 - left, "mark" if p in view["winners"] else "muted"
        sheet.text(left, y + 22 + 27 * is_narrow, ", ".join(notes), 11.5, colour, room=room)
    with sheet.thing(f"money:{p}", f"{whose}: ${money}"):
        sheet.text(at_money, y + 22, f"${money}", 14, bold=True, room=at_dazzlers - at_money - 4)
    _held(
        sheet,
        f"dazzlers:{p}",
        f"{whose}: {plural(red, 'Bobby Dazzler')}",
        "red",
        red,
        at_dazzlers,
        y,
        at_ifso - at_dazzlers,
    )
    _held(
        sheet,
        f"ifso:{p}",
        f"{whose}: {plural(blue, 'If so cube')}",
        "blue",
        blue,
        at_ifso,
        y,
        at_clues - at_ifso,
    )
    _held(
        sheet,
        f"clues:{p}",
        f"{whose}: {plural(clues, 'clue token')}",
        None,
        clues,
        at_clues,
        y,
        at_notes - at_clues,
    )
    if view["laird"] == p:
        _laird(
            sheet,
            f"Laird, with {whose}",
            *((edge + 33, y + 34) if is_narrow else (at_notes, y + 7)),
        )


def _held(
    sheet: Sheet,
    name: str,
    title: str,
    colour: str | None,
    count: int,
    x: float,
    y: float,
    room: float,
) -> None:
    """Cubes of a colour, or clue tokens, of a player: their number, then each of them."""
    with sheet.thing(name, title):
        sheet.text(x, y + 22, str(count), 14, bold=True)
        if room < 70:  # in a column: the number and one of them
            if count and colour is not None:
                _cube(sheet, colour, x + (22 if count > 9 else 14), y + 9.5, 15)
            return
        for shift in row(count, room - 36, 15, 3):
            if colour is not None:
                _cube(sheet, colour, x + 24 + shift, y + 9.5, 15)
            else:
                _clue(sheet, x + 31.5 + shift, y + 17)


# ---------------------------------------------------------------- the cubes


def _cubes(sheet: Sheet, view: View, y: float) -> None:
    """The cubes in the bag and on the dirt pile, by colour; the order in the bag only where all is
    shown."""
    panel(sheet, MARGIN, y, sheet.width - 2 * MARGIN, CUBES)
    bag, dirt = view["bag"], view["dirt"]
    for place, colour in enumerate(box.CUBE_NAMES):
        at = MARGIN + 130 + place * 158
        _cube(sheet, colour, at, y + 9, 16)
        sheet.text(at + 22, y + 22, f"{colour}, {MEANINGS[colour]}", 11.5, "muted", room=136)
    with sheet.thing("bag", _bag_in_words(view)):
        _sack(sheet, MARGIN + 28, y + 20)
        _totals(sheet, f"In the bag: {size_of(bag)}", left_in_bag(view), y + 45)
        if not isinstance(bag, int):
            for shift, colour in zip(row(len(bag), 776, 12, 2), reversed(bag), strict=True):
                sheet.box(MARGIN + 130 + shift, y + 78, 12, 12, fill=colour, line="line", thick=0.6)
            sheet.text(MARGIN + 12, y + 88, "next to be pulled", 11.5, "muted")
    with sheet.thing("dirt", f"Dirt pile: {listed(dirt)}"):
        _totals(sheet, f"Dirt pile: {sum(dirt.values())}", dirt, y + 66)


def _sack(sheet: Sheet, x: float, y: float) -> None:
    """The bag around a point, with a cube that looks out of it."""
    sheet.box(x - 5, y - 16, 10, 10, "grey", "line", 2)
    sheet.path(f"M{x - 7} {y - 9}h14q-3 3 0 5q8 6 4 15h-22q-4 -9 4 -15q3 -2 0 -5z", "brown", "line")
    sheet.stroke(x - 7, y - 5, x + 7, y - 5, "line", 2)


def _bag_in_words(view: View) -> str:
    bag = view["bag"]
    order = "" if isinstance(bag, int) else f"; next to be pulled: {', '.join(reversed(bag))}"
    return f"Bag, {plural(size_of(bag), 'cube')}: {listed(left_in_bag(view))}{order}"


def _cubes_in_column(sheet: Sheet, view: View, y: float) -> None:
    """The cubes in the bag and on the dirt pile in a column: a line for each colour."""
    panel(sheet, EDGE, y, INSIDE, 26 + 22 * len(box.CUBE_NAMES) + 4)
    for place, colour in enumerate(box.CUBE_NAMES):
        _cube(sheet, colour, EDGE + 10, y + 26 + 22 * place, 16)
        sheet.text(EDGE + 32, y + 39 + 22 * place, f"{colour}, {MEANINGS[colour]}", 11.5, "muted")
    left, dirt = left_in_bag(view), view["dirt"]
    piles = (
        ("bag", _bag_in_words(view), f"bag {size_of(view['bag'])}", left, 186.0),
        ("dirt", f"Dirt pile: {listed(dirt)}", f"dirt pile {sum(dirt.values())}", dirt, 272.0),
    )
    for name, says, words, counts, x in piles:
        with sheet.thing(name, says):
            sheet.text(x, y + 18, words, 12, bold=True)
            for place, colour in enumerate(box.CUBE_NAMES):
                if colour in counts:
                    sheet.text(
                        x + 18,
                        y + 39 + 22 * place,
                        str(counts[colour]),
                        12,
                        anchor="end",
                        bold=True,
                    )
                    if counts[colour]:
                        sheet.box(
                            x + 24,
                            y + 30 + 22 * place,
                            0.8 * counts[colour],
                            9,
                            fill=colour,
                            line="line",
                            thick=0.6,
                        )


def _totals(sheet: Sheet, words: str, counts: Mapping[str, int], y: float) -> None:
    """A line of the table of the cubes, with a bar for each number."""
    sheet.text(MARGIN + 12, y, words, 12, bold=True, room=104)
    for place, colour in enumerate(box.CUBE_NAMES):
        if colour in counts:
            at = MARGIN + 130 + place * 158
            sheet.text(at + 18, y, str(counts[colour]), 12, anchor="end", bold=True)
            if counts[colour]:
                sheet.box(
                    at + 24, y - 9, 1.2 * counts[colour], 9, fill=colour, line="line", thick=0.6
                )


def _cube(sheet: Sheet, colour: str, x: float, y: float, side: float) -> None:
    """A cube with the sign of its colour."""
    sheet.box(x, y, side, side, fill=colour, line="line", corner=2)
    if LETTERS[colour]:
        sheet.text(
            x + side / 2,
            y + side * 0.76,
            LETTERS[colour],
            side * 0.7,
            "on_hue",
            anchor="middle",
            bold=True,
        )


# ---------------------------------------------------------------- actions


def legend(options: View) -> tuple[Sign, ...]:
    """The signs of the picture."""

    def cube(colour: str) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _cube(sheet, colour, x - 8, y - 8, 16)

    return (
        *(Sign(f"a {colour} cube: {MEANINGS[colour]}", cube(colour)) for colour in box.CUBE_NAMES),
        Sign("a clue token", _clue),
        Sign("a cube that a dig pulls", lambda sheet, x, y: _pull(sheet, x - 8, y - 8, None)),
        Sign("one more cube, for a clue token", lambda sheet, x, y: _pull(sheet, x - 8, y - 8, 1)),
        Sign("what the location wants is there", letters("✓", "mark")),
        Sign("what the location wants is missing", letters("○", "muted")),
        Sign(
            "a character",
            lambda sheet, x, y: _chip(sheet, "Gary", x - CHIP[0] / 2, y - CHIP[1] / 2, "brown"),
        ),
        Sign(
            "Laird, who can be visited",
            lambda sheet, x, y: _chip(sheet, "Laird", x - CHIP[0] / 2, y - CHIP[1] / 2, "purple"),
        ),
    )


def _clue(sheet: Sheet, x: float, y: float) -> None:
    """Draw a clue token."""
    sheet.disc(x, y, 7.5, fill="yellow", line="line")
    sheet.text(x, y + 4, "c", 11.5, "on_hue", anchor="middle", bold=True)


def _pull(sheet: Sheet, x: float, y: float, extra: int | None, dug: str | None = None) -> None:
    """A cube that a dig pulls; an extra one has its number. One that is dug has its colour."""
    if dug is not None:
        _cube(sheet, dug, x, y, 16)
    elif extra is None:
        sheet.box(x, y, 16, 16, fill="grey", line="line", corner=2)
    else:
        sheet.box(x, y, 16, 16, fill="card", line="muted", corner=2, dashed=True)
        sheet.text(x + 8, y + 12, str(extra), 11.5, anchor="middle")


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The things that an action of a seat belongs to."""
    match words:
        case ["move", character, location]:
            return (f"character:{character}", f"place:{location}")
        case ["dig", location, extra]:
            return (f"place:{location}", f"pull:{location}:{int(extra)}")
        case ["trade", *_]:
            return (f"ifso:{seat}",)
        case ["convert", _]:
            return (f"dazzlers:{seat}",)
        case ["visit"]:
            return ("laird",)
    return ()


ABOUT: About = {
    **dict.fromkeys(("placed", "relocated"), ("character:{character}", "place:{place}")),
    "active": lambda event: tuple(f"place:{place}" for place in event.values["places"]),
    "dug": ("place:{place}",),
    "extra": ("bag",),
    **dict.fromkeys(("laird_came", "laird_left", "visited"), ("laird",)),
    "put_back": ("ifso:{seat}", "bag"),
    "traded": ("ifso:{seat}",),
    "converted": ("dazzlers:{seat}",),
    "paid": ("money:{seat}",),
}


def _pulled(event: Event) -> str:
    """The cubes that come out of the bag."""
    cubes = [colour for colour in box.CUBE_NAMES for _ in range(event.values[colour])]
    return f"pull:{','.join(cubes)}" if cubes else ""


JOYS: Joys = {"dug": _pulled, "extra": _pulled, "found": "complete", "laird_came": "loss"}
