"""The games that a run trains on, as one Stable-Baselines3 environment."""

from typing import Any

import numpy as np

from dig_envs.adapters.learner import Opponents
from dig_envs.adapters.sb3 import DigVecEnv
from dig_envs.agents.protocol import Agent
from training.settings import Settings
from training.shaping import potential

Array = np.ndarray[Any, Any]


class TrainingEnv(DigVecEnv):
    """The games of ``settings.games``, an equal share of each, with the run's reward.

    The reward is ``win_weight`` times the return + ``score_weight`` times the change of score + shaping.

    Args:
        name: the environment.
        settings: of the run.
        seed: of everything random in it.
        opponents: who plays the seats that do not learn (none in a cooperative game).
    """

    def __init__(self, name: str, settings: Settings, seed: int, opponents: Opponents = "random") -> None:
        self.settings = settings
        self.by_score = settings.score_weight != 0.0
        share = settings.num_envs // len(settings.games)
        super().__init__(
            name,
            settings.num_envs,
            opponents=opponents,
            seed=seed,
            reward="score" if self.by_score else "win",
            num_threads=1,
            per_game=[options for options in settings.games for _ in range(share)],
        )
        self._potential = np.zeros(settings.num_envs)
        self.finished: list[dict[str, Any]] = []  # the infos of the games that ended; whoever reads them empties the list

    def reset(self) -> Array:
        """Deal all games anew, from the seeds given to ``seed()`` if there are any."""
        self.finished = []
        observation = super().reset()
        self._potential = self._potentials()
        return observation

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """One decision of the learner in every game."""
        observation, paid, done, infos = super().step_wait()
        settings = self.settings
        reward = paid * (settings.score_weight if self.by_score else settings.win_weight)
        ended = np.flatnonzero(done)
        for i in ended:  # the turn limit decides the game and is paid: PPO must not add its value of the last position
            infos[i]["TimeLimit.truncated"] = False
        if self.by_score:
            reward[ended] += [settings.win_weight * (1.0 if infos[i]["won"] else -1.0) for i in ended]
        if settings.shaping_weight:
            after = self._potentials()
            worth = np.where(done, 0.0, after)  # nothing is worth anything when the game is over
            reward = reward + settings.shaping_weight * (settings.gamma * worth - self._potential)
            self._potential = after
        self.finished += [infos[i] for i in ended]
        return observation, reward.astype(np.float32), done, infos

    def _potentials(self) -> Array:
        return potential(self.game, self.batch.states, self.learner_seats)

    def observations(self) -> Array:
        """What the learner sees now in every game, float32 (num_envs, observation_size)."""
        return self.batch.observation

    def choices_of(self, agent: Agent) -> Array:
        """What an agent would do now in the learner's place in every game."""
        batch = self.batch
        return agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover)
