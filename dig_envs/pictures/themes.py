"""Colours of the light and of the dark page. Hues are Okabe and Ito's (2008), which colour-blind
people can tell apart."""

from collections.abc import Mapping

from dig_envs.engine.core.checks import check_choice

COLOURS = {  # name -> on the light page, on the dark page
    "page": ("#faf8f4", "#16181c"),  # behind everything
    "surface": ("#f0ebe1", "#22262c"),  # of boards and strips
    "card": ("#fffdf8", "#2e333b"),  # of a card's face
    "back": ("#8a7f70", "#5d6672"),  # of a face-down card
    "line": ("#6b6255", "#8d96a3"),  # of borders
    "ink": ("#1f1b16", "#f1efe9"),  # of text
    "muted": ("#6b6255", "#a9b0ba"),  # of less important text
    "on_hue": ("#14110d", "#101215"),  # of text on a hue
    "mark": ("#b3450e", "#ffb066"),  # of what is to be noticed, such as whose turn it is
    # Hues, for kinds of things; a kind is also told by a word, a letter or a shape, never by its
    # hue alone.
    "orange": ("#f0b44d", "#e69f00"),
    "sky": ("#8fcdf0", "#56b4e9"),
    "green": ("#5cc3a0", "#16a985"),
    "yellow": ("#f3e877", "#f0e442"),
    "blue": ("#7fb2dc", "#4f94cf"),
    "red": ("#ec9a66", "#e2703a"),
    "purple": ("#dba6c6", "#cc79a7"),
    "grey": ("#d5cfc3", "#9aa1ab"),
    "brown": ("#c9a97c", "#b08d5c"),
    "black": ("#4a453d", "#0b0c0e"),
}
THEMES = {
    "light": {name: light for name, (light, _) in COLOURS.items()},
    "dark": {name: dark for name, (_, dark) in COLOURS.items()},
}


def colours_of(theme: str) -> Mapping[str, str]:
    """The colours of a theme by their names; raises OptionError for an unknown theme."""
    return THEMES[check_choice("theme", theme, tuple(THEMES))]
