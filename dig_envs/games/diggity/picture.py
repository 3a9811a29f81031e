"""The picture of a view of Diggity: the mine, scaled to fit its area, beside gold, tools and
discards; a row for each player."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import enumeration
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.drawing import title as headline
from dig_envs.games.diggity.passages import Passage, open_passages, passages_of, sides_of
from dig_envs.pictures.legend import FACE_DOWN, Sign, letters
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    around,
    back,
    panel,
    plural,
    stack,
)
from dig_envs.pictures.seats import (
    marked_name,
    own_first,
    said,
    seat_name,
    seat_panel,
    standing,
    token,
)
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]
Area = tuple[float, float, float, float]  # x, y, width, height

MINE = (640.0, 460.0)  # width and height of the mine's panel
SIDE = 276.0  # width of what stands beside it
SEAT = 66.0  # height of a player's row
LARGEST = 8.0  # pixels for a unit of the table
FREE = 22.0  # pixels left free around the mine, for the numbers of its open passages
HAND_CARD = (36.0, 50.4)
LONG = 14  # units of the table: the longer side of a card
LEAST_NUMBERED = 4.0  # pixels for a unit of the table, from which on cards of the mine have numbers

NO_MINE = (  # what stands where the mine is to be
    "A new mine begins here.",
    "Lay cards so that their passages meet.",
    "Symbols that are joined make a tool, or find gold.",
    "Tools win the gold. When all of it is won, the most nuggets win.",
)

SYMBOL_NAMES = dict(zip(box.SYMBOLS, box.SYMBOL_NAMES, strict=True))
SYMBOL_HUES = dict(zip(box.SYMBOLS, ("orange", "sky", "green", "purple"), strict=True))


def height(options: View) -> int:
    return int(HEADER + MINE[1] + 10 + options["num_players"] * SEAT + 6)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    _mine(sheet, view, (MARGIN, HEADER, *MINE))
    left = MARGIN + MINE[0] + 12
    _stock(sheet, view, viewer, left, HEADER, SIDE, 134)
    _tools(sheet, view, viewer, left, HEADER + 140, SIDE, MINE[1] - 140 - 38)
    _discard(sheet, view, left, HEADER + MINE[1] - 32, SIDE)
    for p in range(len(view["scores"])):
        y = HEADER + MINE[1] + 10 + p * SEAT
        _seat(sheet, view, p, viewer, MARGIN, y, sheet.width - 2 * MARGIN, SEAT - 6)
        _nuggets(sheet, view["nuggets"][p], p, viewer, MARGIN + 146, y, 9)
        _seat_tools(sheet, view, p, viewer, MARGIN + 346, y)
        _hand(sheet, view["hands"][p], p, viewer, sheet.width - MARGIN - 8, y + 5)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: mine, stock, the players, tools, discards; return where
    it ends."""
    _mine(sheet, view, (EDGE, y, INSIDE, 320))
    y += 326
    _stock(sheet, view, viewer, EDGE, y, INSIDE, 134)
    y += 140
    for p in own_first(view, viewer):
        won, kinds = len(view["nuggets"][p]), len(set(view["tools"][p]))
        gold = 26 * ceil(won / 16) + (5 if won and kinds else 0)
        high = 66 + gold + (54 if kinds else 0)
        _seat(sheet, view, p, viewer, EDGE, y, INSIDE, high)
        _hand(sheet, view["hands"][p], p, viewer, EDGE + INSIDE - 8, y + 6)
        if won:
            _nuggets(sheet, view["nuggets"][p], p, viewer, EDGE + 10, y + 60, 16)
        if kinds:
            _seat_tools(
                sheet, view, p, viewer, EDGE + 10, y + 58 + gold, (INSIDE - 16) / max(kinds, 4)
            )
        y += high + 6
    _tools(sheet, view, viewer, EDGE, y, INSIDE, 168)
    _discard(sheet, view, EDGE, y + 174, INSIDE)
    return y + 174 + 32


# ---------------------------------------------------------------- cards


def _in_words(code: str, r: int = 0) -> str:
    """A card as it lies: ``triangle with passages north and east``."""
    sides = [box.SIDE_NAMES[side] for side in sides_of(code, r)]
    return f"{SYMBOL_NAMES[code[0]]} with passages {enumeration(sides)}"


