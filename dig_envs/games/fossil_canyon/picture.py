"""The picture of a view of Fossil Canyon: the dig site above, a row for each museum below."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon.drawing import title as headline
from dig_envs.games.fossil_cards import backs, fossil, fossils, name_of
from dig_envs.pictures.parts import HEADER, MARGIN, panel, plural, seat_name, size_of, stack, token
from dig_envs.pictures.sheet import Sheet

__all__ = ["headline", "height", "paint", "touched"]

View = Mapping[str, Any]

SITE = 128.0  # height of the dig site
SEAT = 118.0  # height of a museum's row
FACTS = 250.0  # width of what is said of a museum
HIDDEN = 190.0  # width of a hidden hand


def height(options: View) -> int:
    """The height of the picture in pixels, which depends on the options only."""
    return int(HEADER + SITE + options["num_players"] * SEAT + MARGIN)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    _site(sheet, view)
    for p in range(len(view["scores"])):
        _museum(sheet, view, p, viewer, HEADER + SITE + p * SEAT)


def _site(sheet: Sheet, view: View) -> None:
    """FC-2, FC-3: buried and exposed fossils, the fossil just dug, events, awards that are left, research paid."""
    top = HEADER + 26
    panel(sheet, MARGIN, HEADER, sheet.width - 2 * MARGIN, SITE - 10, "Dig site")
    buried, discarded = size_of(view["buried"]), size_of(view["discarded"])
    stack(sheet, "buried", f"{plural(buried, 'buried fossil')}, face down", 30, top, buried)
    left = 100.0
    if view["dug"] is not None:
        fossil(sheet, "dug", view["dug"], left, top, where="just dug", marked=True)
        left += 70
    fossils(sheet, "exposed", view["exposed"], left, top, 690 - left, where="exposed")
    _events(sheet, view, 705, top)
    _awards(sheet, view, 795, top)
    if view["spent"]:
        with sheet.thing("spent", "Research paid: " + ", ".join(name_of(code) for code in view["spent"])):
            sheet.text(795, top + 74, f"paid {' '.join(view['spent'])}", 10, "muted", room=140)
    with sheet.thing("discarded", f"{plural(discarded, 'fossil')} discarded unseen"):
        sheet.text(705, top + 74, f"{discarded} discarded", 10, "muted")


def _events(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The event deck, its known cards from the top down: how many fossils each exposes."""
    known = [card for card in view["events"] if card is not None]
    order = "; ".join("unknown" if card is None else plural(card, "fossil") for card in view["events"])
    with sheet.thing("events", f"Event deck from the top, exposing: {order}"):
        sheet.text(x, y + 8, "events", 10, "muted")
        for place, card in enumerate(view["events"]):
            at = x + place % 6 * 13, y + 14 + place // 6 * 15
            sheet.box(*at, 11, 13, fill="back" if card is None else "card", line="line", corner=2)
            if card is not None:
                sheet.text(at[0] + 5.5, at[1] + 10.5, str(card), 10, anchor="middle")
        sheet.text(x, y + 70 - 8 * (not known), "", 10)


