"""Potential-based reward shaping (Ng, Harada, Russell 1999): extra rewards that do not change which
policy is the best.

A step from s to s' pays ``gamma * potential(s') - potential(s)`` on top, with potential 0 at the
end of a game: over a game these add up to a constant, so that no policy gains by them, but good
moves are paid at once. Settings weigh it with ``shaping_weight``.

A game's own potential is the function ``potential(states, seats)`` in its ``shaping.py``, if it has
one.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from dig_envs.engine.game import Game

Array = np.ndarray[Any, Any]
Potential = Callable[[Array, Array], Array]


def lead(states: Array, seats: Array) -> Array:
    """The learner's score less the best of the others', in points (competitive games)."""
    rows = np.arange(len(states))
    scores = states["scores"].astype(np.float64)
    own = scores[rows, seats].copy()
    others = np.where(np.arange(scores.shape[1]) < states["num_players"][:, None], scores, -np.inf)
    others[rows, seats] = -np.inf
    return np.asarray(own - others.max(axis=1))


@cache
def own_potential(game_name: str) -> Potential | None:
    """The potential that comes with a game; None if it has none."""
    module = f"dig_envs.games.{game_name}.shaping"
    if find_spec(module) is None:
        return None
    function: Potential = import_module(module).potential
    return function


def potential(game: Game, states: Array, seats: Array) -> Array:
    """The potential of each position for the learner's seat (-1: all seats), float64 (n,).

    A competitive game without a function of its own has the :func:`lead`, a cooperative one has
    none.
    """
    function = own_potential(game.name) or (None if game.cooperative else lead)
    return np.zeros(len(states)) if function is None else function(states, seats)


class Shaping:
    """The extra rewards of games that are played side by side, which are dealt anew when they end.

    Args:
        game: what is played. gamma: the discount per step.
    """

    def __init__(self, game: Game, gamma: float) -> None:
        self.game, self.gamma = game, gamma

    def begin(self, states: Array, seats: Array, games: Array | None = None) -> None:
        """Note the positions before a step, with the learner's seats (-1: all seats), of all games
        or of those in ``games``, bool (n,)."""
        now = potential(self.game, states, seats)
        self._before: Array = now if games is None else np.where(games, now, self._before)

    def pay(self, states: Array, seats: Array, done: Array, games: Array | None = None) -> Array:
        """The extra reward of a step, float64 (n,), from the positions after it; where a game is
        done, these are new ones. It is 0 for games outside of ``games``, bool (n,)."""
        before = self._before
        self.begin(states, seats, games)
        # the potential is 0 when a game is over
        paid: Array = self.gamma * np.where(done, 0.0, self._before) - before
        return paid if games is None else np.where(games, paid, 0.0)
