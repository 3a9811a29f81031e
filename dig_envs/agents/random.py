"""The uniformly random player."""

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.engine.core.checks import check_seed
from dig_envs.engine.game import Array, Game


class RandomAgent(OneGame):
    """Plays a uniformly random legal action.

    Args:
        seed: of the agent's own generator; the same seed and the same decisions give the same
            actions. None for entropy.
        game: that it plays; None: any.
    """

    name = "random"
    needs_positions = False

    def __init__(self, seed: int | None = None, game: Game | None = None) -> None:
        self.game = game
        self._rng = np.random.default_rng(None if seed is None else check_seed(seed))

    def draw(self, count: int) -> Array:
        """Numbers from 0 to 1 from the agent's generator, float64 (count,)."""
        return self._rng.random(count)

    def choose(self, decisions: Decisions) -> Array:
        """A random legal action for each decision; only ``action_mask`` is used."""
        draws = np.where(decisions.action_mask, self._rng.random(decisions.action_mask.shape), -1.0)
        return np.asarray(draws.argmax(axis=1))
