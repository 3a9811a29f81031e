"""The picture of a view of Fossil Memory: the grid at the left, museums and the genera in play at
the right."""

from collections.abc import Callable, Mapping
from typing import Any

from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_cards import PERIOD_HUES, face, fossil_signs, name_of, stands_up
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory.drawing import title as headline
from dig_envs.games.fossil_silhouettes import silhouette
from dig_envs.pictures.legend import FACE_DOWN, Sign, plate
from dig_envs.pictures.parts import EDGE, HEADER, INSIDE, MARGIN, About, Joys, back, panel, plural
from dig_envs.pictures.seats import in_sentence, marked_name, seat_name, seat_panel, standing, token
from dig_envs.pictures.sheet import Sheet

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

CARD, GAP = (86.0, 117.0), 10.0  # a card of the grid, and what is between cards
# width and height of the grid
GRID = (box.COLUMNS * (CARD[0] + GAP) + 3 * GAP, box.ROWS * (CARD[1] + GAP) + GAP)
SEAT = 62.0  # height of a player's plate
RIGHT = MARGIN + GRID[0] + GAP  # where the right column begins
GENUS = (59.0, 66.0)  # a genus in play
SMALL = (52.0, 76.0)  # a card of the grid in a column, …
NUMBERS = 11.0  # … where the numbers of the rows stand before it


def height(options: View) -> int:
    return int(HEADER + GRID[1] + MARGIN)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    panel(sheet, MARGIN, HEADER, *GRID)
    for column in range(box.COLUMNS):
        sheet.text(
            _left(column) + CARD[0] / 2, HEADER + 8.5, str(column + 1), 9, "muted", anchor="middle"
        )
    for row in range(box.ROWS):
        sheet.text(
            MARGIN + 11, _top(row) + CARD[1] / 2 + 4, str(row + 1), 9, "muted", anchor="middle"
        )
    for place in range(box.NUM_PLACES):
        row, column = divmod(place, box.COLUMNS)
        _place(sheet, view, place, viewer, _left(column), _top(row), CARD)
    seats, wide = len(view["scores"]), sheet.width - MARGIN - RIGHT
    for p in range(seats):
        _player(sheet, view, p, viewer, RIGHT, HEADER + p * (SEAT + 6), wide)
    top = HEADER + GRID[1] - 3 * (GENUS[1] + 5) - 28
    _genera(sheet, view, viewer, RIGHT, top, wide, HEADER + GRID[1] - top)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: the grid, the players, the genera; return where it
    ends."""
    left, step, high = EDGE + NUMBERS, (INSIDE - NUMBERS + 4) / box.COLUMNS, SMALL[1] + 4
    for k in range(box.COLUMNS):
        sheet.text(
            left + k * step + SMALL[0] / 2, y + 8, str(k + 1), 11.5, "muted", anchor="middle"
        )
    for place in range(box.NUM_PLACES):
        row, k = divmod(place, box.COLUMNS)
        if k == 0:
            sheet.text(EDGE - 4, y + 17 + row * high + SMALL[1] / 2, str(row + 1), 11.5, "muted")
        _place(sheet, view, place, viewer, left + k * step, y + 13 + row * high, SMALL)
    y += 13 + box.ROWS * high + 6
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer, EDGE, y, INSIDE)
        y += SEAT + 6
    tall = 3 * (GENUS[1] + 5) + 28
    _genera(sheet, view, viewer, EDGE, y, INSIDE, tall)
    return y + tall


def _left(column: int) -> float:
    return MARGIN + 2 * GAP + column * (CARD[0] + GAP)


def _top(row: int) -> float:
    return HEADER + 18 + row * (CARD[1] + GAP - 1)


# ---------------------------------------------------------------- the grid


def _place(
    sheet: Sheet,
    view: View,
    place: int,
    viewer: int | None,
    x: float,
    y: float,
    size: tuple[float, float],
) -> None:
    """A place of the grid: its card as it lies there, or as it is remembered, or what is left of
    it."""
    name, card = box.PLACES[place], view["grid"][place]
    row, column = divmod(place, box.COLUMNS)
    recent = [p for p, places in enumerate(view["recent"] or []) if name in places]
    with sheet.thing(
        f"place:{name}",
        f"Row {row + 1}, column {column + 1}: {_in_words(view, place, recent, viewer)}",
    ):
        if card == "":
            sheet.box(x, y, *size, fill="page" if size == CARD else "surface", corner=5)
        elif card is None:
            back(sheet, x, y, size)
        else:
            _face(sheet, view, name, card, x, y, size)
        for step, p in enumerate(recent):
            at = 13 + 20 * step if size == CARD else 9 + 12 * step
            token(sheet, x + at, y + size[1] - 30, p, str(p + 1), 8 if size == CARD else 6.5)


def _face(
    sheet: Sheet, view: View, name: str, card: str, x: float, y: float, size: tuple[float, float]
) -> None:
    """A card that is shown: open if it lies face up, else with a strip below that says how it is
    known."""
    up, shown = name in view["up"], name in view["shown"]
    wide, high = size
    sheet.box(x, y, *size, fill="card" if up or shown else "surface", line="line", corner=5)
    face(sheet, card)(x, y, wide, high if up or shown else high - 15)
    if up:
        sheet.box(x - 2, y - 2, wide + 4, high + 4, fill=None, line="mark", corner=7, thick=4)
        order = view["up"].index(name) + 1
    elif shown:
        sheet.box(
            x - 1, y - 1, wide + 2, high + 2, fill=None, line="mark", corner=6, thick=2, dashed=True
        )
        order = view["shown"].index(name) + 1
    else:
        sheet.box(x + 1, y + high - 16, wide - 2, 15, fill="grey", corner=4)
        memory = _memory(view, name)
        words = memory if size == CARD else SHORT[memory]
        sheet.text(
            x + wide / 2, y + high - 4.5, words, 11.5, "on_hue", anchor="middle", room=wide - 4
        )
        return
    at = (x + wide - 13, y + 40) if size == CARD else (x + wide - 10, y + 28)
    _order(sheet, *at, order)


def _memory(view: View, name: str) -> str:
    """The seat's knowledge of a face-down card (FM-11)."""
    if view["seen"] is not None:
        return "seen before" if view["seen"][box.PLACES.index(name)] else "not seen yet"
    return "seen lately" if any(name in places for places in view["recent"] or []) else "face down"


