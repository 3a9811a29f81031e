"""The picture of a view of Fossil Canyon: the dig site above, a row for each museum below."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from math import ceil
from operator import and_
from typing import Any

from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon.drawing import title as headline
from dig_envs.games.fossil_cards import face, fossil, fossil_signs, fossils, name_of, stands_up
from dig_envs.pictures.legend import FACE_DOWN, Sign, plate
from dig_envs.pictures.parts import (
    CARD,
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    back,
    panel,
    plural,
    row,
    stack,
)
from dig_envs.pictures.seats import (
    in_sentence,
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

CHOSEN = "stays hidden"  # what is said of fossils that are chosen

SITE = 118.0  # height of the dig site
SEAT = 104.0  # height of a museum's row
FACTS = 232.0  # width of what is said of a museum
HIDDEN = 192.0  # width of a hidden hand, if it has no need of more
PIECE_HUES = {"skeleton": "green", "award": "yellow", "bonus": "orange"}  # of what a museum has
ACROSS = 5  # types of fossils in a row of a column
EVENTS = 690.0  # where the events begin


def height(options: View) -> int:
    return int(HEADER + SITE + options["num_players"] * SEAT + 10)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    _site(sheet, view)
    for p in range(len(view["scores"])):
        _museum(sheet, view, p, viewer, HEADER + SITE + p * SEAT)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: dig site, events and awards, then for each museum what
    it is and its fossils."""
    panel(sheet, EDGE, y, INSIDE, 86)
    buried = size_of(view["buried"])
    stack(sheet, "buried", f"{plural(buried, 'buried fossil')}, face down", EDGE + 6, y + 6, buried)
    left = EDGE + 74
    if view["dug"] is not None:
        fossil(sheet, "dug", view["dug"], left, y + 5, where="just dug", marked=True)
        left += CARD[0] + 8
    fossils(
        sheet, "exposed", view["exposed"], left, y + 5, EDGE + INSIDE - 6 - left, where="exposed"
    )
    y += 92
    panel(sheet, EDGE, y, INSIDE, 112)
    _events(sheet, view, EDGE + 8, y + 6)
    _awards(sheet, view, EDGE + 196, y + 8)
    _discarded(sheet, view["discarded"], size_of(view["discarded"]), EDGE + 110, y + 16)
    _turn(sheet, view, EDGE + 8, y + 83)
    y += 118
    for p in own_first(view, viewer):
        y = _museum_in_column(sheet, view, p, viewer, y) + 6
    return y - 6


