"""The full state of a position as numbers, for a critic that sees everything while it is trained.

It is float32 (size,), made of the fields of the game's state record, one after the other:
everything that is decided, hidden or not, such as the order of the deck and all hands. The fields
are explained in ``layout``.

* A field that is a set gives one number, 0 or 1, for each possible member. Other fields give their
  integers, divided by 16 (integers of one byte) or by 128 (of more bytes), so that nothing is
  rounded.
* Seats have their absolute numbers. The size is the same for every number of players of a game:
  entries of seats that are not there are zero. So are entries behind the end of a list: those from
  ``X_len`` on of a field ``X``. Before them 0 is a value like others.
* Left out are the seed and the random generator (chance that is not decided yet), the version, the
  number of the variant, what is zero between actions, and packed numbers that follow from other
  fields.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import kernel
from dig_envs.engine.core.checks import FORM
from dig_envs.engine.core.declared import Array, LayoutEntry

LEFT_OUT = ("seed", "rng", "version", "variant", "variants")
# What a number is divided by, as it has one byte in the record or more: powers of two, so that
# nothing is rounded.
SMALL_UNIT, LARGE_UNIT = 16, 128
NUMBER = -1  # in place of a number of bits


@dataclass(frozen=True)
class Part:
    """One field in the record and in the full state.

    ``offset``: of its first byte. ``size``: bytes of each of its ``count`` numbers. ``bits``: of
    each of them, if they are sets; else NUMBER.
    """

    name: str
    shape: tuple[int, ...]
    offset: int
    size: int
    count: int
    bits: int


class FullState:
    """What the full state of a game consists of.

    Args:
        state: record type of a position.
        sets: fields that are sets, stored as bits -> how many bits count.
        without: fields that are left out, beside those of LEFT_OUT.
        meanings: what each field says.
    """

    def __init__(
        self,
        state: np.dtype[Any],
        sets: Mapping[str, int],
        without: Iterable[str],
        meanings: Mapping[str, str],
    ) -> None:
        self._meanings = meanings
        self.parts = [
            _part(state, name, sets.get(name, NUMBER))
            for name in state.names or ()
            if not name.startswith("_gap_") and name not in {*LEFT_OUT, *without}
        ]

    @cached_property
    def layout(self) -> dict[str, LayoutEntry]:
        """Name of each field -> its shape, slice in the vector, meaning and bounds."""
        layout, start = {}, 0
        for part in self.parts:
            if part.bits == NUMBER:
                shape, unit, span = part.shape, unit_of(part.size), 2 ** (8 * part.size - 1)
                low, high = -span / unit, (span - 1) / unit
                note = f"(/ {unit})"
            else:
                shape, low, high = (*part.shape, part.bits), 0.0, 1.0
                note = "(1 for each of them)"
            end = start + int(np.prod(shape, dtype=int))
            meaning = f"{self._meanings[part.name]} {note}"
            layout[part.name] = LayoutEntry(shape, slice(start, end), meaning, low, high)
            start = end
        return layout

    @cached_property
    def size(self) -> int:
        """How many numbers it has."""
        return sum(int(np.prod(entry.shape, dtype=int)) for entry in self.layout.values())

    def bounds(self) -> tuple[Array, Array]:
        """The least and the greatest value of each number, float32 (size,)."""
        low, high = np.zeros((2, self.size), np.float32)
        for entry in self.layout.values():
            low[entry.slice], high[entry.slice] = entry.low, entry.high
        return low, high

    @cached_property
    def _runs(self) -> Array:
        return np.array(
            [
                (part.offset, part.size, part.count, part.bits, entry.slice.start)
                for part, entry in zip(self.parts, self.layout.values(), strict=True)
            ],
            np.int64,
        )

    def write(self, states: Array, lo: int, hi: int, values: Array) -> None:
        """Write the full states of some games.

        Args:
            states: records (n,). lo, hi: which of them.
            values: float32 (n, size), where to.
        """
        plain = np.asarray(states).view(np.ndarray)
        memory = [
            plain.view(kind).reshape(len(plain), -1) for kind in (np.int8, np.int16, np.int32)
        ]
        write_full_states(*memory, lo, hi, self._runs, values)

    def of(self, states: Array) -> Array:
        """The full states of positions (n,), float32 (n, size), a fresh array."""
        values = np.zeros((len(states), self.size), np.float32)
        # positions that are only shown cannot be written to, and compiled code takes no such arrays
        self.write(np.require(states, None, FORM), 0, len(states), values)
        return values


def unit_of(size: int) -> int:
    """The unit that divides a number of this size in bytes."""
    return SMALL_UNIT if size == 1 else LARGE_UNIT


def _part(state: np.dtype[Any], name: str, bits: int) -> Part:
    dtype, offset = state.fields[name][:2]  # type: ignore[index]
    size, count = dtype.base.itemsize, int(np.prod(dtype.shape, dtype=int))
    return Part(name, dtype.shape, offset, size, count, bits)


@kernel("dig_envs.engine.core.full_state")
def write_full_states(bytes_of, halves_of, words_of, lo, hi, runs, values):  # type: ignore[no-untyped-def]
    """Write what each run of numbers in the records says: (offset, bytes, count, bits, place)."""
    for i in range(lo, hi):
        for run in runs:
            offset, size, count, bits, place = run[0], run[1], run[2], run[3], run[4]
            if bits >= 0:
                for k in range(count):
                    for bit in range(bits):
                        byte = bytes_of[i, offset + k * size + bit // 8]
                        values[i, place + k * bits + bit] = (byte >> (bit % 8)) & 1
            elif size == 1:
                for k in range(count):
                    values[i, place + k] = bytes_of[i, offset + k] / SMALL_UNIT
            elif size == 2:
                for k in range(count):
                    values[i, place + k] = halves_of[i, offset // 2 + k] / LARGE_UNIT
            else:
                for k in range(count):
                    values[i, place + k] = words_of[i, offset // 4 + k] / LARGE_UNIT
