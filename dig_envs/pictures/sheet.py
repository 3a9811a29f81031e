"""A sheet of paper to draw a position on: shapes and words in the colours of a theme, grouped into
named things."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any
from xml.sax.saxutils import escape

from dig_envs.engine.core.installing import how_to_install

try:
    import drawsvg
except ImportError as error:  # pragma: no cover - a test runs this in a process of its own
    raise ImportError(f"pictures need drawsvg: {how_to_install('pictures')}") from error

from dig_envs.pictures.fonts import BOLD, MONO, REGULAR, advances, css, width_of
from dig_envs.pictures.themes import colours_of

WIDTH = 960  # of a picture, in pixels
COLUMN = 360  # … of one for a phone, or for a column of a paper
SMALLEST = 11.5  # size of letters: none are smaller; a text that is too long for its room is cut
THING = re.compile(r"[A-Za-z0-9:,.+_-]+")


class Sheet:
    """A sheet that a game's ``paint`` draws on. The origin is the upper left corner; lengths are
    pixels.

    Colours are the names in :data:`dig_envs.pictures.themes.COLOURS`.

    Attributes: ``width``, ``height``, ``colours`` of the theme, ``things`` (name -> title of each
    thing drawn so far).
    """

    def __init__(self, height: int, theme: str = "light", width: int = WIDTH) -> None:
        self.width, self.height = width, height
        self.colours = colours_of(theme)
        self.things: dict[str, str] = {}
        self._drawing = drawsvg.Drawing(width, height)
        self._group: Any = self._drawing
        self._families: set[str] = set()
        self.box(0, 0, width, height, fill="page")

    def cut(self, height: float) -> None:
        """Give the sheet another height, once it is known how much was needed."""
        self.height = self._drawing.height = ceil(height)
        self._drawing.view_box = (0, 0, self.width, self.height)
        self.box(0, 0, self.width, self.height, fill="page")
        self._drawing.elements[0] = self._drawing.elements.pop()  # behind everything

    # ------------------------------------------------------------ things

    @contextmanager
    def thing(self, name: str, title: str) -> Iterator[None]:
        """All that is drawn inside is one thing, which has a name for programs and a title in words
        for people.

        Args:
            name: letters, digits and ``: , . + _ -``, used once in a picture, such as ``hand:3``.
            title: what it is, such as ``Tyrannosaurus 2, face up``; nothing that the viewer may not
                know.
        """
        if not THING.fullmatch(name):
            raise ValueError(
                f"{name!r} is not the name of a thing: letters, digits and : , . + _ -"
            )
        if name in self.things:
            raise ValueError(f"there are two things with the name {name!r} in the picture")
        self.things[name] = title
        group = drawsvg.Group(data_thing=name, role="img")
        group.append_title(title)
        with self._into(group):
            yield

    @contextmanager
    def ghost(self, action: str) -> Iterator[None]:
        """All that is drawn inside shows what an action, by its text, would lead to; somebody has
        to make it visible."""
        group = drawsvg.Group(data_ghost=action, display="none", opacity=0.75)
        with self._into(group):
            yield

    @contextmanager
    def within(self, thing: str) -> Iterator[None]:
        """All that is drawn inside is there only while a thing is chosen, by its name; somebody has
        to make it visible."""
        with self._into(drawsvg.Group(data_within=thing, visibility="hidden", opacity=0)):
            yield

    @contextmanager
    def _into(self, group: drawsvg.Group) -> Iterator[None]:
        """All that is drawn inside becomes part of the group, which follows what was drawn
        before."""
        outside, self._group = self._group, group
        try:
            yield
        finally:
            outside.append(group)
            self._group = outside

    # ------------------------------------------------------------ shapes

    def box(
        self, x: float, y: float, width: float, height: float, fill: str | None = "card",
        line: str | None = None, corner: float = 0, thick: float = 1, dashed: bool = False,
    ) -> None:  # fmt: skip
        """A rectangle, with round corners if asked."""
        paint = self._paint(fill, line, thick, dashed)
        rounded = f' rx="{corner}"' if corner else ""
        self._add(
            f'<rect x="{_r(x)}" y="{_r(y)}" width="{_r(width)}" '
            f'height="{_r(height)}"{rounded}{paint} />'
        )

    def room(self, x: float, y: float, width: float, height: float) -> None:
        """Room that belongs to a thing and is not seen: a frame around the thing keeps clear of its
        words."""
        self.box(x, y, width, height, fill=None)

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: str | None = "card",
        line: str | None = None,
        thick: float = 1,
    ) -> None:
        """A circle around a point."""
        self._add(
            f'<circle cx="{_r(x)}" cy="{_r(y)}" r="{_r(radius)}"{self._paint(fill, line, thick)} />'
        )

    def stroke(
        self, x: float, y: float, to_x: float, to_y: float, line: str = "line", thick: float = 1
    ) -> None:
        """A straight line."""
        self.path(f"M{_r(x)},{_r(y)} L{_r(to_x)},{_r(to_y)}", None, line, thick)

    def polygon(
        self,
        *points: tuple[float, float],
        fill: str | None = "card",
        line: str | None = None,
        thick: float = 1,
    ) -> None:
        """A closed shape with straight sides."""
        corners = " L".join(f"{_r(x)},{_r(y)}" for x, y in points)
        self.path(f"M{corners} Z", fill, line, thick)

    def path(
        self, d: str, fill: str | None = None, line: str | None = None, thick: float = 1
    ) -> None:
        """Any shape, as the path data of SVG."""
        self._add(f'<path d="{d}"{self._paint(fill, line, thick)} />')

    def _paint(self, fill: str | None, line: str | None, thick: float, dashed: bool = False) -> str:
        """The attributes that say how a shape is painted."""
        inside = ' fill="none"' if fill is None else f' fill="{self.colours[fill]}"'
        if line is None:
            return inside
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        return f'{inside} stroke="{self.colours[line]}" stroke-width="{thick}"{dashes}'

    def _add(self, element: str) -> None:
        """An element as text: drawsvg's own elements can be animated, and pictures made of them
        take twice as long."""
        self._group.append(drawsvg.Raw(element))

    # ------------------------------------------------------------ words

    def text(
        self, x: float, y: float, words: str, size: float = 13, colour: str = "ink",
        anchor: str = "start", bold: bool = False, mono: bool = False, room: float | None = None,
    ) -> float:  # fmt: skip
        """A line of text; returns its width.

        Args:
            y: of the base line.
            anchor: which point of the text is at x: ``start``, ``middle`` or ``end``.
            size: of the letters; :data:`SMALLEST` at least.
            room: the width it may take: a longer one is set smaller, and at last cut.
        """
        family, size = MONO if mono else BOLD if bold else REGULAR, max(size, SMALLEST)
        if room is not None:
            words, size = fitted(words, size, family, room)
        width = width_of(words, size, family)
        # no text-anchor: some rasterisers lack it
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        self._families.add(family)
        place = f'x="{_r(left)}" y="{_r(y)}" font-size="{_r(size)}"'
        if any(sign not in advances(family) for sign in words):  # whatever font they come from
            place += f' textLength="{_r(width)}" lengthAdjust="spacingAndGlyphs"'
        self._add(
            f'<text {place} fill="{self.colours[colour]}" '
            f'font-family="{family}">{escape(words)}</text>'
        )
        return width

    def lines(
        self, x: float, y: float, words: str, room: float, size: float = 12, colour: str = "ink",
        leading: float = 1.35, most: int = 99,
    ) -> float:  # fmt: skip
        """A text broken into lines of a width; returns the base line that would follow."""
        size = max(size, SMALLEST)
        for line in broken(words, size, REGULAR, room)[:most]:
            self.text(x, y, line, size, colour, room=room)
            y += size * leading
        return y

    # ------------------------------------------------------------ out

    def svg(self, fonts: bool = True) -> str:
        """The picture as SVG text. ``fonts``: whether it carries its fonts, as it must where they
        are not loaded otherwise."""
        style = (
            f"<style>{css(tuple(sorted(self._families)))}</style>\n"
            if fonts and self._families
            else ""
        )
        body = str(self._drawing.as_svg())
        head, mark, rest = body.partition("<defs>\n</defs>\n")
        return head + style + rest if mark else body


def fitted(words: str, size: float, family: str, room: float) -> tuple[str, float]:
    """The text and the size with which it fits into a width."""
    width = width_of(words, size, family)
    if width <= room:
        return words, size
    smaller = max(size * room / width, SMALLEST)
    while words and width_of(words, smaller, family) > room + 0.01:
        words = words[:-2] + "…" if len(words) > 1 else ""
    return words, smaller


def broken(words: str, size: float, family: str, room: float) -> list[str]:
    """A text as lines that are no wider than a width, broken at blanks."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size, family) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _r(value: float) -> float:
    """Tenths of a pixel are fine enough."""
    rounded = round(float(value), 1)
    return int(rounded) if rounded == int(rounded) else rounded