def _symbol(sheet: Sheet, symbol: str, x: float, y: float, radius: float) -> None:
    """A circle, a triangle, a square or a line: a shape and a hue for each."""
    hue, thick = SYMBOL_HUES[symbol], max(radius * 0.14, 1)
    if symbol == "C":
        sheet.disc(x, y, radius, hue, "ink", thick)
    elif symbol == "T":
        sheet.polygon(
            *around(x, y, radius, (0, -1.1), (1.1, 0.8), (-1.1, 0.8)),
            fill=hue,
            line="ink",
            thick=thick,
        )
    else:
        wide, high = (1.8, 1.8) if symbol == "S" else (0.72, 2.3)
        sheet.box(
            x - wide / 2 * radius,
            y - high / 2 * radius,
            wide * radius,
            high * radius,
            hue,
            "ink",
            thick=thick,
        )


def _card(
    sheet: Sheet, code: str, x: float, y: float, unit: float, r: int = 0, marked: bool = False
) -> None:
    """A mine card around a point, in pixels for a unit of the table; not a thing by itself."""
    wide, high = float(box.HALF_X[r]) * unit, float(box.HALF_Y[r]) * unit
    sheet.box(
        x - wide,
        y - high,
        2 * wide,
        2 * high,
        "card",
        "mark" if marked else "line",
        unit * 0.9,
        2.5 if marked else 1,
    )
    for side in sides_of(code, r):
        sheet.stroke(x, y, x + box.DX[side] * wide, y + box.DY[side] * high, "brown", unit * 2.8)
    sheet.disc(x, y, unit * 3.2, "brown")
    _symbol(sheet, code[0], x, y, unit * 2)


# ---------------------------------------------------------------- the mine


def _mine(sheet: Sheet, view: View, area: Area) -> None:
    """DG-5 to DG-9: the cards where they lie; numbers at the open passages, bars at the blocked
    ones."""
    mine = view["mine"]
    passages = passages_of(mine)
    free = open_passages(passages)
    says = (
        f"Mine: {plural(len(mine), 'card')}, {plural(len(free), 'open passage')}"
        if mine
        else "Mine: none yet"
    )
    passed = f", {plural(view['passes'], 'pass', 'passes')} in a row" if view["passes"] else ""
    with sheet.thing("mine", says + passed):
        panel(sheet, *area, says + passed)
        if not mine:
            left, top, wide, high = area
            for line, words in enumerate(NO_MINE):
                size, at = 14 if line == 0 else 12, top + high / 2 - 40 + 24 * line
                sheet.text(left + wide / 2, at, words, size, "muted", "middle", room=wide - 16)
    if not mine:
        return
    unit, x, y = _scale(mine, area, free if view["chosen"] is not None else ())
    joined = _neighbours(passages)
    for place, card in enumerate(mine):
        _mine_card(sheet, card, place, x, y, unit, sorted(joined[place]), place == len(mine) - 1)
        for passage in passages:
            if passage.card == place and passage.fits == 0:
                _bar(sheet, x + passage.x * unit, y + passage.y * unit, passage.side, unit)
    for number, passage in enumerate(free):
        _opening(sheet, view, passage, number, x, y, unit)
    if view["chosen"] is not None:
        _ghosts(sheet, view["chosen"], free, x, y, unit)


def _ghosts(
    sheet: Sheet, code: str, free: Sequence[Passage], x: float, y: float, unit: float
) -> None:
    """DG-12: for each way to place a card, how it would lie then."""
    for number, passage in enumerate(free):
        for own in sides_of(code):
            if (passage.fits or 0) >> (own & 1) & 1:
                r = (passage.side + 2 - own) % box.NUM_SIDES
                at_x = passage.x + int(box.DX[passage.side]) * int(box.HALF_X[r])
                at_y = passage.y + int(box.DY[passage.side]) * int(box.HALF_Y[r])
                with sheet.ghost(f"place {number} {box.SIDES[own]}"):
                    _card(sheet, code, x + at_x * unit, y + at_y * unit, unit, r, marked=True)


