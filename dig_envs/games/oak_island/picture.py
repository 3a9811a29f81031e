"""The picture of a view of The Treasure of Oak Island: the locations and the compass, the players,
the bag and the dirt pile."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import CENTRE, Location, Row
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
from dig_envs.pictures.parts import EDGE, HEADER, INSIDE, MARGIN, About, panel, plural, row
from dig_envs.pictures.seats import marked_name, seat_name, seat_panel, standing, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import result_of, size_of

__all__ = ["ABOUT", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

ACROSS = 3  # places side by side
GAP = 8.0
WIDE = (960 - 2 * MARGIN - (ACROSS - 1) * GAP) / ACROSS  # of a place
CHIPS = 4  # characters side by side in a place
CHIP = (70.0, 22.0)
TOUCHED = 42.0  # from one row of them to the next in a column, where fingers touch them
PLACE = 112 + 26.0 * ceil(box.NUM_CHARACTERS / CHIPS)  # height of a place
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
    return int(
        HEADER + 2 * (PLACE + GAP) + 26 + options["num_players"] * SEAT + GAP + CUBES + MARGIN
    )


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
    for k, location in enumerate(locations_of(view)):
        _location(sheet, view, location, *_corner(k))
    _compass(sheet, view, *_corner(len(box.BOX.locations)))
    y = HEADER + 2 * (PLACE + GAP)
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
    _cubes(sheet, view, y + len(view["scores"]) * SEAT + GAP - 4)


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
        tall = _tall(names_at(view, location.name), len(location.rows))
        _location(sheet, view, location, EDGE, y, INSIDE, tall)
        y += tall + GAP
    here = names_at(view, box.PLACES[box.COMPASS])
    tall = _tall(here, 0) if here else 104.0
    _compass(sheet, view, EDGE, y, INSIDE, tall)
    y += tall + GAP
    _cubes_in_column(sheet, view, y)
    return y + 30 + 22 * len(box.CUBE_NAMES)


def _tall(here: Sequence[str], rows: int) -> float:
    """The height of a place in a column."""
    return max(56.0 + 18 * rows, 100.0 * (rows == 0)) + TOUCHED * ceil(len(here) / CHIPS) + 6


# ---------------------------------------------------------------- the places


def _corner(k: int) -> tuple[float, float]:
    return MARGIN + k % ACROSS * (WIDE + GAP), HEADER + k // ACROSS * (PLACE + GAP)


def in_words(name: str) -> str:
    """A place as people write it: ``bore hole``."""
    return name.replace("_", " ")


def _location(
    sheet: Sheet,
    view: View,
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
    title = in_words(location.name).capitalize()
    dug = dug_at(view, location.name)
    says = (
        f"{title}, {'active' if active else 'not active'}; costs ${location.cost}: {brings}; wants "
        f"{wants}"
    )
    if dug:
        says += f"; dug: {', '.join(dug)}"
    with sheet.thing(f"place:{location.name}", f"{says}; here: {', '.join(here) or 'nobody'}"):
        sheet.box(
            x,
            y,
            width,
            tall,
            fill="card" if active else "surface",
            line="mark" if active else None,
            corner=8,
            thick=2,
        )
        wide = sheet.text(x + 12, y + 22, title, 14, bold=True)
        sheet.text(
            x + 24 + wide,
            y + 21.5,
            "✓ active" if active else "not active",
            11,
            "mark" if active else "muted",
            bold=active,
        )
        sheet.text(
            x + width - 12,
            y + 22,
            f"${location.cost}" if location.cost else "free",
            13,
            anchor="end",
            bold=True,
        )
        for k, (wanted, good) in enumerate(zip(location.rows, filled, strict=True)):
            _row(sheet, wanted, good, here, x + 12, y + 66 + 18 * k)
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
        y + (113 if width == WIDE else 58 + 18 * len(location.rows)),
    )


def _row(sheet: Sheet, wanted: Row, filled: bool, here: Sequence[str], x: float, y: float) -> None:
    """A row of a location: those who are there are strong."""
    sheet.text(x, y, "✓" if filled else "○", 12, "mark" if filled else "muted", bold=filled)
    x += 16
    if len(wanted.characters) > wanted.need:
        x += sheet.text(x, y, f"{wanted.need} of", 12, "muted") + 6
    room = WIDE - 44
    size = min(
        12.0, 12 * room / sum(width_of(f"{name},", 12, BOLD) + 4 for name in wanted.characters)
    )
    for name in wanted.characters:
        there, comma = name in here, "," if name != wanted.characters[-1] else ""
        x += sheet.text(x, y, name + comma, size, "ink" if there else "muted", bold=there) + 4


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
        sheet.box(x, y, width, tall, fill="surface", corner=8)
        sheet.text(x + 12, y + 22, "Compass", 14, bold=True)
        words = f"{len(here)} to be placed" if here else "everybody has been placed"
        sheet.text(x + 12, y + 42, words, 11, "muted")
        _rose(sheet, x + width - 52, y + 54, 38)
    _characters(sheet, here, "on the compass", x, y + (113 if width == WIDE else 100))


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
        at = x + 10 + k % CHIPS * (CHIP[0] + 3), y + k // CHIPS * step
        with sheet.thing(f"character:{name}", f"{name}, {where}"):
            _chip(sheet, name, *at, hue="brown", high=step - 4)


def _chip(sheet: Sheet, name: str, x: float, y: float, hue: str, high: float = CHIP[1]) -> None:
    """Draw a person with a name."""
    sheet.box(x, y, CHIP[0], high, fill=hue, line="line", corner=11)
    y += (high - CHIP[1]) / 2
    sheet.disc(x + 10, y + 7.5, 3.4, fill="on_hue")
    sheet.path(f"M{x + 4:.1f} {y + 18:.1f} q0 -7 6 -7 q6 0 6 7 z", "on_hue")
    sheet.text(x + 17.5, y + 15.5, name, 11.5, "on_hue", bold=True, room=CHIP[0] - 18)


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
        _totals(sheet, f"In the bag: {size_of(bag)}", left_in_bag(view), y + 45)
        if not isinstance(bag, int):
            for shift, colour in zip(row(len(bag), 776, 12, 2), reversed(bag), strict=True):
                sheet.box(MARGIN + 130 + shift, y + 78, 12, 12, fill=colour, line="line", thick=0.6)
            sheet.text(MARGIN + 12, y + 88, "next to be pulled", 11.5, "muted")
    with sheet.thing("dirt", f"Dirt pile: {listed(dirt)}"):
        _totals(sheet, f"Dirt pile: {sum(dirt.values())}", dirt, y + 66)


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
