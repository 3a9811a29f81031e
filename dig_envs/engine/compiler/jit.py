"""The decorators of all compiled functions. None of them imports the compiler.

A function of the rules (``compiled``) is translated by Numba into the machine code of those that
call it. A ``kernel`` is called from Python (``calling.py``). Its machine code came with the package
(``native.py``) or is in the cache (``objects.py``); only where it is not, Numba is imported and
makes it (``linking.py``). ``linked`` functions have machine code of their own, which many kernels
call.

With the environment variable ``NUMBA_DISABLE_JIT=1`` nothing is compiled, and the same functions
run as plain Python. With ``DIG_ENVS_LINKING=0`` plain ``numba.njit`` compiles them in each process,
as it does with a Numba of another version with which a trial fails.
"""

import os
from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from dig_envs.engine.compiler import native
from dig_envs.engine.compiler.cache import CacheKey, numba_setting
from dig_envs.engine.compiler.calling import (
    FAILED,
    PACKED,
    REFUSED,
    ArgumentError,
    Call,
    Kind,
    failure,
    kind_of,
)
from dig_envs.engine.compiler.notice import say

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = numba_setting("DISABLE_JIT")
CHECKS_BOUNDS = numba_setting("BOUNDSCHECK")
PLAIN_NJIT = os.environ.get("DIG_ENVS_LINKING") == "0"
SUPPORTED = ((0, 62), (0, 68))  # the oldest and the newest Numba with which the tests have been run

OBJECTS = "dig_envs.engine.compiler.objects"


class Compiled:
    """A function that other compiled functions call.

    Args:
        function: the plain Python function, ``py_func``.
        noalias: whether no two of its arguments share memory. Such a function is faster.
    """

    is_linked = False

    def __init__(self, function: Callable[..., Any], noalias: bool = False) -> None:
        self.py_func = function
        self.noalias = noalias
        update_wrapper(self, function)

    @cached_property
    def translated(self) -> Any:
        """What Numba takes this function for; the first look imports Numba."""
        maker = linker()
        return plain_njit(self.py_func) if maker is None else maker.translated(self)

    def __reduce__(self) -> str:
        """It is copied and pickled by its name."""
        return self.__qualname__  # type: ignore[attr-defined, no-any-return]

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call it from Python, which compiles it in each process: kernels are for that."""
        return plain_njit(self.py_func)(*args, **kws)


class Linked(Compiled):
    """One with machine code of its own, which all kernels with the key call.

    Args:
        function: the plain Python function.
        key: what the code is made from.
        noalias: as above.
    """

    is_linked = True

    def __init__(self, function: Callable[..., Any], key: CacheKey, noalias: bool = False) -> None:
        super().__init__(function, noalias)
        self.key = key


class Kernel(Compiled):
    """A function that is called from Python: machine code, kept on disk, and free of the GIL.

    Arguments are integers, floats, C-contiguous arrays and tuples of these; it returns an integer,
    a truth value as 0 or 1, or 0 where the function returns nothing.
    """

    def __init__(self, function: Callable[..., Any], key: CacheKey) -> None:
        super().__init__(function)
        self.key = key
        self._calls: dict[tuple[Kind, ...], Call] = {}
        self._last: Call | None = None  # what served last; it looks at arrays itself

    @property
    def signatures(self) -> list[str]:
        """The kinds of arguments for which there is machine code in this process."""
        return [_text(kinds) for kinds in self._calls]

    def __call__(self, *args: Any) -> Any:
        """Call the machine code for arguments of these kinds.

        Raises:
            TypeError: an argument is of another kind than those above.
            RuntimeError: the compiled function has raised an error. IndexError: the same where
                bounds are checked (``NUMBA_BOUNDSCHECK=1``).
        """
        if (last := self._last) is not None:
            values = args if last.is_direct else last.flattened(args)
            if len(values) == len(last.kinds):
                try:
                    value = last.function(last.accepted, *values)
                except ArgumentError:
                    pass
                else:
                    if value > FAILED:
                        return value
                    if value == FAILED:
                        raise failure(self.__name__)  # type: ignore[attr-defined]
        call = self._last = self.call_for(args)
        return plain_njit(self.py_func)(*args) if call is None else call(args)

    def call_for(self, args: tuple[Any, ...]) -> Call | None:
        """The machine code for these arguments, which is made if need be; None where plain njit has
        to do."""
        if PLAIN_NJIT:
            return None
        if len(args) != (count := self.py_func.__code__.co_argcount):
            raise TypeError(f"{self.py_func.__name__} takes {count} arguments, not {len(args)}")
        kinds = tuple(kind_of(value) for value in args)
        with _LOADING:
            if kinds not in self._calls:
                made = self.machine_code(kinds)
                if made is None:
                    return None
                self._calls[kinds] = Call(self, kinds, *made)
            return self._calls[kinds]

    def machine_code(self, kinds: tuple[Kind, ...]) -> tuple[int, str] | None:
        """The address of the machine code, and its symbol; None where plain njit has to do."""
        text = _text(kinds)
        if (known := native.find(self, text)) is not None:
            return known
        objects: Any = _imported(OBJECTS)
        place = objects.place_of(self, text)
        with _LOADING:  # one thread compiles it, the others find it
            found = objects.find(place)
            if found is None:
                maker = linker()
                if maker is None:
                    return None
                found = maker.make(self, kinds, place)
        return found[0], found[1].symbol


def _text(kinds: tuple[Kind, ...]) -> str:
    return ",".join(kind.text for kind in kinds)


def bound(
    function: Callable[..., Any], args: tuple[Any, ...], keeps_gil: bool = False
) -> Callable[[], int]:
    """A kernel that returns an integer, as a function of nothing, which is the quickest to call:
    its arguments are bound, and what may change are the contents of the arrays.

    Args:
        function: the kernel.
        args: its arguments.
        keeps_gil: whether other threads wait meanwhile, for calls that are short.

    Returns:
        The function. Whoever calls it gives what it returns to :func:`check_result`, as it raises
        no errors by itself.
    """
    call = function.call_for(args) if isinstance(function, Kernel) else None
    if call is None:
        return partial(function, *args)
    return call.bound(address_of(call.kernel.key, call.symbol + PACKED), args, keeps_gil)


def address_of(key: CacheKey, symbol: str) -> int:
    """The address of machine code that was loaded, by its symbol."""
    return int(native.address_of(key, symbol) or _imported(OBJECTS).address_of(symbol))


def check_result(value: Any, name: str) -> None:
    """Raise the error if that is what a bound kernel returns that has failed, or whose arrays
    cannot be written to any more."""
    if value == REFUSED:
        raise TypeError(f"an array that {name} writes to cannot be written to any more")
    if value == FAILED:
        raise failure(name)


def _imported(name: str) -> ModuleType:
    """A module that needs the compiler; a ModuleNotFoundError says how to get that."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"there is no {error.name}, and no machine code of what is called came with the "
            "package: pip install numba, which compiles it",
            name=error.name,
        ) from None


