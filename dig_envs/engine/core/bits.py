"""Sets as the bits of an integer."""

from typing import Any

from dig_envs.engine.compiler.jit import compiled


@compiled
def size_of(numbers: Any) -> Any:
    """The number of things in a set, in a form that compilers turn into one instruction."""
    numbers = numbers - ((numbers >> 1) & 0x5555555555555555)
    numbers = (numbers & 0x3333333333333333) + ((numbers >> 2) & 0x3333333333333333)
    numbers = (numbers + (numbers >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((numbers * 0x0101010101010101) >> 56) & 0x7F
