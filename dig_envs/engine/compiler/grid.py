"""The loops of ``kernels.py`` as CUDA kernels: as many threads as games, each of which runs a loop
for its own game alone.

Nothing is written twice: Numba compiles for the GPU whatever compiled functions it finds called in
a CUDA kernel. It does so when the kernel is launched for the first time (or
:func:`dig_envs.batch.cuda.ptx` asks for it).
"""

import sys
from types import SimpleNamespace
from typing import Any

from numba import cuda

from dig_envs.engine.compiler.jit import Compiled, Kernel
from dig_envs.engine.compiler.linking import TranslatedFunction

# per block: few, as games in the same warp part ways and a block ends with its longest
THREADS = 64


def blocks_for(count: int) -> int:
    """The number of thread blocks for this number of games."""
    return -(-count // THREADS)


def build_grids(kernels: Any) -> SimpleNamespace:
    """The CUDA kernels of a game, not yet compiled: ``step``, ``find_illegal``, ``sample``.

    Args:
        kernels: :mod:`dig_envs.engine.compiler.kernels` with the game's functions.
    """
    _translate_all()
    step_batch, first_illegal, sample_legal = (
        getattr(kernel, "translated", kernel)  # as plain Python it is the function itself
        for kernel in (kernels.step_batch, kernels.first_illegal, kernels.sample_legal)
    )

    def step(batch, playing, actions):
        """:func:`dig_envs.engine.compiler.kernels.step_batch`."""
        i = cuda.grid(1)
        if i < len(batch.states):
            step_batch(batch, i, i + 1, playing, actions)

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
        step=cuda.jit(step), find_illegal=cuda.jit(find_illegal), sample=cuda.jit(sample)
    )


def _translate_all() -> None:
    """Put in the place of all compiled functions what Numba takes them for: for the GPU it compiles
    only functions of its own class."""
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()) if module is not None else ():
            if isinstance(value, Compiled) and not isinstance(value, Kernel):
                setattr(module, name, _translated(value))


def _translated(function: Compiled) -> TranslatedFunction:
    for cell in function.py_func.__closure__ or ():
        if isinstance(cell.cell_contents, Compiled):
            cell.cell_contents = _translated(cell.cell_contents)
    return TranslatedFunction(function.py_func)


@cuda.jit
def take(given, own):
    """Copy one value for each game, whatever the type and the strides of the array they come in."""
    i = cuda.grid(1)
    if i < len(own):
        own[i] = given[i]