def _scale(
    mine: Sequence[View], area: Area, free: Sequence[Passage] = ()
) -> tuple[float, float, float]:
    """Pixels for a unit of the table with which the mine fits its area, and where the table's
    origin is then."""
    turns = [card["r"] for card in mine]
    spans = []
    for axis, half in (("x", box.HALF_X), ("y", box.HALF_Y)):
        low = min(card[axis] - int(half[r]) for card, r in zip(mine, turns, strict=True))
        high = max(card[axis] + int(half[r]) for card, r in zip(mine, turns, strict=True))
        spans.append((low, high))
    (west, east), (north, south) = spans
    left, top, wide, high = area
    across, down = wide - 2 * FREE, high - 28 - 2 * FREE
    unit = min(LARGEST, across / (east - west), down / (south - north))
    for passage in free:  # a card that would be placed there is seen, too
        for middle, low, end, room in (
            (passage.x, west, east, wide),
            (passage.y, north, south, high - 28),
        ):
            reach = max(abs(middle - (low + end) / 2) + LONG, 1)
            unit = min(unit, room / 2 / reach)
    return (
        unit,
        left + wide / 2 - unit * (west + east) / 2,
        top + 28 + FREE + down / 2 - unit * (north + south) / 2,
    )


def _neighbours(passages: Sequence[Passage]) -> dict[int, set[int]]:
    """DG-7: for each card of the mine the places of those that it is connected to."""
    at = {(passage.x, passage.y, passage.side): passage.card for passage in passages}
    joined: dict[int, set[int]] = {passage.card: set() for passage in passages}
    for (x, y, side), card in at.items():
        other = at.get((x, y, (side + 2) % 4))
        if other is not None:
            joined[card].add(other)
    return joined


def _mine_card(
    sheet: Sheet,
    card: View,
    place: int,
    x: float,
    y: float,
    unit: float,
    joined: list[int],
    newest: bool,
) -> None:
    """A card of the mine; its number stands in the corner that is the upper left one when it is
    upright."""
    r = int(card["r"])
    near = f" It is connected to card {enumeration([str(k + 1) for k in joined])}." * bool(joined)
    says = f"Card {place + 1} of the mine{', the newest' * newest}: a "
    says += f"{_in_words(card['card'], r)}.{near}"
    with sheet.thing(f"mine:{place}", says):
        at_x, at_y = x + card["x"] * unit, y + card["y"] * unit
        _card(sheet, card["card"], at_x, at_y, unit, r, marked=newest)
        if unit < LEAST_NUMBERED:
            return  # there is no room
        size = max(1.7 * unit, 11.5)
        dx, dy = float(box.HALF_X[r]) - 1.8, float(box.HALF_Y[r]) - 1.8
        corner = ((-dx, -dy), (dx, -dy), (dx, dy), (-dx, dy))[r]
        sheet.text(
            at_x + corner[0] * unit,
            at_y + corner[1] * unit + size * 0.36,
            str(place + 1),
            size,
            "muted",
            anchor="middle",
        )


def _bar(sheet: Sheet, x: float, y: float, side: int, unit: float) -> None:
    """A passage that nothing can be attached to any more ends at a wall."""
    dx, dy = abs(box.DY[side]) * unit * 2, abs(box.DX[side]) * unit * 2
    back_x, back_y = box.DX[side] * unit * 0.5, box.DY[side] * unit * 0.5
    sheet.stroke(
        x - dx - back_x,
        y - dy - back_y,
        x + dx - back_x,
        y + dy - back_y,
        "ink",
        max(unit * 0.7, 2),
    )


def _opening(
    sheet: Sheet, view: View, passage: Passage, number: int, x: float, y: float, unit: float
) -> None:
    """An open passage with its number; strong while a card is to be placed that fits there."""
    fits = passage.fits or 0
    sides = " or ".join(side for kind, side in enumerate(("short", "long")) if fits >> kind & 1)
    chosen = view["chosen"]
    wanted = chosen is not None and bool(
        fits & int(box.KINDS[box.PASSAGES[box.CODES.index(chosen)]])
    )
    where = f"{box.SIDE_NAMES[passage.side]} of mine card {passage.card + 1}"
    says = f"Passage {number + 1}, {where}: open for a card by its {sides} side"
    with sheet.thing(f"place:{number}", says):
        radius = max(1.7 * unit, 8.5)
        at_x = x + passage.x * unit + box.DX[passage.side] * (radius + 2)
        at_y = y + passage.y * unit + box.DY[passage.side] * (radius + 2)
        _number(sheet, number + 1, at_x, at_y, radius, wanted)