# How a memory is called on a small card.
SHORT = {
    "seen before": "seen",
    "not seen yet": "not seen",
    "seen lately": "lately",
    "face down": "down",
}


def _in_words(view: View, place: int, recent: list[int], viewer: int | None) -> str:
    """The card at a place, and the seats that saw it lately."""
    name, card = box.PLACES[place], view["grid"][place]
    if card == "":
        return "taken"
    if name in view["up"]:
        state = f"card {view['up'].index(name) + 1} of this turn, face up"
    elif name in view["shown"]:
        state = f"card {view['shown'].index(name) + 1} of the turn before, in sight"
    else:
        memory = _memory(view, name)
        state = "face down" if memory == "face down" else f"face down, {memory}"
    lately = (
        (
            ", turned up since the last decision of "
            f"{' and '.join(in_sentence(p, viewer) for p in recent)}"
        )
        if recent
        else ""
    )
    return (f"{name_of(card)}, " if card else "") + state + lately


# ---------------------------------------------------------------- players and genera


def _player(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float
) -> None:
    won, museum = p in view["winners"], view["museums"][p]
    words = [seat_name(p, viewer), plural(view["scores"][p], "point")]
    words.append("museum: " + (", ".join(name_of(genus) for genus in museum) or "nothing yet"))
    if view["recent"] is not None:
        words.append(
            "turned up since the last decision, in order: "
            + (" then ".join(view["recent"][p]) or "nothing")
        )
    with sheet.thing(f"seat:{p}", "; ".join([*words, *standing(view, p)])):
        seat_panel(sheet, view, p, x, y, width, SEAT)
        token(sheet, x + 22, y + 21, p, str(p + 1))
        room = width - 140  # beside "102 points"
        sheet.text(x + 42, y + 26, marked_name(view, p, viewer), 14, bold=True, room=room)
        sheet.text(
            x + width - 14, y + 26, plural(view["scores"][p], "point"), 13, anchor="end", bold=won
        )
        wide = min(48, (width - 20) / max(len(museum), 1))
        for place, genus in enumerate(museum):
            at = x + 12 + place * wide
            sheet.box(at, y + 37, wide - 4, 18, fill="green", line="line", corner=3)
            sheet.text(
                at + (wide - 4) / 2,
                y + 50,
                genus,
                11.5,
                "on_hue",
                anchor="middle",
                bold=True,
                room=wide - 5,
            )


