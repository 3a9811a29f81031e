"""The picture of a view of Go Dig: a table with a column for each genus and a row for each
player."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from dig_envs.engine.core.events import Event
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_cards import PERIOD_HUES, fossil_signs, name_of, stands_up
from dig_envs.games.fossil_silhouettes import silhouette
from dig_envs.games.go_dig.drawing import title as headline
from dig_envs.pictures.legend import Sign, plate
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    back,
    panel,
    plural,
    stack,
)
from dig_envs.pictures.seats import marked_name, seat_name, seat_panel, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

TOP = 106.0  # height of the row of genera
SEAT = 132.0  # height of a player's row
LEFT = 172.0  # where the columns begin
GENUS, LINE = 78.0, 56.0  # in a column: width of a genus, and height of its line
COLUMN, CARD = 59.0, (53.0, 72.0)  # width of a column, and the card in it


def height(options: View) -> int:
    return int(HEADER + TOP + options["num_players"] * SEAT + MARGIN)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    panel(sheet, MARGIN, HEADER, sheet.width - 2 * MARGIN, TOP - 8)
    cards = size_of(view["pile"])
    stack(
        sheet,
        "pile",
        f"Dig pile: {plural(cards, 'card')}, face down",
        MARGIN + 16,
        HEADER + 16,
        cards,
        (50, 66),
    )
    sheet.text(MARGIN + 84, HEADER + 44, "dig pile", 11.5, "muted")
    sheet.text(MARGIN + 84, HEADER + 60, plural(cards, "card"), 11.5, "muted")
    for genus in deck.GENERA:
        _genus(sheet, view, genus, _column(genus), HEADER + 8)
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: pile and players, then a line for each genus with a
    cell for each player."""
    seats, cards = len(view["scores"]), size_of(view["pile"])
    panel(sheet, EDGE, y, INSIDE, 46)
    stack(
        sheet,
        "pile",
        f"Dig pile: {plural(cards, 'card')}, face down",
        EDGE + 8,
        y + 6,
        cards,
        (48, 36),
    )
    sheet.text(EDGE + 70, y + 28, f"dig pile: {plural(cards, 'card')}", 12, "muted")
    y += 52
    half = (INSIDE - 6) / 2
    for p in range(seats):
        x = EDGE + p % 2 * (half + 6)
        seat_panel(sheet, view, p, x, y + p // 2 * 116, half, 110)
        _seat(sheet, view, p, viewer, x + 17, y + p // 2 * 116)
    y += 116 * ceil(seats / 2)
    wide = (INSIDE - GENUS - 2) / seats
    for p in range(seats):
        token(sheet, EDGE + GENUS + 2 + (p + 0.5) * wide - 2, y + 12, p, str(p + 1), 9)
    y += 26
    for genus in deck.GENERA:
        _genus_in_line(sheet, view, genus, EDGE, y)
        for p in range(seats):
            _cell(sheet, view, p, viewer, genus, EDGE + GENUS + 4 + p * wide, y, wide - 4)
        y += LINE
    return y - 4


def _genus_in_line(sheet: Sheet, view: View, genus: str, x: float, y: float) -> None:
    """Draw a genus in a line, with the facts of :func:`_genus`."""
    parts, skeletons, value = _facts(genus)
    period, high = deck.PERIOD[deck.GENERA.index(genus)], LINE - 4
    built = sum(museum.count(genus) for museum in view["museums"])
    with sheet.thing(f"genus:{genus}", _genus_in_words(view, genus)):
        sheet.box(x, y, GENUS, high, fill="card", line="line", corner=5)
        sheet.box(x + 1, y + 1, GENUS - 2, 17, fill=PERIOD_HUES[period], corner=4)
        sheet.text(x + 4, y + 14, genus, 11.5, "on_hue", bold=True)
        sheet.text(x + GENUS - 4, y + 14, str(value), 11.5, "on_hue", anchor="end")
        silhouette(sheet, genus, x + 4, y + 20, 46, high - 22, parts, range(1, parts + 1))
        for place in range(skeletons):
            _built(sheet, x + GENUS - 9 - place % 2 * 12, y + 26 + place // 2 * 12, place < built)


def _column(genus: str) -> float:
    return LEFT + COLUMN * deck.GENERA.index(genus)


def _facts(genus: str) -> tuple[int, int, int]:
    """Parts of a skeleton, skeletons in the game, value of each."""
    place = deck.GENERA.index(genus)
    return int(deck.PARTS[place]), int(deck.SKELETONS[place]), int(deck.VALUE[place])


def _genus_in_words(view: View, genus: str) -> str:
    parts, skeletons, value = _facts(genus)
    built = sum(museum.count(genus) for museum in view["museums"])
    says = (
        f"{name_of(genus)}, {deck.PERIOD_NAMES[deck.PERIOD[deck.GENERA.index(genus)]]}: {parts} "
        f"parts, worth {value}, "
    )
    return says + f"{built} of {plural(skeletons, 'skeleton')} built"


def _genus(sheet: Sheet, view: View, genus: str, x: float, y: float) -> None:
    """Draw what a column is about: the genus, its value, and which of its skeletons are built."""
    parts, skeletons, value = _facts(genus)
    period = deck.PERIOD[deck.GENERA.index(genus)]
    built = sum(museum.count(genus) for museum in view["museums"])
    with sheet.thing(f"genus:{genus}", _genus_in_words(view, genus)):
        sheet.box(x, y, CARD[0], 82, fill="card", line="line", corner=5)
        sheet.box(x + 1, y + 1, CARD[0] - 2, 19, fill=PERIOD_HUES[period], corner=4)
        sheet.text(x + 4, y + 15, genus, 11.5, "on_hue", bold=True)
        sheet.text(x + CARD[0] - 4, y + 15, str(value), 11.5, "on_hue", anchor="end")
        silhouette(sheet, genus, x + 6, y + 22, CARD[0] - 12, 30, parts, range(1, parts + 1))
        sheet.text(x + 4, y + 63, f"1–{parts}", 11.5, "muted")
        sheet.text(x + CARD[0] - 4, y + 63, period, 11.5, "muted", anchor="end")
        for place in range(skeletons):
            at = x + CARD[0] / 2 + (place - (skeletons - 1) / 2) * 12
            _built(sheet, at, y + 73, place < built)


def _built(sheet: Sheet, x: float, y: float, is_built: bool = True) -> None:
    """A skeleton: a filled diamond when it stands in a museum, else its outline."""
    corners = (x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)
    sheet.polygon(
        *corners, fill="green" if is_built else "card", line="ink" if is_built else "muted"
    )


# ---------------------------------------------------------------- a player


def _player(sheet: Sheet, view: View, p: int, viewer: int | None) -> None:
    y = HEADER + TOP + SEAT * p
    seat_panel(sheet, view, p, MARGIN, y, sheet.width - 2 * MARGIN, SEAT - 8)
    _seat(sheet, view, p, viewer, MARGIN + 20, y)
    for genus in deck.GENERA:
        _cell(sheet, view, p, viewer, genus, _column(genus), y)


def _seat(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    """Name, points, cards and museum of a player."""
    cards, known, museum = size_of(view["hands"][p]), len(view["known"][p]), view["museums"][p]
    asks, won, is_open = (
        view["to_move"] == p,
        p in view["winners"],
        not isinstance(view["hands"][p], int),
    )
    hand = f"{plural(cards, 'card')} in hand, {known} known to all"
    words = [seat_name(p, viewer), plural(view["scores"][p], "point"), hand]
    words += ["museum: " + (", ".join(name_of(genus) for genus in museum) or "nothing yet")]
    with sheet.thing(f"seat:{p}", "; ".join([*words, *(["asks"] * asks), *(["won"] * won)])):
        token(sheet, x, y + 24, p, str(p + 1))
        sheet.text(x + 20, y + 22, marked_name(view, p, viewer), 14, bold=True, room=116)
        sheet.text(x + 20, y + 39, plural(view["scores"][p], "point"), 12)
        for place in range(min(cards, 3)):
            back(sheet, x - 11 + 4 * place, y + 50, (20, 27))
        sheet.text(x + 20, y + 62, plural(cards, "card"), 12)
        if is_open and known:
            sheet.box(x + 106, y + 69, 9, 10, fill=None, line="mark", corner=2, thick=2)
        sheet.text(x + 20, y + 78, f"{known} known to all", 11.5, "muted")
        _built(sheet, x, y + 98, bool(museum))
        sheet.text(x + 20, y + 102, f"{plural(len(museum), 'skeleton')} built", 12, room=126)


def _cell(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    genus: str,
    x: float,
    y: float,
    width: float = CARD[0],
) -> None:
    """Draw what a player has of a genus, and what everybody knows of it (GD-15 to GD-21); in a line
    of a column, in its width."""
    hand = view["hands"][p]
    known = _copies(genus, view["known"][p])
    shown, is_open = (known, False) if isinstance(hand, int) else (_copies(genus, hand), True)
    asked, maybe = genus in view["asked"][p], view["maybe"][p][deck.GENERA.index(genus)]
    built, unknown = view["museums"][p].count(genus), size_of(hand) - len(view["known"][p])
    says = [f"{seat_name(p, viewer)}, {name_of(genus)}"] + [f"in hand {_parts(shown)}"] * is_open
    says += [f"known to all {_parts(known)}"] * (any(known) or not is_open)
    more = " more" * any(known)
    says += [f"has one{more} for sure, at most {maybe}"] if asked else []
    says += [f"at most {maybe}{more}" if maybe else f"none{more}"] if not asked else []
    says += [f"{plural(built, 'skeleton')} built"] * (built > 0)
    with sheet.thing(f"hand:{p}:{genus}", "; ".join(says)):
        if sheet.width < 960:
            sheet.box(x, y, width, LINE - 4, fill="surface", corner=4)
            for place in range(built):
                _built(sheet, x + 7, y + 7 + 9 * place)
            if any(shown):
                left = 15 * (built > 0)
                _held(sheet, shown, known if is_open else None, x + left, y + 2, width - left, 24)
            _range(sheet, x, y + LINE - 22, asked, maybe, unknown, any(known), width)
            return
        # all of the cell can be chosen
        sheet.box(x - 2, y + 2, COLUMN - 2, SEAT - 12, fill="surface", corner=4)
        for place in range(built):
            _built(sheet, x + CARD[0] / 2 + (place - (built - 1) / 2) * 12, y + 12)
        if any(shown):
            _card(sheet, genus, x, y + 22, shown, known if is_open else None)
        else:
            sheet.box(x, y + 22, *CARD, fill="page", corner=5)
        _range(sheet, x, y + 99, asked, maybe, unknown, any(known), CARD[0])


def _copies(genus: str, cards: Sequence[str]) -> list[int]:
    return [cards.count(part) for part in deck.parts_of(genus)]


def _card(
    sheet: Sheet, genus: str, x: float, y: float, copies: Sequence[int], known: Sequence[int] | None
) -> None:
    """The parts held of a genus, put together; ``known``: copies that everybody knows of, of cards
    that are shown to few."""
    width, period = CARD[0], deck.PERIOD[deck.GENERA.index(genus)]
    sheet.box(x, y, *CARD, fill="card", line="line", corner=5)
    sheet.box(x + 1, y + 1, width - 2, 17, fill=PERIOD_HUES[period], corner=4)
    sheet.text(x + 3, y + 14, genus, 11.5, "on_hue", bold=True)
    sheet.text(x + width - 3, y + 14, f"×{sum(copies)}", 11.5, "on_hue", anchor="end")
    silhouette(
        sheet,
        genus,
        x + 7,
        y + 18,
        width - 14,
        26,
        len(copies),
        [part for part, count in enumerate(copies, 1) if count],
    )
    _held(sheet, copies, known, x + 2, y + 45, width - 4, 24)


def _held(
    sheet: Sheet,
    copies: Sequence[int],
    known: Sequence[int] | None,
    x: float,
    y: float,
    width: float,
    high: float,
) -> None:
    """A box for each part, with its number; where there are several copies, a dot below it for
    each."""
    wide = width / len(copies)
    for part, count in enumerate(copies):
        at, middle = x + part * wide, x + (part + 0.5) * wide
        to_all, several = known is not None and known[part] > 0, count > 1
        line = "mark" if to_all else "line" if count else "grey"
        sheet.box(at + 0.5, y, wide - 1, high, "green" if count else None, line, 3, 1 + to_all)
        colour = "on_hue" if count else "muted"
        sheet.text(
            middle,
            y + high / 2 + (1 if several else 4.2),
            str(part + 1),
            11.5,
            colour,
            anchor="middle",
            bold=count > 0,
        )
        for copy in range(count if several else 0):
            sheet.disc(middle + (copy - (count - 1) / 2) * 4, y + high - 5, 1.6, fill=colour)


def _range(
    sheet: Sheet,
    x: float,
    y: float,
    asked: bool,
    maybe: int,
    unknown: int,
    has_some: bool,
    width: float,
) -> None:
    """Draw how many cards of a genus there can be, where that is not just as many as are
    ``unknown``; ``has_some``: besides those that are known to all."""
    if unknown == 0 or (maybe >= unknown and not asked):
        return
    if maybe == 0:
        sheet.text(
            x + width / 2,
            y + 12.5,
            "no more" if has_some else "none",
            11.5,
            "muted",
            anchor="middle",
        )
        return
    if asked:
        sheet.box(x, y, width, 17, fill="yellow", line="line", corner=8)
        words = "1 more" if has_some else "has one"
    else:
        words = f"≤ {maybe} more" if has_some else f"at most {maybe}"
    sheet.text(
        x + width / 2,
        y + 12.7,
        words,
        11.5,
        "on_hue" if asked else "ink",
        anchor="middle",
        bold=asked,
        room=width + 4,
    )


def _parts(copies: Sequence[int]) -> str:
    """Cards in words: ``part 1, part 3 twice of 3``."""
    if not any(copies):
        return "no card"
    words = [
        f"part {part}" + (f" ({count} copies)" if count > 1 else "")
        for part, count in enumerate(copies, 1)
        if count
    ]
    return " and ".join(words) + f" of {len(copies)}"


def legend(options: View) -> tuple[Sign, ...]:
    def held(known: bool) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _held(
            sheet, [1, 0, 2], [int(known), 0, 0], x - 30, y - 12, 60, 24
        )

    def may_have(asked: bool, has_some: bool) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _range(sheet, x - 27, y - 9, asked, 5, 6, has_some, 54)

    return (
        *(sign for sign in fossil_signs("TRI") if "worth" not in sign.words),
        Sign(
            "a genus, and what a skeleton of it is worth",
            plate("TRI 19", PERIOD_HUES["K"], wide=54),
        ),
        Sign("a skeleton that is built", lambda sheet, x, y: _built(sheet, x, y)),
        Sign("a skeleton that is not built yet", lambda sheet, x, y: _built(sheet, x, y, False)),
        Sign("parts of a genus: those that are held are green; two dots: two copies", held(False)),
        Sign("framed: everybody knows that the player has it", held(True)),
        Sign("at most 5 cards of the genus, as far as everybody knows", may_have(False, False)),
        Sign("has one for sure, since the player has asked for it", may_have(True, False)),
        Sign("perhaps more than everybody knows of", may_have(False, True)),
    )


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The thing that an action of a seat belongs to: what the player asked may have of the
    genus."""
    _, other, genus = words
    return (f"hand:{((seat or 0) + int(other)) % len(view['scores'])}:{genus}",)


def _of_card(event: Event, *seats: int | None) -> tuple[str, ...]:
    card = event.values["card"]
    return tuple(f"hand:{p}:{card[:3]}" for p in seats if card)


ABOUT: About = {
    "asked": ("hand:{other}:{genus}",),
    "gave": lambda event: _of_card(event, event.seat, event.values["other"]),
    "drew": lambda event: ("pile", *_of_card(event, event.seat)),
    "pile_empty": ("pile",),
    "has_none": ("hand:{seat}:{genus}",),
    "showed": lambda event: _of_card(event, event.seat),
    "built": ("hand:{seat}:{genus}", "genus:{genus}"),
}

JOYS: Joys = {"built": lambda event: stands_up(event.values["genus"]), "gave": "find"}
