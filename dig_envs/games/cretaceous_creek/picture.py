"""The picture of a view of Cretaceous Creek: the dig site, storm and museum beside it, the
paleontologists below."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import enumeration
from dig_envs.games import fossil_deck as deck
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.fossil_cards import PERIOD_HUES, face, fossil_signs, fossils, name_of, stands_up
from dig_envs.pictures.legend import FACE_DOWN, Sign, letters
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    back,
    panel,
    pips,
    plural,
    row,
)
from dig_envs.pictures.seats import in_sentence, marked_name, seat_name, seat_panel, standing, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

CELL = (122.0, 132.0)  # a space of the grid; the next one begins 4 pixels further
GRID = 3 * (CELL[1] + 4) - 4  # height of the grid
STORM = 232.0  # height of the panel of the storm
SIDE = MARGIN + 5 * (CELL[0] + 4) + 6  # where storm and museum begin
SEAT = 88.0  # height of a paleontologist's panel with the space below it
OUT = 42.0  # height of what is out of the game
SMALL = (54.0, 66.0)  # a fossil in storage
SMALL_CELL = (66.0, 122.0)  # a space of the grid in a column
EVENT = (27.0, 20.0)  # an event card
READABLE = 21.0  # what must be seen of one
CAMPS = {box.SPACES[camp] for camp in box.CAMPS}
ENDS = {
    "won": "all six skeletons are saved and everybody is at a camp: won",
    "part": "a part of a missing skeleton is out of the game: lost",
    "evacuated": "nobody is left on the site: lost",
    "corners": "all camps are flooded: lost",
    "flooded": "the dig site is flooded: lost",
}
QUESTIONS = {
    "camp": "choose a camp",
    "dig": "an initial dig?",
    "act": "actions",
    "swap": "what to take in exchange",
    "sandbag": "sandbags against the revealed cards?",
    "escape": "escape from the water",
}


def height(options: View) -> int:
    return int(HEADER + GRID + 10 + ceil(options["num_players"] / 2) * SEAT + OUT + 6)


def headline(view: View) -> str:
    """Turn, storm and what is asked of whom; or how the game ended."""
    clock = (
        f"Turn {view['turn']}, Storm Phase {min(view['storm'], box.LAST_STORM)}, period "
        f"{view['period']}"
    )
    if view["phase"] == "over":
        return f"{clock}. The game is over: {ENDS[view['ended']]}"
    left = f", {plural(view['ap'], 'action point')} left" if view["phase"] == "act" else ""
    return f"{clock}. {seat_name(view['to_move'], None)}: {QUESTIONS[view['phase']]}{left}"


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    for place, space in enumerate(box.SPACES):
        _space(
            sheet,
            view,
            space,
            MARGIN + place % 5 * (CELL[0] + 4),
            HEADER + place // 5 * (CELL[1] + 4),
        )
    _storm(sheet, view, SIDE, HEADER, sheet.width - MARGIN - SIDE)
    _museum(sheet, view, SIDE, HEADER + STORM + 6, sheet.width - MARGIN - SIDE)
    seats, top = len(view["scores"]), HEADER + GRID + 10
    wide = (sheet.width - 2 * MARGIN - 6) / 2 if seats > 1 else sheet.width - 2 * MARGIN
    for p in range(seats):
        _paleontologist(
            sheet, view, p, viewer, MARGIN + p % 2 * (wide + 6), top + p // 2 * SEAT, wide
        )
    _out(sheet, view, top + ceil(seats / 2) * SEAT)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: dig site, paleontologists, storm, museum; return where
    it ends."""
    for place, space in enumerate(box.SPACES):
        across, down = place % 5 * (INSIDE + 3) / 5, place // 5 * (SMALL_CELL[1] + 3)
        _space(sheet, view, space, EDGE + across, y + down, SMALL_CELL)
    y += 3 * (SMALL_CELL[1] + 3) + 3
    for p in range(len(view["scores"])):
        y += _paleontologist(sheet, view, p, viewer, EDGE, y, INSIDE) + 6
    whole = view["revealed"] or view["sandbagged"] or view["used"]
    tall = STORM if whole else 94 + 38 * max(ceil(len(view["stacks"]) / 2), 1)
    _storm(sheet, view, EDGE, y, INSIDE, tall)
    _museum(sheet, view, EDGE, y + tall + 6, INSIDE)
    y += tall + 6 + GRID - STORM
    _out(sheet, view, y)
    return y + OUT - 6


