"""The games that a run trains on, as one Stable-Baselines3 environment."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from dig_envs.adapters.sb3 import DigVecEnv
from dig_envs.agents.protocol import Agent
from training.settings import Settings
from training.shaping import potential

Array = np.ndarray[Any, Any]


class TrainingEnv(VecEnv):
    """Several :class:`DigVecEnv` side by side, one for each entry of ``settings.games``, with the run's reward.

    The reward is ``win_weight`` times the return + ``score_weight`` times the change of score + shaping.

    Args:
        name: the environment.
        settings: of the run.
        seed: of everything random in it.
        opponents: who plays the seats that do not learn (none in a cooperative game).
    """

    def __init__(self, name: str, settings: Settings, seed: int, opponents: Sequence[str | Agent]) -> None:
        self.settings = settings
        share = settings.num_envs // len(settings.games)
        self.by_score = settings.score_weight != 0.0
        seeds = [int(s) for s in np.random.SeedSequence(seed).generate_state(len(settings.games), np.uint64)]
        self.parts = [
            DigVecEnv(
                name,
                share,
                opponents=list(opponents),
                seed=part_seed,
                reward="score" if self.by_score else "win",
                num_threads=1,
                **options,
            )
            for options, part_seed in zip(settings.games, seeds, strict=True)
        ]
        self.slices = [slice(k * share, (k + 1) * share) for k in range(len(self.parts))]
        self._potential = np.zeros(settings.num_envs)
        self._actions: Array = np.zeros(settings.num_envs, np.int64)
        self.render_mode = None
        super().__init__(settings.num_envs, self.parts[0].observation_space, self.parts[0].action_space)
        self.finished: list[dict[str, Any]] = []  # the infos of the games that ended; whoever reads them empties the list

    def reset(self) -> Array:
        """Deal all games anew, from the seeds given to ``seed()`` if there are any."""
        if self._seeds[0] is not None:
            for part, place in zip(self.parts, self.slices, strict=True):
                part.seed(self._seeds[place.start])
        self._reset_seeds()
        self.finished = []
        observation = np.concatenate([part.reset() for part in self.parts])
        self._potential = self._potentials()
        return observation

    def step_async(self, actions: Array) -> None:
        """Remember the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """One decision of the learner in every game."""
        for part, place in zip(self.parts, self.slices, strict=True):
            part.step_async(self._actions[place])
        steps = [part.step_wait() for part in self.parts]
        observation, paid, done = (np.concatenate([step[k] for step in steps]) for k in range(3))
        infos = [info for step in steps for info in step[3]]
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
        return np.concatenate([potential(part.batch.game.name, part.batch.states) for part in self.parts])

    def action_masks(self) -> Array:
        """The legal actions of the learner in every game, bool (num_envs, num_actions)."""
        return np.concatenate([part.action_masks() for part in self.parts])

    def observations(self) -> Array:
        """What the learner sees now in every game, float32 (num_envs, observation_size)."""
        return np.concatenate([part.batch.observation for part in self.parts])

    def choices_of(self, agent: Agent) -> Array:
        """What an agent would do now in the learner's place in every game."""
        return np.concatenate(
            [
                agent.act_batch(part.batch.observation, part.batch.action_mask, part.batch.states, part.batch.mover)
                for part in self.parts
            ]
        )

    # ------------------------------------------------------------ what SB3 asks for

    def close(self) -> None:
        """Let the threads go."""
        for part in self.parts:
            part.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, once per game asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method; ``action_masks`` gives one mask per game."""
        result = getattr(self, method_name)(*args, **kwargs)
        return [result[i] if method_name == "action_masks" else result for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]
