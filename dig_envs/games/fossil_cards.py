"""The fossil cards of the box of Fossil Canyon as pictures, with which several games are played."""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from math import cos, pi, sin

from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_silhouettes import OUTLINES, silhouette
from dig_envs.pictures.legend import Sign, plate
from dig_envs.pictures.parts import CARD, card
from dig_envs.pictures.sheet import Sheet

PERIOD_HUES = {"T": "brown", "J": "green", "K": "sky"}
TRACE_HUE = "yellow"


def name_of(code: str) -> str:
    """A fossil or a genus in words: ``Tyrannosaurus, part 2 of 4``."""
    if code in deck.TRACES:
        return deck.TRACE_NAMES[deck.TRACES.index(code)]
    genus = deck.GENERA.index(code[:3])
    return (
        f"{deck.GENUS_NAMES[genus]}, part {code[3]} of {deck.PARTS[genus]}"
        if len(code) > 3
        else deck.GENUS_NAMES[genus]
    )


def face(sheet: Sheet, code: str) -> Callable[[float, float, float, float], None]:
    """A function that draws the face of a fossil, or of a genus (three letters), for
    ``pictures.parts.card``."""

    def paint(x: float, y: float, width: float, height: float) -> None:
        band = max(height * 0.24, 17.0)
        is_trace = code in deck.TRACES
        genus = -1 if is_trace else deck.GENERA.index(code[:3])
        # the period stands on it as a letter, too
        hue = TRACE_HUE if is_trace else PERIOD_HUES[deck.PERIOD[genus]]
        sheet.box(x + 1, y + 1, width - 2, band, fill=hue, corner=4)
        worth = deck.RESEARCH[deck.TRACES.index(code)] if is_trace else deck.VALUE[genus]
        base, letters = y + band * 0.76, max(band * 0.64, 11.5)
        sheet.text(x + 4, base, code[:3], letters, "on_hue", bold=True)
        sheet.text(
            x + width - 4,
            base,
            f"r{worth}" if is_trace else str(worth),
            letters * 0.9,
            "on_hue",
            anchor="end",
        )
        foot_size = max(height * 0.14, 11.5)
        place = x + width * 0.12, y + band + 3, width * 0.76, height - band - foot_size - 11
        if is_trace:
            trace(sheet, code, *place)
        else:
            shown = (int(code[3]),) if len(code) > 3 else range(1, int(deck.PARTS[genus]) + 1)
            silhouette(sheet, code[:3], *place, int(deck.PARTS[genus]), shown)
            foot = f"{code[3]}/{deck.PARTS[genus]}" if len(code) > 3 else f"1–{deck.PARTS[genus]}"
            sheet.text(
                x + 4, y + height - 5, foot, foot_size, bold=True, room=width - 10 - foot_size
            )
            sheet.text(
                x + width - 4, y + height - 5, deck.PERIOD[genus], foot_size, "muted", anchor="end"
            )

    return paint


def trace(sheet: Sheet, code: str, x: float, y: float, width: float, height: float) -> None:
    """Draw what a trace fossil shows: a nest, a feather, stones, skin, a coprolite, a footprint."""
    middle, centre = x + width / 2, y + height * 0.55
    unit = min(width, height) / 2
    if code == "CAM":
        for shift in (-0.55, 0.0, 0.55):
            sheet.disc(
                middle + shift * unit,
                centre - (0.25 if shift == 0 else 0) * unit,
                unit * 0.32,
                "card",
                "ink",
                1.5,
            )
        sheet.path(
            f"M{x:.1f} {centre:.1f} q{width / 2:.1f} {height * 0.7:.1f} {width:.1f} 0",
            None,
            "ink",
            2,
        )
    elif code == "UTA":
        sheet.stroke(
            middle - unit * 0.7,
            centre + unit * 0.8,
            middle + unit * 0.7,
            centre - unit * 0.8,
            "ink",
            2,
        )
        for step in (-0.4, 0.0, 0.4):
            at_x, at_y = middle + step * unit * 0.8, centre - step * unit * 0.9
            sheet.stroke(at_x, at_y, at_x - unit * 0.1, at_y - unit * 0.6, "ink", 1.3)
            sheet.stroke(at_x, at_y, at_x + unit * 0.6, at_y + unit * 0.1, "ink", 1.3)
    elif code == "ALA":
        for dx, dy, r in ((-0.5, 0.3, 0.4), (0.4, 0.35, 0.45), (0.0, -0.35, 0.38)):
            sheet.disc(middle + dx * unit, centre + dy * unit, r * unit, "grey", "ink", 1.3)
    elif code == "EDM":
        for row_of in range(3):
            for column in range(4):
                at = (
                    middle + (column - 1.5 + 0.25 * (row_of % 2)) * unit * 0.5,
                    centre + (row_of - 1) * unit * 0.5,
                )
                sheet.disc(*at, unit * 0.2, None, "ink", 1.1)
    elif code == "ORN":
        for step, reach in enumerate((0.75, 0.55, 0.33)):
            sheet.disc(
                middle,
                centre + unit * (0.45 - 0.42 * step),
                reach * unit * 0.62,
                "brown",
                "ink",
                1.3,
            )
    else:
        sheet.disc(middle, centre + unit * 0.35, unit * 0.34, "ink")
        for angle in (-0.9, 0.0, 0.9):
            tip = (
                middle + sin(angle) * unit * 0.95,
                centre + unit * 0.3 - cos(angle * pi / 3) * unit * 0.95,
            )
            sheet.stroke(middle, centre + unit * 0.3, *tip, "ink", 4)


