"""Thousands of games stepped per call, in compiled code on all cores."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dig_envs.engine.errors import IllegalActionError, OptionError
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.seeds import following_seed
from dig_envs.engine.state import REWARD_KINDS, as_records, new_records, own_copy
from dig_envs.registry import load_game

SMALLEST_SHARE = 256  # games per thread below which a thread costs more than it saves
GENERATOR = np.dtype([("rng", np.uint64)])
SETTINGS = ("batch_size", "reward_kind", "with_observations", "num_threads", "_templates", "_which")
CONTENTS = (
    *("states", "_final_states", "_flat", "_mask", "_mover", "_reward", "_returns", "_final_returns"),
    *("_terminated", "_truncated", "_lengths", "_final_lengths", "_generators", "_actions"),
)


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def num_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BatchEnv:
    """Many games of one environment, NumPy in and NumPy out, without Python code per game.

    Every :meth:`step` plays one action in every game, for the seat ``mover[i]`` that is asked next in game i (the AEC order).

    **At an episode's end** the game is dealt anew within the same step: ``reward``, ``terminated`` and ``truncated`` of
    that step belong to the episode that ended, ``observation``, ``action_mask`` and ``mover`` to the new one. The old
    one is not lost: where ``terminated | truncated``, ``final_states[i]`` is its last position (``final_observation`` gives
    any seat's observation of it), ``final_returns[i]`` its returns per seat, ``final_lengths[i]`` its number of actions.

    The outputs are arrays that every step fills anew and that cannot be written to; copy what is to be kept:

    * ``observation`` float32 (batch_size, observation_size): what the mover sees (absent with ``observations=False``)
    * ``action_mask`` int8 (batch_size, num_actions): 1 for each legal action of the mover
    * ``mover`` int64 (batch_size,): seat that is asked next
    * ``reward`` float32 (batch_size, max_players): reward of each seat in the last step
    * ``terminated``, ``truncated`` bool (batch_size,)

    ``states`` holds the positions themselves, a record array (batch_size,): what agents that decide on positions need.
    Copies (``copy.deepcopy``, pickle) keep the positions and play on as the original does.

    Game i starts from seed ``seed + i`` (or ``seed[i]``), and its later episodes from the seeds that follow from it, so
    that it is the same game as in the AEC environment. Results do not depend on ``num_threads``.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        batch_size: number of games.
        seed: an integer, or one per game.
        num_threads: default: all cores.
        reward: ``"win"`` or ``"score"``.
        observations: whether to compute observations.
        per_game: options of the single games, one mapping per game, which go before ``options``.
        options: the game's options. ``num_players`` may also be a sequence with one value per game.

    Raises:
        OptionError: for an unknown option or a bad value.
    """

    def __init__(
        self,
        name: str,
        batch_size: int,
        seed: int | Sequence[int] | Array = 0,
        num_threads: int | None = None,
        reward: str = "win",
        observations: bool = True,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        if reward not in REWARD_KINDS:
            raise OptionError(f"reward {reward!r} is not one of {', '.join(map(repr, REWARD_KINDS))}")
        self.game: Game = load_game(name)
        self.batch_size = batch_size
        self.reward_kind = reward
        self.with_observations = observations
        self.num_threads = num_threads or num_cores()
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0
        self._templates, self._which = self._make_templates(options, per_game)
        self._allocate()
        self.reset(seed)

    def _make_templates(self, options: dict[str, Any], per_game: Sequence[Mapping[str, Any]] | None) -> tuple[Array, Array]:
        """One record for each distinct set of options, and which of them each game has."""
        if per_game is not None and len(per_game) != self.batch_size:
            raise OptionError(f"per_game has {len(per_game)} entries for {self.batch_size} games")
        own: list[dict[str, Any]] = [dict(one) for one in per_game] if per_game is not None else [{}] * self.batch_size
        players = options.get("num_players")
        if players is not None and np.ndim(players) > 0:
            own = [{"num_players": count, **one} for count, one in zip(self._check_players(players), own, strict=True)]
            options = {name: value for name, value in options.items() if name != "num_players"}
        distinct = {repr(one): one for one in own}
        places = {key: place for place, key in enumerate(distinct)}
        templates = new_records(len(distinct), self.game.state)
        for place, one in enumerate(distinct.values()):
            templates[place : place + 1] = self.game.template(self.game.complete_options({**options, **one}))
        return templates, np.array([places[repr(one)] for one in own], np.int64)

    def _check_players(self, players: Any) -> list[int]:
        counts = np.asarray(players)
        if counts.shape != (self.batch_size,):
            raise OptionError(f"num_players has {len(counts)} entries for {self.batch_size} games")
        if counts.dtype.kind not in "iu":
            raise OptionError(f"option 'num_players': integers, one per game, not {counts.dtype}")
        return [int(count) for count in counts]

    def _allocate(self) -> None:
        n, game = self.batch_size, self.game
        seats = game.max_players
        self.states = new_records(n, game.state)
        self._final_states = new_records(n, game.state)
        self._records, self._flat = game.new_observations(n if self.with_observations else 1)
        self._mask = np.zeros((n, len(game.actions)), np.int8)
        self._mover = np.zeros(n, np.int64)
        self._reward, self._returns, self._final_returns = (np.zeros((n, seats), np.float32) for _ in range(3))
        self._terminated, self._truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._lengths, self._final_lengths = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._generators = new_records(n, GENERATOR)
        self._actions = np.zeros(n, np.int64)
        self._everywhere = np.ones(n, np.bool_)
        self.observation = _read_only(self._flat)
        self.action_mask = _read_only(self._mask)
        self.mover = _read_only(self._mover)
        self.reward = _read_only(self._reward)
        self.terminated = _read_only(self._terminated)
        self.truncated = _read_only(self._truncated)
        self.final_states = _read_only(self._final_states)
        self.final_returns = _read_only(self._final_returns)
        self.final_lengths = _read_only(self._final_lengths)

    # ------------------------------------------------------------ threads

    def _run(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Call ``work(lo, hi)`` for shares of the batch, in as many threads as are worth it."""
        shares = max(1, min(self.num_threads, self.batch_size // SMALLEST_SHARE))
        if shares == 1:
            return [work(0, self.batch_size)]
        if self._pool is None or self._pool_process != os.getpid():  # threads do not survive a fork
            self._pool_process = os.getpid()
            self._pool = ThreadPoolExecutor(self.num_threads, thread_name_prefix="dig_envs")
        bounds = [self.batch_size * k // shares for k in range(shares + 1)]
        futures = [self._pool.submit(work, lo, hi) for lo, hi in zip(bounds[1:-1], bounds[2:], strict=True)]
        first = work(bounds[0], bounds[1])  # this thread does its share, too
        return [first, *(future.result() for future in futures)]

    # ------------------------------------------------------------ playing

    def reset(self, seed: int | Sequence[int] | Array | None = None) -> tuple[Array, Array]:
        """Deal all games; without a seed from the seeds that follow. Returns (observation, action_mask)."""
        if seed is None:
            seeds = np.array([following_seed(int(s)) for s in self.states["seed"]], np.uint64)
        elif np.ndim(seed) == 0:
            first = int(seed)  # type: ignore[arg-type]
            seeds = np.array([(first + i) % 2**64 for i in range(self.batch_size)], np.uint64)
        else:
            seeds = np.array([int(s) % 2**64 for s in seed], np.uint64)  # type: ignore[union-attr]
            if len(seeds) != self.batch_size:
                raise ValueError(f"{len(seeds)} seeds for {self.batch_size} games")
        kernels = self.game.kernels
        self._run(lambda lo, hi: kernels.start(self.states, lo, hi, seeds, self._templates, self._which))
        for array in (self._reward, self._returns, self._terminated, self._truncated, self._lengths):
            array[:] = 0
        self._generators["rng"] = ~seeds
        self._mover[:] = self.states["to_move"]
        self._run(lambda lo, hi: kernels.masks_of(self.states, lo, hi, self._mover, self._mask))
        if self.with_observations:
            self._run(lambda lo, hi: kernels.observations_of(self.states, lo, hi, self._mover, self._records, self._flat))
        return self.observation, self.action_mask

    def step(self, actions: Sequence[int] | Array, games: Array | None = None) -> tuple[Array, Array, Array, Array]:
        """Play one action in every game.

        Args:
            actions: integers (batch_size,), a legal action of ``mover[i]`` for each game i.
            games: bool (batch_size,), which games to play on; the others stay as they are (reward 0, not ended), and their
                entries in ``actions`` mean nothing. None: all.

        Returns:
            (observation, reward, terminated, truncated), the preallocated outputs.

        Raises:
            IllegalActionError: naming the first game with an illegal action; then no game has changed.
        """
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers, not {given.dtype}")
        chosen = own_copy(np.asarray(given, np.int64))
        if chosen.shape != (self.batch_size,):
            raise ValueError(f"actions must have the shape ({self.batch_size},), not {chosen.shape}")
        playing = self._everywhere if games is None else own_copy(np.asarray(games, np.bool_))
        if playing.shape != (self.batch_size,):
            raise ValueError(f"games must have the shape ({self.batch_size},), not {playing.shape}")
        kernels = self.game.kernels
        illegal = kernels.first_illegal(0, self.batch_size, playing, self._mask, chosen)
        if illegal >= 0:
            self._refuse(illegal, int(chosen[illegal]))
        kind = REWARD_KINDS.index(self.reward_kind)
        self._run(
            lambda lo, hi: kernels.step_batch(
                self.states,
                lo,
                hi,
                playing,
                chosen,
                kind,
                self._templates,
                self._which,
                self._mask,
                self.with_observations,
                self._records,
                self._flat,
                self._mover,
                self._reward,
                self._terminated,
                self._truncated,
                self._returns,
                self._lengths,
                self._final_states,
                self._final_returns,
                self._final_lengths,
            )
        )
        return self.observation, self.reward, self.terminated, self.truncated

    def _refuse(self, index: int, action: int) -> None:
        names = self.game.actions
        name = repr(names[action]) if 0 <= action < len(names) else f"{action}, which is no action,"
        raise IllegalActionError(f"{name} is not legal for seat {self._mover[index]} in game {index} of the batch")

    def sample_actions(self) -> Array:
        """A uniformly random legal action for every game, int64 (batch_size,); the array is filled anew by each call."""
        kernels = self.game.kernels
        self._run(lambda lo, hi: kernels.sample_legal(lo, hi, self._mask, self._generators, self._actions))
        return self._actions

    def heuristic_actions(self) -> Array:
        """What the game's scripted player does in every game, int64 (batch_size,)."""
        kernels = self.game.kernels
        self._run(lambda lo, hi: kernels.heuristic_actions(self.states, lo, hi, self._mover, self._actions))
        return self._actions

    # ------------------------------------------------------------ looking

    def final_observation(self, index: int, seat: int) -> Array:
        """A seat's observation, float32 (observation_size,), of the last position of game ``index``'s finished episode."""
        records, flat = self.game.new_observations(1)
        self.game.kernels.observations_of(self._final_states[index : index + 1], 0, 1, np.array([seat]), records, flat)
        return np.asarray(flat[0])

    def snapshot(self, index: int) -> Snapshot:
        """The complete state of one game as a JSON-able dict."""
        return self.game.decode(self.states[index])

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    # ------------------------------------------------------------ copying

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game.name, **{name: getattr(self, name) for name in (*SETTINGS, *CONTENTS)}}

    def __setstate__(self, plain: dict[str, Any]) -> None:
        self.game = load_game(plain["game"])
        for name in SETTINGS:
            setattr(self, name, plain[name])
        self._templates = as_records(self._templates)
        self._pool, self._pool_process = None, 0
        self._allocate()  # the outputs are views, which a copy would tear from the arrays behind them
        for name in CONTENTS:
            getattr(self, name)[:] = plain[name]


@dataclass(frozen=True)
class Rollouts:
    """Finished random games.

    ``lengths`` int64 (n,), ``returns`` float32 (n, max_players), ``scores`` int64 (n, max_players), ``actions`` in all.
    """

    lengths: Array
    returns: Array
    scores: Array
    actions: int


def random_rollout(name: str, num_games: int, seed: int = 0, **options: Any) -> Rollouts:
    """Play games to their end with uniformly random legal actions, entirely in compiled code.

    Game i has seed ``seed + i``; the choices come from generators of their own, so that they do not touch the deals.
    """
    batch = BatchEnv(name, num_games, seed, observations=False, **options)
    game, n = batch.game, num_games
    masks = np.zeros((n, len(game.actions)), np.int8)
    generators = new_records(n, GENERATOR)
    generators["rng"] = ~batch.states["seed"]
    counts = batch._run(
        lambda lo, hi: game.kernels.random_rollout(batch.states, lo, hi, generators, masks, game.max_actions, batch._lengths)
    )
    returns = np.zeros((n, game.max_players), np.float32)
    game.kernels.returns_of(batch.states, returns)
    batch.close()
    return Rollouts(batch._lengths, returns, batch.states["scores"].astype(np.int64), sum(counts))
