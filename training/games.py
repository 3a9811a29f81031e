"""The games that a run trains on, with the run's reward."""

from collections.abc import Sequence

import numpy as np

from dig_envs.adapters.learner import Opponents
from dig_envs.adapters.learner_batch import Ended, LearnerBatch, Step
from dig_envs.engine.game import Array

from .settings import Settings
from .shaping import potential


class TrainingGames(LearnerBatch):
    """The games of ``settings.games``, an equal share of each, with the run's reward:

    ``win_weight`` times the game's return at its end + ``score_weight`` times the change of score + shaping,

    with the weights in ``rewards``, which are the settings' at first and may be changed before a ``reset``.

    The return is that of the environment: +1 divided among the winners, -1 divided among the others, 0 for all if everybody or
    nobody has won; in a cooperative game +1 or -1. A guided search adds up the same (``SearchAgent``), so that it may put the value
    that a policy learned here in the place of what is still to come. What a seat has at the deal is not a change of its score and
    not paid. The turn limit ends a game as any other end does, and nothing is expected to come after it.

    Args:
        name: the environment.
        settings: of the run.
        seed: of everything random in it.
        opponents: who plays the seats that do not learn (none in a cooperative game).
    """

    def __init__(self, name: str, settings: Settings, seed: int | Sequence[int], opponents: Opponents = "random") -> None:
        self.settings, self.rewards = settings, settings.rewards_at(0.0)
        share = settings.num_envs // len(settings.games)
        super().__init__(
            name,
            settings.num_envs,
            opponents=opponents,
            seed=seed,
            reward="score" if any(settings.rewards_at(share).score_weight for share in (0.0, 1.0)) else "win",
            num_threads=1,
            per_game=[options for options in settings.games for _ in range(share)],
        )
        self._potential = np.zeros(settings.num_envs)
        self.finished: list[Ended] = []  # whoever reads them empties the list

    def reset(self, seed: int | Sequence[int] | Array | None = None) -> None:
        """Deal all games and play up to the learner's decisions."""
        super().reset(seed)
        self.finished = []
        self._potential = self._potentials()

    def step(self, actions: Array) -> Step:
        """One decision of the learner in every game."""
        step = super().step(actions)
        step.reward = self._weighed(step).astype(np.float32)
        self.finished += step.ended.values()
        return step

    def _weighed(self, step: Step) -> Array:
        rewards = self.rewards
        reward: Array = np.zeros(self.num_envs)
        if rewards.score_weight:
            reward += rewards.score_weight * step.reward
        for index, ended in step.ended.items():
            reward[index] += rewards.win_weight * ended.outcome
        if rewards.shaping_weight:
            after = self._potentials()
            worth = np.where(step.done, 0.0, after)  # nothing is worth anything when the game is over
            reward += rewards.shaping_weight * (self.settings.gamma * worth - self._potential)
            self._potential = after
        return reward

    def _potentials(self) -> Array:
        return potential(self.game, self.batch.states, self.learner_seats)
