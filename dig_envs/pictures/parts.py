"""Parts that pictures of several games have in common: cards, stacks, rows of cards, panels, the
header."""

from collections.abc import Callable, Mapping, Sequence

from dig_envs.engine.core.events import Event
from dig_envs.pictures.fonts import REGULAR
from dig_envs.pictures.sheet import COLUMN, Sheet, broken

CARD = (56.0, 76.0)  # width and height of a card
MARGIN = 16.0
HEADER = 44.0  # height of the header, which every picture has
EDGE = 8.0  # what is left free at the sides of a column
INSIDE = COLUMN - 2 * EDGE  # width of what stands in a column

# By kind of event the names of the things that it is about, with fields for the seat and the
# event's values, or what finds them.
About = Mapping[str, tuple[str, ...] | Callable[[Event], tuple[str, ...]]]

# By kind of event what people see and hear then, as :func:`dig_envs.pictures.joy` says, or what
# finds it.
Joys = Mapping[str, str | Callable[[Event], str]]


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: ``1 card``, ``3 cards``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


# ---------------------------------------------------------------- cards


def card(
    sheet: Sheet, name: str, title: str, x: float, y: float, size: tuple[float, float] = CARD,
    face: Callable[[float, float, float, float], None] | None = None, fill: str = "card",
    marked: bool = False,
) -> None:  # fmt: skip
    """A card that is a thing of its own: its face drawn by ``face(x, y, width, height)``, or its
    back without one.

    ``marked``: with a border that is noticed, such as of a card that was just turned up.
    """
    with sheet.thing(name, title):
        if face is None:
            back(sheet, x, y, size)
        else:
            sheet.box(x, y, *size, fill=fill, line="line", corner=5)
            face(x, y, *size)
        if marked:
            sheet.box(
                x - 1.5,
                y - 1.5,
                size[0] + 3,
                size[1] + 3,
                fill=None,
                line="mark",
                corner=6,
                thick=3,
            )


def back(sheet: Sheet, x: float, y: float, size: tuple[float, float] = CARD) -> None:
    """The back of a card: crossed lines on brown."""
    width, height = size
    sheet.box(x, y, width, height, fill="back", line="line", corner=5)
    sheet.box(x + 4, y + 4, width - 8, height - 8, fill=None, line="card", corner=3)
    footprint(sheet, x + width / 2, y + height / 2, min(width, height) * 0.3)


def footprint(sheet: Sheet, x: float, y: float, size: float) -> None:
    """The footprint of an animal with three toes, around a point."""
    toes = (((-0.2, 0.2), (-0.75, -0.1), (-0.95, -0.85)), ((0.2, 0.2), (0.75, -0.1), (0.95, -0.85)),
            ((-0.22, 0), (0, -1.2), (0.22, 0)))  # fmt: skip
    heel = (0.34, 0.25), (0.25, 0.95), (-0.25, 0.95), (-0.34, 0.25)
    shapes = (*((*toe, (0, 0.55)) for toe in toes), heel)
    sheet.path(" ".join(smooth(around(x, y, size, *shape)) for shape in shapes), "card")


def stack(
    sheet: Sheet,
    name: str,
    title: str,
    x: float,
    y: float,
    count: int,
    size: tuple[float, float] = CARD,
    label: str | None = None,
) -> None:
    """A face-down pile with the number of its cards; an empty one is a dashed outline."""
    with sheet.thing(name, title):
        if count == 0:
            sheet.box(x, y, *size, fill=None, line="muted", corner=5, dashed=True)
        for layer in range(min(count, 3)):
            back(sheet, x + 2 * layer, y - 2 * layer, size)
        shift = 2 * (max(min(count, 3), 1) - 1)
        middle = x + shift + size[0] / 2, y - shift + size[1] / 2
        sheet.disc(*middle, min(size) * 0.3, fill="card", line="line")
        sheet.text(
            middle[0],
            middle[1] + 5,
            str(count),
            14,
            anchor="middle",
            bold=True,
            room=min(size) * 0.5,
        )
        if label is not None:
            wide = (
                sheet.text(x + size[0] / 2, y + size[1] + 15, label, 11, "muted", anchor="middle")
                + 8
            )
            sheet.room(x + size[0] / 2 - wide / 2, y + size[1] + 4, wide, 14)


def row(count: int, room: float, width: float = CARD[0], gap: float = 6) -> list[float]:
    """The left edges of a row of cards within ``room``; the cards overlap if they must."""
    if count <= 1:
        return [0.0] * count
    step = min(width + gap, (room - width) / (count - 1))
    return [step * place for place in range(count)]


# ---------------------------------------------------------------- panels


def around(
    x: float, y: float, size: float, *corners: tuple[float, float]
) -> tuple[tuple[float, float], ...]:
    """The corners of a shape around a point, given in units of its size."""
    return tuple((x + size * a, y + size * b) for a, b in corners)


def smooth(corners: Sequence[tuple[float, float]]) -> str:
    """The path of a closed shape that is round along its corners."""
    ends = [
        ((x + to_x) / 2, (y + to_y) / 2)
        for (x, y), (to_x, to_y) in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    curves = "".join(
        f"Q{x:.1f} {y:.1f} {to_x:.1f} {to_y:.1f}"
        for (x, y), (to_x, to_y) in zip(
            [*corners[1:], corners[0]], [*ends[1:], ends[0]], strict=True
        )
    )
    return f"M{ends[0][0]:.1f} {ends[0][1]:.1f}{curves}Z"


def panel(
    sheet: Sheet, x: float, y: float, width: float, height: float, heading: str | None = None
) -> None:
    """A quiet area behind things that belong together, with a heading."""
    sheet.box(x, y, width, height, fill="surface", corner=8)
    if heading is not None:
        sheet.text(x + 12, y + 20, heading, 12, "muted", bold=True, room=width - 24)


def pips(
    sheet: Sheet, x: float, y: float, count: int, most: int, hue: str = "green", radius: float = 5
) -> None:
    """As many discs as there can be, filled as far as there are: action points, for instance."""
    for place in range(most):
        sheet.disc(
            x + place * (2 * radius + 4),
            y,
            radius,
            fill=hue if place < count else None,
            line="line",
        )


# ---------------------------------------------------------------- header


def header(sheet: Sheet, game_title: str, words: str) -> None:
    """The first line of every picture: the game, and what is going on. The thing ``title``."""
    with sheet.thing("title", f"{game_title}. {words}"):
        sheet.box(0, 0, sheet.width, HEADER - 8, fill="surface")
        wide = sheet.text(MARGIN, 24, game_title, 15, bold=True)
        sheet.text(
            MARGIN + wide + 14, 24, words, 14, "mark", room=sheet.width - 2 * MARGIN - wide - 14
        )


def column_header(sheet: Sheet, game_title: str, words: str) -> float:
    """The first lines of a column: the game, and below it what is going on. The thing ``title``;
    returns where the rest begins."""
    with sheet.thing("title", f"{game_title}. {words}"):
        lines = broken(words, 13, REGULAR, INSIDE)
        sheet.box(0, 0, sheet.width, 30 + 17 * len(lines), fill="surface")
        sheet.text(EDGE, 20, game_title, 14, bold=True)
        sheet.lines(EDGE, 38, words, INSIDE, 13, "mark", leading=17 / 13)
    return 38.0 + 17 * len(lines)
