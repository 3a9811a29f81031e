"""Games on a GPU: the same rules as CUDA kernels, in batches whose positions and outputs stay in
the memory of the device.

``BatchEnv("oak_island_v0", 65536).to("cuda")`` gives a :class:`CudaBatch`. It needs
``pip install -e ".[cuda]"`` and a CUDA device; :func:`ptx`, which shows what a kernel is
compiled to, does without the device.

A kernel is compiled when it is first used, in each process anew: that of a step takes ten seconds
to a minute.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np

from dig_envs.batch.common import (
    TENSORS,
    OneCall,
    check_device,
    illegal_action,
    new_data,
    new_learner,
    scores_in,
    won_in,
)
from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.compiler.learner_data import NONE_REFUSED, LearnerData
from dig_envs.engine.core.checks import check_kind_and_shape, shown_in_message
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.state import REWARD_KINDS
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

HOW_TO_INSTALL = (
    f"games on a GPU need Numba's CUDA target: {how_to_install('cuda')} (for CUDA 12: "
    '"numba-cuda[cu12]" "numpy<2.5")'
)
SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
if not SIMULATED and find_spec("numba_cuda") is None:
    raise ImportError(HOW_TO_INSTALL)

# numba-cuda is needed: what came with Numba itself before cannot compile all of this
from numba import cuda  # noqa: E402
from numba.cuda.cudadrv.devicearray import is_cuda_ndarray  # noqa: E402

from dig_envs.engine.compiler.grid import THREADS, blocks_for, build_grids, take  # noqa: E402

Contents = TypeVar("Contents", BatchData, LearnerData)
_RECORDING = threading.RLock()  # what one thread records, no other may change meanwhile
KERNELS = ("step", "play", "find_illegal", "sample")
NONE_ILLEGAL = np.iinfo(np.int64).max


@cache
def grids_of(game: Game) -> Any:
    """The CUDA kernels of a game."""
    return build_grids(game.kernels, game.learning)


def with_aligned_observations(game: Game, data: BatchData) -> BatchData:
    """The same contents, with observations that are known to be aligned: else a GPU would write
    their numbers byte by byte."""
    aligned = np.dtype(game.observation.descr, align=True)
    return data._replace(observations=data.flat.view(aligned).reshape(len(data.flat)))


def to_device(data: Contents) -> Contents:
    """A copy of the contents of a batch, or of what there is of a learner, in the memory of the
    device."""
    contents: list[Any] = [
        cuda.to_device(one.view(np.ndarray)) if isinstance(one, np.ndarray) else one for one in data
    ]
    return type(data)(*contents)


def as_argument(data: Contents) -> Contents:
    """The contents as kernels take them: the simulated device sees into no tuples, and its arrays
    are to be wrapped."""
    if not SIMULATED:
        return data
    from numba.cuda.simulator.cudadrv.devicearray import FakeWithinKernelCUDAArray

    contents: list[Any] = [
        FakeWithinKernelCUDAArray(one) if is_cuda_ndarray(one) else one for one in data
    ]
    return type(data)(*contents)


class Launch:
    """The launch of a kernel with arguments that stay the same.

    To look at the arguments takes Numba longer than many a kernel runs. So what it hands to the
    driver the first time is handed over again every other time.

    Args:
        kernel: of :func:`~dig_envs.engine.compiler.grid.build_grids`. count: of games.
        arguments: what they hold may change, where they lie may not.
    """

    def __init__(self, kernel: Any, count: int, *arguments: Any) -> None:
        self._first = partial(kernel[blocks_for(count), THREADS], *arguments)
        self._again: Callable[[], Any] | None = None

    def __call__(self) -> None:
        """Launch it; nothing waits for its end."""
        if SIMULATED:
            self._first()
        elif self._again is None:
            self._again = self._recorded()
        else:
            cuda.current_context()  # of this thread
            self._again()

    def _recorded(self) -> Callable[[], Any]:
        """Launch it, and return what does so again."""
        from numba.cuda import dispatcher

        made: list[Callable[[], Any]] = []
        own = threading.get_ident()

        def note(*given: Any) -> None:
            if threading.get_ident() == own:
                made.append(partial(launch, *given))
            launch(*given)

        with _RECORDING:
            launch: Any = getattr(dispatcher, "launch", None)
            if launch is None:  # numba-cuda does it otherwise in this version
                self._first()
                return self._first
            dispatcher.launch = note
            try:
                self._first()
            finally:
                dispatcher.launch = launch
        return made[0] if len(made) == 1 else self._first


class CudaBatch:
    """Many games on a GPU, with the steps of :class:`~dig_envs.batch.batch_env.BatchEnv`: the same
    deals, ends and outputs.

    It begins where the given batch is and leaves that alone. What is not here is done by going
    back: ``to("cpu")`` gives a BatchEnv of the same positions, for snapshots, other positions,
    scripted players.

    The outputs have the names, dtypes and shapes of BatchEnv's, and ``states``, ``final_states``
    its records, but are arrays in the memory of the device that other libraries take as they are
    (``__cuda_array_interface__``); ``copy_to_host()`` gives NumPy. Every step fills them anew.
    Nothing keeps them from being written to, which would break the games; copy what is to be kept.
    Positions, masks and rewards are those of the CPU, bit by bit; numbers observed may differ in
    the last bit, since a GPU adds and multiplies at one go.

    All work goes to the default stream of the current device, which is that of other libraries as
    well unless they are told otherwise. One thread at a time: a call that meets another one running
    on the same batch raises RuntimeError.

    Args:
        game: the game.
        data: the contents of the batch to go on with, on the CPU.
        to_cpu: makes a batch on the CPU of contents on the device.

    Raises:
        RuntimeError: there is no CUDA device, or nothing is compiled (``NUMBA_DISABLE_JIT=1``).
    """

    def __init__(self, game: Game, data: BatchData, to_cpu: Callable[[BatchData], Any]) -> None:
        check_possible()
        self.game = game
        self.batch_size = len(data.states)
        self.reward_kind = REWARD_KINDS[data.reward_kind]
        self._to_cpu = to_cpu
        self._grids = grids_of(game)
        self._one_call = OneCall("CudaBatch")
        self._data = on_device = with_aligned_observations(
            game, to_device(data._replace(observations=None))
        )
        self._argument = as_argument(on_device)
        self.actions = cuda.to_device(np.zeros(self.batch_size, np.int64))
        self._everywhere = cuda.to_device(np.ones(self.batch_size, np.bool_))
        self._some = cuda.to_device(np.ones(self.batch_size, np.bool_))
        self._first_illegal = cuda.to_device(np.array([NONE_ILLEGAL]))
        self._refused = cuda.to_device(np.full((self.batch_size, 2), NONE_REFUSED))
        self._launches: dict[tuple[str, bool], Launch] = {}
        self.states, self.final_states = on_device.states, on_device.final_states
        self.observation = on_device.flat if data.with_observations else None
        self.action_mask = on_device.masks
        self.mover, self.reward = on_device.movers, on_device.rewards
        self.terminated, self.turn_limit = on_device.terminated, on_device.turn_limit
        self.truncated = cuda.to_device(np.zeros(self.batch_size, np.bool_))
        self.final_returns, self.final_lengths = on_device.final_returns, on_device.final_lengths

    def _launch(self, kernel: str, *arguments: Any, is_part: bool = False) -> None:
        """Launch a kernel, always with the same arguments; ``is_part`` tells two cases apart."""
        key = (kernel, is_part)
        if key not in self._launches:
            self._launches[key] = Launch(getattr(self._grids, kernel), self.batch_size, *arguments)
        self._launches[key]()

    # ------------------------------------------------------------ playing

    def step(
        self, actions: Any, games: Any = None, check: bool = True
    ) -> tuple[Any, Any, Any, Any]:
        """Play one action in every game.

        Args:
            actions: integers (batch_size,), a legal action of ``mover[i]`` for each game i: a CUDA
                tensor or another array on the device, or one of NumPy, which is copied there.
                Nothing is copied if it is ``actions``, filled in place.
            games: bool (batch_size,), which games to play on, as in :meth:`BatchEnv.step`. None:
                all.
            check: whether to wait for the device to say that all actions are legal. If not, a game
                whose action is illegal does not play on, and :meth:`check` says so later.

        Returns:
            (observation, reward, terminated, truncated), the arrays on the device.

        Raises:
            IllegalActionError: naming the first game with an illegal action; then no game has
                changed.
            TypeError, ValueError: ``actions`` or ``games`` of another kind or shape.
            RuntimeError: another thread is in a call on this batch.
        """
        chosen = self._check_array(actions, "actions", "iu", "integers")
        some = None if games is None else self._check_array(games, "games", "b", "bool")
        with self._one_call:
            self._take(chosen, self.actions)
            playing = self._everywhere
            if some is not None:
                playing = self._some
                self._take(some, playing)
            is_part = some is not None
            if check:
                self._refuse_illegal(playing, is_part)
            arguments = (self._argument, playing, self.actions, self._refused)
            self._launch("step", *arguments, is_part=is_part)
        return self.observation, self.reward, self.terminated, self.truncated

    def check(self) -> None:
        """Wait for the device, and raise what steps without a check have found.

        Raises:
            IllegalActionError: naming the first game that had an illegal action since the last
                call, and the first such action in it.
        """
        with self._one_call:
            refused = self._refused.copy_to_host()
            games = np.flatnonzero(refused[:, 0] != NONE_REFUSED)
            if len(games):
                self._refused.copy_to_device(np.full_like(refused, NONE_REFUSED))
                raise illegal_action(self.game, int(games[0]), *map(int, refused[games[0]]))

    def _check_array(self, given: Any, what: str, kinds: str, words: str) -> Any:
        """The array, on the device or of NumPy; raises TypeError, ValueError."""
        if is_cuda_ndarray(given):
            array = given
        elif hasattr(given, "__cuda_array_interface__"):
            array = cuda.as_cuda_array(given)
        else:
            array = np.asarray(given)
        check_kind_and_shape(array, what, kinds, words, (self.batch_size,))
        return array

    def _take(self, given: Any, own: Any) -> None:
        """Copy an array into one of the batch's."""
        if given is own:
            return
        if isinstance(given, np.ndarray):
            own.copy_to_device(np.ascontiguousarray(given, own.dtype))
        elif not SIMULATED and given.dtype == own.dtype and given.is_c_contiguous():
            own.copy_to_device(given)
        else:
            take[blocks_for(self.batch_size), THREADS](given, own)

    def _refuse_illegal(self, playing: Any, is_part: bool) -> None:
        """Wait for the device: nothing may have changed when the error is raised."""
        arguments = (playing, self.action_mask, self.actions, self._first_illegal)
        self._launch("find_illegal", *arguments, is_part=is_part)
        index = int(self._first_illegal.copy_to_host()[0])
        if index != NONE_ILLEGAL:
            self._first_illegal.copy_to_device(np.array([NONE_ILLEGAL]))
            raise illegal_action(self.game, index, int(self.mover[index]), int(self.actions[index]))

    def sample_actions(self, into: Any = None) -> Any:
        """A uniformly random legal action for every game, int64 (batch_size,) on the device.

        Args:
            into: the batch's ``actions``, which are filled and returned. None: a fresh array.

        Raises:
            ValueError: ``into`` is another array.
        """
        if into is not None and into is not self.actions:
            raise ValueError("into must be the batch's own array `actions`, or None")
        actions = cuda.device_array(self.batch_size, np.int64) if into is None else into
        arguments = (self.action_mask, self._data.generators, actions)
        with self._one_call:
            if into is None:
                self._grids.sample[blocks_for(self.batch_size), THREADS](*arguments)
            else:
                self._launch("sample", *arguments)
        return actions

    def _for_learner(
        self, learner: LearnerData
    ) -> tuple[LearnerData, BatchData, Callable[[int], None]]:
        """As :meth:`BatchEnv._for_learner`, with a copy of what there is of the learner."""
        on_device = to_device(learner)
        argument = as_argument(on_device)
        plays = [
            Launch(self._grids.play, self.batch_size, self._argument, argument, by, self.actions)
            for by in (0, 1)
        ]

        def play(by_learner: int) -> None:
            with self._one_call:
                plays[by_learner]()

        return on_device, self._data, play

    def reset(self, seed: int | Sequence[int] | Array | None = None) -> tuple[Any, Any]:
        """Deal all games, as :meth:`BatchEnv.reset` does (on the CPU). Returns (observation,
        action_mask)."""
        host = self.to("cpu")
        host.reset(seed)
        with self._one_call:
            for array, new in zip(self._data, host._data, strict=True):
                # observations are in ``flat``
                if array is not self._data.observations and isinstance(new, np.ndarray):
                    array.copy_to_device(new.view(np.ndarray))
            self._refused.copy_to_device(np.full((self.batch_size, 2), NONE_REFUSED))
        return self.observation, self.action_mask

    # ------------------------------------------------------------ elsewhere

    @property
    def won(self) -> Array:
        """As :attr:`BatchEnv.won`, in NumPy: the last positions are copied from the device."""
        last = self.final_states.copy_to_host()
        return won_in(self.game, self.terminated.copy_to_host(), last)

    @property
    def scores(self) -> Array:
        """As :attr:`BatchEnv.scores`, in NumPy, as :attr:`won`."""
        return scores_in(self.terminated.copy_to_host(), self.final_states.copy_to_host())

    def tensors(self) -> dict[str, Any]:
        """The outputs as CUDA tensors of PyTorch, by name, on the same memory: every step fills
        them anew."""
        return {name: self.as_tensor(getattr(self, name)) for name in TENSORS}

    def as_tensor(self, array: Any) -> Any:
        """A tensor of PyTorch on the same memory of the device; of the simulated one it is on the
        CPU."""
        import torch

        return torch.from_numpy(array._ary) if SIMULATED else torch.as_tensor(array, device="cuda")

    def to(self, device: str) -> Any:
        """The same games elsewhere: ``"cpu"`` gives a BatchEnv of copies, which plays on as this
        one would, ``"cuda"`` this one.

        Raises:
            ValueError: for another device.
        """
        if check_device(device) == "cuda":
            return self
        with self._one_call:
            return self._to_cpu(self._data)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            'what is in the memory of a GPU cannot be copied or pickled: take to("cpu")'
        )


