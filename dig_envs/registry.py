"""The list of games, by name; a game's module is imported when it is first used."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dig_envs.engine.game import Game

VERSIONS = {"cretaceous_creek": 0, "fossil_canyon": 0, "the_big_dig": 0}


def list_environments() -> list[str]:
    """The names of all environments, such as ``cretaceous_creek_v0``."""
    return [f"{name}_v{version}" for name, version in VERSIONS.items()]


def game_name(environment: str) -> str:
    """The game's name for an environment's name, with or without version; raises ValueError for an unknown one."""
    if environment in VERSIONS:
        return environment
    if environment in list_environments():
        return environment.rpartition("_v")[0]
    raise ValueError(f"no environment {environment!r}; there are {', '.join(list_environments())}")


@cache
def load_game(environment: str) -> "Game":
    """The :class:`~dig_envs.engine.game.Game` for an environment's or a game's name."""
    game: Game = import_module(f"dig_envs.games.{game_name(environment)}").GAME
    return game
