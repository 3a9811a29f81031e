"""Calls of machine code from Python.

A kernel's machine code is a function of C that returns a word of 64 bits. It takes the address of a
table (``Call.accepted``), then each number and each array in their order. An array goes in as the
address of its object, where the machine code finds the data (``PyArrayObject``, whose layout
NumPy keeps for all that is compiled against it). It refuses an array of another dtype, number of
dimensions, or layout than it was made for.
"""

import ctypes
from collections.abc import Callable
from ctypes import ArgumentError
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np

from dig_envs.engine.compiler.cache import numba_setting

__all__ = ["FAILED", "PACKED", "REFUSED", "ArgumentError", "Call", "Kind", "failure", "kind_of"]

# what machine code returns where it does not fit the arguments, or where the compiled function has
# raised an error; no kernel returns numbers as small
REFUSED, FAILED = -(2**63), -(2**63) + 1
PACKED = "_packed"  # ends the name of the same function for arguments that lie in memory
HEAD = object.__basicsize__  # bytes of an object before what is its own


@dataclass(frozen=True)
class Kind:
    """The kind of an argument: ``int64``, ``uint64``, ``float64``; an array by its dtype and its
    number of dimensions; a tuple by its class and the kinds of its items.

    ``text`` is the same in all processes.
    """

    text: str
    dtype: Any = None
    ndim: int = 0
    items: "tuple[Kind, ...] | None" = None
    of: type | None = None

    def __hash__(self) -> int:
        return hash(self.text)

    def flattened(self) -> "tuple[Kind, ...]":
        """The kinds of the numbers and arrays in it."""
        if self.items is None:
            return (self,)
        return tuple(chain.from_iterable(item.flattened() for item in self.items))


INT, WORD, FLOAT = Kind("int64"), Kind("uint64"), Kind("float64")


def _text_of(dtype: np.dtype[Any]) -> str:
    if dtype.names is None:
        return dtype.str
    fields = [(name, _text_of(dtype[name].base), dtype[name].shape, dtype.fields[name][1])  # type: ignore[index]
              for name in dtype.names]  # fmt: skip
    made_from = (fields, dtype.itemsize, dtype.isalignedstruct)
    return f"record {sha256(repr(made_from).encode()).hexdigest()[:16]}"


def kind_of(value: Any) -> Kind:
    """The kind of an argument; TypeError for what compiled code does not take."""
    if isinstance(value, np.ndarray):
        return _array_kind(value.dtype, value.ndim, value.dtype.isalignedstruct)
    if isinstance(value, tuple):
        items = tuple(map(kind_of, value))
        of = type(value)
        name = f"{of.__module__}.{of.__qualname__}{getattr(of, '_fields', '')}"
        return Kind(f"{name}({','.join(item.text for item in items)})", None, 0, items, of)
    if isinstance(value, np.unsignedinteger):
        return WORD
    if isinstance(value, int | np.integer | np.bool_):
        return INT
    if isinstance(value, float | np.floating):
        return FLOAT
    raise TypeError(f"compiled code takes numbers, arrays and tuples of these, not {type(value)}")


@lru_cache(maxsize=4096)
def _array_kind(dtype: np.dtype[Any], ndim: int, is_aligned: bool) -> Kind:
    return Kind(f"{_text_of(dtype)}[{ndim}]", dtype, ndim)


def _flat(values: Any) -> Any:
    """The numbers and arrays in tuples, in their order."""
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value


OBJECT, SIGNED, UNSIGNED, REAL = ctypes.py_object, ctypes.c_int64, ctypes.c_uint64, ctypes.c_double


