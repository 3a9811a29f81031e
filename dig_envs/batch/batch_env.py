"""Thousands of games stepped per call, in compiled code on all cores."""

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from dig_envs.batch.common import (
    GENERATOR,
    TENSORS,
    OneCall,
    check_device,
    copied,
    illegal_action,
    new_data,
    scores_in,
    won_in,
)
from dig_envs.batch.sparse import SparseRows, sparse_rows
from dig_envs.batch.threads import Threads
from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.jit import bound, check_result
from dig_envs.engine.compiler.learner_data import LearnerData
from dig_envs.engine.core.checks import (
    canonical_states,
    check_array,
    check_choice,
    check_integer,
    check_seed,
    check_seeds,
)
from dig_envs.engine.core.declared import LayoutEntry
from dig_envs.engine.core.errors import OptionError, SnapshotError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.seeds import following_seeds
from dig_envs.engine.core.state import PLAYERS, REWARD_KINDS, as_records, new_records
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.snapshots.positions import check_options, load_position, save_position
from dig_envs.registry import load_game, with_observation
from dig_envs.text.html import html_facts

# the outputs of which tensors are copies (:meth:`BatchEnv.tensors`)
COPIED = ("action_mask", "mover")
# greatest numbers: more is a mistake, and no memory would hold it
MOST_GAMES, MOST_THREADS = 2**24, 1024

# forms of observations, None for none
DENSE, SPARSE, RAW = "float32", "sparse", "raw"
SMALLEST_SHARE = 256  # games, below which another thread costs more than it saves
SHARES = 8  # for each thread, at most


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _both(first: Callable[[], int], second: Callable[[], int]) -> int:
    return first() or second()  # 0, or FAILED


