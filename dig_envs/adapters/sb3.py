"""Thousands of games as one Stable-Baselines3 VecEnv, without Python code per game."""

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from dig_envs.adapters.learner import DEFAULT_OPPONENT, Opponents
from dig_envs.adapters.learner_batch import Ended, LearnerBatch, OverLearnerBatch
from dig_envs.adapters.position import check_reset, vector_space
from dig_envs.engine.core.checks import check_seeds
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array
from dig_envs.registry import with_observation

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.sb3 needs Stable-Baselines3: "
        f"{how_to_install('sb3')} (or stable-baselines3)",
        name="stable_baselines3",
    ) from error

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None
MASKS = "action_masks"


class DigVecEnv(OverLearnerBatch, VecEnv):
    """Games of one environment for Stable-Baselines3: the learner decides in all of them at once,
    agents play the rest.

    After each step every game has been played on, in batches, until its learner is asked again.
    Observations are float32 (num_envs, observation_size), what the deciding seats see. The masks of
    legal actions come from ``env_method("action_masks")``, where sb3_contrib's MaskablePPO looks
    for them, or at once from ``action_masks()``.

    The reward of a step is all that the learner's seat is paid up to its next decision or the end
    of the game, also when another seat ends it. Games that ended are dealt anew in the same step,
    and their info has:

    * ``terminal_observation``: the learner's observation at the end (with learner ``"all"``: that
      of the last mover)
    * ``episode``: ``r`` the episode's reward, ``l`` the learner's decisions in it, ``t`` seconds
      since the start, as Monitor
    * ``seat``: the learner's (with ``"all"``: seat 0, whose result is the team's)
    * ``won``: that seat's share of the victory, 1/k for each of k winners; in a cooperative game 1
      or 0
    * ``scores``: of all seats, int64 (max_players,), zero for seats that are not there
    * ``outcome``: the game's return for that seat, -1 to 1, whatever ``reward`` is
    * ``turn_limit``: whether the turn limit ended the game. That is the game's end as any other,
      decided and paid by its rules: ``TimeLimit.truncated`` is always False, so that no learner
      adds its value of the last position to the result

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        learner_seats: the argument ``learner`` of
            :class:`dig_envs.LearnerBatch`.
        opponents, reward, num_threads, per_game, options: as for that class.
        seed: an integer, or one per game (:class:`BatchEnv`); ``seed()`` sets others for the next
            ``reset``.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game or agent. ``step`` raises
            IllegalActionError, and nothing has changed, if an action is illegal.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        learner_seats: int | str | Sequence[int] | Array | None = None,
        opponents: Opponents = DEFAULT_OPPONENT,
        seed: int | Sequence[int] | Array = 0,
        reward: str = "win",
        num_threads: int | None = None,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        # only that is what these libraries take
        name = with_observation(name, options.pop("observation", None))
        self.games = LearnerBatch(
            name, num_envs, learner_seats, opponents, seed, reward, num_threads, per_game, **options
        )
        self.game = self.games.game
        super().__init__(num_envs, vector_space(self.game), spaces.Discrete(len(self.game.actions)))
        self._started = time.time()
        self._actions = np.zeros(num_envs, np.int64)

    def set_opponents(self, opponents: Opponents) -> None:
        """Take other opponents; ``reset`` has to follow."""
        self.games.set_opponents(opponents)

    # ------------------------------------------------------------ playing

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next ``reset``, an integer or one for each game; None: draw them.
        Returns them.

        Raises:
            TypeError, ValueError: as for :class:`BatchEnv`.
        """
        if seed is None:
            return super().seed()
        self._seeds = list(check_seeds(seed, self.num_envs))
        return self._seeds

    def set_options(self, options: Any = None) -> None:
        """Raise ValueError for options of the game, which cannot be changed; others are not used.
        TypeError: they are neither a mapping nor a list of mappings."""
        for one in options if isinstance(options, list) else [options]:
            check_reset(self.game, one)

    def reset(self) -> Array:
        """Deal all games, from the seeds given to ``seed()`` if there are any, and play up to the
        learner's decisions."""
        given = self._seeds[0] is not None
        self.games.reset([0 if seed is None else seed for seed in self._seeds] if given else None)
        self._reset_seeds()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        seen: Array = self.games.observation
        return seen.copy()

    def step_async(self, actions: Array) -> None:
        """Note the learner's actions, integers (num_envs,); :meth:`step_wait` plays them."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, Infos]:
        """Play the learner's actions, then the others' up to its next decisions: (observation,
        reward, done, infos)."""
        step = self.games.step(self._actions)
        infos: Infos = [{} for _ in range(self.num_envs)]
        for index, ended in step.ended.items():
            infos[index] = self._info(ended)
        return self.games.observation.copy(), step.reward, step.done, infos

    def _info(self, ended: Ended) -> dict[str, Any]:
        return {
            "terminal_observation": ended.observation,
            "episode": {
                "r": ended.reward,
                "l": ended.decisions,
                "t": round(time.time() - self._started, 6),
            },
            "seat": ended.seat,
            "won": ended.won,
            "scores": ended.scores,
            "outcome": ended.outcome,
            "turn_limit": ended.turn_limit,
            "TimeLimit.truncated": False,
        }

    # ------------------------------------------------------------ asked for by VecEnv

    def _games(self, indices: Indices) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether :meth:`get_attr` has it."""
        return attr_name == "render_mode" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """One value of an attribute per game; ``action_masks`` gives functions that return a game's
        mask."""
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
        """Raise NotImplementedError: there are no environments of which each could have its own
        attribute."""
        raise NotImplementedError(f"DigVecEnv has no attributes per game to set ({attr_name!r})")

    def env_method(
        self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any
    ) -> list[Any]:
        """The mask of each game for ``action_masks``; raises AttributeError for other methods."""
        if method_name != MASKS or args or kwargs:
            raise AttributeError(
                f"DigVecEnv has no method {method_name!r} per game; there is {MASKS!r}, without "
                "arguments"
            )
        return list(self.action_masks()[self._games(indices)])

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """One value per game: True for Monitor, whose bookkeeping is built in, else False."""
        return [issubclass(Monitor, wrapper_class)] * len(self._games(indices))

    def close(self) -> None:
        """End the threads."""
        self.games.close()
