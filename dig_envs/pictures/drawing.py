"""The picture of a position of any game, and which of its things an action belongs to."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from dig_envs.engine.game import Game
from dig_envs.pictures.parts import HEADER, MARGIN, header
from dig_envs.pictures.sheet import WIDTH, Sheet

LINE = 17  # height of a line where a game has no picture of its own


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


def check_painter(module: ModuleType) -> ModuleType:
    """The module ``picture`` of a game; raises AttributeError naming what it lacks."""
    for name in ("height", "headline", "paint", "touched"):
        getattr(module, name)
    return module


def _text_sheet(game: Game, view: Mapping[str, Any], theme: str) -> Sheet:
    """The text of a game that has no picture of its own, line by line. It is as long as the text: its height varies."""
    lines = game.draw(view).splitlines()
    sheet = Sheet(int(HEADER + MARGIN + LINE * (len(lines) + 1)), theme, WIDTH)
    header(sheet, game.title, lines[0] if lines else "")
    with sheet.thing("text", "The position"):
        for place, line in enumerate(lines[1:]):
            sheet.text(MARGIN, HEADER + LINE * (place + 1), line, 13, mono=True, room=WIDTH - 2 * MARGIN)
    return sheet
