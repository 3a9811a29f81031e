"""Positions as pictures whose things can be clicked."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.game import Game
from dig_envs.pictures import picture, touched
from dig_envs.telling import Watcher


def pictured(
    game: Game, view: Mapping[str, Any], seat: Watcher, theme: str, legal: Sequence[int]
) -> tuple[str, list[tuple[str, ...]]]:
    """The picture of a view as SVG, without its fonts, and for each legal action the names of the things that it belongs to.

    Without a theme there is no picture, and nothing can be clicked.
    """
    if not theme:
        return "", [() for _ in legal]
    return picture(game, view, seat, theme, fonts=False), [touched(game, view, seat, action) for action in legal]
