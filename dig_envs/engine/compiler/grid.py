"""The loops of ``kernels.py`` and ``learning.py`` as CUDA kernels: as many threads as games, each
of which plays its own game alone.

The rows of observations are set to zero by the threads of a block together, each writing beside its
neighbour: by itself each would write to a row of its own, far from the others', which is several
times as slow. What is observed is then written game by game, since most of a row stays zero.

Nothing of the rules is written twice: Numba compiles for the GPU whatever compiled functions it
finds called in a CUDA kernel. It does so when the kernel is launched for the first time (or
:func:`dig_envs.batch.cuda.ptx` asks for it).
"""

import sys
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numba
from numba import cuda

from dig_envs.engine.compiler import objects
from dig_envs.engine.compiler.jit import Compiled, Kernel
from dig_envs.engine.compiler.linking import TranslatedFunction
from dig_envs.engine.compiler.on_stack import on_stack

# per block: few, as games in the same warp part ways and a block ends with its longest
THREADS = 64


def blocks_for(count: int) -> int:
    """The number of thread blocks for this number of games."""
    return -(-count // THREADS)


def build_grids(kernels: Any, learning: Any) -> SimpleNamespace:
    """The CUDA kernels of a game, not yet compiled: ``step``, ``play``, ``find_illegal``,
    ``sample``.

    Args:
        kernels, learning: :mod:`dig_envs.engine.compiler.kernels` and
            :mod:`~dig_envs.engine.compiler.learning` with the game's functions.
    """
    _translate_all()
    first_illegal, sample_legal = (
        getattr(kernel, "translated", kernel)  # as plain Python it is the function itself
        for kernel in (kernels.first_illegal, kernels.sample_legal)
    )
    # by their names: the compiler knows no modules
    apply_action, observe = kernels.apply_action, kernels.observe
    begin_step, end_step = kernels.begin_step, kernels.end_step
    begins, is_legal, play_one = learning.begins, learning.is_legal, learning.play_one

    def step(batch, playing, actions, refused):
        """:func:`dig_envs.engine.compiler.kernels.step_batch`; a game whose action is illegal does
        not play, and that is noted (:class:`~dig_envs.engine.compiler.learner_data.LearnerData`).
        """
        i, own = cuda.grid(1), cuda.threadIdx.x
        plays = cuda.shared.array(THREADS, numba.boolean)
        plays[own] = False
        if i < len(batch.states):
            plays[own] = playing[i] and is_legal(batch, refused, i, actions[i])
            begin_step(batch, i, plays[own])
        if batch.with_observations:
            _zero_rows(batch.flat, plays)
        if plays[own]:
            state = batch.states[i]
            apply_action(state, state.to_move, actions[i])
            batch.lengths[i] += 1
            end_step(batch, i)
            if batch.with_observations:
                observe(state, state.to_move, batch.observations[i])

    def play(batch, learner, by_learner, actions):
        """:func:`dig_envs.engine.compiler.learning.play`."""
        i, own = cuda.grid(1), cuda.threadIdx.x
        plays = cuda.shared.array(THREADS, numba.boolean)
        plays[own] = i < len(batch.states) and begins(batch, learner, i, by_learner, actions[i])
        if batch.with_observations:
            _zero_rows(batch.flat, plays)
        if plays[own]:
            play_one(batch, learner, i, actions[i])
            if batch.with_observations:
                observe(batch.states[i], batch.movers[i], batch.observations[i])

    def find_illegal(playing, masks, actions, first):
        """Lower ``first[0]`` to the first game, of those playing, whose action is out of range or
        illegal."""
        i = cuda.grid(1)
        if i < len(actions) and first_illegal(i, i + 1, playing, masks, actions) >= 0:
            cuda.atomic.min(first, 0, i)

    def sample(masks, generators, actions):
        """:func:`dig_envs.engine.compiler.kernels.sample_legal`."""
        i = cuda.grid(1)
        if i < len(actions):
            sample_legal(i, i + 1, masks, generators, actions)

    return SimpleNamespace(
        step=cuda.jit(step),
        play=cuda.jit(play),
        find_illegal=cuda.jit(find_illegal),
        sample=cuda.jit(sample),
    )


@cuda.jit(device=True)
def _zero_rows(rows, chosen):
    """Set to zero the rows of those games of a block that are chosen. All its threads call this,
    and go on when all is done."""
    cuda.syncthreads()
    first = cuda.blockIdx.x * THREADS
    for row in range(THREADS):
        if chosen[row]:
            for column in range(cuda.threadIdx.x, rows.shape[1], THREADS):
                rows[first + row, column] = 0
    cuda.syncthreads()


def _translate_all() -> None:
    """Put in the place of all compiled functions what Numba takes them for: for the GPU it compiles
    only functions of its own class. What is compiled of these for the CPU is not kept."""
    objects.KEEPS[0] = False
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()) if module is not None else ():
            if isinstance(value, Compiled) and not isinstance(value, Kernel):
                setattr(module, name, _translated(value.py_func))


@cache
def _translated(function: Callable[..., Any]) -> TranslatedFunction:
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, Compiled):
            cell.cell_contents = _translated(cell.cell_contents.py_func)
    return TranslatedFunction(on_stack(function))


@cuda.jit
def take(given, own):
    """Copy one value for each game, whatever the type and the strides of the array they come in."""
    i = cuda.grid(1)
    if i < len(own):
        own[i] = given[i]
