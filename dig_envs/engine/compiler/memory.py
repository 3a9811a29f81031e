"""Arrays at addresses, in compiled code."""

from typing import Any

import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numba.core import cgutils, types
from numba.extending import intrinsic

from dig_envs.engine.compiler.jit import compiled

instruction: Any = intrinsic
LOW_HALF = 0xFFFFFFFF


@instruction
def _pointer(typing_context, address):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), generate


@compiled
def array_at(address: Any, shape: Any, dtype: Any) -> Any:
    """The array of this shape and dtype at an address."""
    return carray(_pointer(address), shape, dtype)


@compiled
def words_at(address: Any, count: Any) -> Any:
    """So many words of 64 bits at an address, int64."""
    return carray(_pointer(address), count, np.int64)