# ---------------------------------------------------------------- the dig site


def _space(
    sheet: Sheet, view: View, space: str, x: float, y: float, size: tuple[float, float] = CELL
) -> None:
    """A space: its name, its pile, who is there, and where its event card is, if that is known."""
    here = [p for p, place in enumerate(view["pos"]) if place == space]
    flooded = space in view["flooded"]
    stack = next((k + 1 for k, cards in enumerate(view["stacks"]) if space in cards), 0)
    with sheet.thing(f"space:{space}", _space_in_words(view, space, here, stack)):
        sheet.box(x, y, *size, fill="sky" if flooded else "surface", line="line", corner=4)
        if flooded:
            step = (size[0] - 16) / 8
            for wave in range(4):
                line = (
                    f"M{x + 8:.1f} {y + 34 + 26 * wave:.1f}"
                    + f" q{step / 2:.1f} -7 {step:.1f} 0 t{step:.1f} 0" * 4
                )
                sheet.path(line, None, "ink", 1.2)
        is_small = size != CELL
        left = 4 if is_small else 8
        sheet.text(
            x + left,
            y + (16 if is_small else 18),
            space,
            13,
            "on_hue" if flooded else "ink",
            bold=True,
        )
        if space in CAMPS:
            _tent(sheet, x + (24 if is_small else 34), y + (3 if is_small else 6))
        if stack:
            _drop(sheet, x + size[0] - (13 if is_small else 17), y + 14, stack)
        if is_small:
            _pile(sheet, view["grid"][space], view["top"][space], x + 4, y + 25, (53.0, 70.0))
        else:
            _pile(sheet, view["grid"][space], view["top"][space], x + 10, y + 36, (60.0, 82.0))
        for place, p in enumerate(here):
            if is_small:
                step = min(20.0, (size[0] - 22) / max(len(here) - 1, 1))
                token(sheet, x + 11 + step * place, y + size[1] - 11, p, str(p + 1), 8)
            else:
                token(sheet, x + size[0] - 20, y + 42 + 21 * place, p, str(p + 1), 9)


def _space_in_words(view: View, space: str, here: Sequence[int], stack: int) -> str:
    words = (
        space + ", a camp" * (space in CAMPS) + ", is flooded" * (space in view["flooded"]) + "."
    )
    pile, top = view["grid"][space], view["top"][space]
    if pile:
        words += f" {'A fossil' if pile[-1] is None else name_of(pile[-1])} lies here, {top}"
    if len(pile) > 1:
        words += f", above {'a face-down fossil' if pile[0] is None else name_of(pile[0])}"
    if pile:
        words += "."
    elif space not in view["flooded"]:
        words += " No fossil lies here."
    if here:
        names = enumeration([seat_name(p, None) for p in here])
        words += f" {names} {'is' if len(here) == 1 else 'are'} here."
    if stack:
        words += f" Its event card is in stack {stack}."
    return words


def _pile(
    sheet: Sheet,
    pile: Sequence[str | None],
    top: str | None,
    x: float,
    y: float,
    size: tuple[float, float],
) -> None:
    """The fossils of a space, the lower one peeping out; an endangered one is framed, with a
    warning sign."""
    wide, high = size
    if len(pile) > 1:
        back(sheet, x + 6, y + 6, size)
        if pile[0] is not None:
            _label(sheet, pile[0], *((x + 88, y + 80) if wide == 60 else (x + 38, y + high + 2)))
    if not pile:
        return
    code = pile[-1]
    if code is None or top == "buried":
        back(sheet, x, y, size)
        if code is not None:
            _label(sheet, code, x + wide / 2, y + high / 2 + 4)
        return
    sheet.box(x, y, *size, fill="card", line="line", corner=5)
    face(sheet, code)(x, y, *size)
    if top == "endangered":
        sheet.box(
            x - 1.5, y - 1.5, size[0] + 3, size[1] + 3, fill=None, line="mark", corner=6, thick=3
        )
        at, down = (x + wide + 9, y) if wide == 60 else (x + wide - 7, y + high + 4)
        _danger(sheet, at, down + 5)