class Call:
    """Machine code of a kernel for arguments of certain kinds.

    Attributes: ``function``: what ctypes calls, with ``accepted`` first, the address of a table:
    the size of an object's head, the class of arrays, and for each argument the address of the
    dtype that an array has to have; ``is_direct``: whether arguments go in as they are, as none is
    a tuple.
    """

    def __init__(self, kernel: Any, kinds: tuple[Kind, ...], address: int, symbol: str) -> None:
        self.kernel = kernel
        self.kinds = tuple(chain.from_iterable(kind.flattened() for kind in kinds))
        self.symbol = symbol
        types: list[Any] = [
            OBJECT if kind.dtype is not None else {WORD: UNSIGNED, FLOAT: REAL}.get(kind, SIGNED)
            for kind in self.kinds
        ]
        self.function = ctypes.CFUNCTYPE(SIGNED, ctypes.c_void_p, *types)(address)
        self._classes = tuple(kind.of for kind in kinds)
        self.is_direct = all(kind.items is None for kind in kinds)
        dtypes = (0 if kind.dtype is None else id(kind.dtype) for kind in self.kinds)
        self._table = (ctypes.c_int64 * (2 + len(self.kinds)))(HEAD, id(np.ndarray), *dtypes)
        self.accepted = ctypes.addressof(self._table)

    def flattened(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The numbers and arrays of arguments; nothing where the arguments are other tuples than
        this was made for."""
        for value, of in zip(args, self._classes, strict=False):
            if of is not None and type(value) is not of:
                return ()
        return tuple(_flat(args))

    def bound(self, address: int, args: tuple[Any, ...], keeps_gil: bool) -> Callable[[], int]:
        """A function of nothing that calls it with these arguments: integers, and arrays that are
        C-contiguous and can be written to.

        ``address``: of the machine code for arguments in memory.

        Raises:
            TypeError: an array is of another kind: what the kernel writes to would be a copy.
        """
        for one in _flat(args):
            if isinstance(one, np.ndarray) and not one.flags.carray:
                raise TypeError(
                    f"{self.kernel.__name__} plays on in an array of shape {one.shape} that cannot "
                    "be written to, or is not C-contiguous and aligned"
                )
        given = [self._word(kind, one) for kind, one in zip(self.kinds, _flat(args), strict=True)]
        words = (ctypes.c_int64 * (1 + len(given)))(
            self.accepted, *(id(one) if isinstance(one, np.ndarray) else one for one in given)
        )
        function: Any = (ctypes.PYFUNCTYPE if keeps_gil else ctypes.CFUNCTYPE)(SIGNED)(address)
        function.arguments = given  # whose addresses it has
        return partial(function, ctypes.byref(words))

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """Call it with arguments of its kinds."""
        given = [
            self._word(kind, value) for kind, value in zip(self.kinds, _flat(args), strict=True)
        ]
        value = self.function(self.accepted, *given)
        for mine, theirs in zip(given, _flat(args), strict=True):
            if isinstance(theirs, np.ndarray) and not theirs.flags.carray:
                self._check_unchanged(mine, theirs)
        if value == FAILED:
            raise failure(self.kernel.__name__)
        if value == REFUSED:
            raise TypeError(f"the machine code of {self.kernel.__name__} refuses these arguments")
        return value

    def _word(self, kind: Kind, value: Any) -> Any:
        if kind.dtype is None:
            return float(value) if kind is FLOAT else int(value)
        if not value.flags.carray:
            value = np.array(value, order="C")  # to read from
        if type(value) is not np.ndarray:
            value = value.view(np.ndarray)
        if value.dtype is not kind.dtype:  # another object that says the same
            return np.ndarray(value.shape, kind.dtype, value)
        return value

    def _check_unchanged(self, copy: Any, given: Any) -> None:
        if copy.tobytes() != given.tobytes():
            raise TypeError(
                f"{self.kernel.__name__} writes to an array of shape {given.shape} that is not "
                "C-contiguous and aligned, or cannot be written to: it is as it was"
            )


HOW_TO_FIND_IT = (
    "To find the line, run the same as plain Python, with the environment variable "
    "NUMBA_DISABLE_JIT=1."
)


def failure(name: str) -> Exception:
    """The error for a kernel that has failed."""
    if numba_setting("BOUNDSCHECK"):
        return IndexError(f"index is out of bounds in {name}. {HOW_TO_FIND_IT}")
    return RuntimeError(f"{name} has failed. {HOW_TO_FIND_IT}")
