"""Wrappers that put the observations of a seat's earlier decisions behind the present one, for learners without a memory.

The vector becomes ``frames + 1`` times as long: the present observation, then that of the last decision, of the one before, and so
on, zero where there was none in this episode. (For ``gymnasium.make`` and Stable-Baselines3 their own ``FrameStackObservation`` and
``VecFrameStack`` do this; for agents that remember by themselves see :mod:`dig_envs.agents.memory`.)
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.game import Array

Infos = dict[str, Any]
if TYPE_CHECKING:
    Wrapper = VectorWrapper[Array, Array, Array]
else:  # before Gymnasium 1.3 it has no parameters
    Wrapper = VectorWrapper


def repeated(space: Any, frames: int) -> spaces.Box:
    """Return the space of an observation and so many earlier ones; 0, for one that is not there, is always in it."""
    low, high = np.minimum(np.tile(space.low, frames + 1), 0), np.maximum(np.tile(space.high, frames + 1), 0)
    low[: len(space.low)], high[: len(space.high)] = space.low, space.high
    return spaces.Box(low, high, dtype=np.float32)


class HistoryEnv(BaseWrapper):
    """A PettingZoo AEC environment that shows the observations of an agent's last decisions again.

    Each agent has a history of its own, which is empty after ``reset`` and ``restore``. ``observation["observation"]`` is float32
    ((frames + 1) * observation_size,); masks, rewards and infos stay as they are.

    Args:
        env: as ``dig_envs.make`` returns it.
        frames: how many earlier observations.

    Raises:
        ValueError: frames is less than 1, or the environment has its masks in the infos only. TypeError: frames is no integer.
    """

    def __init__(self, env: AECEnv, frames: int) -> None:
        super().__init__(env)
        self.frames = check_integer(frames, "frames", 1)
        if env.unwrapped.mask_place == "info":
            raise ValueError("a history needs masks in the observations: mask='observation' or mask='both', not mask='info'")
        space = env.observation_space(env.possible_agents[0])  # that of all agents
        longer = spaces.Dict({**space.spaces, "observation": repeated(space["observation"], self.frames)})
        self._spaces = dict.fromkeys(env.possible_agents, longer)
        self._size = space["observation"].shape[0]
        self._forget()

    def _forget(self) -> None:
        self._history = {agent: np.zeros(self.frames * self._size, np.float32) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations; the same object at each call."""
        return self._spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; all histories are empty."""
        super().reset(seed=seed, options=options)
        self._forget()

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from a snapshot; all histories are empty."""
        self.env.restore(snapshot)
        self._forget()

    def observe(self, agent: str) -> dict[str, Array]:
        """Return the observation of an agent, those of its last decisions behind it."""
        seen: dict[str, Array] = self.env.observe(agent)
        return {**seen, "observation": np.concatenate([seen["observation"], self._history[agent]])}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, terminated, truncated and info of ``agent_selection``."""
        rest = self.env.last(observe=False)[1:]
        return (self.observe(self.agent_selection) if observe else None, *rest)

    def step(self, action: Any) -> None:
        """Play an action; what its agent saw becomes the latest of its history."""
        agent = self.agent_selection
        if action is not None and not self.terminations[agent]:
            seen = self.env.observe(agent)["observation"]
            self._history[agent] = np.concatenate([seen, self._history[agent]])[: self.frames * self._size]
        super().step(action)


class HistoryVectorEnv(Wrapper):
    """Many games for one learner (:class:`DigVectorEnv`), with the observations of its last decisions.

    Observations are float32 (num_envs, (frames + 1) * observation_size); so are those in ``infos["final_obs"]``, with the history
    of the episode that ended, and a new episode begins without one.

    Args:
        env: as ``gymnasium.make_vec("dig/…")`` returns it, or a :class:`DigVectorEnv`.
        frames: how many earlier observations.

    Raises:
        ValueError: frames is less than 1. TypeError: it is no integer.
    """

    env: DigVectorEnv

    def __init__(self, env: Any, frames: int) -> None:
        super().__init__(env)
        self.frames = check_integer(frames, "frames", 1)
        self._single_observation_space = repeated(env.single_observation_space, self.frames)
        self._observation_space = batch_space(self._single_observation_space, env.num_envs)
        self._seen = np.zeros((env.num_envs, *self._single_observation_space.shape), np.float32)
        self._size = env.single_observation_space.shape[0]

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, Infos]:
        """Deal all games; all histories are empty."""
        observation, infos = self.env.reset(seed=seed, options=options)
        self._seen[:] = 0
        self._seen[:, : self._size] = observation
        return self._seen.copy(), infos

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Infos]:
        """Play the learner's actions; where an episode ended, the next begins without a history."""
        observation, reward, terminated, truncated, infos = self.env.step(actions)
        self._seen[:, self._size :] = self._seen[:, : -self._size].copy()
        for index in np.flatnonzero(terminated | truncated):
            infos["final_obs"][index] = np.concatenate([infos["final_obs"][index], self._seen[index, self._size :]])
            self._seen[index] = 0
        self._seen[:, : self._size] = observation
        return self._seen.copy(), reward, terminated, truncated, infos

    def action_masks(self) -> Array:
        """Return the legal actions of the deciding seats, bool (num_envs, num_actions)."""
        return np.asarray(self.env.unwrapped.action_masks())
