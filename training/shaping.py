"""Potential-based reward shaping (Ng, Harada, Russell 1999): a nudge that leaves the best policy the best.

A step from s to s' pays ``gamma * potential(s') - potential(s)`` on top, with potential 0 at the end of a game: over a whole
game these add up to a constant, so that no policy gains by them, but good moves are paid at once. Games without a function
here have none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def cretaceous_creek(states: Array) -> Array:
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


POTENTIALS: dict[str, Callable[[Array], Array]] = {"cretaceous_creek": cretaceous_creek}


def potential(game: str, states: Array) -> Array:
    """The potential of each position, float64 (n,); zero for a game without one."""
    function = POTENTIALS.get(game)
    return np.zeros(len(states)) if function is None else function(states)
