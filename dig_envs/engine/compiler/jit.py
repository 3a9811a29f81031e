"""Compilation by Numba: the decorators of all compiled functions.

``compiled`` functions are translated to LLVM's language and no more; ``kernel`` and ``linked`` ones
become machine code, with all that they call linked in (``linking.py``). It is kept on disk
(``specialisations.py``, ``cache.py``), in a folder named after the hash of all the sources that it
is made from (``sources.py``).

With the environment variable ``NUMBA_DISABLE_JIT=1`` nothing is compiled, and the same functions
run as plain Python. With ``DIG_ENVS_LINKING=0`` plain ``numba.njit`` compiles them, as it does
where Numba lacks a name that is needed (``internals.py``).
"""

import os
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np

from dig_envs.engine.compiler import internals
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.notice import give_notice, say

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
NO_LINKING = "compiling takes about three times as long, and batches run 1.25 to 1.6 times slower"
NO_DISK_CACHE = f"every process compiles anew, {NO_LINKING}"


def _has(names: Mapping[str, str], cost: str) -> bool:
    """Whether Numba has all these names; if not, a line on stderr says which one it lacks and what
    that costs."""
    lacking = internals.missing(names)
    if lacking:
        _say_why(
            f"Numba {numba.__version__} has no {lacking[0]}, or another one than is needed", cost
        )
    return not lacking


def _say_why(reason: str, cost: str) -> None:
    say(
        f"{reason}, so that plain numba.njit is used. Results are the same, but {cost}. "
        f"{internals.SUPPORTED_VERSIONS}"
    )


def _load_specialisations() -> ModuleType | None:
    """The module ``specialisations``; None where nothing can be kept on disk."""
    if JIT_DISABLED or not _has(internals.DISK_CACHE, NO_DISK_CACHE):
        return None
    from dig_envs.engine.compiler import specialisations

    return specialisations


def _load_linking() -> ModuleType | None:
    """The module ``linking``; None where plain njit compiles."""
    if (
        specialisations is None
        or os.environ.get("DIG_ENVS_LINKING") == "0"
        or not _has(internals.LINKING, NO_LINKING)
    ):
        return None
    from dig_envs.engine.compiler import linking

    if internals.is_supported() or linking.works():
        return linking
    _say_why(f"with Numba {numba.__version__} functions cannot be linked", NO_LINKING)
    return None


specialisations = _load_specialisations()
linking = _load_linking()
if not JIT_DISABLED:
    give_notice()


def compiled(function: F) -> F:
    """Decorator for rules code: compiled into its callers, never called from Python in a loop."""
    if linking is None:
        return numba.njit(nogil=True)(function)  # type: ignore[return-value]
    return linking.TranslatedFunction(function)  # type: ignore[no-any-return]


def kernel(
    key: CacheKey | str, allocates: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator for the functions called from Python: machine code, kept on disk, and free of the
    GIL.

    Args:
        key: what the code is made from; a name stands for the function's own module.
        allocates: whether it makes arrays, other than in functions that are ``linked``. What does
            not is faster; what does is compiled once more if that is not said.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if JIT_DISABLED:
            return _without_overflow_warnings(function)
        own_key = key if isinstance(key, CacheKey) else CacheKey(key, (function.__module__,))
        if linking is not None:
            return linking.LinkedFunction(function, key=own_key, allocates=allocates)  # type: ignore[no-any-return]
        dispatcher: Any = numba.njit(nogil=True)(function)
        if specialisations is not None:
            dispatcher._cache = specialisations.Specialisations(own_key, function)
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def linked(function: F, key: CacheKey, noalias: bool = False) -> F:
    """A ``compiled`` function as machine code of its own, which all kernels with the key call
    instead of containing it.

    Args:
        function: the function.
        key: what the code is made from.
        noalias: whether no two of its arguments share memory. Such a function is faster, if it
            makes no arrays either.
    """
    if linking is None:
        return function
    plain = function.py_func  # type: ignore[attr-defined]
    return linking.LinkedFunction(plain, key=key, allocates=not noalias, noalias=noalias)  # type: ignore[no-any-return]


def _without_overflow_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Unsigned arithmetic of the random generator wraps on purpose; as plain Python, NumPy would
    warn about it."""

    def wrapped(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    wrapped.__name__ = function.__name__
    wrapped.__doc__ = function.__doc__
    return wrapped