_LINKER: list[ModuleType | None] = []  # once it has been looked for
_LOADING = RLock()


def linker() -> ModuleType | None:
    """The module that makes machine code, which imports Numba; None where plain njit has to do."""
    with _LOADING:
        if not _LINKER:
            _load_linker()
        if _LINKER[0] is not None:
            tell_numba()  # of what was imported meanwhile, too
        return _LINKER[0]


def _load_linker() -> None:
    if PLAIN_NJIT:
        _LINKER.append(None)
        return
    numba: Any = _imported("numba")
    version = tuple(int(number) for number in numba.__version__.split(".")[:2])
    try:
        from dig_envs.engine.compiler import linking

        _LINKER.append(linking)  # for the trial
        tell_numba()
        if not SUPPORTED[0] <= version <= SUPPORTED[1]:
            _try_to_link()
    except Exception as error:
        _LINKER[:] = [None]
        oldest, newest = (".".join(map(str, one)) for one in SUPPORTED)
        say(
            f"with Numba {numba.__version__} functions cannot be linked ({error}), so that plain "
            "numba.njit is used. Results are the same, but compiling takes about three times as "
            "long, in every process, and batches run 1.25 to 1.6 times slower. Supported are "
            f"Numba {oldest} to {newest} (DIG_ENVS_QUIET=1 silences this)"
        )


def _try_to_link() -> None:
    """Link small functions, with a Numba that is not among those supported."""
    step, key = 1, CacheKey("trial", ())  # in a closure, so that nothing is kept
    translated_only = Compiled(lambda value: value + step)
    increased = Linked(lambda values: translated_only(values[0]), key, noalias=True)
    found = Kernel(lambda given: increased(given[0]), key)((np.array([1]), step))
    if found != 2:
        raise RuntimeError(f"1 + 1 is {found}")


def tell_numba() -> None:
    """Let Numba know the functions of this package, wherever it finds them."""
    extending: Any = _imported("numba.extending")
    with _LOADING:
        while OVERLOADED:
            function, choose = OVERLOADED.pop()
            extending.overload(function)(choose)
        _know_compiled()


@cache
def _know_compiled() -> None:
    numba: Any = _imported("numba")
    numba.extending.typeof_impl.register(
        Compiled, lambda value, _context: numba.types.Dispatcher(value.translated)
    )


@cache
def plain_njit(function: Callable[..., Any]) -> Any:
    """A function as Numba compiles it by itself, in each process."""
    tell_numba()
    return _imported("numba").njit(nogil=True)(function)


def compiled(function: F) -> F:
    """Decorator for rules code: compiled into its callers, never called from Python in a loop."""
    return function if JIT_DISABLED else Compiled(function)  # type: ignore[return-value]


def kernel(key: CacheKey | str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator for the functions called from Python (:class:`Kernel`).

    Args:
        key: what the code is made from; a name stands for the function's own module.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if JIT_DISABLED:
            # arithmetic of the random generator wraps on purpose, of which NumPy would warn
            return np.errstate(over="ignore")(function)
        own_key = key if isinstance(key, CacheKey) else CacheKey(key, (function.__module__,))
        return Kernel(function, own_key)

    return decorate


def linked(function: F, key: CacheKey, noalias: bool = False) -> F:
    """A ``compiled`` function as machine code of its own (:class:`Linked`)."""
    if JIT_DISABLED:
        return function
    return Linked(function.py_func, key, noalias)  # type: ignore[attr-defined, return-value]


# Functions for which compiled code takes another one, chosen by the types of the arguments: the
# plain function, and what chooses; those of which Numba has not heard.
OVERLOADED: list[tuple[Callable[..., Any], Callable[..., Any]]] = []


def overloaded(function: F) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator, as ``numba.extending.overload``, for what chooses the compiled form of a
    function."""

    def decorate(choose: Callable[..., Any]) -> Callable[..., Any]:
        OVERLOADED.append((function, choose))
        return choose

    return decorate
