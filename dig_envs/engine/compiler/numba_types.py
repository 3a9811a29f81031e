"""What Numba takes compiled functions for, wherever it finds them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.core import types
from numba.extending import overload, typeof_impl


@cache
def plain_njit(function: Any) -> Any:
    """A function as Numba compiles it by itself, in each process."""
    return numba.njit(nogil=True)(function)


@cache
def know(compiled: type) -> None:
    """Let Numba know a class of compiled functions, by what they are ``translated`` to."""

    @typeof_impl.register(compiled)
    def type_of(value: Any, _context: Any) -> Any:
        return types.Dispatcher(value.translated)


@cache
def choose_by_types(function: Callable[..., Any], choose: Callable[..., Any]) -> None:
    """Let Numba compile, in the place of a function, what is chosen by the types of its
    arguments."""
    overload(function)(choose)
