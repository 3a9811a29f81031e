"""Styles of a scripted player: the same compiled function with other weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.checks import shown_in_message

# whom a search can take for the other seats, beside the styles (``others=``)
OTHER_OPPONENTS = ("search", "heuristic", "guide")


@dataclass(frozen=True)
class Style:
    """One way to play, in ``STYLES`` of a game's ``styles.py``.

    Attributes:
        meaning: what it does otherwise than the usual scripted player, as a sentence.
        weights: a named tuple of float, the last argument of the function ``styled`` of the game's
            module ``heuristic``.
    """

    meaning: str
    weights: tuple[float, ...]


def style_of(styles: Mapping[str, Style], name: Any, game: str) -> Style:
    """The style of this name; raises ValueError that lists the game's styles."""
    if not isinstance(name, str) or name not in styles:
        there = f"there are {', '.join(styles)}" if styles else "it has none"
        raise ValueError(
            f"the scripted player of {game} has no style {shown_in_message(name)}; {there}"
        )
    return styles[name]
