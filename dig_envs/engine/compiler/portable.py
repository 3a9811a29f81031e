"""The compiled functions of a game as one module in LLVM's language, from which machine code for
other machines is made.

All of it is as Numba has translated it, linked and not yet optimised, so that nothing in it depends
on a processor: what Numba has optimised counts on the size of this processor's addresses. That
holds only in a process in which nothing has been compiled before :func:`translate_only`, and which
runs nothing that it compiles afterwards. Where compiled code makes arrays, it calls a function for
the memory, and another one when nobody uses it any more; what else it does not define is in C's
library.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numba.core.runtime.nrt import rtsys

from dig_envs.engine.compiler import loading
from dig_envs.engine.compiler.jit import Compiled, tell_numba
from dig_envs.engine.compiler.linking import TranslatedFunction, TranslatedLibrary, linked_module
from dig_envs.engine.compiler.references import MEMORY
from dig_envs.engine.core.declared import DeclaredGame

FORM = "_portable"  # ends the names of the modules that are loaded for it
# Numba's function that raises an error whose text has numbers in it, which is made with objects of
# Python. Such an error, of arrays that do not fit together, cannot occur; the code of an error is
# left of it.
WORDY = re.compile(
    r"^(define \w+ i32 @\S*raise_with_shape_context[^\n]*?)\{\n.*?^\}\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Entry:
    """A function to be called from C: its name there, the compiled function, and the types of its
    arguments.

    In C it is ``int name(result *, void *, arguments…)``, which returns 0; anything else is an
    error, and nothing has been written to the result. A record is a pointer, a number has the width
    of its type.
    """

    name: str
    function: Any
    arguments: tuple[Any, ...]


def translate_only() -> None:
    """Let Numba optimise nothing from now on, and make no machine code: neither of this package's
    functions nor of its own."""
    tell_numba()
    context: Any = TranslatedFunction.targetdescr.target_context
    rtsys.initialize(context)  # the one part that has to run
    context.codegen()._library_class = TranslatedLibrary
    # Numba finds compiled functions by a function of C that Python could call: any stands for it
    type(context).get_executable = lambda self, library, *_: library.__reduce_ex__


def load_for_export(game: DeclaredGame) -> tuple[Any, Any, Any, Any, Any]:
    """The loops of ``kernels.py``, ``search/simulation.py``, ``search/grave.py``,
    ``search/mistakes.py`` and ``search/playouts.py`` with this game's functions, all of them
    translated only.

    They are there under the same names, as functions that others can call and that become a part of
    the module.
    """
    functions = {
        name: function
        for name in (*loading.ENTRIES, "playout")
        if (function := getattr(game.rules, name)) is not None
    }
    functions |= {name: Compiled(functions[name].py_func, noalias=True) for name in loading.WRITERS}
    kernels = loading.load_kernels_with(game, functions, FORM)
    simulation, grave = (
        loading.load_part(game, kernels, module, form=FORM, opponent=kernels.unstyled)
        for module in (loading.SIMULATION, loading.GRAVE)
    )
    mistakes = loading.load_mistakes(game, kernels, grave, FORM)
    playouts = loading.load_playouts(game, kernels, FORM)
    return kernels, simulation, grave, mistakes, playouts


def link_entries(entries: Sequence[Entry], take: str, give_back: str) -> str:
    """The module with these functions and all that they call, in LLVM's language; nothing else can
    be called from outside.

    ``take`` and ``give_back`` are the names of the functions that it calls for memory:
    ``void *take(int64_t size, uint32_t align)`` returns a block whose data are behind it, or NULL,
    and ``void give_back(void *block)``.
    """
    results = {
        entry.name: TranslatedFunction(entry.function).translated(entry.arguments)
        for entry in entries
    }
    memory = MEMORY.replace("TAKE", take).replace("GIVE_BACK", give_back)
    module, _ = linked_module(memory, results, results)
    for name in results:
        # from outside the library that it becomes a part of
        module.get_function(name).visibility = "hidden"
    return WORDY.sub(r"\1{\n  ret i32 1\n}\n", str(module))