def _label(sheet: Sheet, code: str, x: float, y: float) -> None:
    """The name of a fossil on its back, where all is shown."""
    sheet.box(x - 20, y - 8, 40, 16, fill="card", line="line", corner=3)
    sheet.text(x, y + 4, code, 11.5, anchor="middle", bold=True)


def _tent(sheet: Sheet, x: float, y: float) -> None:
    sheet.polygon((x, y + 14), (x + 10, y), (x + 20, y + 14), fill="orange", line="line")
    sheet.polygon((x + 6, y + 14), (x + 10, y + 5), (x + 14, y + 14), fill="card", line="line")


def _drop(sheet: Sheet, x: float, y: float, number: int) -> None:
    """A drop of rain with the number of the stack in which the event card of a space lies."""
    sheet.path(f"M{x:.1f} {y - 10:.1f} q8 9 8 13 a8 8 0 0 1 -16 0 q0 -4 8 -13 z", "blue", "line")
    sheet.text(x, y + 7, str(number), 10, "on_hue", anchor="middle", bold=True)


# ---------------------------------------------------------------- the storm


def _storm(sheet: Sheet, view: View, x: float, y: float, width: float, tall: float = STORM) -> None:
    """The erosion deck, the stacks, and where else event cards are."""
    phase = min(view["storm"], box.LAST_STORM)
    with sheet.thing(
        "storm",
        f"Storm Phase {view['storm']} of {box.LAST_STORM}, period {view['period']}, {phase} cards "
        "a turn",
    ):
        panel(
            sheet,
            x,
            y,
            width,
            tall,
            f"Storm Phase {phase} of {box.LAST_STORM}, period {view['period']}",
        )
        pips(sheet, x + width - 62, y + 16, phase, box.LAST_STORM, "blue")
    deck, aside = size_of(view["deck"]), size_of(view["aside"])
    next_first = view["deck"] if isinstance(view["deck"], int) else view["deck"][::-1]
    left, right, top = x + 12, x + width / 2 + 8, y + 34
    _events(
        sheet,
        "deck",
        "erosion deck",
        f"Erosion deck, {plural(deck, 'card')}",
        next_first,
        left,
        top,
        width - 24,
    )
    _events(
        sheet,
        "aside",
        "set aside",
        f"Set aside unseen, {plural(aside, 'card')}",
        view["aside"],
        left,
        top + 28,
        width - 24,
    )
    for k, cards in enumerate(view["stacks"]):
        next_one = view["period"] == 2 and k == 0
        at = (left, right)[k % 2], top + 58 + k // 2 * 38
        words = f"Stack {k + 1}" + (", carried out next" if next_one else "")
        sheet.text(
            at[0],
            at[1] + 9,
            words.replace(", carried out", ":"),
            10,
            "mark" if next_one else "muted",
            bold=next_one,
        )
        with sheet.thing(f"stack:{k}", f"{words}: {_in_words(cards)}"):
            _event_row(sheet, cards, at[0], at[1] + 13, width / 2 - 20)
    if not view["stacks"]:
        sheet.text(
            left,
            top + 82,
            "no face-up stacks yet" if view["period"] == 1 else "no stack is left",
            11,
            "muted",
        )
    if view["revealed"]:
        _events(
            sheet,
            "revealed",
            "revealed",
            "Revealed now",
            view["revealed"],
            left,
            top + 138,
            width - 24,
            marked=True,
        )
    elif view["sandbagged"]:
        _events(
            sheet,
            "sandbagged",
            "sandbagged",
            "Sandbagged",
            view["sandbagged"],
            left,
            top + 138,
            width - 24,
        )
    if view["used"]:
        _events(
            sheet,
            "used",
            "used",
            "Used in this Storm Phase",
            view["used"],
            left,
            top + 168,
            width - 24,
        )


def _events(
    sheet: Sheet, name: str, label: str, words: str, cards: Sequence[str] | int, x: float, y: float,
    room: float, marked: bool = False,
) -> None:  # fmt: skip
    """A row of event cards with a label to its left; cards that are only counted lie face down."""
    shown = "" if isinstance(cards, int) else f": {_in_words(cards)}"
    with sheet.thing(name, words + shown):
        sheet.text(x, y + 14, label, 11.5, "mark" if marked else "muted", bold=marked)
        sheet.text(x + 97, y + 14, str(size_of(cards)), 11.5, anchor="end", bold=True)
        _event_row(sheet, cards, x + 103, y, room - 103)