def _number(sheet: Sheet, number: int, x: float, y: float, radius: float, wanted: bool) -> None:
    """The number of an open passage; strong where a card fits that is to be placed."""
    sheet.disc(
        x,
        y,
        radius,
        "yellow" if wanted else "surface",
        "mark" if wanted else "muted",
        2 if wanted else 1,
    )
    size, words = max(radius * 1.1, 11.5), "on_hue" if wanted else "muted"
    sheet.text(
        x,
        y + radius * 0.38,
        str(number),
        size,
        words,
        anchor="middle",
        bold=wanted,
        room=1.9 * radius,
    )


# ---------------------------------------------------------------- beside the mine


def _stock(
    sheet: Sheet, view: View, viewer: int | None, x: float, y: float, width: float, high: float
) -> None:
    """The gold deck, the draw pile, and the card that is being placed or the gold that is being
    fought for."""
    panel(sheet, x, y, width, high)
    gold, pile, aside = (size_of(view[key]) for key in ("gold", "pile", "gold_aside"))
    says = (
        f"Gold deck: {plural(gold, 'card')}{_order(view['gold'])}; {aside} set aside "
        f"unseen{_order(view['gold_aside'])}"
    )
    stack(sheet, "gold", says, x + 14, y + 26, gold, (46, 64), _label("gold left", view["gold"]))
    if aside:
        sheet.text(x + 37, y + 123, f"{aside} aside", 11.5, "muted", anchor="middle")
    says = f"Draw pile: {plural(pile, 'card')}{_order(view['pile'])}"
    stack(sheet, "pile", says, x + 82, y + 26, pile, (46, 64), _label("draw pile", view["pile"]))
    if view["chosen"] is not None:
        _chosen(sheet, view, viewer, x + 204, y + high / 2)
    if view["auction"] is not None:
        _auction(sheet, view, viewer, x + 140, y)


def _order(hidden: Any) -> str:
    """The cards of a pile from the top, where they may be seen."""
    return (
        ""
        if isinstance(hidden, int) or not hidden
        else ", from the top: " + " ".join(str(card) for card in reversed(hidden))
    )


def _label(name: str, hidden: Any) -> str:
    """The label of a pile: its name, or where it may be seen its top card."""
    return name if isinstance(hidden, int) or not hidden else f"next {hidden[-1]}"


