"""Thousands of games as one Stable-Baselines3 VecEnv, without Python code per game."""

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from dig_envs.adapters.learner import Opponents
from dig_envs.adapters.learner_batch import Ended, LearnerBatch
from dig_envs.adapters.position import vector_space
from dig_envs.batch import BatchEnv
from dig_envs.engine.game import Array

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None
MASKS = "action_masks"


class DigVecEnv(VecEnv):
    """Games of one environment for Stable-Baselines3: the learner decides in all of them at once, agents play the rest.

    After each step every game has been played on, in batches, until its learner is asked again. Observations are float32
    (num_envs, observation_size), what the deciding seats see. The masks of legal actions come from
    ``env_method("action_masks")``, where sb3_contrib's MaskablePPO looks for them, or at once from ``action_masks()``.

    The reward of a step is all that the learner's seat is paid up to its next decision or the end of the game, also when
    another seat ends it. Games that ended are dealt anew in the same step, and their info has:

    * ``terminal_observation``: what the learner sees at the end (with learner ``"all"``: what the last mover sees)
    * ``episode``: ``r`` the episode's reward, ``l`` the learner's decisions in it, ``t`` seconds since the start, as Monitor
    * ``seat``, ``score``, ``won``: the learner's (with ``"all"``: seat 0, whose result is the team's)
    * ``turn_limit``: whether the turn limit ended the game. That is the game's end as any other, decided and paid by its rules:
      ``TimeLimit.truncated`` is always False, so that no learner adds its value of the last position to the result

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        learner_seats: a seat; a sequence with one seat per game; ``"random"`` for a seat drawn anew every episode; ``"all"``
            (cooperative games) when the learner plays every seat. None: ``"all"`` in a cooperative game, else ``"random"``.
        opponents: who plays the other seats: an agent or a name for :func:`dig_envs.load_agent`; a list of them, from which
            one is drawn for each seat and episode; or :class:`~dig_envs.adapters.learner.WeightedOpponents`, by weight. Each
            opponent decides at once in all games in which one of its seats is to move.
        seed: an integer, or one per game (:class:`BatchEnv`); ``seed()`` sets others for the next ``reset``.
        reward: ``"win"`` or ``"score"``; the latter pays changes of score, so not what a seat has at the deal.
        num_threads: default: all cores.
        per_game: options of the single games, one mapping per game, which go before ``options``.
        options: the game's options. ``num_players`` may also be a sequence with one value per game.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game or agent. ``step`` raises IllegalActionError, and
            nothing has changed, if an action is illegal.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        learner_seats: int | str | Sequence[int] | Array | None = None,
        opponents: Opponents = "random",
        seed: int | Sequence[int] | Array = 0,
        reward: str = "win",
        num_threads: int | None = None,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        self.games = LearnerBatch(name, num_envs, learner_seats, opponents, seed, reward, num_threads, per_game, **options)
        self.game = self.games.game
        super().__init__(num_envs, vector_space(self.game), spaces.Discrete(len(self.game.actions)))
        self._started = time.time()
        self._actions = np.zeros(num_envs, np.int64)

    @property
    def batch(self) -> BatchEnv:
        """The games themselves."""
        return self.games.batch

    def set_opponents(self, opponents: Opponents) -> None:
        """Others to play against; ``reset`` has to follow."""
        self.games.set_opponents(opponents)

    # ------------------------------------------------------------ playing

    def reset(self) -> Array:
        """Deal all games, from the seeds given to ``seed()`` if there are any, and play up to the learner's decisions."""
        given = self._seeds[0] is not None
        self.games.reset([int(seed or 0) for seed in self._seeds] if given else None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.games.observation.copy()

    def step_async(self, actions: Array) -> None:
        """Note the learner's actions, integers (num_envs,); :meth:`step_wait` plays them."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(self) -> tuple[Array, Array, Array, Infos]:
        """Play the learner's actions, then the others' up to its next decisions: (observation, reward, done, infos)."""
        step = self.games.step(self._actions)
        infos: Infos = [{} for _ in range(self.num_envs)]
        for index, ended in step.ended.items():
            infos[index] = self._info(ended)
        return self.games.observation.copy(), step.reward, step.done, infos

    def _info(self, ended: Ended) -> dict[str, Any]:
        return {
            "terminal_observation": ended.observation,
            "episode": {"r": ended.reward, "l": ended.decisions, "t": round(time.time() - self._started, 6)},
            "seat": ended.seat,
            "score": ended.score,
            "won": ended.won,
            "turn_limit": ended.turn_limit,
            "TimeLimit.truncated": False,
        }

    # ------------------------------------------------------------ what VecEnv asks for

    def action_masks(self) -> Array:
        """The legal actions of the deciding seats, bool (num_envs, num_actions)."""
        return self.games.action_mask.astype(np.bool_)

    @property
    def learner_seats(self) -> Array:
        """The learner's seat in each game now, int64 (num_envs,); -1 where it plays all."""
        return self.games.learner_seats

    def _games(self, indices: Indices) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether :meth:`get_attr` has it."""
        return attr_name == "render_mode" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of this environment, once per game; ``action_masks`` as functions that give the mask of one game."""
        games = self._games(indices)
        if attr_name == "render_mode":
            return [None] * len(games)
        if attr_name == MASKS:
            return [partial(self._mask_of, index) for index in games]
        return [getattr(self, attr_name)] * len(games)

    def _mask_of(self, index: int) -> Array:
        mask: Array = self.games.action_mask[index].astype(np.bool_)
        return mask

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Not possible: there are no environments of which each could have its own attribute."""
        raise NotImplementedError(f"DigVecEnv has no attributes per game to set ({attr_name!r})")

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """``action_masks``: the mask of each game; no other methods."""
        if method_name != MASKS or args or kwargs:
            raise AttributeError(f"DigVecEnv has no method {method_name!r} per game; there is {MASKS!r}, without arguments")
        return list(self.action_masks()[self._games(indices)])

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """True for Monitor, whose bookkeeping is built in."""
        return [issubclass(Monitor, wrapper_class)] * len(self._games(indices))

    def close(self) -> None:
        """Let the threads go."""
        self.games.close()
