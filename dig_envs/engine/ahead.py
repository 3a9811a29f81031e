"""Memory that will be written soon is fetched into the cache ahead of time.

The games of a batch and their observations do not fit into it. That rows follow each other the processor sees by itself, but
where they are short too late.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

from dig_envs.engine.jit import JIT_DISABLED, compiled

LINE = 64  # bytes that the cache fetches at one go
LONGEST = 4096  # bytes of a row: what is longer the processor fetches faster by itself (measured)
WRITE, KEEP, DATA = 1, 3, 1  # what LLVM is to fetch it for


@intrinsic
def _fetch_line(typing_context, array, row, offset):  # type: ignore[no-untyped-def]
    """Fetch one line of a row; nothing on GPUs."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        if isinstance(context, CPUContext):
            records = context.make_array(signature.args[0])(context, builder, arguments[0])  # type: ignore[no-untyped-call]
            stride = builder.extract_value(records.strides, 0)
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            at = builder.gep(builder.bitcast(records.data, byte), [builder.add(builder.mul(arguments[1], stride), arguments[2])])
            prefetch = builder.module.declare_intrinsic(
                "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            )
            builder.call(prefetch, [at, word(WRITE), word(KEEP), word(DATA)])
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp), generate


@compiled
def _fetch_row(array, row):  # type: ignore[no-untyped-def]
    length = array.strides[0]
    if length <= LONGEST:
        for offset in range(0, length, LINE):
            _fetch_line(array, row, offset)  # type: ignore[call-arg]


def _fetch_nothing(array: Any, row: int) -> None:
    pass


fetch_row = _fetch_nothing if JIT_DISABLED else _fetch_row
"""``fetch_row(array, row)`` begins to fetch a row of an array, or a record of a record array, and waits for nothing."""
