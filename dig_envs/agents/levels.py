"""Strengths for people, by name: what ``easy``, ``medium`` and ``hard`` mean in each game, and how strong that is.

``levels.json`` beside this module says it for each game. ``python -m dig_envs.arena.levels`` chooses the players, has them meet in
an arena, and writes the file. The strongest player has the name ``best`` (:mod:`dig_envs.agents.best`).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from dig_envs.engine.game import Game

LEVELS = ("easy", "medium", "hard")  # from the weakest on
LEVELS_FILE = Path(__file__).with_name("levels.json")


@cache
def read_levels() -> dict[str, Any]:
    """Return what the file says of each game, by the environment's name: the players of the levels, and how strong they are."""
    return dict(json.loads(LEVELS_FILE.read_text(encoding="utf-8"))["games"]) if LEVELS_FILE.exists() else {}


def has_levels(game: Game) -> bool:
    """Whether the levels of a game have been measured."""
    return game.env_name in read_levels()


def meaning_of(level: str, game: Game) -> str:
    """Return the name of the player that a level of a game is.

    Raises:
        ValueError: the levels of this game have not been measured.
    """
    if not has_levels(game):
        raise ValueError(f"{game.env_name} has no player for {level!r} yet; python -m dig_envs.arena.levels finds one")
    return str(read_levels()[game.env_name]["levels"][level]["agent"])
