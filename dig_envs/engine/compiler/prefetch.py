"""Fetching the records of the next game into the processor's cache while one game is played.

The games of a batch do not fit into the cache, and the rules read a long record here and there, so
that a step would wait for memory again and again. With 1024 games on one core (AMD EPYC, under
load) this makes batches of The Big Dig and Diggity 13 % faster, of Fossil Canyon and Fossil Memory
4 %; Oak Island, whose records are short, it would make 5 % slower.
"""

from typing import Any

from dig_envs.engine.compiler.jit import overloaded

# bytes of a record for which it pays: what is longer the processor fetches well enough by itself
LONG, LONGEST = 1024, 4096
LINE = 64  # bytes that the cache fetches at one go
HOW = (1, 3, 1)  # of LLVM's instruction: for writing, to be kept, data


def prefetch(record: Any) -> None:
    """Begin to fetch a record, if it is long, and wait for nothing; as plain Python it does
    nothing."""


@overloaded(prefetch)
def _prefetch(record):  # type: ignore[no-untyped-def]
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def fetch(typing_context, record):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            # on a GPU each thread has one game only
            if LONG <= record.size <= LONGEST and "nvptx" not in builder.module.triple:
                byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
                kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
                instruction = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
                start, how = builder.bitcast(arguments[0], byte), [*map(word, HOW)]
                for offset in range(0, record.size, LINE):
                    builder.call(instruction, [builder.gep(start, [word(offset)]), *how])
            return context.get_dummy_value()

        return types.none(record), generate

    return lambda record: fetch(record)  # type: ignore[call-arg]
