"""Arrays at addresses, in compiled code."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from dig_envs.engine.compiler.jit import compiled

instruction: Any = intrinsic


@instruction
def pointer_to(typing_context, address):  # type: ignore[no-untyped-def]
    """An address as Numba's pointer."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate


@compiled
def array_at(address: Any, shape: Any, dtype: Any) -> Any:
    """The array of this shape and dtype at an address."""
    return carray(pointer_to(address), shape, dtype)


@compiled
def words_at(address: Any, count: Any) -> Any:
    """So many words of 64 bits at an address, int64."""
    return carray(pointer_to(address), count, np.int64)
