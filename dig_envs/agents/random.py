"""The uniformly random player."""

import numpy as np

from dig_envs.agents.deciding import OneGame
from dig_envs.engine.core.checks import check_seed
from dig_envs.engine.game import Array


class RandomAgent(OneGame):
    """Plays a uniformly random legal action.

    Args:
        seed: of the agent's own generator; the same seed and the same decisions give the same
            actions. None for entropy.
    """

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(None if seed is None else check_seed(seed))

    def draw(self, count: int) -> Array:
        """Return so many numbers from 0 to 1, float64 (count,), from the agent's generator."""
        return self._rng.random(count)

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
    ) -> Array:
        """Return a random legal action for each decision; only ``action_mask`` is used."""
        mask = np.asarray(action_mask)
        draws = np.where(mask, self._rng.random(mask.shape), -1.0)
        return np.asarray(draws.argmax(axis=1))
