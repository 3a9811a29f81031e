"""Potential-based reward shaping (Ng, Harada, Russell 1999): a nudge that leaves the best policy the best.

A step from s to s' pays ``gamma * potential(s') - potential(s)`` on top, with potential 0 at the end of a game: over a whole
game these add up to a constant, so that no policy gains by them, but good moves are paid at once. Settings weigh it
with ``shaping_weight``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.game import Game

Array = np.ndarray[Any, Any]


def lead(states: Array, seats: Array) -> Array:
    """For competitive games: the learner's score less the best of the others', in points."""
    rows = np.arange(len(states))
    scores = states["scores"].astype(np.float64)
    own = scores[rows, seats].copy()
    others = np.where(np.arange(scores.shape[1]) < states["num_players"][:, None], scores, -np.inf)
    others[rows, seats] = -np.inf
    return np.asarray(own - others.max(axis=1))


def cretaceous_creek(states: Array, seats: Array) -> Array:
    """Per genus 0 to 1: the share of its parts that are stored, half for being stored at all, half for being in one hand.

    A genus in the museum counts 1. Each part that is the last copy, still needed and endangered takes 0.2 away.
    """
    from dig_envs.games.cretaceous_creek.components import COPIES, EDM, FIRST_TYPE, NUM_GENERA
    from dig_envs.games.cretaceous_creek.state import ENDANGERED

    stored: Array = states["storage"] > 0  # (n, seats, types)
    anywhere: Array = np.asarray(stored.any(axis=1))
    potential: Array = np.zeros(len(states))
    missing = np.zeros((len(states), EDM + 1), np.bool_)
    for genus in range(NUM_GENERA):
        parts = slice(FIRST_TYPE[genus], FIRST_TYPE[genus + 1])
        together = stored[:, :, parts].mean(axis=2).max(axis=1)
        done: Array = states["museum"][:, genus] > 0
        potential += np.where(done, 1.0, 0.5 * anywhere[:, parts].mean(axis=1) + 0.5 * together)
        missing[:, parts] = ~done[:, None] & ~anywhere[:, parts] & (states["out"][:, parts] == COPIES[parts] - 1)
    height: Array = np.maximum(states["height"] - 1, 0)[:, :, None].astype(np.int64)
    top = np.take_along_axis(states["grid"], height, axis=2)[:, :, 0]
    at_risk = (states["top"] == ENDANGERED) & np.take_along_axis(missing, top.astype(np.int64), axis=1)
    return np.asarray(potential - 0.2 * at_risk.sum(axis=1))


Potential = Callable[[Array, Array], Array]
POTENTIALS: dict[str, Potential] = {"cretaceous_creek": cretaceous_creek}


def potential(game: Game, states: Array, seats: Array) -> Array:
    """The potential of each position for the learner's seat (-1: all seats), float64 (n,).

    A competitive game without a function of its own has the :func:`lead`, a cooperative one has none.
    """
    function = POTENTIALS.get(game.name, None if game.cooperative else lead)
    return np.zeros(len(states)) if function is None else function(states, seats)