def _museum_in_column(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> float:
    """A museum in a column, its own fossils above those that lie face up; returns where it ends."""
    pieces = len(view["museums"][p]) + len(view["awards"][p]) + len(view["bonuses"][p])
    room, each, x = INSIDE - 16, CARD[0] + 6, EDGE + 8
    hidden, shown = view["hidden"][p], len(set(view["open"][p]))
    need = len(set(hidden)) * each if not isinstance(hidden, int) else min(hidden * each, 140.0)
    wide = max(need, 90.0)
    rows = _rows(len(set(hidden)) if not isinstance(hidden, int) else min(hidden, 1)), _rows(shown)
    together = wide + shown * each + 12 <= room and max(rows) < 2
    facts = 42 + 18 * ceil(pieces / 5)
    high = (
        facts + (_tall(max(rows)) if together or not shown else _tall(rows[0]) + _tall(rows[1])) + 4
    )
    with _seat(sheet, view, p, viewer, EDGE, y, INSIDE, high):
        _pieces(sheet, view, p, x, y + 42)
    top = y + facts + 17
    _hidden(sheet, view, p, viewer, x, top, wide if together else room, ACROSS)
    if shown:
        left = x + wide + 6 if together else x
        top += 0 if together else _tall(rows[0])
        sheet.text(left, top - 5, "face up", 11.5, "muted")
        where = f"face up before {in_sentence(p, viewer)}"
        _in_rows(
            sheet, f"open:{p}", view["open"][p], left, top, EDGE + INSIDE - 8 - left, where, ACROSS
        )
    return y + high


def _rows(types: int) -> int:
    """How many rows of a column so many types of fossils take."""
    return ceil(types / ACROSS)


def _tall(rows: int) -> float:
    """The height of so many rows of fossils with their heading; of the heading alone."""
    return 16.0 + rows * (CARD[1] + 6)


def _in_rows(
    sheet: Sheet,
    prefix: str,
    codes: Sequence[str],
    x: float,
    y: float,
    room: float,
    where: str,
    across: int,
    marked: Container[str] = (),
) -> None:
    """Fossils in type order, at most so many types in a row, as equally as there are rows."""
    order = [code for code in deck.TYPES if code in codes]
    each = ceil(len(order) / max(ceil(len(order) / across), 1)) if order else 1
    for down, first in enumerate(range(0, len(order), each)):
        some = [code for code in codes if code in order[first : first + each]]
        top = y + down * (CARD[1] + 6)
        fossils(sheet, prefix, some, x, top, room, where=where, marked=marked)


def _site(sheet: Sheet, view: View) -> None:
    """FC-2, FC-3: buried and exposed fossils, the fossil just dug, events, awards that are left,
    research paid."""
    top = HEADER + 24
    panel(sheet, MARGIN, HEADER, sheet.width - 2 * MARGIN, SITE - 8, "Dig site")
    buried, discarded = size_of(view["buried"]), size_of(view["discarded"])
    _discarded(sheet, view["discarded"], discarded, MARGIN + 12, HEADER + 42)
    stack(
        sheet, "buried", f"{plural(buried, 'buried fossil')}, face down", MARGIN + 106, top, buried
    )
    left = MARGIN + 180
    if view["dug"] is not None:
        fossil(sheet, "dug", view["dug"], left, top, where="just dug", marked=True)
        left += 70
    fossils(sheet, "exposed", view["exposed"], left, top, EVENTS - 16 - left, where="exposed")
    _events(sheet, view, EVENTS, HEADER + 8)
    _awards(sheet, view, 795, HEADER + 12)
    _turn(sheet, view, EVENTS, HEADER + 83)


def _discarded(sheet: Sheet, fossils_gone: Any, count: int, x: float, y: float) -> None:
    """The fossils put away at set-up, by name only where they are known."""
    names = (
        ""
        if isinstance(fossils_gone, int)
        else ": " + ", ".join(name_of(code) for code in fossils_gone)
    )
    with sheet.thing(
        "discarded", f"{plural(count, 'fossil')} discarded at set-up{names or ', unseen'}"
    ):
        sheet.text(x, y, f"{count} discarded", 11.5, "muted")
        if names:
            for place in range(0, count, 2):
                sheet.text(
                    x,
                    y + 16 + 7 * place,
                    " ".join(fossils_gone[place : place + 2]),
                    11.5,
                    "muted",
                    room=84,
                )


def _turn(sheet: Sheet, view: View, x: float, y: float) -> None:
    """Draw what has happened in the turn in progress, and since when nothing has in the end phase;
    research paid so far."""
    said = [f"{view['digs']} to dig"] * (view["digs"] > 0) + ["a fossil put back"] * view[
        "returned"
    ]
    said += ["bonus dig"] * view["bonus"] + [f"{plural(view['exchanges'], 'exchange')} made"] * (
        view["exchanges"] > 0
    )
    said += ["scored"] * view["scored"]
    if view["ending"] and view["phase"] != "over":
        said += [f"{plural(view['passes'], 'pass', 'passes')}, {plural(view['idle'], 'idle turn')}"]
    room = sheet.width - MARGIN - 10 - x
    if said:
        with sheet.thing("turn", "This turn: " + ", ".join(said)):
            sheet.text(x, y + 9, " · ".join(said), 11.5, "mark", room=room)
    if view["spent"]:
        with sheet.thing(
            "spent", "Research paid: " + ", ".join(name_of(code) for code in view["spent"])
        ):
            sheet.text(x, y + 23, f"paid: {' '.join(view['spent'])}", 11.5, "muted", room=room)


def _events(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The event deck, next card first, which goes to the bottom once it is drawn: how many fossils
    each exposes."""
    cards, seen = view["events"][::-1], view["events_seen"]
    order = ", ".join("unknown" if card is None else str(card) for card in cards)
    with sheet.thing(
        "events",
        f"Events, next first, by the number of fossils exposed: {order}; {seen} of {len(cards)} "
        "known to all",
    ):
        sheet.room(x - 4, y - 2, 97, 72)
        sheet.text(x, y + 10, "next events", 11.5, "muted")
        for place, card in enumerate(cards):
            at = x + place % 6 * 15, y + 17 + place // 6 * 18
            public = place >= len(cards) - seen
            sheet.box(
                *at,
                13,
                16,
                fill="back" if card is None else "card" if public else "grey",
                line="line",
                corner=2,
            )
            if card is not None:
                sheet.text(
                    at[0] + 6.5,
                    at[1] + 12,
                    str(card),
                    11.5,
                    "ink" if public else "on_hue",
                    anchor="middle",
                )


def _awards(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The research awards that nobody has: each kind with its points and the research value that it
    takes."""
    taken = [award for awards in view["awards"] for award in awards]
    for kind, name in enumerate(box.AWARDS):
        left = int(box.AWARD_PIECES[kind]) - taken.count(name) if view["options"]["research"] else 0
        points, price = box.AWARD_POINTS[kind], box.AWARD_VALUE[kind]
        with sheet.thing(
            f"award:{name}",
            f"{plural(left, f'{name} award')} left: {points} points for research of value {price}",
        ):
            sheet.box(
                x,
                y + 36 * kind,
                140,
                34,
                fill="yellow" if left else "surface",
                line="line",
                corner=12,
            )
            sheet.text(
                x + 10,
                y + 14 + 36 * kind,
                f"{left} {name}: {points} points",
                11.5,
                "on_hue" if left else "muted",
                bold=True,
                room=124,
            )
            words, colour = f"research {price} or more", "on_hue" if left else "muted"
            sheet.text(x + 10, y + 28 + 36 * kind, words, 11.5, colour, room=124)


def _museum(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> None:
    with _seat(sheet, view, p, viewer, MARGIN, y, sheet.width - 2 * MARGIN, SEAT - 6):
        _pieces(sheet, view, p, MARGIN + 8, y + 43)
    _fossils_of(sheet, view, p, viewer, MARGIN + FACTS, y + 19)


@contextmanager
def _seat(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    x: float,
    y: float,
    width: float,
    high: float,
) -> Iterator[None]:
    """The panel of a museum, with its player and points; what is drawn inside belongs to this
    thing."""
    seat_panel(sheet, view, p, x, y, width, high)
    pieces = [
        *view["museums"][p],
        *(f"{award} award" for award in view["awards"][p]),
        *(f"{b} bonus" for b in view["bonuses"][p]),
    ]
    words = (
        ", ".join(name_of(piece) if piece in view["museums"][p] else piece for piece in pieces)
        or "nothing yet"
    )
    says = f"{seat_name(p, viewer)}, {plural(view['scores'][p], 'point')}: {words}"
    with sheet.thing(f"seat:{p}", ", ".join([says, *standing(view, p)])):
        token(sheet, x + 20, y + 22, p, str(p + 1))
        sheet.text(x + 40, y + 20, marked_name(view, p, viewer), 14, bold=True, room=FACTS - 48)
        sheet.text(x + 40, y + 36, plural(view["scores"][p], "point"), 12, "muted")
        yield


def _fossils_of(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    """Hidden and face-up fossils of a museum, which share the width: a long hidden hand takes what
    the others do not need."""
    room, each = sheet.width - MARGIN - 14 - x, CARD[0] + 8
    need_hidden = size_of(view["hidden"][p]) * each
    wide = max(HIDDEN, min(need_hidden, room - len(set(view["open"][p])) * each))
    _hidden(sheet, view, p, viewer, x, y, wide)
    left = x + wide + 12
    if view["open"][p] or left + CARD[0] <= x + room:
        sheet.text(left, y - 5, "face up", 11.5, "muted")
    fossils(
        sheet,
        f"open:{p}",
        view["open"][p],
        left,
        y,
        x + room - left,
        where=f"face up before {in_sentence(p, viewer)}",
    )


def _pieces(sheet: Sheet, view: View, p: int, x: float, y: float) -> None:
    """Skeletons, awards and bonuses of a museum as small plates, four in a row."""
    plates = [(genus, PIECE_HUES["skeleton"]) for genus in view["museums"][p]]
    plates += [(f"{award[:3]}★", PIECE_HUES["award"]) for award in view["awards"][p]] + [
        (bonus[:3] + "+", PIECE_HUES["bonus"]) for bonus in view["bonuses"][p]
    ]
    across = 5 if len(plates) <= 15 else 7
    wide = (FACTS - 20) / across
    for place, (word, hue) in enumerate(plates):
        at = x + place % across * wide, y + place // across * 18
        sheet.box(*at, wide - 3, 16, fill=hue, line="line", corner=3)
        sheet.text(
            at[0] + (wide - 3) / 2,
            at[1] + 12.5,
            word,
            11.5,
            "on_hue",
            "middle",
            across == 5,
            room=wide - 4,
        )


def _hidden(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    x: float,
    y: float,
    room: float,
    across: int = 99,
) -> None:
    """FC-29: a hidden hand, face up for who may see it, and what is known of it."""
    hand = view["hidden"][p]
    wide = sheet.text(x, y - 5, f"{size_of(hand) or 'none'} hidden", 11.5, "muted")
    if isinstance(hand, int):
        known = view["known"][viewer][p] if viewer is not None else []
        _set_back(sheet, p, hand, known, viewer, x, y, room)
    else:
        _in_rows(
            sheet,
            f"hidden:{p}",
            hand,
            x,
            y,
            room,
            said("{seat's} hidden hand", p, viewer),
            across,
            view["chosen"][p] or (),
        )
        _known(sheet, view, p, viewer, x + wide + 10, y - 5, room - wide - 10)


def _set_back(
    sheet: Sheet,
    p: int,
    count: int,
    known: list[str],
    viewer: int | None,
    x: float,
    y: float,
    room: float,
) -> None:
    """A hand that is not shown: backs, and those fossils open that the viewer knows all the
    same."""
    says = f"{plural(count, 'hidden fossil')} of {in_sentence(p, viewer)}"
    with sheet.thing(
        f"hidden:{p}",
        says + (f"; you know of {', '.join(name_of(code) for code in known)}" if known else ""),
    ):
        for place, shift in enumerate(row(count, room)):
            if place < count - len(known):
                back(sheet, x + shift, y)
            else:
                sheet.box(x + shift, y, *CARD, fill="surface", line="mark", corner=5, dashed=True)
                face(sheet, known[place - count + len(known)])(x + shift, y, *CARD)


def _known(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, room: float
) -> None:
    """Of a hand that is shown: what is chosen to stay hidden, and what others know of it."""
    others = {q: Counter(row_of[p] or []) for q, row_of in enumerate(view["known"]) if q != p}
    common = reduce(and_, others.values())
    said = [(CHOSEN, view["chosen"][p] or []), ("all know", list(common.elements()))]
    said += [
        (f"{seat_name(q, viewer)} knows", list((codes - common).elements()))
        for q, codes in others.items()
    ]
    said = [(lead, codes) for lead, codes in said if codes]
    if said:
        with sheet.thing(
            f"known:{p}",
            "; ".join(
                f"{lead} {', '.join(name_of(code) for code in codes)}" for lead, codes in said
            ),
        ):
            sheet.text(
                x,
                y,
                "; ".join(
                    "framed: these stay hidden" if lead == CHOSEN else f"{lead} {' '.join(codes)}"
                    for lead, codes in said
                ),
                11.5,
                "mark",
                room=room,
            )


def legend(options: View) -> tuple[Sign, ...]:
    def known(sheet: Sheet, x: float, y: float) -> None:
        sheet.box(x - 15, y - 19, 30, 38, fill="surface", line="mark", corner=4, dashed=True)

    return (
        *fossil_signs(traces=bool(options["research"])),
        FACE_DOWN,
        Sign("a hidden fossil of another player that you know all the same", known, 46),
        Sign("a skeleton in the museum", plate("TRI", PIECE_HUES["skeleton"])),
        Sign("a research award: its first letters", plate("min★", PIECE_HUES["award"])),
        Sign("a bonus: its first letters", plate("sma+", PIECE_HUES["bonus"])),
        Sign("an event that all know: so many fossils are exposed", plate("2", "card", wide=16)),
        Sign("an event that only some know", plate("2", "grey", wide=16)),
        Sign(
            "awards that are left, their points, and the research value that they take",
            plate("20 points", "yellow", wide=66),
        ),
    )


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    n = len(view["scores"])
    match words:
        case ["hide" | "pay", code]:
            return (_own(view, seat, code),)
        case ["dig", "buried"]:
            return ("buried",)
        case ["dig", code]:
            return (f"exposed:{code}",)
        case ["keep"] | ["put", "back"]:
            return ("dug",)
        case ["exchange", other]:
            return (f"seat:{((seat or 0) + int(other)) % n}",)
        case ["give", "hidden", code]:
            return (f"hidden:{seat}:{code}",)
        case ["give", "open", code]:
            return (f"open:{seat}:{code}",)
        case ["take", "blind"]:
            return (f"hidden:{view['exchange']['with']}",)
        case ["take", code]:
            return (f"open:{view['exchange']['with']}:{code}",)
        case ["claim", award]:
            return (f"award:{award}",)
    return ()


def _own(view: View, seat: int | None, code: str) -> str:
    """An own fossil: the hidden one if there is one of the type."""
    hand = view["hidden"][seat]
    return (
        f"hidden:{seat}:{code}"
        if not isinstance(hand, int) and code in hand
        else f"open:{seat}:{code}"
    )


# a fossil of it, or where it is not known the hand
HAND = ("hidden:{seat}:{fossil}", "hidden:{seat}")
ABOUT: About = {
    **dict.fromkeys(("picked", "kept"), HAND),
    "turned_up": ("hidden:{seat}:{fossil}", "open:{seat}:{fossil}"),
    "turned_down": ("open:{seat}:{fossil}", *HAND),
    "event_card": ("events",),
    "exposed": ("buried", "exposed:{fossil}"),
    "dug": ("buried", *HAND),
    "dug_exposed": ("exposed:{fossil}", *HAND),
    "looked_at": ("buried", "dug"),
    "put_back": ("dug", "exposed:{fossil}"),
    "gave": ("open:{seat}:{fossil}", "hidden:{seat}:{fossil}", "open:{other}:{fossil}"),
    "took": ("open:{other}:{fossil}", "open:{seat}:{fossil}"),
    "took_blind": ("hidden:{other}", *HAND),
    **dict.fromkeys(("exchange", "nothing_left"), ("seat:{other}",)),
    **dict.fromkeys(("claimed", "awarded"), ("award:{award}",)),
    "paid": ("open:{seat}:{fossil}",),
}

JOYS: Joys = {
    "built": lambda event: stands_up(event.values["genus"]),
    "dug": "find",
    "dug_exposed": "find",
    "claimed": "find",
    "awarded": "find",
}