def _chosen(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """DG-12: the card that is being placed."""
    code = view["chosen"]
    lays = said("{seat} {lay|lays} this card", view["player"], viewer)
    with sheet.thing("chosen", f"{lays}: a {_in_words(code)}"):
        _card(sheet, code, x, y, 7.6, marked=True)


def _auction(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """DG-19, DG-20: the gold card turned up, who leads, and what was played last."""
    auction = view["auction"]
    rank, leads = auction["rank"], said("{seat} {lead|leads}", auction["leader"], viewer)
    played = f"{box.TOOLS[rank - 1]} played" if rank else "no tool played"
    says = (
        f"Auction of {plural(auction['value'], 'nugget')}: {leads}, {played}, rank {rank}, next is "
        f"the {box.TOOLS[rank]}"
    )
    with sheet.thing("auction", says):
        sheet.room(x + 3, y + 23, 128, 105)
        _gold(sheet, auction["value"], x + 6, y + 26, 46, 64)
        sheet.box(x + 4, y + 24, 50, 68, None, "mark", 5, 3)
        sheet.text(x + 6, y + 107, leads, 11.5, room=122)
        sheet.text(x + 6, y + 122, f"next: {box.TOOLS[rank]}", 11.5, "muted", room=122)
        for place, kind in enumerate(box.TOOLS):
            at = y + 26 + 16 * place
            sheet.text(
                x + 64, at + 11, "✓" if place < rank else "▶" if place == rank else "", 11.5, "mark"
            )
            sheet.text(x + 78, at + 11, kind, 11.5, "ink" if place <= rank else "muted", room=52)


def _gold(sheet: Sheet, value: int, x: float, y: float, wide: float, high: float) -> None:
    sheet.box(x, y, wide, high, "yellow", "line", 4)
    sheet.text(
        x + wide / 2,
        y + high / 2 + wide * 0.24,
        str(value),
        wide * 0.66,
        "on_hue",
        anchor="middle",
        bold=True,
    )


def _tools(
    sheet: Sheet, view: View, viewer: int | None, x: float, y: float, width: float, high: float
) -> None:
    """The miner and the tools: what they are made of, their ranks, how many are left in the piles;
    what there is to choose."""
    panel(sheet, x, y, width, high, "Join these symbols" if view["revealed"] is None else "Tools")
    _revealed(sheet, view, viewer, x, y, width)
    step = (high - 33) / len(box.THINGS)
    for place, thing in enumerate(box.THINGS):
        at, kind = y + 29 + step * place, box.TOOLS.index(thing) + 1 if thing in box.TOOLS else 0
        middle = at + step / 2 - 1
        left = f"{view['piles'][thing]} in the pile" if kind else "finds gold"
        parts = box.PARTS[thing]
        says = f"{thing.capitalize()}: made of {', '.join(SYMBOL_NAMES[part] for part in parts)}; "
        says += (f"rank {kind}, " if kind else "") + left
        wanted = thing in view["choices"]
        stolen = view["steal"] is not None and view["steal"]["kind"] == thing
        with sheet.thing(
            f"pile:{thing}",
            says + (", to be chosen" if wanted else "") + (", to be stolen" if stolen else ""),
        ):
            line = "mark" if wanted or stolen else None
            sheet.box(x + 8, at, width - 16, step - 2, "card", line, 4, 2)
            _icon(sheet, thing, x + 26, middle, min(step / 3, 13))
            sheet.text(x + 46, middle + 5, f"{kind}  {thing}" if kind else thing, 12, bold=True)
            for order, part in enumerate(parts):
                _symbol(sheet, part, x + 126 + 22 * order, middle, min(step / 4, 9))
            sheet.text(x + width - 16, middle + 5, left, 11.5, "muted", anchor="end")


def _revealed(
    sheet: Sheet, view: View, viewer: int | None, x: float, y: float, width: float
) -> None:
    """DG-33: the kind that lies open since a theft."""
    if view["revealed"] is None:
        return
    stole, kind = said("{seat} stole", view["revealed"]["thief"], viewer), view["revealed"]["kind"]
    with sheet.thing("revealed", f"{stole}: every {kind} lies open until the thief's next turn"):
        sheet.text(
            x + width - 10,
            y + 20,
            f"{stole}: {kind}s lie open",
            11.5,
            "mark",
            anchor="end",
            room=width - 64,
        )


def _icon(sheet: Sheet, thing: str, x: float, y: float, size: float) -> None:
    """A sign for a tool or the miner around a point."""
    if thing == "shovel":
        sheet.stroke(x + 0.8 * size, y - 0.8 * size, x - 0.2 * size, y + 0.2 * size, "ink", 2)
        sheet.polygon(
            *around(x, y, size, (-0.5, -0.2), (0.2, 0.5), (-0.9, 0.9)), fill="grey", line="ink"
        )
    elif thing == "pulley":
        sheet.disc(x, y - 0.3 * size, 0.6 * size, "grey", "ink", 1.5)
        for side, low in ((-0.6, 0.9), (0.6, 0.5)):
            sheet.stroke(
                x + side * size, y - 0.3 * size, x + side * size, y + low * size, "ink", 1.5
            )
    elif thing == "cart":
        body = around(x, y, size, (-1, -0.6), (1, -0.6), (0.7, 0.4), (-0.7, 0.4))
        sheet.polygon(*body, fill="grey", line="ink", thick=1.5)
        for side in (-0.45, 0.45):
            sheet.disc(x + side * size, y + 0.6 * size, 0.28 * size, "card", "ink", 1.5)
    elif thing == "shed":
        sheet.box(x - 0.7 * size, y - 0.1 * size, 1.4 * size, size, "grey", "ink", thick=1.5)
        sheet.polygon(
            *around(x, y, size, (-1, -0.1), (0, -0.95), (1, -0.1)),
            fill="red",
            line="ink",
            thick=1.5,
        )
    else:
        sheet.disc(x, y - 0.3 * size, 0.38 * size, "grey", "ink", 1.5)
        helmet = f"a{0.6 * size:.1f} {0.6 * size:.1f} 0 0 1 {1.2 * size:.1f} 0z"
        sheet.path(f"M{x - 0.6 * size:.1f} {y - 0.4 * size:.1f}{helmet}", "yellow", "ink", 1.5)
        shoulders = f"q{0.8 * size:.1f} {-1.5 * size:.1f} {1.6 * size:.1f} 0z"
        sheet.path(f"M{x - 0.8 * size:.1f} {y + 0.9 * size:.1f}{shoulders}", "grey", "ink", 1.5)


def _discard(sheet: Sheet, view: View, x: float, y: float, width: float) -> None:
    """How many cards are discarded; they are open, and the title names them."""
    count = plural(len(view["discard"]), "card")
    held: Counter[str] = Counter(view["discard"])
    listed = "; ".join(f"{number} × {_in_words(code)}" for code, number in held.items())
    with sheet.thing("discard", f"Discarded: {count}" + (f": {listed}" if listed else "")):
        panel(sheet, x, y, width, 32, f"Discarded: {count}")


# ---------------------------------------------------------------- the players


def _seat(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    x: float,
    y: float,
    width: float,
    high: float,
) -> None:
    over = view["phase"] == "over"
    leads = view["auction"] is not None and view["auction"]["leader"] == p
    robbed = view["steal"] is not None and p in view["steal"]["from"]
    seat_panel(sheet, view, p, x, y, width, high)
    notes = [*standing(view, p), *["leads"] * leads, *["can be robbed"] * robbed]
    note = ", ".join(
        notes + ["had the last turn" if over else "has the turn"] * (view["player"] == p)
    )
    with sheet.thing(
        f"seat:{p}",
        f"{seat_name(p, viewer)}, {plural(view['scores'][p], 'nugget')}"
        + (f", {note}" if note else ""),
    ):
        if robbed:
            sheet.box(x + 4, y + 4, 138, 52, "card", "mark", 6, 2)
        token(sheet, x + 22, y + 22, p, str(p + 1))
        sheet.text(x + 42, y + 20, marked_name(view, p, viewer), 14, bold=True, room=98)
        sheet.text(x + 42, y + 36, plural(view["scores"][p], "nugget"), 12, bold=True)
        if sheet.width < 960:  # that it is to move, its frame and the sign before its name say
            note = note.removeprefix("to move").removeprefix(", ")
        sheet.text(x + 10, y + 52, note, 11.5, "mark", room=132)


def _whose(p: int, viewer: int | None) -> str:
    return said("{seat's}", p, viewer)


def _nuggets(
    sheet: Sheet, won: Sequence[int], p: int, viewer: int | None, x: float, y: float, across: int
) -> None:
    """The gold cards won, in order, so many in a row."""
    with sheet.thing(
        f"nuggets:{p}", f"{_whose(p, viewer)} gold cards: {', '.join(map(str, won)) or 'none'}"
    ):
        if not won:
            sheet.text(x, y + 34, "no gold", 11.5, "muted")
        for place, value in enumerate(won):
            _gold(sheet, value, x + place % across * 21, y + 5 + place // across * 26, 18, 24)


def _seat_tools(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, step: float = 72.0
) -> None:
    """A player's tools, each kind once with the number of its cards; hidden ones as a number
    (DG-32)."""
    held, whose, wide = view["tools"][p], _whose(p, viewer), min(step - 4, 68.0)
    if not held:
        sheet.text(x, y + 34, "no tools", 11.5, "muted")
    kinds = [kind for kind in box.TOOLS if kind in held]
    following = (
        box.TOOLS[view["auction"]["rank"]]
        if view["auction"] is not None and view["to_move"] == p
        else None
    )
    for place, kind in enumerate(kinds):
        count = held.count(kind)
        with sheet.thing(
            f"tool:{p}:{kind}",
            f"{whose} tools: {plural(count, kind)}, rank {box.TOOLS.index(kind) + 1}",
        ):
            at = x + step * place
            sheet.box(
                at,
                y + 5,
                wide,
                49,
                "card",
                "mark" if kind == following else "line",
                5,
                2.5 if kind == following else 1,
            )
            _icon(sheet, kind, at + wide / 2 - (13 if count > 1 else 0), y + 22, 11)
            if count > 1:
                sheet.text(at + wide / 2 + 13, y + 27, f"×{count}", 14, anchor="middle", bold=True)
            words = f"{box.TOOLS.index(kind) + 1} {kind}"
            sheet.text(at + wide / 2, y + 48, words, 11.5, "muted", anchor="middle", room=wide - 2)
    hidden = held.count(None)
    if hidden:
        with sheet.thing(f"tools:{p}", f"{whose} tools: {hidden} hidden"):
            at = x + step * len(kinds)
            back(sheet, at, y + 5, (wide, 49))
            sheet.disc(at + wide / 2, y + 29, 13, "card", "line")
            sheet.text(at + wide / 2, y + 34, str(hidden), 14, anchor="middle", bold=True)


def _hand(sheet: Sheet, hand: Any, p: int, viewer: int | None, right: float, y: float) -> None:
    """A hand, in table order from left to right; face down for those who may not see it."""
    (wide, high), whose = HAND_CARD, _whose(p, viewer)
    count = size_of(hand)
    left = right - count * (wide + 7) + 7
    if isinstance(hand, int):
        with sheet.thing(f"hand:{p}", f"{whose} hand: {plural(count, 'card')}, face down"):
            for place in range(count):
                back(sheet, left + place * (wide + 7), y, HAND_CARD)
        return
    for place, code in enumerate(hand):
        with sheet.thing(f"hand:{p}:{place}", f"{whose} card: a {_in_words(code)}"):
            _card(sheet, code, left + place * (wide + 7) + wide / 2, y + high / 2, wide / 10)


# ---------------------------------------------------------------- what actions belong to


def legend(options: View) -> tuple[Sign, ...]:
    def symbol(sign: str) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _symbol(sheet, sign, x, y, 9)

    def icon(thing: str) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _icon(sheet, thing, x, y, 11)

    ranks = {
        thing: f", rank {box.TOOLS.index(thing) + 1}" if thing in box.TOOLS else ", who finds gold"
        for thing in box.THINGS
    }
    return (
        *(Sign(f"a card of the mine: {name}", symbol(sign)) for sign, name in SYMBOL_NAMES.items()),
        *(Sign(f"{thing}{ranks[thing]}: made of "
            f"{', '.join(SYMBOL_NAMES[part] for part in box.PARTS[thing])}", icon(thing))
          for thing in box.THINGS),
        Sign("a gold card of 4 nuggets", lambda sheet, x,
            y: _gold(sheet, 4, x - 10, y - 14, 20, 28), 36),
        Sign("an open passage, and its number", lambda sheet, x,
            y: _number(sheet, 3, x, y, 9, False)),
        Sign("an open passage into which the card fits that is to be placed", lambda sheet, x,
            y: _number(sheet, 3, x, y, 9, True)),
        Sign("a passage that is blocked", lambda sheet, x, y: _bar(sheet, x, y, 1, 4)),
        Sign("of an auction: played, and what must be played next", letters("✓ ▶", "mark")),
        FACE_DOWN,
    )  # fmt: skip


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The things that an action of a seat belongs to: a card is placed by a passage, and turned
    there."""
    match words:
        case ["card", place]:
            return (f"hand:{seat}:{place}",)
        case ["place", passage, _]:
            return (f"place:{passage}",)
        case ["take", thing]:
            return (f"pile:{thing}",)
        case ["steal", further]:
            return (f"seat:{((seat or 0) + int(further)) % len(view['scores'])}",)
        case ["play", kind]:
            return (f"tool:{seat}:{kind}",)
    return ()


def _newest(event: Event) -> tuple[str, ...]:
    return (f"mine:{event.values['number'] - 1}",)


ABOUT: About = {
    "began": ("mine:0",),
    "picked": ("chosen",),
    **dict.fromkeys(("laid", "connected", "blocked"), _newest),
    "may_choose": lambda event: tuple(f"pile:{thing}" for thing in event.values["choices"]),
    "took": ("pile:{tool}", "tool:{seat}:{tool}"),
    "not_gained": ("pile:{tool}",),
    "pile_empty": ("pile:{tool}",),
    "showed": ("tool:{seat}:{tool}",),
    "stole": ("tool:{other}:{tool}", "tool:{seat}:{tool}"),
    "found_gold": ("gold", "auction"),
    "played": ("tool:{seat}:{tool}", "auction"),
    "won": ("auction", "nuggets:{seat}"),
    "drew": ("pile",),
    "discarded": ("mine", "discard"),
    "shuffled": ("discard", "pile"),
}

JOYS: Joys = {"found_gold": "find", "won": "find", "stole": "loss"}
