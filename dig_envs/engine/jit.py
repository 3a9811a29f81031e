"""Compilation by Numba: the two decorators of all compiled functions.

Machine code is kept on disk (``cache.py``), in a folder named after the hash of all the sources that it is made from
(``sources.py``; Numba's own cache looks only at the file of the function itself, so that a change in another file goes unnoticed).

With the environment variable ``NUMBA_DISABLE_JIT=1`` nothing is compiled, and the same functions run as plain Python. With
``DIG_ENVS_LINKING=0`` Numba compiles in its own way, as it does where ``linking.py`` does not fit the installed version.
"""

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np

from dig_envs.engine.cache import FileCache, Owner
from dig_envs.engine.notice import give_notice

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def _load_linking() -> ModuleType | None:
    """The module ``linking``; None where Numba has to do without it."""
    if JIT_DISABLED or os.environ.get("DIG_ENVS_LINKING") == "0":
        return None
    try:
        from dig_envs.engine import linking

        return linking if linking.works_here() else None
    except (ImportError, AttributeError, TypeError, ValueError):  # another Numba has other internals
        return None


linking = _load_linking()
if not JIT_DISABLED:
    give_notice()


def compiled(function: F) -> F:
    """Decorator for rules code: compiled into its callers, never called from Python in a loop."""
    if linking is None:
        return numba.njit(nogil=True)(function)  # type: ignore[return-value]
    return linking.PartDispatcher(function)  # type: ignore[no-any-return]


def kernel(owner: Owner | str, allocates: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator for the functions called from Python: compiled, kept on disk with what belongs to the owner, and free of the GIL.

    Args:
        owner: a name stands for what belongs to the function's own module.
        allocates: whether it makes arrays, other than in functions that are ``shared``. What does not is faster; what does is
            compiled once more if that is not said.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if JIT_DISABLED:
            return _without_overflow_warnings(function)
        home = owner if isinstance(owner, Owner) else Owner(owner, (function.__module__,))
        if linking is not None:
            return linking.WholeDispatcher(function, owner=home, allocates=allocates)  # type: ignore[no-any-return]
        dispatcher: Any = numba.njit(nogil=True)(function)
        dispatcher._cache = FileCache(home, function)
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def shared(function: F, owner: Owner, apart: bool = False) -> F:
    """A ``compiled`` function, compiled once for all the kernels of an owner, which call it instead of containing it.

    Args:
        function: the function.
        owner: what it belongs to.
        apart: whether no two of its arguments share memory. Such a function is faster, if it makes no arrays either.
    """
    if linking is None:
        return function
    plain = function.py_func  # type: ignore[attr-defined]
    return linking.WholeDispatcher(plain, owner=owner, allocates=not apart, apart=apart)  # type: ignore[no-any-return]


def _without_overflow_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Unsigned arithmetic of the random generator wraps on purpose; as plain Python, NumPy would warn about it."""

    def wrapped(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    wrapped.__name__ = function.__name__
    wrapped.__doc__ = function.__doc__
    return wrapped