def _genera(
    sheet: Sheet, view: View, viewer: int | None, x: float, y: float, width: float, tall: float
) -> None:
    """The nine genera in play: parts and value of each, and whose museum it is in."""
    panel(sheet, x, y, width, tall)
    left = sum(card != "" for card in view["grid"])
    sheet.text(x + 12, y + 18, "Genera in play", 12, "muted", bold=True)
    sheet.text(
        x + width - 12, y + 18, f"{plural(left, 'card')} on the grid", 11.5, "muted", anchor="end"
    )
    wide = (width - 18) / 3
    for place, genus in enumerate(view["genera"]):
        at = x + 12 + place % 3 * wide, y + 27 + place // 3 * (GENUS[1] + 5)
        _genus(sheet, view, genus, viewer, *at, wide - 6)


def _genus(
    sheet: Sheet, view: View, genus: str, viewer: int | None, x: float, y: float, width: float
) -> None:
    place = deck.GENERA.index(genus)
    parts, value = int(deck.PARTS[place]), int(deck.VALUE[place])
    owner = next((p for p, museum in enumerate(view["museums"]) if genus in museum), None)
    where = "on the grid" if owner is None else f"in the museum of {in_sentence(owner, viewer)}"
    with sheet.thing(f"genus:{genus}", f"{name_of(genus)}: {parts} parts, worth {value}, {where}"):
        sheet.box(
            x,
            y,
            width,
            GENUS[1],
            fill="card" if owner is None else "page",
            line="line" if owner is None else None,
            corner=5,
        )
        sheet.box(
            x + 1,
            y + 1,
            width - 2,
            18,
            fill=PERIOD_HUES[deck.PERIOD[place]] if owner is None else "grey",
            corner=4,
        )
        sheet.text(x + 6, y + 14, genus, 12, "on_hue", bold=True)
        sheet.text(x + width - 6, y + 14, str(value), 12, "on_hue", anchor="end")
        silhouette(
            sheet, genus, x + 8, y + 20, 50, 32, parts, range(1, parts + 1) if owner is None else ()
        )
        if owner is None:
            sheet.text(x + width - 6, y + 62, f"{parts} parts", 11.5, "muted", anchor="end")
        else:
            token(sheet, x + width - 22, y + 43, owner, str(owner + 1), 10)


def legend(options: View) -> tuple[Sign, ...]:
    def order(sheet: Sheet, x: float, y: float) -> None:
        _order(sheet, x, y, 2)

    def framed(line: str, dashed: bool) -> Callable[[Sheet, float, float], None]:
        thick = 2 if dashed else 4
        return lambda sheet, x, y: sheet.box(x - 13, y - 17, 26, 34, "card", line, 5, thick, dashed)

    memories = (
        Sign(
            f"a card that lies face down; how you know it: {', '.join(SHORT)}",
            plate("seen", "grey"),
        ),
        Sign(
            "turned up since the last decision of player 1",
            lambda sheet, x, y: token(sheet, x, y, 0, "1", 8),
        ),
    )
    return (
        *fossil_signs(),
        FACE_DOWN,
        Sign("turned up in this turn", framed("mark", False), 42),
        Sign("turned up in the turn before, and still in sight", framed("mark", True), 42),
        Sign("the second card of its turn", order),
        *memories,
        Sign("a genus whose skeleton is in a museum", plate("DIL", "grey")),
    )


def _order(sheet: Sheet, x: float, y: float, number: int) -> None:
    """The number of a card within its turn."""
    sheet.disc(x, y, 8.5, fill="card", line="mark")
    sheet.text(x, y + 4.2, str(number), 11.5, "mark", anchor="middle", bold=True)


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    return (f"place:{words[1]}",)


ABOUT: About = {
    "turned_up": ("place:{place}",),
    "missed": ("genus:{genus}",),
    "took": ("genus:{genus}",),
}

JOYS: Joys = {"took": lambda event: stands_up(event.values["genus"])}
