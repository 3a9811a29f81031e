"""Sets as the bits of an integer."""

from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import compiled

PAIRS, NIBBLES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
LOW_NIBBLES, ONES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = (np.uint64(bits) for bits in (1, 2, 4, 56))


@compiled
def size_of(numbers: Any) -> Any:
    """The number of things in a set, in a form that compilers turn into one instruction.

    Without a sign: of signed numbers, compilers take for granted that no product is too large.
    """
    some = np.uint64(numbers)
    some -= (some >> _1) & PAIRS
    some = (some & NIBBLES) + ((some >> _2) & NIBBLES)
    some = (some + (some >> _4)) & LOW_NIBBLES
    return np.int64((some * ONES) >> _56)