def _event_row(sheet: Sheet, cards: Sequence[str] | int, x: float, y: float, room: float) -> None:
    """Event cards in a row; of those that are known as many as can be read, then how many more
    there are."""
    known: Sequence[str | None] = [None] * cards if isinstance(cards, int) else cards
    most = int((room - EVENT[0]) // READABLE)
    more = len(known) - most if not isinstance(cards, int) and len(known) > most + 1 else 0
    if more:
        sheet.text(x + room, y + 14, f"+{more}", 11.5, "muted", anchor="end")
        known = known[:most]
    shifts = row(len(known), room - 26 * (more > 0), EVENT[0], 3)
    for code, shift in zip(known, shifts, strict=True):
        sheet.box(
            x + shift, y, *EVENT, fill="back" if code is None else "card", line="line", corner=3
        )
        if code is None:
            sheet.stroke(x + shift + 4, y + EVENT[1] - 4, x + shift + EVENT[0] - 4, y + 4, "card")
        else:
            sheet.text(x + shift + 3, y + 14, "–" if code == "none" else code, 11.5, bold=True)


def _in_words(cards: Sequence[str]) -> str:
    return ", ".join("no erosion" if code == "none" else code for code in cards)


# ---------------------------------------------------------------- museum and lost fossils


def _museum(sheet: Sheet, view: View, x: float, y: float, width: float) -> None:
    """The six skeletons: whether each is complete, and of each part how many copies are still in
    the game."""
    tall = GRID - STORM - 6
    panel(sheet, x, y, width, tall, "Museum")
    sheet.text(
        x + width - 12, y + 20, f"{len(view['museum'])} of 6 skeletons", 12, anchor="end", bold=True
    )
    across, down = (width - 20) / 2, (tall - 32) / 3
    for g, genus in enumerate(box.GENERA):
        _genus(
            sheet,
            view,
            g,
            genus,
            x + 10 + g % 2 * across,
            y + 28 + g // 2 * down,
            across - 6,
            down - 6,
        )


def _genus(
    sheet: Sheet, view: View, g: int, genus: str, x: float, y: float, width: float, tall: float
) -> None:
    done = genus in view["museum"]
    copies = int(box.SKELETONS[g])
    left = [copies - view["out"].count(f"{genus}{part + 1}") for part in range(box.PARTS[g])]
    parts = ", ".join(
        f"part {part + 1}: {plural(count, 'copy', 'copies')}" for part, count in enumerate(left)
    )
    state = "complete, in the museum" if done else f"missing; not out of the game are {parts}"
    with sheet.thing(f"genus:{genus}", f"{box.GENUS_NAMES[g]}: {state}"):
        sheet.box(x, y, width, tall, fill="green" if done else "card", line="line", corner=4)
        colour = "on_hue" if done else "ink"
        sheet.text(
            x + 6, y + tall / 2 + 4.5, f"{genus}{' ★' if done else ''}", 12, colour, bold=True
        )
        for part, count in enumerate(left):
            at = x + width - 20 * (len(left) - part) - 4
            sheet.text(at + 10, y + 14, str(part + 1), 10, colour, anchor="middle")
            for copy in range(copies):
                middle = at + 10 + (copy - (copies - 1) / 2) * 8.4
                if copy < count:
                    sheet.disc(middle, y + 24, 3.4, fill=colour)
                else:  # lost
                    sheet.path(
                        f"M{middle - 3:.1f} {y + 21:.1f} l6 6 m0 -6 l-6 6",
                        None,
                        "on_hue" if done else "mark",
                        1.6,
                    )


def _out(sheet: Sheet, view: View, y: float) -> None:
    """Draw what is out of the game, which the museum shows by genus, too."""
    left = EDGE if sheet.width < 960 else MARGIN
    panel(sheet, left, y, sheet.width - 2 * left, OUT - 6)
    words = ", ".join(name_of(code) for code in view["out"]) or "nothing"
    with sheet.thing("out", f"Out of the game: {words}"):
        sheet.room(left + 3, y + 3, sheet.width - 2 * left - 6, OUT - 12)
        wide = sheet.text(left + 10, y + 23, "Out of the game", 12, "muted", bold=True)
        x, room = left + 22 + wide, sheet.width - 2 * left - wide - 30
        if not view["out"]:
            sheet.text(x, y + 23, "nothing", 11.5)
        each = max(ceil(len(view["out"]) / 2), 1)
        step = min(42.0, (room - 40) / max(each - 1, 1))
        for place, code in enumerate(view["out"]):  # in two rows of small cards
            at, down = x + place % each * step, y + 2 + place // each * 16
            genus = code[:3] if code[:3] in deck.GENERA else None
            hue = PERIOD_HUES[deck.PERIOD[deck.GENERA.index(genus)]] if genus else "grey"
            sheet.box(at, down, 40, 15, hue, "line", 3)
            sheet.text(at + 20, down + 11.5, code, 11.5, "on_hue", anchor="middle", room=38)


# ---------------------------------------------------------------- the paleontologists


def _paleontologist(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float
) -> float:
    """A seat: where it is, its action points, and what it has in storage; returns its height."""
    is_small = width == INSIDE
    high = 48 + SMALL[1] if is_small else SEAT - 6
    where = (
        "evacuated"
        if view["evacuated"][p]
        else f"at {view['pos'][p]}"
        if view["pos"][p]
        else "no camp yet"
    )
    room = box.SOLO_STORAGE if len(view["scores"]) == 1 else box.STORAGE
    notes = _notes(view, p)
    turn = view["player"] == p and view["phase"] != "over"
    ap = view["ap"] if turn else 0
    says = [
        seat_name(p, viewer), where, "has the turn" if turn else "",
        f"{plural(ap, 'action point')} left" if turn else "", *notes,
        f"stores {len(view['storage'][p])} of {room}",
        plural(view["scores"][p], "skeleton in the museum", "skeletons in the museum"),
        *standing(view, p),
    ]  # fmt: skip
    with sheet.thing(f"seat:{p}", ", ".join(word for word in says if word)):
        seat_panel(sheet, view, p, x, y, width, high)
        token(sheet, x + 22, y + 24, p, str(p + 1))
        sheet.text(
            x + 44,
            y + (20 if is_small else 22),
            marked_name(view, p, viewer),
            14,
            bold=True,
            room=(90 if turn or notes else width - 52) if is_small else 146,
        )
        sheet.text(x + 44, y + (35 if is_small else 39), where, 12, "muted")
        if turn:
            pips(
                sheet, *((x + 150, y + 18) if is_small else (x + 49, y + 56)), ap, box.ACTION_POINTS
            )
        if is_small:
            sheet.lines(
                x + 138,
                y + (38 if turn else 22),
                "; ".join(notes),
                width - 146,
                11.5,
                "mark",
                most=2,
            )
        else:
            sheet.lines(
                x + 12,
                y + (74 if turn else 60),
                "; ".join(notes),
                178,
                11.5,
                "mark",
                leading=1.2,
                most=2,
            )
    left, top = (x + 8, y + 44) if is_small else (x + 196, y + 9)
    step = min(SMALL[0] + 8, (x + width - 6 - left) / room)
    for place in range(room):
        sheet.box(left + place * step, top, *SMALL, fill=None, line="muted", corner=5, dashed=True)
    fossils(
        sheet,
        f"storage:{p}",
        view["storage"][p],
        left,
        top,
        room * step,
        SMALL,
        f"stored by {in_sentence(p, viewer)}",
    )
    return high


def _notes(view: View, p: int) -> list[str]:
    swap = view["swap"]
    notes = []
    if swap and view["player"] == p:
        notes.append(f"gives {swap['gives']} to {seat_name(swap['partner'], None)}")
    if swap and swap["partner"] == p:
        notes.append(f"is asked for a fossil for {swap['gives']}")
    if p in view["displaced"]:
        notes.append("must leave the water")
    return notes


# ---------------------------------------------------------------- actions


def legend(options: View) -> tuple[Sign, ...]:
    return (
        *fossil_signs(),
        FACE_DOWN,
        Sign("a camp", lambda sheet, x, y: _tent(sheet, x - 10, y - 7)),
        Sign(
            "the event card of this space is in stack 1",
            lambda sheet, x, y: _drop(sheet, x, y - 2, 1),
        ),
        Sign("endangered: it is lost if this space erodes again", _danger),
        Sign(
            "a flooded space",
            lambda sheet, x, y: sheet.box(x - 16, y - 10, 32, 20, "sky", "line", 3),
        ),
        Sign(
            "action points that are left",
            lambda sheet, x, y: pips(sheet, x - 21, y, 3, box.ACTION_POINTS),
        ),
        Sign(
            "event cards: this space, or no erosion",
            lambda sheet, x, y: _event_row(sheet, ["A1", "none"], x - 29, y - 10, 60),
        ),
        Sign(
            "a copy of a part that is still in the game",
            lambda sheet, x, y: sheet.disc(x, y, 3.4, fill="ink"),
        ),
        Sign("a copy of a part that is out of the game", letters("×", "mark")),
        Sign("the skeleton is in the museum", letters("★")),
    )


def _danger(sheet: Sheet, x: float, y: float) -> None:
    sheet.polygon((x, y - 9), (x + 10, y + 9), (x - 10, y + 9), fill="yellow", line="mark", thick=2)
    sheet.text(x, y + 7, "!", 13, "on_hue", anchor="middle", bold=True)


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    n = len(view["scores"])
    match words:
        case ["camp", space]:
            return (f"space:{space}",)
        case ["initial", "dig"] | ["evacuate"]:
            return (f"space:{_place(view, seat)}",)
        case ["move" | "escape" | "protect" | "expose" | "excavate" | "clear", direction]:
            return (f"space:{_towards(_place(view, seat), direction)}",)
        case ["discard", code]:
            return (f"storage:{seat}:{code}",)
        case ["give", code, "to", other] | ["swap", code, "with", other]:
            return (f"storage:{seat}:{code}", f"seat:{((seat or 0) + int(other)) % n}")
        case ["get", code, "from", other]:
            return (f"storage:{((seat or 0) + int(other)) % n}:{code}",)
        case ["take", code]:
            return (f"storage:{view['swap']['partner']}:{code}",)
        case ["sandbag"]:
            return (f"storage:{seat}:EDM",)
    return ()


def _place(view: View, seat: int | None) -> str:
    return str(view["pos"][seat or 0])


def _towards(space: str, direction: str) -> str:
    if direction == "here":
        return space
    return box.SPACES[int(box.NEIGHBOUR[box.SPACES.index(space), box.DIRECTIONS.index(direction)])]


def _struck(event: Event) -> tuple[str, ...]:
    cards = (event.values[place] for place in ("first", "second", "third", "fourth"))
    return tuple(f"space:{card}" for card in cards if card in box.SPACES)


ON_A_SPACE = (
    "began",
    "moved",
    "protected",
    "exposed",
    "evacuated",
    "endangered",
    "flooded",
    "escaped",
)
ABOUT: About = {
    **dict.fromkeys(ON_A_SPACE, ("space:{space}",)),
    "excavated": ("space:{space}", "storage:{seat}:{fossil}"),
    "cleared": ("space:{space}", "out"),
    "destroyed": ("space:{space}", "out"),
    "discarded": ("storage:{seat}:{fossil}", "out"),
    "gave": ("storage:{seat}:{fossil}", "storage:{other}:{fossil}"),
    "got": ("storage:{other}:{fossil}", "storage:{seat}:{fossil}"),
    "offered": ("storage:{seat}:{fossil}", "seat:{other}"),
    "swapped": (
        "storage:{seat}:{given}",
        "storage:{seat}:{taken}",
        "storage:{other}:{given}",
        "storage:{other}:{taken}",
    ),
    "completed": ("genus:{genus}",),
    "drew": _struck,
    "took_stack": _struck,
    "sandbagged": ("out",),
    "period_2": ("deck",),
    "storm": ("storm",),
}

JOYS: Joys = {
    "completed": lambda event: stands_up(event.values["genus"]),
    "excavated": "find",
    "destroyed": "loss",
    "stranded": "loss",
    "flooded": "storm",
    "storm": "storm",
}
