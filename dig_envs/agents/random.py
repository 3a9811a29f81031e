"""The uniformly random player."""

from typing import Any

import numpy as np

from dig_envs.engine.game import Array


class RandomAgent:
    """Plays a uniformly random legal action.

    Args:
        seed: of the agent's own generator; the same seed and the same decisions give the same actions.
    """

    name = "random"

    def __init__(self, seed: int | None = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, env: Any) -> int:
        """A random legal action for ``env.agent_selection``."""
        seen = env.observe(env.agent_selection)
        return int(self.act_batch(seen["observation"][None], seen["action_mask"][None])[0])

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """A random legal action for each decision; only ``action_mask`` is used."""
        draws = np.where(action_mask, self._rng.random(action_mask.shape), -1.0)
        return np.asarray(draws.argmax(axis=1))
