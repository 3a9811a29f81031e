"""How promising a position is, for potential-based shaping of the reward in training."""

from typing import Any

import numpy as np

from dig_envs.games.cretaceous_creek.components import EDM, FIRST_TYPE, NUM_GENERA
from dig_envs.games.cretaceous_creek.state import ENDANGERED

Array = np.ndarray[Any, Any]


def potential(states: Array, seats: Array) -> Array:
    """The team's, float64 (n,); ``seats`` are not used.

    Per genus 0 to 1: the share of its parts that are stored, half for being stored at all, half for
    being in one hand. A genus in the museum counts 1. Each part that is the last copy, still needed
    and endangered takes 0.2 away.
    """
    stored: Array = states["storage"] > 0  # (n, seats, types)
    anywhere: Array = np.asarray(stored.any(axis=1))
    potential: Array = np.zeros(len(states))
    missing = np.zeros((len(states), EDM + 1), np.bool_)
    for genus in range(NUM_GENERA):
        parts = slice(FIRST_TYPE[genus], FIRST_TYPE[genus + 1])
        together = stored[:, :, parts].mean(axis=2).max(axis=1)
        done: Array = states["museum"][:, genus] > 0
        potential += np.where(done, 1.0, 0.5 * anywhere[:, parts].mean(axis=1) + 0.5 * together)
        missing[:, parts] = (
            ~done[:, None] & ~anywhere[:, parts] & (states["out"] == states["copies"] - 1)[:, parts]
        )
    height: Array = np.maximum(states["height"] - 1, 0)[:, :, None].astype(np.int64)
    top = np.take_along_axis(states["grid"], height, axis=2)[:, :, 0]
    at_risk = (states["top"] == ENDANGERED) & np.take_along_axis(
        missing, top.astype(np.int64), axis=1
    )
    return np.asarray(potential - 0.2 * at_risk.sum(axis=1))
