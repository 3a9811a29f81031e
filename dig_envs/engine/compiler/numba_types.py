"""What Numba takes compiled functions for, wherever it finds them."""

from functools import cache
from typing import Any

import numba
from numba.core import types
from numba.extending import overload, typeof_impl

from dig_envs.engine.compiler import jit


@cache
def plain_njit(function: Any) -> Any:
    """A function as Numba compiles it by itself, in each process."""
    return numba.njit(nogil=True)(function)


@typeof_impl.register(jit.Compiled)
def _type_of(value: jit.Compiled, _context: Any) -> Any:
    return types.Dispatcher(value.translated)


for _function, _choose in jit.OVERLOADED:
    overload(_function)(_choose)
