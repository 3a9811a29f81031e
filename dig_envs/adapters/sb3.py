"""Thousands of games as one Stable-Baselines3 VecEnv, without Python code per game."""

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from dig_envs.adapters.learner import Opponents, Pool, check_learner, draw_learner, load_opponents
from dig_envs.adapters.position import vector_space
from dig_envs.engine.batch import BatchEnv
from dig_envs.engine.errors import OptionError
from dig_envs.engine.game import Array

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None
EVERY_SEAT = -1
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
            one is drawn for each seat and episode; or a :class:`~dig_envs.adapters.learner.Pool`, which draws by weight. Each
            opponent decides at once in all games in which one of its seats is to move.
        seed: an integer, or one per game (:class:`BatchEnv`); ``seed()`` sets others for the next ``reset``.
        reward: ``"win"`` or ``"score"``.
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
        self.batch = BatchEnv(name, num_envs, seed, num_threads, reward, per_game=per_game, **options)
        self.game = self.batch.game
        super().__init__(num_envs, vector_space(self.game), spaces.Discrete(len(self.game.actions)))
        self._every_game = np.arange(num_envs)
        self._num_seats = self.batch.states["num_players"].astype(np.int64)  # stays as it is from episode to episode
        self._learners = self._check_learners(learner_seats)
        self._opponents = opponents
        self._seed_generator(int(np.ravel(seed)[0]) % 2**64)
        self._dealt = True
        self._started = time.time()
        self._actions = np.zeros(num_envs, np.int64)
        self._seat = np.zeros(num_envs, np.int64)  # the learner's in this episode, or EVERY_SEAT
        self._player = np.zeros((num_envs, self.game.max_players), np.int64)  # which of the pool plays each seat
        self._earned = np.zeros(num_envs)  # not yet handed to the learner
        self._total = np.zeros(num_envs)  # of the episode
        self._decisions = np.zeros(num_envs, np.int64)  # of the learner, in the episode

    def _check_learners(self, learner_seats: Any) -> list[int | str]:
        if learner_seats is None or isinstance(learner_seats, str) or np.ndim(learner_seats) == 0:
            return [check_learner(learner_seats, self.game, int(self._num_seats.min()))] * self.num_envs
        if len(learner_seats) != self.num_envs:
            raise OptionError(f"learner_seats has {len(learner_seats)} entries for {self.num_envs} games")
        return [check_learner(int(seat), self.game, int(n)) for seat, n in zip(learner_seats, self._num_seats, strict=True)]

    def _seed_generator(self, seed: int) -> None:
        """What the environment itself draws (seats, opponents) and its opponents' seeds follow from one seed."""
        self._rng = np.random.default_rng(seed)
        self._pool = load_opponents(self._opponents, self.game.env_name, self._rng)

    def set_opponents(self, opponents: Opponents) -> None:
        """Others to play against; ``reset`` has to follow."""
        self._opponents = opponents
        self._pool = load_opponents(opponents, self.game.env_name, self._rng)
        self._player[:] = 0

    # ------------------------------------------------------------ playing

    def reset(self) -> Array:
        """Deal all games, from the seeds given to ``seed()`` if there are any, and play up to the learner's decisions."""
        if self._seeds[0] is not None:
            seeds = [int(seed or 0) for seed in self._seeds]
            self.batch.reset(seeds)
            self._seed_generator(seeds[0])
        elif not self._dealt:
            self.batch.reset()
        self._dealt = False
        self._reset_seeds()
        self._reset_options()
        self._begin_step()
        for index in range(self.num_envs):
            self._begin_episode(index)
        self._play_others()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.observation.copy()

    def step_async(self, actions: Array) -> None:
        """Note the learner's actions, integers (num_envs,); :meth:`step_wait` plays them."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(self) -> tuple[Array, Array, Array, Infos]:
        """Play the learner's actions, then the others' up to its next decisions: (observation, reward, done, infos)."""
        self._begin_step()
        self._play(self._actions, None)
        self._play_others()
        self._reward[~self._done] = self._earned[~self._done]
        self._earned[~self._done] = 0
        return self.batch.observation.copy(), self._reward, self._done, self._infos

    def _begin_step(self) -> None:
        """What a step hands out is made anew, as Stable-Baselines3 keeps and changes it."""
        self._reward = np.zeros(self.num_envs, np.float32)
        self._done = np.zeros(self.num_envs, np.bool_)
        self._infos: Infos = [{} for _ in range(self.num_envs)]

    def _begin_episode(self, index: int) -> None:
        """Draw who plays which seat in a newly dealt game."""
        self._seat[index] = draw_learner(self._learners[index], int(self._num_seats[index]), self._rng)
        if isinstance(self._opponents, Pool):
            self._player[index] = self._opponents.draw(self.game.max_players, self._rng)
        elif len(self._pool) > 1:
            self._player[index] = self._rng.integers(len(self._pool), size=self.game.max_players)
        self._earned[index] = self._total[index] = self._decisions[index] = 0

    def _play(self, actions: Array, games: Array | None) -> None:
        """One action in some of the games (None: in all, by the learner)."""
        movers = self.batch.mover.copy()
        _, rewards, terminated, truncated = self.batch.step(actions, games)
        if games is None:
            self._decisions += 1
        paid = rewards[self._every_game, np.maximum(self._seat, 0)]  # a team is paid alike: seat 0 speaks for all
        self._earned += paid
        self._total += paid
        for index in np.flatnonzero(terminated | truncated):
            self._end_episode(int(index), int(movers[index]))
            self._begin_episode(int(index))

    def _play_others(self) -> None:
        """Play the seats that are not the learner's until it has to decide in every game."""
        while True:
            mover = self.batch.mover
            others = (self._seat != EVERY_SEAT) & (self._seat != mover)
            if not others.any():
                return
            actions = np.zeros(self.num_envs, np.int64)
            player = self._player[self._every_game, mover]
            for number, agent in enumerate(self._pool):
                games = np.flatnonzero(others & (player == number))
                if len(games):
                    seen, masks = self.batch.observation[games], self.batch.action_mask[games]
                    actions[games] = agent.act_batch(seen, masks, self.batch.states[games], mover[games])
            self._play(actions, others)

    def _end_episode(self, index: int, last_mover: int) -> None:
        """Hand out the reward and the info of a finished game; one in which the learner had nothing to decide is passed over."""
        if self._decisions[index] == 0:
            return
        seat = max(int(self._seat[index]), 0)
        state = self.batch.final_states[index]
        self._done[index] = True
        self._reward[index] = self._earned[index]
        self._infos[index] = {
            "terminal_observation": self.batch.final_observation(index, last_mover if self._seat[index] == EVERY_SEAT else seat),
            "episode": {
                "r": float(self._total[index]),
                "l": int(self._decisions[index]),
                "t": round(time.time() - self._started, 6),
            },
            "seat": seat,
            "score": int(state["scores"][seat]),
            "won": bool(state["winners"][seat]),
            "turn_limit": bool(state["truncated"]),
            "TimeLimit.truncated": False,
        }

    # ------------------------------------------------------------ what VecEnv asks for

    def action_masks(self) -> Array:
        """The legal actions of the deciding seats, bool (num_envs, num_actions)."""
        return self.batch.action_mask.astype(np.bool_)

    @property
    def learner_seats(self) -> Array:
        """The learner's seat in each game now, int64 (num_envs,); -1 where it plays all."""
        return self._seat.copy()

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
        mask: Array = self.batch.action_mask[index].astype(np.bool_)
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
        self.batch.close()
