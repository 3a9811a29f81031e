"""What pictures of all games say and draw of a seat: its name, whether it is to move or has won,
its area and its pieces."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.words import capitalised, fill, names_now
from dig_envs.pictures.parts import around
from dig_envs.pictures.sheet import Sheet

# of what belongs to a seat; its number stands beside
SEAT_HUES = ("orange", "sky", "green", "purple", "yellow", "red")
SEAT_SHAPES = ("disc", "square", "triangle", "diamond", "pentagon", "cross")


def seat_name(seat: int, viewer: int | None) -> str:
    """The name of a seat in a picture, as in texts: ``You`` for the viewer's own."""
    return capitalised(names_now().person(seat, viewer))


def in_sentence(seat: int, viewer: int | None) -> str:
    """The name of a seat inside a sentence: ``you`` for the viewer's own."""
    return names_now().person(seat, viewer)


def said(template: str, seat: int, viewer: int | None) -> str:
    """A sentence about a seat, or its beginning, as in events: ``said("{seat} {lead|leads}", …)``,
    ``said("{seat's} bid", …)``."""
    return capitalised(fill(template, {}, {"seat": seat}, names_now(), viewer))


def marked_name(view: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    """The name of a seat, with a star if it has won, or a triangle if it is to move."""
    sign = "★ " if seat in view["winners"] else "▶ " if seat == view["to_move"] else ""
    return sign + seat_name(seat, viewer)


def standing(view: Mapping[str, Any], seat: int) -> list[str]:
    """What is said of a seat last: that it is the one to move, that it has won."""
    return ["to move"] * (seat == view["to_move"]) + ["won"] * (seat in view["winners"])


def own_first(view: Mapping[str, Any], viewer: int | None) -> list[int]:
    """The seats in order, the viewer's own before the others."""
    return sorted(range(len(view["scores"])), key=lambda seat: seat != viewer)


def seat_panel(
    sheet: Sheet,
    view: Mapping[str, Any],
    seat: int,
    x: float,
    y: float,
    width: float,
    height: float,
) -> None:
    """The area of a seat, framed if it is the one to move."""
    sheet.box(x, y, width, height, "surface", "mark" if seat == view["to_move"] else None, 8, 2)


def token(
    sheet: Sheet,
    x: float,
    y: float,
    seat: int,
    words: str,
    radius: float = 11,
    hollow: bool = False,
) -> None:
    """A piece of a seat: a shape and a hue for each seat, with a short word on it. Not a thing by
    itself."""
    fill, line, thick = SEAT_HUES[seat % 6], "ink", 2.5 if hollow else 1.2
    shape = SEAT_SHAPES[seat % 6]
    corners = {
        "triangle": ((0, -1.25), (1.2, 0.85), (-1.2, 0.85)),
        "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        "pentagon": ((0, -1.2), (1.15, -0.35), (0.72, 1), (-0.72, 1), (-1.15, -0.35)),
        "cross": (
            (-1.15, -0.5),
            (-0.5, -1.15),
            (0.5, -1.15),
            (1.15, -0.5),
            (1.15, 0.5),
            (0.5, 1.15),
            (-0.5, 1.15),
            (-1.15, 0.5),
        ),
    }.get(shape)
    if corners is not None:
        sheet.polygon(
            *around(x, y, radius, *corners),
            fill=None if hollow else fill,
            line=fill if hollow else line,
            thick=thick,
        )
    elif shape == "square":
        side = 2 * radius * 0.95
        sheet.box(
            x - side / 2,
            y - side / 2,
            side,
            side,
            None if hollow else fill,
            fill if hollow else line,
            2,
            thick,
        )
    else:
        sheet.disc(x, y, radius, None if hollow else fill, fill if hollow else line, thick)
    sheet.text(
        x,
        y + max(radius * 0.36, 3.9),
        words,
        radius,
        "ink" if hollow else "on_hue",
        anchor="middle",
        bold=True,
        room=1.8 * radius,
    )
