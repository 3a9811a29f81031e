"""The function of C by which Python calls a kernel (``calling.py``), in LLVM's language.

It takes the arrays out of NumPy's objects and calls the kernel as Numba has translated it.

Numba passes an array as these values: two addresses that say whose memory it is (none: the
caller's), the number of items, the size of one, the address of the data, shape and strides. The
first two arguments are addresses for the result and for an error; it returns 0 if there was none.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from numba import types

from dig_envs.engine.compiler.calling import FAILED, FLOAT, PACKED, REFUSED, Kind, OtherResult

# places, in bytes, in an array object (PyArrayObject_fields) behind its head, whose last word is
# the address of its class
CLASS = -8
NDIM, SHAPE, STRIDES, DTYPE, FLAGS = 8, 16, 24, 40, 48
GOOD = 0x0001 | 0x0100 | 0x0400  # flags: C-contiguous, aligned, can be written to


class Entry:
    """The text of a function that calls ``@inner`` for arguments of these kinds.

    Args:
        symbol: its name.
        inner: what it calls.
        kinds: of the numbers and arrays, in their order.
        returned: Numba's type of what the kernel returns.
    """

    def __init__(self, symbol: str, inner: str, kinds: Sequence[Kind], returned: Any) -> None:
        self.symbol, self.inner, self.kinds = symbol, inner, kinds
        self.returned = returned
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        """The module that has it."""
        taken = ", ".join(f"{self._word(kind)} %a{k}" for k, kind in enumerate(self.kinds))
        given = ", ".join(
            value for k, kind in enumerate(self.kinds) for value in self._given(k, kind)
        )
        kinds = ", ".join(value.rpartition(" ")[0] for value in given.split(", ")) if given else ""
        body = "\n".join(f"  {line}" for line in self._lines)
        return f"""
declare i32 @{self.inner}(ptr, ptr{", " * bool(kinds)}{kinds})
define i64 @{self.symbol}(ptr %accepted{", " * bool(taken)}{taken}) {{
start:
  %value = alloca i64
  %error = alloca ptr
  store i64 0, ptr %value
  %head = load i64, ptr %accepted
{body}
  %status = call i32 @{self.inner}(ptr %value, ptr %error{", " * bool(given)}{given})
  %good = icmp eq i32 %status, 0
  br i1 %good, label %end, label %failed
refused:
  ret i64 {REFUSED}
failed:
  ret i64 {FAILED}
end:
{self._result()}
}}
{self._packed()}
"""

    def _packed(self) -> str:
        """The same function for arguments that lie in memory, a word each."""
        kinds = ["ptr", *(self._word(kind) for kind in self.kinds)]
        lines = [
            f"  %p{k} = getelementptr i64, ptr %words, i64 {k}\n  %a{k} = load {kind}, ptr %p{k}"
            for k, kind in enumerate(kinds)
        ]
        given = ", ".join(f"{kind} %a{k}" for k, kind in enumerate(kinds))
        return "\n".join(
            (
                f"define i64 @{self.symbol}{PACKED}(ptr %words) {{",
                *lines,
                f"  %value = call i64 @{self.symbol}({given})",
                "  ret i64 %value",
                "}",
            )
        )

    @staticmethod
    def _word(kind: Kind) -> str:
        if kind.dtype is not None:
            return "ptr"
        return "double" if kind is FLOAT else "i64"

    def _set(self, value: str) -> str:
        self._count += 1
        self._lines.append(f"%v{self._count} = {value}")
        return f"%v{self._count}"

    def _load(self, kind: str, start: str, offset: int) -> str:
        return self._set(
            f"load {kind}, ptr " + self._set(f"getelementptr i8, ptr {start}, i64 {offset}")
        )

    def _check(self, kind: str, found: str, expected: str) -> None:
        """Refuse the call unless two values are equal."""
        equal = self._set(f"icmp eq {kind} {found}, {expected}")
        self._lines.append(f"br i1 {equal}, label %next{self._count}, label %refused")
        self._lines.append(f"next{self._count}:")

    def _given(self, k: int, kind: Kind) -> Iterator[str]:
        """The values that the kernel gets for an argument."""
        if kind.dtype is None:
            yield f"{self._word(kind)} %a{k}"
            return
        own = self._set(f"getelementptr i8, ptr %a{k}, i64 %head")
        self._check("i64", self._load("i64", own, CLASS), self._load("i64", "%accepted", 8))
        self._check("i32", self._load("i32", own, NDIM), str(kind.ndim))
        self._check(
            "i64", self._load("i64", own, DTYPE), self._load("i64", "%accepted", 8 * (k + 2))
        )
        flags = self._set(f"and i32 {self._load('i32', own, FLAGS)}, {GOOD}")
        self._check("i32", flags, str(GOOD))
        shape, strides = self._load("ptr", own, SHAPE), self._load("ptr", own, STRIDES)
        lengths = [self._load("i64", shape, 8 * d) for d in range(kind.ndim)]
        steps = [self._load("i64", strides, 8 * d) for d in range(kind.ndim)]
        items = "1"
        for length in lengths:
            items = self._set(f"mul i64 {items}, {length}")
        yield from ("ptr null", "ptr null", f"i64 {items}", f"i64 {kind.dtype.itemsize}")
        yield f"ptr {self._load('ptr', own, 0)}"
        yield from (f"i64 {value}" for value in (*lengths, *steps))

    def _result(self) -> str:
        """The result as a word of 64 bits."""
        kind = self.returned
        if isinstance(kind, types.NoneType):
            return "  ret i64 0"
        if not isinstance(kind, types.Boolean | types.Integer) or kind == types.uint64:
            raise OtherResult(
                f"a kernel returns nothing, a truth value or an integer that int64 can hold, not "
                f"{kind}"
            )
        name = "i8" if isinstance(kind, types.Boolean) else f"i{kind.bitwidth}"  # type: ignore[attr-defined]
        if name == "i64":  # maybe of a literal
            return "  %word = load i64, ptr %value\n  ret i64 %word"
        extend = "sext" if getattr(kind, "signed", False) else "zext"
        return (
            f"  %short = load {name}, ptr %value\n"
            f"  %word = {extend} {name} %short to i64\n  ret i64 %word"
        )
