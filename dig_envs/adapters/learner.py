"""Who learns and who plays along: what the Gymnasium and the Stable-Baselines3 environment have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from dig_envs.agents.protocol import Agent
from dig_envs.engine.errors import OptionError
from dig_envs.engine.game import Game

ALL = "all"
RANDOM = "random"
Opponent = str | Agent
Opponents = Opponent | Sequence[Opponent]


def check_learner(learner: int | str | None, game: Game, fewest_seats: int) -> int | str:
    """The learner as a seat, ``"all"`` or ``"random"``; None is the game's default. Raises OptionError.

    ``"all"`` is for cooperative games: there one reward is right for every seat that acts.
    """
    if learner is None:
        return ALL if game.cooperative else RANDOM
    if learner == ALL and not game.cooperative:
        raise OptionError(f"learner 'all' needs a cooperative game: in {game.name} the seats have opposite rewards")
    if isinstance(learner, str):
        if learner not in (ALL, RANDOM):
            raise OptionError(f"learner {learner!r} is not one of 'all', 'random' or a seat")
        return learner
    if not 0 <= learner < fewest_seats:
        raise OptionError(f"learner {learner} is no seat of a game for {fewest_seats}: 0 … {fewest_seats - 1}")
    return int(learner)


def draw_learner(learner: int | str, num_seats: int, rng: np.random.Generator) -> int:
    """The learner's seat in the next episode; -1 for all of them."""
    if learner == ALL:
        return -1
    return int(rng.integers(num_seats)) if learner == RANDOM else int(learner)


def load_opponents(opponents: Opponents, env_name: str, rng: np.random.Generator) -> list[Agent]:
    """The pool of opponents: agents as they are, names loaded, each with a seed drawn from ``rng``."""
    from dig_envs.agents.loading import load_agent

    pool: Sequence[Any] = opponents if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]
    if not pool:
        raise OptionError("opponents: at least one is needed")
    return [load_agent(one, env_name, seed=int(rng.integers(2**32))) if isinstance(one, str) else one for one in pool]


def vector_space(game: Game) -> spaces.Box:
    """The space of the flat observation, float32 (observation_size,)."""
    return spaces.Box(game.low, game.high, (game.observation_size,), np.float32)
