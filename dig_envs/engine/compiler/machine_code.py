"""From LLVM's language to machine code: a module is optimised as a whole and becomes an object
file."""

import re

import llvmlite.binding as llvm

# Calls of what Numba has translated take more code than what is called, up to here: the default,
# and that of code for size (50), make the games larger.
SMALL_INLINING = 150


def object_code(
    module: str,
    triple: str,
    processor: str = "",
    features: str = "",
    small: bool = False,
    vectors: bool = True,
    reloc: str = "pic",
) -> tuple[bytes, list[str]]:
    """An object file, and the names of the functions that it needs.

    Args:
        module: in LLVM's language; where it says which machine it is for, that is replaced.
        triple: LLVM's name of the machine.
        processor, features: what the machine has at least, as LLVM names it.
        small: whether it is to be small rather than fast.
        vectors: whether to look twice for loops that can be done with vectors, which takes longer.
        reloc: LLVM's name of how addresses are written: ``pic`` or ``static``.
    """
    target = llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=features, opt=2 if small else 3, reloc=reloc, codemodel="default"
    )
    module = re.sub(r"^target (triple|datalayout) = .*$", "", module, flags=re.MULTILINE)
    parsed = llvm.parse_assembly(module)
    parsed.triple, parsed.data_layout = triple, str(target.target_data)
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
        builder = llvm.create_pass_builder(target, options)
        builder.getModulePassManager().run(parsed, builder)
    parsed.verify()
    needed = [
        function.name
        for function in parsed.functions
        if function.is_declaration and not function.name.startswith("llvm.")
    ]
    return bytes(target.emit_object(parsed)), needed
