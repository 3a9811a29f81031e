"""Colours of the light and of the dark page. Hues are Okabe and Ito's (2008), which colour-blind people can tell apart."""

from dataclasses import dataclass, field
from typing import Any

from dig_envs.engine.checks import check_choice


@dataclass(frozen=True)
class Theme:
    """What the names of colours mean on a page.

    Attributes:
        page: behind everything. surface: of boards and strips. card: of a card face. back: of a face-down card.
        line: of borders. ink, muted: of text. on_hue: of text on a hue. mark: of what is to be noticed, such as whose turn it is.
        hues: name -> colour, for kinds of things; a kind is also told by a word, a letter or a shape, never by its hue alone.
    """

    name: str
    page: str
    surface: str
    card: str
    back: str
    line: str
    ink: str
    muted: str
    on_hue: str
    mark: str
    hues: dict[str, str] = field(repr=False)

    def colour(self, name: str) -> str:
        """The colour of a name; raises KeyError for an unknown one."""
        found: Any = self.hues.get(name)
        return str(found if found is not None else getattr(self, name))


LIGHT = Theme(
    name="light",
    page="#faf8f4",
    surface="#f0ebe1",
    card="#fffdf8",
    back="#8a7f70",
    line="#6b6255",
    ink="#1f1b16",
    muted="#6b6255",
    on_hue="#14110d",
    mark="#b3450e",
    hues={
        "orange": "#f0b44d",
        "sky": "#8fcdf0",
        "green": "#5cc3a0",
        "yellow": "#f3e877",
        "blue": "#7fb2dc",
        "red": "#ec9a66",
        "purple": "#dba6c6",
        "grey": "#d5cfc3",
        "brown": "#c9a97c",
        "black": "#4a453d",
    },
)

DARK = Theme(
    name="dark",
    page="#16181c",
    surface="#22262c",
    card="#2e333b",
    back="#5d6672",
    line="#8d96a3",
    ink="#f1efe9",
    muted="#a9b0ba",
    on_hue="#101215",
    mark="#ffb066",
    hues={
        "orange": "#e69f00",
        "sky": "#56b4e9",
        "green": "#16a985",
        "yellow": "#f0e442",
        "blue": "#4f94cf",
        "red": "#e2703a",
        "purple": "#cc79a7",
        "grey": "#9aa1ab",
        "brown": "#b08d5c",
        "black": "#0b0c0e",
    },
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_of(name: str) -> Theme:
    """The theme of a name; raises OptionError for an unknown one."""
    return THEMES[check_choice("theme", name, tuple(THEMES))]
