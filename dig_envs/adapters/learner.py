"""The learner's seat and its opponents: shared by the environments for one learner."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.agents.loading import load_agent
from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import Agent
from dig_envs.engine.compiler.learner_data import MOST_DEALS
from dig_envs.engine.core.checks import is_integer, shown_in_message
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Game

ALL = "all"
RANDOM = "random"
# the scripted player; against uniformly random ones some games go to the turn limit
DEFAULT_OPPONENT = "heuristic"
Opponent = str | Agent
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class WeightedOpponents:
    """Opponents that are drawn by weight for each episode.

    Attributes:
        agents: who can be drawn.
        weights: of the agents, 0 or more; what they sum to does not matter.
        mixed: how often, 0 to 1, every seat of an episode gets an opponent of its own; else one
            plays all of them.
    """

    agents: Sequence[Agent]
    weights: Sequence[float]
    mixed: float = 1.0

    def __post_init__(self) -> None:
        if len(self.agents) != len(self.weights) or not self.agents:
            raise OptionError(
                f"weighted opponents need agents and as many weights, not {len(self.agents)} and "
                f"{len(self.weights)}"
            )
        if min(self.weights) < 0 or not 0 < sum(self.weights) < math.inf:
            raise OptionError(
                "the weights of opponents must be finite and 0 or more, one of them more, not "
                f"{list(self.weights)}"
            )
        if not 0 <= self.mixed <= 1:
            raise OptionError(f"mixed must be from 0 to 1, not {self.mixed}")

    def draw(self, num_seats: int, rng: np.random.Generator) -> Array:
        """The agent of each seat in an episode, int64 (num_seats,): indices into ``agents``."""
        each = rng.random() < self.mixed
        # what `rng.choice` does, without its checks, which take longer than all else
        drawn = self._sums.searchsorted(rng.random(num_seats if each else 1), side="right")
        return np.broadcast_to(drawn, num_seats)

    @cached_property
    def _sums(self) -> Array:
        shares = np.asarray(self.weights, np.float64)
        sums = (shares / shares.sum()).cumsum()
        return np.asarray(sums / sums[-1])


Opponents = Opponent | Sequence[Opponent] | WeightedOpponents


def check_learner(learner: int | str | None, game: Game, fewest_seats: int) -> int | str:
    """The learner as a seat, ``"all"`` or ``"random"``; None means the game's default. Raises
    OptionError. ``"all"`` is for cooperative games, where one reward is right for every seat that
    acts."""
    if learner is None:
        return ALL if game.cooperative else RANDOM
    if learner == ALL and not game.cooperative:
        raise OptionError(
            f"learner 'all' needs a cooperative game: in {game.name} the seats have opposite "
            "rewards"
        )
    if isinstance(learner, str):
        if learner not in (ALL, RANDOM):
            raise OptionError(
                f"learner {shown_in_message(learner)} is not one of 'all', 'random' or a seat"
            )
        return learner
    if not is_integer(learner) or not 0 <= learner < fewest_seats:
        raise OptionError(
            f"learner {shown_in_message(learner)} is not a seat of a game for {fewest_seats}: 0 … "
            f"{fewest_seats - 1}"
        )
    return int(learner)


def draw_learner(learner: int | str, num_seats: int, rng: np.random.Generator) -> int:
    """The learner's seat in the next episode; -1 for all seats."""
    if learner == ALL:
        return -1
    return int(rng.integers(num_seats)) if learner == RANDOM else int(learner)


def load_opponents(opponents: Opponents, game: Game, rng: np.random.Generator) -> list[Agent]:
    """The opponents as agents. Names are loaded, each with a seed drawn from ``rng``. Raises
    TypeError for other values."""
    if isinstance(opponents, WeightedOpponents):
        return [check_agent(one, game) for one in opponents.agents]
    several: Sequence[Any] = (
        opponents
        if isinstance(opponents, Sequence) and not isinstance(opponents, str)
        else [opponents]
    )
    if not several:
        raise OptionError("opponents: at least one is needed")
    return [
        load_agent(one, game.env_name, seed=int(rng.integers(2**32)))
        if isinstance(one, str)
        else check_agent(one, game)
        for one in several
    ]


def draw_opponents(
    opponents: Opponents, count: int, num_seats: int, rng: np.random.Generator
) -> Array:
    """The opponent of each seat in the next episode, int64 (num_seats,): indices below
    ``count``."""
    if isinstance(opponents, WeightedOpponents):
        return opponents.draw(num_seats, rng)
    return rng.integers(count, size=num_seats) if count > 1 else np.zeros(num_seats, np.int64)


def nothing_to_decide(seat: int) -> str:
    """The error message for a learner that never has a decision, such as seat 1 with a limit of one
    turn."""
    return (
        f"seat {seat} had nothing to decide in {MOST_DEALS} games in a row: learner and options do "
        "not fit"
    )
