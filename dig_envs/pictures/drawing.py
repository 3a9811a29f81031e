"""The picture of a position of any game, and which of its things an action belongs to."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.core.checks import check_choice
from dig_envs.engine.core.events import Event
from dig_envs.engine.game import Game
from dig_envs.pictures.fonts import REGULAR, width_of
from dig_envs.pictures.parts import EDGE, HEADER, MARGIN, column_header, header
from dig_envs.pictures.sheet import COLUMN, Sheet, broken
from dig_envs.text.views import result_of

CAPTION_LINES, CAPTION_SIZE = 3, 13
CAPTION = 62  # height of the strip for them
LINE, TEXT_HEIGHT = 17, 640  # of a line, and of the sheet, where a game has no picture of its own
LAYOUTS = ("wide", "column")
FIELD = r"\{(\w+)\}"  # in the name of a thing that an event is about


def sheet_of(
    game: Game, view: Mapping[str, Any], seat: int | None, theme: str = "light",
    caption: Sequence[str] | None = None, layout: str = "wide",
) -> Sheet:  # fmt: skip
    """The painted sheet of a view; with a ``caption`` (sentences, perhaps none) there is a strip
    for it below.

    Raises:
        OptionError: no such theme or layout. ValueError: a column with a caption.
    """
    view = game.with_defaults(view)
    if check_choice("layout", layout, LAYOUTS) == "column" and caption is not None:
        raise ValueError("there are captions below wide pictures only")
    if layout == "column" and (game.painter is None or hasattr(game.painter, "column")):
        return _column_of(game, view, seat, theme)
    painter, strip = game.painter, 0 if caption is None else CAPTION
    if painter is None:
        sheet = _text_sheet(game, view, theme, strip)
    else:
        sheet = Sheet(painter.height(view["options"]) + strip, theme)
        header(sheet, game.title, painter.headline(view))
        painter.paint(sheet, view, seat)
    if caption is not None:
        _write_caption(sheet, caption)
    return sheet


def _column_of(game: Game, view: Mapping[str, Any], seat: int | None, theme: str) -> Sheet:
    """The painted sheet of a view as a narrow column; as high as it must be."""
    painter, sheet = game.painter, Sheet(TEXT_HEIGHT, theme, COLUMN)
    lines = game.draw(view).splitlines()
    top = column_header(
        sheet, game.title, painter.headline(view) if painter is not None else (lines or [""])[0]
    )
    sheet.cut(
        (
            _text_column(sheet, lines, top)
            if painter is None
            else painter.column(sheet, view, seat, top)
        )
        + EDGE
    )
    return sheet


def _text_column(sheet: Sheet, lines: Sequence[str], y: float) -> float:
    """The text of a position in a column, its lines broken; returns where it ends."""
    with sheet.thing(
        "text", "The position: " + "; ".join(line.strip() for line in lines if line.strip())
    ):
        for line in lines:
            for part in broken(line, 12, REGULAR, sheet.width - 2 * EDGE):
                y += LINE
                sheet.text(EDGE, y, part, 12)
    return y


def _write_caption(sheet: Sheet, sentences: Sequence[str]) -> None:
    """Write sentences into the strip at the bottom of a sheet; where there are too many, the last
    ones."""
    room = sheet.width - 2 * MARGIN
    lines: list[str] = []
    for word in " ".join(sentences).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, CAPTION_SIZE, REGULAR) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > CAPTION_LINES:
        lines = ["… " + lines[-CAPTION_LINES], *lines[len(lines) - CAPTION_LINES + 1 :]]
    with sheet.thing("caption", " ".join(sentences) or "Nothing has happened yet."):
        top = sheet.height - CAPTION
        sheet.box(0, top, sheet.width, CAPTION, fill="surface")
        for place, line in enumerate(lines):
            sheet.text(MARGIN, top + LINE * (place + 1), line, CAPTION_SIZE, room=room)


def picture(
    game: Game,
    view: Mapping[str, Any],
    seat: int | None,
    theme: str = "light",
    fonts: bool = True,
    layout: str = "wide",
) -> str:
    """A position as SVG, in letters of 11.5 pixels at least.

    Every visible thing is a ``<g data-thing="NAME">`` with a ``<title>`` that says in words what it
    is.

    Args:
        view: what the seat may know (``game.to_view``), what everybody may know
            (``game.to_public``), or a snapshot, to show all.
        seat: whose view it is; it is called "you". None for a spectator.
        theme: ``"light"`` or ``"dark"``.
        fonts: whether the picture carries its fonts (40 KB).
        layout: ``"wide"``: 960 pixels wide, as high as the game needs with these options.
            ``"column"``: 360 pixels wide, as high as this position needs, for a phone, or for a
            column of a paper (letters of 7.6 points where it is 3.3 inches wide).

    Raises:
        OptionError: no such theme or layout.
    """
    return sheet_of(game, view, seat, theme, layout=layout).svg(fonts)


def touched(game: Game, view: Mapping[str, Any], seat: int | None, action: int) -> tuple[str, ...]:
    """The names of the things in the picture of a view that an action belongs to: ``("title",)``
    if it belongs to none in particular."""
    painter = game.painter
    return (
        painter.touched(view, seat, game.actions[action].split()) if painter is not None else ()
    ) or ("title",)


def about(game: Game, event: Event) -> tuple[str, ...]:
    """The names of the things that an event is about, as far as its viewer may know them; the
    picture may not have all of them.

    Where something moves they begin with from where and where to. The seat's own thing stands for
    an event about nothing else.
    """
    found = getattr(game.painter, "ABOUT", {}).get(event.kind.name, ())
    names = (
        _filled(found, {"seat": event.seat, **event.values})
        if isinstance(found, tuple)
        else found(event)
    )
    return names or (() if event.seat is None else (f"seat:{event.seat}",))


def joy(game: Game, event: Event) -> str:
    """What people are to see and hear when an event happens, as the game's picture declares it:
    ``find``, ``loss``, ``storm``, ``complete``, or with what is shown after a colon
    ``complete:0,22 5,12 …`` (the corners of an animal) and ``pull:brown,red`` (cubes); "" for
    nothing."""
    found = getattr(game.painter, "JOYS", {}).get(event.kind.name, "")
    return found if isinstance(found, str) else str(found(event))


def _filled(names: Sequence[str], told: Mapping[str, Any]) -> tuple[str, ...]:
    """The names with what is told in their fields; without those of which something is not told to
    the viewer."""
    known = [
        name for name in names if all(told[field] is not None for field in re.findall(FIELD, name))
    ]
    return tuple(re.sub(FIELD, lambda found: str(told[found[1]]), name) for name in known)


def _text_sheet(game: Game, view: Mapping[str, Any], theme: str, strip: int) -> Sheet:
    """The text of a game that has no picture of its own, line by line, on a sheet of one size."""
    lines = game.draw(view).splitlines()
    sheet = Sheet(TEXT_HEIGHT + strip, theme)
    header(sheet, game.title, result_of(view) if view["phase"] == "over" else (lines or [""])[0])
    step = min(LINE, (TEXT_HEIGHT - HEADER - MARGIN) / max(len(lines), 1))
    with sheet.thing(
        "text", "The position: " + "; ".join(line.strip() for line in lines if line.strip())
    ):
        for place, line in enumerate(lines):
            sheet.text(
                MARGIN,
                HEADER + step * (place + 1),
                line,
                step * 0.75,
                mono=True,
                room=sheet.width - 2 * MARGIN,
            )
    return sheet