def num_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BatchEnv:
    """Many games of one environment, stepped together in compiled code, with NumPy arrays as inputs
    and outputs.

    Example::

        batch = dig_envs.BatchEnv("fossil_memory_v0", batch_size=1000, seed=7, num_players=2)
        for _ in range(100):
            actions = batch.action_mask.argmax(axis=1)  # the first legal action in every game
            observation, reward, terminated, truncated = batch.step(actions)

    Every :meth:`step` plays one action in every game, for the seat ``mover[i]`` that decides next
    in game i (the AEC order).

    **At an episode's end** the same step deals a new game: ``reward``, ``terminated`` and
    ``turn_limit`` of that step belong to the episode that ended, ``observation``, ``action_mask``
    and ``mover`` to the new one. The end of the old one is kept: where ``terminated[i]``,
    ``final_states[i]`` is its last position (``final_observation`` gives any seat's observation of
    it), ``final_returns[i]`` its returns per seat, ``final_lengths[i]`` its number of actions. The
    turn limit is a rule and gives rewards like any other end: a game that it ends is terminated,
    never truncated.

    The outputs are read-only arrays that every step overwrites; copy what you want to keep.
    :meth:`tensors` shares them with PyTorch, ``__dlpack__`` with other libraries:

    * ``observation`` float32 (batch_size, observation_size): what the mover sees; with
      ``observation="sparse"`` fresh :class:`~dig_envs.batch.sparse.SparseRows` of the same numbers
    * ``action_mask`` int8 (batch_size, num_actions): 1 for each legal action of the mover
    * ``mover`` int64 (batch_size,): seat that decides next
    * ``reward`` float32 (batch_size, max_players): reward of each seat in the last step
    * ``terminated``, ``truncated`` bool (batch_size,); ``truncated`` is all False
    * ``turn_limit`` bool (batch_size,): whether the turn limit ended the game
    * ``won`` float64, ``scores`` int64 (batch_size, max_players), fresh arrays: of the games that
      the last step ended each seat's share of the victory (1/k for each of k winners; in a
      cooperative game 1 or 0) and score; zero for the other games

    ``states`` has the complete positions, a record array (batch_size,), for agents that decide on
    positions. It is read-only, too; :meth:`restore` and :meth:`set_states` replace positions.
    Copies (``copy.deepcopy``, pickle) keep the positions and continue as the original does.

    Use a batch from one thread at a time: a call during another call on the same batch raises
    RuntimeError.

    Game i starts from seed ``seed + i`` (or ``seed[i]``), and its later episodes from seeds derived
    from it, as in the AEC environment. Results do not depend on ``num_threads``.

    Args:
        game: the game, or the name of its environment, such as ``cretaceous_creek_v0``.
        batch_size: number of games, at most 16,777,216.
        seed: an integer from -2**63 to 2**64 - 1, or one per game.
        num_threads: at least 1; default: all cores.
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at
            every step; points that a seat already has after the deal are not part of the rewards).
        observation: ``"float32"``, or ``"sparse"`` for lists of the numbers that are not zero,
            which take a fraction of the memory; both are raw ones with a name that ends in
            ``_raw``. ``"raw"``: float32, what lies on the table and the news alone
            (:func:`dig_envs.make`). None: no observations.
        with_events: whether :meth:`events` is available. It plays each action a second time, one
            game after the other in Python, so use it for a few games only.
        per_game: options of each game, one mapping per game, which override ``options``.
        options: the game's options. ``num_players`` may also be a sequence with one value per game.

    Raises:
        OptionError: for an unknown option or a bad value.
        TypeError, ValueError: for a size, a number of threads or a seed that is not an integer
            or out of range.
    """

    def __init__(
        self,
        game: Game | str,
        batch_size: int,
        seed: int | Sequence[int] | Array = 0,
        num_threads: int | None = None,
        reward: str = "win",
        observation: str | None = DENSE,
        with_events: bool = False,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        size = check_integer(batch_size, "batch_size", 1, MOST_GAMES)
        if observation is not None:
            check_choice("observation", observation, (DENSE, SPARSE, RAW))
        if observation == RAW:
            name = game if isinstance(game, str) else game.env_name
            game, observation = load_game(with_observation(name, RAW)), DENSE
        self.game: Game = load_game(game) if isinstance(game, str) else game
        self.batch_size = size
        kind = check_choice("reward", reward, REWARD_KINDS)
        threads = (
            num_cores()
            if num_threads is None
            else check_integer(num_threads, "num_threads", 1, MOST_THREADS)
        )
        seeds = np.array(check_seeds(seed, size), np.uint64)
        templates, template_of = self._make_templates(options, per_game)
        data = new_data(self.game, templates, template_of, kind, observation == DENSE)
        self._take(data, threads, with_events, observation)
        self._deal(seeds, np.arange(size))

    def _take(
        self, data: BatchData, num_threads: int, with_events: bool, observation: str | None
    ) -> None:
        """Go on with the contents of a batch."""
        self._data = data
        self._playing = np.ones(self.batch_size, np.bool_)
        self._chosen = np.zeros(self.batch_size, np.int64)
        self._inside = np.zeros((self.batch_size, self.game.max_players), np.int8)
        # what sample_actions returns next if that is known (_is_drawn), and the generators after
        # it. A step draws them where each step follows sample_actions (_is_sampled)
        self._drawn = np.zeros(self.batch_size, np.int64)
        self._drawing = new_records(self.batch_size, GENERATOR)
        self._is_drawn = self._is_sampled = False
        self.with_events = with_events
        self._logs: dict[int, EventLog] = {}  # of the episodes in play …
        self._final_logs: dict[int, EventLog] = {}  # … and of those that ended last
        self._num_threads = num_threads
        self.reward_kind = REWARD_KINDS[data.reward_kind]
        self.observation_kind = observation
        self._rows: SparseRows | None = None  # of these positions, once somebody has looked
        self._threads: Threads | None = None
        self._one_call = OneCall("BatchEnv")
        self._places = np.arange(self.batch_size)
        self._shown_states = _read_only(data.states)
        self._dense = _read_only(data.flat)
        self.action_mask = _read_only(data.masks)
        self.mover = _read_only(data.movers)
        self.reward = _read_only(data.rewards)
        self.terminated = _read_only(data.terminated)
        self._never = np.zeros(self.batch_size, np.bool_)
        # of outputs that the rules rely on, once there are tensors of them
        self._copies: dict[str, Array] = {}
        self.truncated = _read_only(self._never)
        self.turn_limit = _read_only(data.turn_limit)
        self.final_states = _read_only(data.final_states)
        self.final_returns = _read_only(data.final_returns)
        self.final_lengths = _read_only(data.final_lengths)

    @property
    def num_threads(self) -> int:
        """How many threads play."""
        return self._num_threads

    def _make_templates(
        self, options: dict[str, Any], per_game: Sequence[Mapping[str, Any]] | None
    ) -> tuple[Array, Array]:
        """One record for each distinct set of options, and which of them each game has."""
        if per_game is not None and len(per_game) != self.batch_size:
            raise OptionError(
                f"per_game has {len(per_game)} entries for {self.batch_size} games; it needs one "
                "for each"
            )
        own: list[dict[str, Any]] = (
            [dict(one) for one in per_game] if per_game is not None else [{}] * self.batch_size
        )
        players = options.get("num_players")
        if players is not None and np.ndim(players) > 0:
            own = [
                {"num_players": count, **one}
                for count, one in zip(self._check_players(players), own, strict=True)
            ]
            options = {name: value for name, value in options.items() if name != "num_players"}
        distinct = {repr(one): one for one in own}
        places = {key: place for place, key in enumerate(distinct)}
        templates = new_records(len(distinct), self.game.state)
        for place, one in enumerate(distinct.values()):
            templates[place : place + 1] = self.game.template(
                self.game.options_to_deal({**options, **one})
            )
        return templates, np.array([places[repr(one)] for one in own], np.int64)

    def _check_players(self, players: Any) -> list[int]:
        counts = np.asarray(players)
        if counts.shape != (self.batch_size,):
            raise OptionError(
                f"num_players has {len(counts)} entries for {self.batch_size} games; give one, or "
                "one for each"
            )
        if counts.dtype.kind not in "iu":
            raise OptionError(f"option 'num_players': integers, one per game, not {counts.dtype}")
        return [int(count) for count in counts]

    @property
    def observation(self) -> Any:
        """What the movers see, in the form that was asked for; None without observations."""
        if self.observation_kind != SPARSE:
            return None if self.observation_kind is None else self._dense
        if self._rows is None:
            game, states, movers = self.game, self._data.states, self._data.movers
            with self._one_call:
                parts = self._run(lambda lo, hi: sparse_rows(game, states, lo, hi, movers))
                self._rows = SparseRows.of(parts, game.observation_size)
        return self._rows

    def dense_observation(self, games: Array) -> Array:
        """What the movers of some games, integers (n,), see: float32 (n, observation_size), a fresh
        array, whatever the form of ``observation``.

        Raises:
            IndexError: there is no such game.
        """
        games = check_array(games, "games", "iu", "integers", (None,))
        if self.observation_kind == DENSE:
            return np.asarray(self._dense[games])
        records, movers = self._data.states, self._data.movers[games]
        # as bytes: NumPy takes records field by field, several times as slowly
        taken = records.view((np.void, records.itemsize))[games].view(records.dtype)
        seen, flat = self.game.new_observations(len(movers))
        self.game.kernels.observations_of(as_records(taken), 0, len(movers), movers, seen, flat)
        return flat

    @property
    def states(self) -> Array:
        """The positions, a record array (batch_size,) that cannot be written to."""
        return self._shown_states

    @property
    def won(self) -> Array:
        """Each seat's share of the victory in the games that the last step ended, float64
        (batch_size, max_players); zero for the other games."""
        return won_in(self.game, self.terminated, self._data.final_states)

    @property
    def scores(self) -> Array:
        """Each seat's score in the games that the last step ended, int64 (batch_size, max_players);
        zero for the other games."""
        return scores_in(self.terminated, self._data.final_states)

    def tensors(self) -> dict[str, Any]:
        """The outputs as PyTorch tensors on the CPU, by name; every step fills them anew. With
        ``observation`` if it is float32.

        They share memory with the outputs, but for ``action_mask`` and ``mover``: these tensors are
        copies, so writing to them cannot make an illegal action pass.

        Raises:
            ImportError: PyTorch is not there.
        """
        import torch

        for name in COPIED:
            self._copies.setdefault(name, getattr(self, name).copy())
        data = self._data
        memory = {
            "observation": data.flat,
            "reward": data.rewards,
            "terminated": data.terminated,
            "truncated": self._never,
            "turn_limit": data.turn_limit,
            "final_returns": data.final_returns,
            "final_lengths": data.final_lengths,
            **self._copies,
        }
        if self.observation_kind != DENSE:
            del memory["observation"]
        return {name: torch.from_numpy(memory[name]) for name in TENSORS if name in memory}

    def _fill_copies(self) -> None:
        for name, shown in self._copies.items():
            np.copyto(shown, getattr(self, name))

    # ------------------------------------------------------------ threads

    @cached_property
    def _shares(self) -> list[tuple[int, int]]:
        """Where the shares of the batch begin and end: several for each thread, as far as that is
        worth it."""
        most = 1 if self.num_threads == 1 else self.num_threads * SHARES
        shares = max(1, min(most, self.batch_size // SMALLEST_SHARE))
        bounds = [self.batch_size * k // shares for k in range(shares + 1)]
        return list(pairwise(bounds))

    def _run(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Call ``work(lo, hi)`` for the shares of the batch."""
        return self._call([partial(work, lo, hi) for lo, hi in self._shares])

    def _call(self, shares: list[Callable[[], Any]]) -> list[Any]:
        """Call functions, each once, in as many threads as there are, and return their results."""
        if len(shares) == 1 or self.num_threads == 1:
            results = [share() for share in shares]
        else:
            if self._threads is None or self._threads.process != os.getpid():
                self._threads = Threads(self.num_threads)
            results = self._threads.call(shares)
        for result in results:
            check_result(result, "a kernel of the batch")
        return results

    @cached_property
    def _first_illegal(self) -> Callable[[], int]:
        """The first game in which ``_chosen`` is illegal, -1 if there is none."""
        of, own = (0, self.batch_size), (self._playing, self._data.masks, self._chosen)
        return bound(self.game.kernels.first_illegal, (*of, *own))

    @cached_property
    def _steps(self) -> list[Callable[[], int]]:
        """For each share: play ``_chosen``."""
        step, own = self.game.kernels.step_batch, (self._playing, self._chosen)
        return [bound(step, (self._data, lo, hi, *own)) for lo, hi in self._shares]

    @cached_property
    def _plays_on(self) -> list[Callable[[], int]]:
        """For each share: play ``_chosen``, and then the seats that ``_inside`` says."""
        play_on, own = self.game.kernels.play_on, (self._playing, self._chosen, self._inside)
        return [bound(play_on, (self._data, lo, hi, *own)) for lo, hi in self._shares]

    @cached_property
    def _draws(self) -> list[Callable[[], int]]:
        """For each share: draw actions with ``_drawing``, into ``_drawn``."""
        sample, own = self.game.kernels.sample_legal, (self._data.masks, self._drawing, self._drawn)
        return [bound(sample, (lo, hi, *own)) for lo, hi in self._shares]

    @cached_property
    def _steps_and_draws(self) -> list[Callable[[], int]]:
        """For each share: both, while its masks are in the cache."""
        return [partial(_both, *two) for two in zip(self._steps, self._draws, strict=True)]

    # ------------------------------------------------------------ playing

    def reset(
        self,
        seed: int | Sequence[int] | Array | None = None,
        games: Sequence[bool] | Array | None = None,
    ) -> tuple[Array, Array]:
        """Deal games; without a seed from the seeds that follow. Returns (observation,
        action_mask).

        Args:
            seed: an integer, then game i gets ``seed + i``; or one per game.
            games: bool (batch_size,), which games to deal; the others stay as they are. None: all.

        Raises:
            TypeError: a seed is not an integer, or ``games`` not bool. ValueError: a seed is out of
                range, or there is not one value for each game.
        """
        seeds = None if seed is None else np.array(check_seeds(seed, self.batch_size), np.uint64)
        dealt = (
            np.arange(self.batch_size)
            if games is None
            else np.flatnonzero(self._check_array(games, "games", "b", "bool"))
        )
        with self._one_call:
            if seeds is None:
                seeds = self._data.states["seed"].astype(np.uint64)
                seeds[dealt] = following_seeds(seeds[dealt])
            self._deal(seeds, dealt)
        return self.observation, self.action_mask

    def _deal(self, seeds: Array, places: Array) -> None:
        """Deal the games in some places, or all of them; ``seeds`` has one for each game of the
        batch."""
        data, start = self._data, self.game.kernels.start

        def deal(lo: int, hi: int) -> None:
            start(data.states, lo, hi, seeds, data.templates, data.template_of)

        if len(places) == self.batch_size:
            self._run(deal)
        else:
            for place in map(int, places):
                deal(place, place + 1)
        data.generators["rng"][places] = ~seeds[places]
        self._begin(places)

    def _begin(self, places: Array) -> None:
        """Begin games that were dealt or put in place: set their counters to zero, write what their
        movers see."""
        data, kernels = self._data, self.game.kernels
        self._is_drawn = False
        for array in (data.rewards, data.returns, data.terminated, data.turn_limit, data.lengths):
            array[places] = 0
        data.movers[places] = data.states["to_move"][places]
        self._listen(places)
        self._run(lambda lo, hi: kernels.masks_of(data.states, lo, hi, data.movers, data.masks))
        self._rows = None
        if data.with_observations:
            self._run(
                lambda lo, hi: kernels.observations_of(
                    data.states, lo, hi, data.movers, data.observations, data.flat
                )
            )
        self._fill_copies()

    def _listen(self, places: Array) -> None:
        """Begin to note what happens in games that were dealt or put in place."""
        if self.with_events:
            self._logs |= {
                int(i): EventLog(self.game, self._data.states[i : i + 1]) for i in places
            }

    def note_events(self) -> None:
        """Make :meth:`events` available from now on, as ``with_events`` does from the deal on."""
        if not self.with_events:
            self.with_events = True
            self._listen(np.arange(self.batch_size))

    def step(
        self,
        actions: Sequence[int] | Array,
        games: Array | None = None,
        players: Array | None = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Play one action in every game.

        Args:
            actions: integers (batch_size,), a legal action of ``mover[i]`` for each game i.
            games: bool (batch_size,), which games to play on; the others stay as they are (reward
                0, not ended), and their entries in ``actions`` mean nothing. None: all.
            players: integers (batch_size, max_players), who plays each seat: 0 you, 1 the scripted
                player, 2 a uniformly random one, with a generator of the game's own. Then the step
                goes on until a seat of yours is to move or the episode has ended; ``reward`` is all
                that was paid. Where a seat of 1 or 2 is to move first, as it may be after a deal,
                the action means nothing. None: you play all.

        Returns:
            (observation, reward, terminated, truncated), the outputs.

        Raises:
            IllegalActionError: naming the first game with an illegal action; then no game has
                changed.
            TypeError, ValueError: ``actions``, ``games`` or ``players`` of another kind or shape.
            RuntimeError: another thread is in a call on this batch.
        """
        self.advance(actions, games, players)
        return self.observation, self.reward, self.terminated, self.truncated

    def advance(
        self,
        actions: Sequence[int] | Array,
        games: Array | None = None,
        players: Array | None = None,
    ) -> None:
        """:meth:`step` without a look: sparse rows are made only for who asks for them."""
        chosen = self._check_array(actions, "actions", "iu", "integers")
        playing = True if games is None else self._check_array(games, "games", "b", "bool")
        inside = None if players is None else self._check_inside(players)
        with self._one_call:
            # copies: nobody writes to them meanwhile
            self._chosen[:], self._playing[:] = chosen, playing
            if inside is not None:
                self._inside[:] = inside
            self._step(inside is not None)

    def _check_inside(self, players: Any) -> Array:
        """Who plays each seat, integers (batch_size, max_players)."""
        shape = (self.batch_size, self.game.max_players)
        given = check_array(players, "players", "iu", "integers", shape)
        if given.min() < 0 or given.max() >= len(PLAYERS):
            raise ValueError(f"players must be from 0 to {len(PLAYERS) - 1}: {', '.join(PLAYERS)}")
        if self.with_events and given.any():
            raise ValueError("a batch that notes events plays no seats itself: leave players out")
        return given

    def _check_array(self, given: Any, what: str, kinds: str, words: str) -> Array:
        return check_array(given, what, kinds, words, (self.batch_size,))

    def _step(self, plays_inside: bool) -> None:
        data, chosen, playing = self._data, self._chosen, self._playing
        if plays_inside:
            asked = playing & self.asks(self._inside)
            illegal = self.game.kernels.first_illegal(0, self.batch_size, asked, data.masks, chosen)
        else:
            illegal = self._first_illegal()
            check_result(illegal, "first_illegal")
        if illegal >= 0:
            raise illegal_action(
                self.game, illegal, int(data.movers[illegal]), int(chosen[illegal])
            )
        if self.with_events:
            for i in map(int, np.flatnonzero(playing)):
                self._logs[i].play(int(data.movers[i]), int(chosen[i]))
        draws = self._is_sampled and not plays_inside
        self._rows, self._is_drawn, self._is_sampled = None, False, False
        if draws:
            self._drawing[:] = data.generators
        if plays_inside:
            self._call(self._plays_on)
        else:
            self._call(self._steps_and_draws if draws else self._steps)
        self._is_drawn = draws
        self._fill_copies()
        if self.with_events:
            ended = np.flatnonzero(data.terminated)
            self._final_logs |= {int(i): self._logs[int(i)] for i in ended}
            self._listen(ended)

    def _for_learner(
        self, learner: LearnerData
    ) -> tuple[LearnerData, BatchData, Callable[[int], None]]:
        """What there is of a learner where the games are, their contents, and what plays
        ``actions`` for it (:func:`dig_envs.engine.compiler.learning.play`), by the learner (1) or
        by all others (0). All of it is trusted."""
        if self.with_events:
            raise ValueError("a batch that notes events plays no seats itself")
        kernel, data, actions = self.game.learning.play, self._data, self.actions

        def play(by_learner: int) -> None:
            with self._one_call:
                self._rows, self._is_drawn, self._is_sampled = None, False, False
                self._run(lambda lo, hi: kernel(data, learner, lo, hi, by_learner, actions))
                self._fill_copies()

        return learner, data, play

    @property
    def actions(self) -> Array:
        """What :meth:`_for_learner` plays, int64 (batch_size,)."""
        return self._chosen

    def as_tensor(self, array: Array) -> Any:
        """A tensor of PyTorch on the same memory."""
        import torch

        return torch.from_numpy(array)

    def asks(self, players: Array) -> Array:
        """In which games the seat to move is one of yours, bool (batch_size,), by ``players`` of
        :meth:`step`."""
        return np.asarray(players[self._places, self._data.movers] == 0)

    def sample_actions(self) -> Array:
        """A uniformly random legal action for every game, int64 (batch_size,), a fresh array."""
        with self._one_call:
            if not self._is_drawn:
                self._drawing[:] = self._data.generators
                self._call(self._draws)
            self._data.generators[:] = self._drawing
            self._is_drawn, self._is_sampled = False, True
            return self._drawn.copy()

    def heuristic_actions(self, style: str = "") -> Array:
        """The scripted player's action in every game, int64 (batch_size,), a fresh array.

        Args:
            style: one of the game's styles; empty: the usual one.

        Raises:
            ValueError: there is no such style.
        """
        data, kernels = self._data, self.game.kernels
        weights = self.game.style(style).weights if style else None
        actions = np.zeros(self.batch_size, np.int64)

        def decide(lo: int, hi: int) -> None:
            if weights is None:
                kernels.heuristic_actions(data.states, lo, hi, data.movers, actions)
            else:
                kernels.styled_actions(data.states, lo, hi, data.movers, weights, actions)

        with self._one_call:
            self._run(decide)
        return actions

    # ------------------------------------------------------------ other positions

    def restore(self, index: int, snapshot: Snapshot) -> None:
        """Put the position of a snapshot in the place of a game; its returns and its length begin
        anew.

        Raises:
            SnapshotError: it is malformed, made with other options or over; names the key, and
                nothing has changed.
            ValueError: there is no such game.
        """
        place = self._check_index(index)
        with self._one_call:
            seed = int(self._data.states["seed"][place])
            self._put(
                np.array([place]), load_position(self.game, snapshot, self._options_of(place), seed)
            )

    def set_states(
        self, indices: Sequence[int] | Array | None, records: Array, check: bool = True
    ) -> None:
        """Put positions in the place of some games; their returns and their lengths begin anew.

        Args:
            indices: which games, each at most once; None: all.
            records: state records as those of ``states``, one for each of the games.
            check: refuse impossible positions, which takes about a millisecond for each.
                Without it, only for records that this package made: compiled code trusts them.

        Raises:
            SnapshotError: a record is not a position, has other options, or is over; nothing has
                changed.
            ValueError, TypeError: wrong dtype, or invalid indices.
        """
        places = self._check_indices(indices)
        given = canonical_states(records, self.game.state, self.game.env_name)
        if len(given) != len(places):
            raise ValueError(f"{len(given)} records for {len(places)} games; give one for each")
        with self._one_call:
            checked = [
                self._check_record(given[i : i + 1], int(place), check)
                for i, place in enumerate(places)
            ]
            self._put(places, np.concatenate(checked) if checked else given)

    def _options_of(self, place: int) -> dict[str, Any]:
        return self.game.options_of(self._data.templates, self._data.template_of[place])

    def _check_record(self, record: Array, place: int, completely: bool) -> Array:
        """A record array of length 1 that may be put in a game's place; raises SnapshotError."""
        options = self._options_of(place)
        try:
            found = self.game.options_of(record)
            self.game.check_version(record[0])
            snapshot = self.game.snapshot_of_unchecked(record[0]) if completely else None
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            raise SnapshotError(
                f"the record for game {place} is not a position of {self.game.name}: {error}"
            ) from None
        if snapshot is not None:
            return load_position(self.game, snapshot, options, int(record["seed"][0]))
        check_options(self.game, found, options)
        return record

    def _put(self, places: Array, records: Array) -> None:
        over = np.flatnonzero(records["over"])
        if len(over):
            raise SnapshotError(
                f"the position for game {places[over[0]]} is over; a batch takes only games in play"
            )
        self._data.states[places] = records
        self._begin(places)

    def _check_index(self, index: Any) -> int:
        return check_integer(index, "the index of a game", 0, self.batch_size - 1)

    def _check_indices(self, indices: Any) -> Array:
        if indices is None:
            return np.arange(self.batch_size)
        places = [self._check_index(index) for index in indices]
        if len(set(places)) != len(places):
            raise ValueError("a game is named twice among the indices; name each once")
        return np.array(places, np.int64)

    # ------------------------------------------------------------ looking

    def final_observation(self, index: int, seat: int) -> Array:
        """A seat's observation, float32 (observation_size,), of the last position of game
        ``index``'s finished episode.

        Raises:
            ValueError: there is no such game or seat, or no episode of the game has ended yet.
        """
        place = self._check_index(index)
        state = self._data.final_states[place : place + 1]
        if not state["over"][0]:
            raise ValueError(f"no episode of game {place} has ended yet")
        seats = np.array(
            [check_integer(seat, "a seat", 0, int(state["num_players"][0]) - 1)], np.int64
        )
        records, flat = self.game.new_observations(1)
        self.game.kernels.observations_of(state, 0, 1, seats, records, flat)
        return np.asarray(flat[0])

    def observe_all(self, ended: Sequence[bool] | Array | None = None) -> Array:
        """What every seat sees, float32 (batch_size, seats, observation_size), a fresh array; zero
        for seats that are not there.

        ``seats`` is the greatest number of players in the batch.

        Args:
            ended: bool (batch_size,), the games whose last finished episode is looked at, in its
                last position. None: none of them.

        Raises:
            TypeError, ValueError: ``ended`` of another kind or shape, or no episode of one of these
                games has ended yet.
        """
        last = None if ended is None else self._check_array(ended, "ended", "b", "bool")
        with self._one_call:
            states = self._data.states if last is None else self._with_final_states(last)
            players = states["num_players"]
            seen = [
                self._observe(states, np.where(seat < players, seat, -1))
                for seat in range(players.max())
            ]
        return np.stack(seen, axis=1)

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """Name of each field of the full state -> its shape, slice in the vector, meaning and
        bounds."""
        return self.game.full_state.layout

    def full_state(self, ended: Sequence[bool] | Array | None = None) -> Array:
        """Everything that is decided in each game, hidden or not, for a critic in training: float32
        (batch_size, full_state_size), a fresh array.

        ``full_state_layout`` says what each number is (:mod:`dig_envs.engine.core.full_state`).

        Args:
            ended: as for :meth:`observe_all`.

        Raises:
            TypeError, ValueError: as for :meth:`observe_all`.
        """
        last = None if ended is None else self._check_array(ended, "ended", "b", "bool")
        full = self.game.full_state
        values = np.zeros((self.batch_size, full.size), np.float32)
        with self._one_call:
            states = self._data.states if last is None else self._with_final_states(last)
            self._run(lambda lo, hi: full.write(states, lo, hi, values))
        return values

    def _with_final_states(self, ended: Array) -> Array:
        """A copy of the positions, with the last ones of finished episodes in some places; raises
        ValueError."""
        data = self._data
        unfinished = np.flatnonzero(ended & (data.final_states["over"] == 0))
        if len(unfinished):
            raise ValueError(f"no episode of game {unfinished[0]} has ended yet")
        states: Array = data.states.copy()
        states[ended] = data.final_states[ended]
        return states

    def _observe(self, states: Array, seats: Array) -> Array:
        """What one seat of each position sees, float32 (batch_size, observation_size); zero for
        seat -1."""
        observe = self.game.kernels.observations_of
        records, flat = self.game.new_observations(self.batch_size)
        self._run(lambda lo, hi: observe(states, lo, hi, seats.astype(np.int64), records, flat))
        return flat

    def events(self, index: int, seat: int, final: bool = False) -> list[Event]:
        """The events that a seat of game ``index`` was told since its last decision, that decision
        first.

        Args:
            index: of the game. seat: whose events.
            final: of the episode that ended last instead of the one in play.

        Raises:
            ValueError: the batch was made without ``with_events=True``, there is no such game or
                seat, or no episode has ended yet.
        """
        if not self.with_events:
            raise ValueError("this batch does not note events: make it with with_events=True")
        log = (self._final_logs if final else self._logs).get(self._check_index(index))
        if log is None:
            raise ValueError(f"no episode of game {index} has ended yet")
        return log.since(check_integer(seat, "a seat", 0, int(log.states["num_players"][0]) - 1))

    def snapshot(self, index: int) -> Snapshot:
        """The complete position of one game as a JSON-able dict, with the seed of its episode."""
        return save_position(self.game, self._data.states, self._check_index(index))

    def to(self, device: str) -> Any:
        """The same games elsewhere: ``"cuda"`` gives a :class:`dig_envs.batch.cuda.CudaBatch` of
        copies, ``"cpu"`` this one.

        Raises:
            ValueError: for another device, or sparse rows or raw observations on one.
            ImportError: it needs packages that are missing. RuntimeError: there is no such device.
        """
        if check_device(device) == "cpu":
            return self
        if self.observation_kind == SPARSE:
            raise ValueError(
                'sparse rows are made on the CPU only: make the batch with observation="float32" '
                "or None"
            )
        if self.game.usual is not None and self.observation_kind is not None:
            raise ValueError("raw observations are made on the CPU only")
        from dig_envs.batch.cuda import CudaBatch

        back = partial(batch_from, self.game, self.num_threads, None, self.observation_kind)
        with self._one_call:
            return CudaBatch(self.game, self._data, back)

    def __repr__(self) -> str:
        """One line: the game, the number of games, and the size of the observation."""
        kind, size = self.observation_kind, self.game.observation_size
        seen = "no observations" if kind is None else f"{size} numbers observed ({kind})"
        return (
            f"<BatchEnv {self.game.env_name}: {self.batch_size} games, {seen}, "
            f"{len(self.game.actions)} actions>"
        )

    def _repr_html_(self) -> str:
        """Sizes, and how far the games are, as HTML for notebooks."""
        given = self.game.options_of(self._data.templates, 0)
        options = (
            ", ".join(f"{name}={value}" for name, value in given.items())
            if len(self._data.templates) == 1
            else "several"
        )
        steps, ended = self._data.lengths, int(self._data.terminated.sum())
        facts = {
            "environment": self.game.env_name,
            "games": f"{self.batch_size:,}",
            "options": options,
            "observation": "not made"
            if self.observation_kind is None
            else f"{self.observation_kind} ({self.batch_size}, {self.game.observation_size})",
            "action_mask": f"{self.action_mask.dtype} {self.action_mask.shape}",
            "actions in the games in progress": (
                f"{steps.min():,} to {steps.max():,}, mean {steps.mean():.1f}"
            ),
            "games that ended in the last step": f"{ended:,}",
        }
        return f"<b>BatchEnv</b>{html_facts(facts)}"

    def close(self) -> None:
        """End the threads; a later call starts new ones."""
        if self._threads is not None:
            self._threads.close()
            self._threads = None

    # ------------------------------------------------------------ copying

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles have contents of their own."""
        with self._one_call:
            logs = [
                {index: copy(log) for index, log in some.items()}
                for some in (self._logs, self._final_logs)
            ]
            return batch_from, (
                self.game,
                self.num_threads,
                logs if self.with_events else None,
                self.observation_kind,
                copied(self.game, self._data),
            )


def batch_from(
    game: Game,
    num_threads: int,
    logs: list[dict[int, EventLog]] | None,
    observation: str | None,
    data: BatchData,
) -> BatchEnv:
    """A batch that goes on with a copy of the contents of another one, which may be on another
    device; ``logs``: its events, None without any."""
    batch = BatchEnv.__new__(BatchEnv)
    batch.game, batch.batch_size = game, len(data.states)
    batch._take(copied(game, data), num_threads, logs is not None, observation)
    if logs is not None:
        batch._logs, batch._final_logs = logs
    return batch


@dataclass(frozen=True)
class Rollouts:
    """Finished random games.

    Attributes:
        lengths: int64 (n,), the number of actions of each game.
        returns: float32 (n, max_players), the return of each seat.
        scores: int64 (n, max_players), the final score of each seat.
        actions: the number of actions in all games together.
    """

    lengths: Array
    returns: Array
    scores: Array
    actions: int


def random_rollout(game: Game | str, num_games: int, seed: int = 0, **options: Any) -> Rollouts:
    """Play games to their end with uniformly random legal actions, entirely in compiled code.

    Args:
        game: the game, or the name of its environment, such as ``cretaceous_creek_v0``.
        num_games: how many, at most 16,777,216.
        seed: of the first game, an integer from -2**63 to 2**64 - 1; game i has seed ``seed + i``.
            The actions come from random generators of their own, so that the same seeds deal the
            same games as in any other environment here.
        options: the game's options, such as ``num_players``.

    Raises:
        OptionError: an unknown option or a bad value. TypeError, ValueError: an unknown game, a bad
            number or seed.
    """
    batch = BatchEnv(game, num_games, check_seed(seed), observation=None, **options)
    data, most = batch._data, batch.game.max_actions
    play = batch.game.kernels.random_rollout
    counts = batch._run(
        lambda lo, hi: play(data.states, lo, hi, data.generators, data.masks, most, data.lengths)
    )
    batch.close()
    returns = batch.game.returns_of(data.states).astype(np.float32)
    return Rollouts(data.lengths, returns, data.states["scores"].astype(np.int64), sum(counts))