def _awards(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The research awards that nobody has: each kind with its points and the research value that it takes."""
    taken = [award for awards in view["awards"] for award in awards]
    for kind, name in enumerate(box.AWARDS):
        left = int(box.AWARD_PIECES[kind]) - taken.count(name) if view["options"]["research"] else 0
        points, price = box.AWARD_POINTS[kind], box.AWARD_VALUE[kind]
        with sheet.thing(f"award:{name}", f"{left} {name} awards left: {points} points for research of value {price}"):
            sheet.box(x, y + 28 * kind, 140, 24, fill="yellow" if left else "surface", line="line", corner=12)
            sheet.text(
                x + 10, y + 16 + 28 * kind, f"{left}× {name}: {points} for r{price}", 11, "on_hue" if left else "muted", room=124
            )


def _museum(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> None:
    asked = view["phase"] != "over" and view["to_move"] == p
    won = p in view["winners"]
    sheet.box(MARGIN, y, sheet.width - 2 * MARGIN, SEAT - 8, fill="surface", line="mark" if asked else None, corner=8, thick=2)
    pieces = [*view["museums"][p], *(f"{award} award" for award in view["awards"][p]), *(f"{b} bonus" for b in view["bonuses"][p])]
    words = ", ".join(name_of(piece) if piece in view["museums"][p] else piece for piece in pieces) or "nothing yet"
    says = f"{seat_name(p, viewer)}, {plural(view['scores'][p], 'point')}: {words}"
    with sheet.thing(f"seat:{p}", says + (", to move" if asked else "") + (", won" if won else "")):
        token(sheet, MARGIN + 20, y + 22, p, str(p))
        sheet.text(MARGIN + 40, y + 20, f"{'★ ' if won else '▶ ' if asked else ''}{seat_name(p, viewer)}", 14, bold=True)
        sheet.text(MARGIN + 40, y + 36, plural(view["scores"][p], "point"), 12, "muted")
        _pieces(sheet, view, p, MARGIN + 8, y + 44)
    _hidden(sheet, view, p, viewer, MARGIN + FACTS, y + 22)
    left = MARGIN + FACTS + HIDDEN + 10
    sheet.text(left, y + 14, "face up", 10, "muted")
    fossils(
        sheet,
        f"open:{p}",
        view["open"][p],
        left,
        y + 22,
        sheet.width - MARGIN - 14 - left,
        where=f"face up before {seat_name(p, viewer)}",
    )


def _pieces(sheet: Sheet, view: View, p: int, x: float, y: float) -> None:
    """Skeletons, awards and bonuses of a museum as small plates, four in a row."""
    plates = [(genus, "green") for genus in view["museums"][p]]
    plates += [(f"{award[:3]}★", "yellow") for award in view["awards"][p]] + [
        (bonus[:3] + "+", "orange") for bonus in view["bonuses"][p]
    ]
    across = 5 if len(plates) <= 15 else 8
    wide = 230 / across
    for place, (word, hue) in enumerate(plates):
        at = x + place % across * wide, y + place // across * 21
        sheet.box(*at, wide - 4, 18, fill=hue, line="line", corner=3)
        sheet.text(at[0] + (wide - 4) / 2, at[1] + 13, word, 11, "on_hue", anchor="middle", bold=True, room=wide - 6)


def _hidden(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    """FC-29: a hidden hand, face up for who may see it, and what the viewer knows of another's."""
    hand = view["hidden"][p]
    sheet.text(x, y - 8, "hidden", 10, "muted")
    if not isinstance(hand, int):
        chosen = view["chosen"][p] or []
        fossils(sheet, f"hidden:{p}", hand, x, y, HIDDEN, where=f"hidden hand of {seat_name(p, viewer)}")
        if chosen:
            with sheet.thing(f"chosen:{p}", "Chosen to stay hidden: " + ", ".join(name_of(code) for code in chosen)):
                sheet.text(x + 44, y - 8, "stays hidden: " + " ".join(chosen), 10, "mark", room=HIDDEN - 44)
        return
    known = view["known"][viewer][p] if viewer is not None and view["known"][viewer][p] else []
    says = f"{plural(hand, 'hidden fossil')} of {seat_name(p, viewer)}"
    backs(
        sheet,
        f"hidden:{p}",
        says + (f"; you know of {', '.join(name_of(code) for code in known)}" if known else ""),
        x,
        y,
        hand,
        HIDDEN - 10,
    )
    if known:
        sheet.text(x + 44, y - 8, "you know: " + " ".join(known), 10, "mark", room=HIDDEN - 44)


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The things that an action of a seat belongs to."""
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
    return f"hidden:{seat}:{code}" if not isinstance(hand, int) and code in hand else f"open:{seat}:{code}"
