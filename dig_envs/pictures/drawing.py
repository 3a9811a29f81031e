"""The picture of a position of any game, and which of its things an action belongs to."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.game import Game
from dig_envs.pictures.parts import HEADER, MARGIN, header
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import result_of

LINE, TEXT_HEIGHT = 17, 640  # of a line, and of the sheet, where a game has no picture of its own


def sheet_of(game: Game, view: Mapping[str, Any], seat: int | None, theme: str = "light") -> Sheet:
    """The painted sheet of a view."""
    painter = game.painter
    if painter is None:
        return _text_sheet(game, view, theme)
    sheet = Sheet(painter.height(view["options"]), theme)
    header(sheet, game.title, painter.headline(view))
    painter.paint(sheet, view, seat)
    return sheet


def picture(game: Game, view: Mapping[str, Any], seat: int | None, theme: str = "light", fonts: bool = True) -> str:
    """A position as SVG: 960 pixels wide, as high as the game needs with these options.

    Every visible thing is a ``<g data-thing="NAME">`` with a ``<title>`` that says in words what it is.

    Args:
        view: what the seat may know (``game.to_view``), what everybody may know (``game.to_public``), or a snapshot, to show all.
        seat: whose view it is; it is called "you". None for a spectator.
        theme: ``"light"`` or ``"dark"``.
        fonts: whether the picture carries its fonts (40 KB).
    """
    return sheet_of(game, view, seat, theme).svg(fonts)


def touched(game: Game, view: Mapping[str, Any], seat: int | None, action: int) -> tuple[str, ...]:
    """The names of the things in the picture of a view that an action belongs to: ``("title",)`` where it is none in particular."""
    painter = game.painter
    return (painter.touched(view, seat, game.actions[action].split()) if painter is not None else ()) or ("title",)


def _text_sheet(game: Game, view: Mapping[str, Any], theme: str) -> Sheet:
    """The text of a game that has no picture of its own, line by line, on a sheet of one size."""
    lines = game.draw(view).splitlines()
    sheet = Sheet(TEXT_HEIGHT, theme)
    header(sheet, game.title, result_of(view) if view["phase"] == "over" else (lines or [""])[0])
    step = min(LINE, (TEXT_HEIGHT - HEADER - MARGIN) / max(len(lines), 1))
    with sheet.thing("text", "The position: " + "; ".join(line.strip() for line in lines if line.strip())):
        for place, line in enumerate(lines):
            sheet.text(MARGIN, HEADER + step * (place + 1), line, step * 0.75, mono=True, room=sheet.width - 2 * MARGIN)
    return sheet