def check_possible() -> None:
    """Raise RuntimeError where there is no device, or nothing to compile for it."""
    if SIMULATED:
        return
    if JIT_DISABLED:
        raise RuntimeError("games run on a GPU only compiled: unset NUMBA_DISABLE_JIT")
    if not cuda.is_available():
        reason = " ".join(str(cuda.cuda_error() or "the driver knows none").split())
        raise RuntimeError(f"no CUDA device was found: {reason}")


def device_name() -> str:
    """The name of the device that batches go to; RuntimeError as :func:`check_possible`."""
    check_possible()
    if SIMULATED:
        return "a simulated device"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


# ---------------------------------------------------------------- what is compiled


def ptx(name: str, kernel: str = "step", compute_capability: tuple[int, int] = (9, 0)) -> str:
    """The PTX code of a kernel, as a batch with observations would run it.

    Args:
        name: the game, such as ``oak_island_v0``.
        kernel: ``step``, ``play`` (up to a learner's next decision), ``find_illegal`` or
            ``sample``.
        compute_capability: of the device that it is for; none needs to be there.

    Raises:
        ValueError: for another kernel. RuntimeError: nothing is compiled (``NUMBA_DISABLE_JIT=1``,
            or a simulated device).
    """
    if kernel not in KERNELS:
        raise ValueError(
            f"kernel must be one of {', '.join(KERNELS)}, not {shown_in_message(kernel)}"
        )
    if JIT_DISABLED or SIMULATED:
        raise RuntimeError(
            "there is PTX only of compiled code: unset NUMBA_DISABLE_JIT and NUMBA_ENABLE_CUDASIM"
        )
    game = load_game(name)
    template = game.template(game.complete_options({}))
    data = with_aligned_observations(
        game, new_data(game, template, np.zeros(1, np.int64), REWARD_KINDS[0], True)
    )
    playing, actions = np.ones(1, np.bool_), np.zeros(1, np.int64)
    learner = new_learner(actions, game.max_players, [1], [1.0], 0.0)
    arguments = {
        "step": (data, playing, actions, learner.refused),
        "play": (data, learner, 1, actions),
        "find_illegal": (playing, data.masks, actions, actions),
        "sample": (data.masks, data.generators, actions),
    }
    signature = numba.void(*(numba.typeof(argument) for argument in arguments[kernel]))
    with _as_if_on(compute_capability):
        return str(
            cuda.compile_ptx(
                getattr(grids_of(game), kernel).py_func, signature, cc=compute_capability
            )[0]
        )


@contextmanager
def _as_if_on(compute_capability: tuple[int, int]) -> Iterator[None]:
    """Numba asks the current device what it can, also to compile a function that another one
    calls."""
    from numba.cuda import dispatcher

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=compute_capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
