"""From LLVM's language to machine code: a module is optimised as a whole and becomes an object
file."""

import re
from typing import Any

import llvmlite.binding as llvm

# Calls of what Numba has translated take more code than what is called, up to here: the default,
# and that of code for size (50), make the games larger.
SMALL_INLINING = 150


def object_code(
    module: str, machine: Any, small: bool = False, vectors: bool = True
) -> tuple[bytes, list[str]]:
    """An object file, and the names of the functions that it needs.

    Args:
        module: in LLVM's language; where it says which machine it is for, that is replaced.
        machine: for which, a target machine of LLVM.
        small: whether it is to be small rather than fast.
        vectors: whether to look twice for loops that can be done with vectors, which takes longer.
    """
    module = re.sub(r"^target (triple|datalayout) = .*$", "", module, flags=re.MULTILINE)
    parsed = llvm.parse_assembly(module)
    parsed.triple, parsed.data_layout = machine.triple, str(machine.target_data)
    # of a short loop that is unrolled, vectors can no longer be made
    for unrolling in (False, not small) if vectors else (not small,):
        options = llvm.create_pipeline_tuning_options(2 if small else 3)
        options.loop_vectorization, options.slp_vectorization, options.loop_unrolling = (
            not small,
            unrolling,
            unrolling,
        )
        if small:
            options.inlining_threshold = SMALL_INLINING
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(parsed, builder)
    parsed.verify()
    needed = [
        function.name
        for function in parsed.functions
        if function.is_declaration and not function.name.startswith("llvm.")
    ]
    return bytes(machine.emit_object(parsed)), needed