def fossil(
    sheet: Sheet, name: str, code: str, x: float, y: float, size: tuple[float, float] = CARD,
    count: int = 1, where: str = "", marked: bool = False,
) -> None:  # fmt: skip
    """One type of fossil, face up, as one thing; several copies lie behind each other, with their
    number."""
    title = ", ".join(
        word for word in (name_of(code), f"{count} copies" if count > 1 else "", where) if word
    )
    if count == 1:
        card(sheet, name, title, x, y, size, face(sheet, code), marked=marked)
        return
    with sheet.thing(name, title):
        for shift in range(min(count, 3) - 1, -1, -1):
            sheet.box(
                x + 3 * shift,
                y - 3 * shift,
                *size,
                fill="card",
                line="mark" if marked else "line",
                corner=5,
            )
        face(sheet, code)(x, y, *size)
        sheet.disc(x + size[0] - 9, y + size[1] * 0.5, 9, fill="card", line="ink")
        sheet.text(
            x + size[0] - 9, y + size[1] * 0.5 + 4, str(count), 11.5, anchor="middle", bold=True
        )


def fossils(
    sheet: Sheet,
    prefix: str,
    codes: Iterable[str],
    x: float,
    y: float,
    room: float,
    size: tuple[float, float] = CARD,
    where: str = "",
    marked: Container[str] = (),
) -> None:
    """A row of fossils, each type once, in type order: the things ``prefix:TYR1`` …; the cards
    overlap where there is no room; those ``marked`` have a border that is noticed."""
    held = Counter(codes)
    order = [code for code in (*deck.TYPES, *deck.GENERA) if code in held]
    step = min(size[0] + 8, (room - size[0]) / max(len(order) - 1, 1))
    for place, code in enumerate(order):
        name, at = f"{prefix}:{code}", x + place * step
        fossil(sheet, name, code, at, y, size, held[code], where, code in marked)


def stands_up(genus: str) -> str:
    """For ``JOYS``: an animal whose skeleton is complete."""
    return f"complete:{OUTLINES[genus]}"


def fossil_signs(code: str = "TRI2", traces: bool = False) -> tuple[Sign, ...]:
    """The signs of the cards, with one of them as an example; ``traces``: trace fossils, too."""
    genus = deck.GENERA.index(code[:3])
    size = (60.0, 82.0)
    part = (
        f"part {code[3]} of the {deck.PARTS[genus]} that a skeleton has, the dark one"
        if len(code) > 3
        else "all parts"
    )

    def draw(sheet: Sheet, x: float, y: float) -> None:
        corner = x - size[0] / 2, y - size[1] / 2
        sheet.box(*corner, *size, fill="card", line="line", corner=5)
        face(sheet, code)(*corner, *size)

    example = Sign(
        f"{deck.GENUS_NAMES[genus]}, worth {deck.VALUE[genus]} points; {part}", draw, size[1] + 8
    )
    periods = tuple(
        Sign(deck.PERIOD_NAMES[period], plate(period, hue)) for period, hue in PERIOD_HUES.items()
    )
    trace_sign = Sign("a trace fossil, with its research value", plate("r3", TRACE_HUE))
    return (example, *periods, *((trace_sign,) if traces else ()))
