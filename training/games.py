"""The games that a run trains on, with the run's reward."""

from collections.abc import Sequence

import numpy as np

from dig_envs.adapters.learner import Opponents
from dig_envs.adapters.learner_batch import Step
from dig_envs.batch.batch_env import DENSE
from dig_envs.engine.game import Array

from .ppo import PaidGames
from .settings import Settings
from .shaping import Shaping


class TrainingGames(PaidGames):
    """The games of ``settings.games``, an equal share of each, with the run's reward:

    ``win_weight`` times the game's return at its end + ``score_weight`` times the change of score +
    shaping,

    with the weights that the settings have for ``share``, the share of the budget that is used. It
    is 0 at first; a change counts from the next ``reset`` on.

    The return is that of the environment: +1 divided among the winners, -1 divided among the
    others, 0 for all if everybody or nobody has won; in a cooperative game +1 or -1. A guided
    search adds up the same (``SearchAgent``), so that it may put the value that a policy learned
    here in the place of what is still to come. The turn limit ends a game as any other end does.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        seed: int | Sequence[int],
        opponents: Opponents = "random",
        observation: str = DENSE,
    ) -> None:
        self.settings, self.share = settings, 0.0
        each = settings.num_envs // len(settings.games)
        super().__init__(
            name,
            settings.num_envs,
            opponents=opponents,
            seed=seed,
            reward="score"
            if any(settings.rewards_at(share).score_weight for share in (0.0, 1.0))
            else "win",
            num_threads=1,
            per_game=[options for options in settings.games for _ in range(each)],
            observation=observation,
        )
        self._shaping = Shaping(self.game, settings.gamma)
        self.take_rewards()

    def take_rewards(self) -> None:
        """Pay with the weights of ``share`` from now on."""
        self.rewards = self.settings.rewards_at(self.share)
        self.win_weight, self.score_weight, _ = self.rewards

    def reset(
        self, seed: int | Sequence[int] | Array | None = None, games: Array | None = None
    ) -> None:
        """Deal games and play up to the learner's decisions."""
        self.take_rewards()
        super().reset(seed, games)
        self._shaping.begin(self.batch.states, self.learner_seats, games)

    def step(self, actions: Array, games: Array | None = None) -> Step:
        """Play one decision of the learner in every game."""
        step = super().step(actions, games)
        if self.rewards.shaping_weight:
            extra = self._shaping.pay(self.batch.states, self.learner_seats, step.done, games)
            step.reward += (self.rewards.shaping_weight * extra).astype(np.float32)
        return step
