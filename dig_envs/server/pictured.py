"""Positions as pictures whose things can be clicked, for games that have one."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from dig_envs.engine.game import Game
from dig_envs.telling import Watcher


def pictured(
    game: Game, view: Mapping[str, Any], seat: Watcher, theme: str, legal: Sequence[int]
) -> tuple[str, list[tuple[str, ...]]]:
    """The picture of a view as SVG, and for each legal action the names of the things that it belongs to.

    Without a theme, and for a game without a picture, the picture is empty, and nothing can be clicked.
    """
    if not theme or find_spec(f"{game.package}.picture") is None:
        return "", [() for _ in legal]
    from dig_envs.pictures import picture, touched

    return picture(game, view, seat, theme), [touched(game, view, seat, action) for action in legal]
