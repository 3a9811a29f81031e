"""Games on a GPU: the same rules as CUDA kernels, in batches whose positions and outputs stay in the memory of the device.

``BatchEnv("oak_island_v0", 65536).to("cuda")`` gives a :class:`CudaBatch`. It needs ``pip install "dig_envs[cuda]"`` and a CUDA
device; :func:`ptx`, which shows what a kernel is compiled to, does without the device.

A kernel is compiled when it is first used, in each process anew: that of a step takes ten seconds to a minute and more.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

from dig_envs.batch import CONTENTS, BatchEnv, check_device, check_kind_and_shape, illegal_action
from dig_envs.engine.game import Array, Game
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.engine.state import REWARD_KINDS, as_records

HOW_TO_INSTALL = 'games on a GPU need Numba\'s CUDA target: pip install "dig_envs[cuda]" (for CUDA 12: "numba-cuda[cu12]")'
SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
if not SIMULATED and find_spec("numba_cuda") is None:
    raise ImportError(HOW_TO_INSTALL)

from numba import cuda  # noqa: E402  what came with Numba itself until numba-cuda is not kept up, and cannot compile all of this
from numba.cuda.cudadrv.devicearray import is_cuda_ndarray  # noqa: E402

from dig_envs.engine.grid import THREADS, blocks_for, build_grids, take  # noqa: E402

DEVICE_CONTENTS = (*CONTENTS, "_templates", "_which")
TENSORS = (
    *("observation", "action_mask", "mover", "reward", "terminated", "truncated", "turn_limit"),
    *("final_returns", "final_lengths"),
)
KERNELS = ("step", "find_illegal", "sample")
NONE_ILLEGAL = np.iinfo(np.int64).max


@cache
def grids_of(game: Game) -> Any:
    """The CUDA kernels of a game."""
    return build_grids(game.kernels)


def aligned(observation: np.dtype[Any]) -> np.dtype[Any]:
    """The record type of an observation, known to be aligned: else a GPU would write its numbers byte by byte."""
    return np.dtype(observation.descr, align=True)


def step_arguments(arrays: dict[str, Any], plain: dict[str, Any], playing: Any, actions: Any, records: Any) -> tuple[Any, ...]:
    """What the kernel ``step`` takes, from the contents of a batch, on the device or not."""
    return (
        arrays["_states"],
        playing,
        actions,
        REWARD_KINDS.index(plain["reward_kind"]),
        arrays["_templates"],
        arrays["_which"],
        arrays["_mask"],
        plain["with_observations"],
        records,
        arrays["_flat"],
        arrays["_mover"],
        arrays["_reward"],
        arrays["_terminated"],
        arrays["_turn_limit"],
        arrays["_returns"],
        arrays["_lengths"],
        arrays["_final_states"],
        arrays["_final_returns"],
        arrays["_final_lengths"],
    )


class CudaBatch:
    """Many games on a GPU, with the steps of :class:`dig_envs.batch.BatchEnv`: the same deals, the same ends, the same outputs.

    It begins where the given batch is and leaves that alone. What is not here is done by going back: ``to("cpu")`` gives a
    BatchEnv of the same positions, for snapshots, other positions, scripted players.

    The outputs have the names, dtypes and shapes of BatchEnv's, and ``states``, ``final_states`` its records, but are arrays in the
    memory of the device that other libraries take as they are (``__cuda_array_interface__``); ``copy_to_host()`` gives NumPy.
    Every step fills them anew. Nothing keeps them from being written to, which would break the games; copy what is to be kept.
    Positions, masks and rewards are those of the CPU, bit by bit; numbers observed may differ in the last bit, since a GPU adds and
    multiplies at one go.

    All work goes to the default stream of the current device, which is that of other libraries as well unless they are told
    otherwise. One thread at a time: a call that meets another one running on the same batch raises RuntimeError.

    Args:
        batch: the games to go on with.

    Raises:
        RuntimeError: there is no CUDA device, or nothing is compiled (``NUMBA_DISABLE_JIT=1``).
    """

    def __init__(self, batch: BatchEnv) -> None:
        check_possible()
        plain = batch.__getstate__()
        self._settings = {name: value for name, value in plain.items() if name not in DEVICE_CONTENTS}
        self.game: Game = batch.game
        self.batch_size: int = batch.batch_size
        self.reward_kind: str = batch.reward_kind
        self.with_observations: bool = batch.with_observations
        self._grids = grids_of(batch.game)
        self._lock = threading.Lock()
        self._arrays = {name: cuda.to_device(plain[name].view(np.ndarray)) for name in DEVICE_CONTENTS}
        self._records = self._arrays["_flat"].view(aligned(batch.game.observation)).reshape(len(plain["_flat"]))
        self._actions = cuda.to_device(np.zeros(self.batch_size, np.int64))
        self._everywhere = cuda.to_device(np.ones(self.batch_size, np.bool_))
        self._some = cuda.to_device(np.ones(self.batch_size, np.bool_))
        self._first_illegal = cuda.to_device(np.array([NONE_ILLEGAL]))
        self.states, self.final_states = self._arrays["_states"], self._arrays["_final_states"]
        self.observation, self.action_mask = self._arrays["_flat"], self._arrays["_mask"]
        self.mover, self.reward = self._arrays["_mover"], self._arrays["_reward"]
        self.terminated, self.turn_limit = self._arrays["_terminated"], self._arrays["_turn_limit"]
        self.truncated = cuda.to_device(np.zeros(self.batch_size, np.bool_))
        self.final_returns, self.final_lengths = self._arrays["_final_returns"], self._arrays["_final_lengths"]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this CudaBatch is in use by another thread: give each thread a batch of its own")
        try:
            yield
        finally:
            self._lock.release()

    def _launch(self, kernel: Any, *arguments: Any) -> None:
        kernel[blocks_for(self.batch_size), THREADS](*arguments)

    # ------------------------------------------------------------ playing

    def step(self, actions: Any, games: Any = None) -> tuple[Any, Any, Any, Any]:
        """Play one action in every game.

        Args:
            actions: integers (batch_size,), a legal action of ``mover[i]`` for each game i: a CUDA tensor or another array on the
                device, or one of NumPy, which is copied there.
            games: bool (batch_size,), which games to play on, as in :meth:`BatchEnv.step`. None: all.

        Returns:
            (observation, reward, terminated, truncated), the arrays on the device.

        Raises:
            IllegalActionError: naming the first game with an illegal action; then no game has changed.
            ValueError: ``actions`` or ``games`` of another shape or kind.
            RuntimeError: another thread is in a call on this batch.
        """
        chosen = self._check_array(actions, "actions", "iu", "integers")
        some = None if games is None else self._check_array(games, "games", "b", "bool")
        with self._alone():
            self._launch(take, chosen, self._actions)
            if some is not None:
                self._launch(take, some, self._some)
            playing = self._everywhere if some is None else self._some
            self._refuse_illegal(playing)
            arguments = step_arguments(self._arrays, self._settings, playing, self._actions, self._records)
            self._launch(self._grids.step, *arguments)
        return self.observation, self.reward, self.terminated, self.truncated

    def _check_array(self, given: Any, what: str, kinds: str, words: str) -> Any:
        """The array on the device; raises ValueError."""
        if is_cuda_ndarray(given):
            array = given
        elif hasattr(given, "__cuda_array_interface__"):
            array = cuda.as_cuda_array(given)
        else:
            array = np.asarray(given)
        check_kind_and_shape(array, what, kinds, words, self.batch_size)
        return cuda.to_device(np.ascontiguousarray(array)) if isinstance(array, np.ndarray) else array

    def _refuse_illegal(self, playing: Any) -> None:
        """Waits for the device: nothing may have changed when the error is raised."""
        self._first_illegal.copy_to_device(np.array([NONE_ILLEGAL]))
        self._launch(self._grids.find_illegal, playing, self.action_mask, self._actions, self._first_illegal)
        index = int(self._first_illegal.copy_to_host()[0])
        if index != NONE_ILLEGAL:
            raise illegal_action(self.game, index, int(self.mover[index]), int(self._actions[index]))

    def sample_actions(self) -> Any:
        """A uniformly random legal action for every game, int64 (batch_size,) on the device, a fresh array."""
        actions = cuda.device_array(self.batch_size, np.int64)
        with self._alone():
            self._launch(self._grids.sample, self.action_mask, self._arrays["_generators"], actions)
        return actions

    def reset(self, seed: int | Sequence[int] | Array | None = None) -> tuple[Any, Any]:
        """Deal all games, as :meth:`BatchEnv.reset` does (on the CPU). Returns (observation, action_mask)."""
        host = self.to("cpu")
        host.reset(seed)
        plain = host.__getstate__()
        with self._alone():
            for name, array in self._arrays.items():
                array.copy_to_device(plain[name].view(np.ndarray))
        return self.observation, self.action_mask

    # ------------------------------------------------------------ elsewhere

    def tensors(self) -> dict[str, Any]:
        """The outputs as CUDA tensors of PyTorch, by name, on the same memory: every step fills them anew."""
        import torch

        return {name: torch.as_tensor(getattr(self, name), device="cuda") for name in TENSORS}

    def to(self, device: str) -> Any:
        """The same games elsewhere: ``"cpu"`` gives a BatchEnv of copies, which plays on as this one would, ``"cuda"`` this one.

        Raises:
            ValueError: for another device.
        """
        if check_device(device) == "cuda":
            return self
        with self._alone():
            plain = {name: array.copy_to_host() for name, array in self._arrays.items()}
        batch = BatchEnv.__new__(BatchEnv)
        batch.__setstate__({**self._settings, **plain})
        return batch

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError('what is in the memory of a GPU cannot be copied or pickled: take to("cpu")')


def check_possible() -> None:
    """Raise RuntimeError where there is no device, or nothing to compile for it."""
    if SIMULATED:
        return
    if JIT_DISABLED:
        raise RuntimeError("games run on a GPU only compiled: unset NUMBA_DISABLE_JIT")
    if not cuda.is_available():
        raise RuntimeError(f"no CUDA device was found: {cuda.cuda_error() or 'the driver knows none'}")


# ---------------------------------------------------------------- what is compiled


def ptx(name: str, kernel: str = "step", compute_capability: tuple[int, int] = (9, 0)) -> str:
    """The PTX code of a kernel, as a batch with observations would run it.

    Args:
        name: the game, such as ``oak_island_v0``.
        kernel: ``step``, ``find_illegal`` or ``sample``.
        compute_capability: of the device that it is for; none needs to be there.

    Raises:
        ValueError: for another kernel. RuntimeError: nothing is compiled (``NUMBA_DISABLE_JIT=1``, or a simulated device).
    """
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}, not {kernel!r}")
    if JIT_DISABLED or SIMULATED:
        raise RuntimeError("there is PTX only of compiled code: unset NUMBA_DISABLE_JIT and NUMBA_ENABLE_CUDASIM")
    batch = BatchEnv(name, 1, num_threads=1)
    plain, one, actions = batch.__getstate__(), np.ones(1, np.bool_), np.zeros(1, np.int64)
    records = as_records(plain["_flat"].view(aligned(batch.game.observation)).reshape(1))
    arguments = {
        "step": step_arguments(plain, plain, one, actions, records),
        "find_illegal": (one, plain["_mask"], actions, actions),
        "sample": (plain["_mask"], plain["_generators"], actions),
    }
    signature = numba.void(*(numba.typeof(argument) for argument in arguments[kernel]))
    with _as_if_on(compute_capability):
        return str(cuda.compile_ptx(getattr(grids_of(batch.game), kernel).py_func, signature, cc=compute_capability)[0])


@contextmanager
def _as_if_on(compute_capability: tuple[int, int]) -> Iterator[None]:
    """Numba asks the current device what it can, also to compile a function that another one calls."""
    from numba.cuda import dispatcher

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=compute_capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
