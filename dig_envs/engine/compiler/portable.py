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
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

from dig_envs.engine.compiler import loading
from dig_envs.engine.compiler.internals import LINKING, SUPPORTED_VERSIONS, missing
from dig_envs.engine.compiler.linking import (
    OPTIONS,
    Function,
    TranslatedFunction,
    TranslatedLibrary,
    Translation,
    Translator,
    libraries_below,
    link_in,
)
from dig_envs.engine.core.declared import DeclaredGame

FORM = "_portable"  # ends the names of the modules that are loaded for it
PORTABLE = {  # private names of Numba, as in ``internals.py``
    "cpu:CPUContext": "get_executable(self, library, fndesc, env)",
    "codegen:Codegen": "create_library(self, name, kwargs)",
    "runtime.nrt:rtsys": "initialize(ctx)",
}

# In place of Numba's counting of references, which is written for the processor at hand: the same
# counts in the same memory (count, destructor, what it is told, data, size), for one thread.
MEMORY = """
declare ptr @TAKE(i64, i32)
declare void @GIVE_BACK(ptr)
define void @NRT_incref(ptr %block) alwaysinline {
start:
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %end, label %count
count:
  %old = load i64, ptr %block
  %new = add i64 %old, 1
  store i64 %new, ptr %block
  br label %end
end:
  ret void
}
define void @NRT_decref(ptr %block) alwaysinline {
start:
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %end, label %count
count:
  %old = load i64, ptr %block
  %new = sub i64 %old, 1
  store i64 %new, ptr %block
  %unused = icmp eq i64 %new, 0
  br i1 %unused, label %free, label %end
free:
  call void @GIVE_BACK(ptr %block)
  br label %end
end:
  ret void
}
define ptr @NRT_MemInfo_data_fast(ptr %block) alwaysinline {
  %place = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %block, i64 0, i32 3
  %data = load ptr, ptr %place
  ret ptr %data
}
define ptr @NRT_Allocate(i64 %size) alwaysinline {
  %block = call ptr @TAKE(i64 %size, i32 1)
  ret ptr %block
}
define void @NRT_Free(ptr %block) alwaysinline {
  call void @GIVE_BACK(ptr %block)
  ret void
}
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) alwaysinline {
  %block = call ptr @TAKE(i64 %size, i32 %align)
  ret ptr %block
}
"""


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


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslationWithoutAliases(Translation):
    """Translates a function no two of whose arguments share memory."""

    _name = "dig_envs_translation_without_aliases"

    def run_pass(self, state: Any) -> bool:
        """Numba calls this."""
        state.flags.noalias = True
        return super().run_pass(state)


class TranslatorWithoutAliases(Translator):
    """Numba's compiler, but for the last step."""

    last_step = TranslationWithoutAliases


class TranslatedWriter(TranslatedFunction):
    """A translated function no two of whose arguments share memory."""

    def __init__(self, function: Any) -> None:
        Function.__init__(
            self,
            function,
            {},
            {**OPTIONS, "_nrt": True, "no_cpython_wrapper": True},
            TranslatorWithoutAliases,
        )


def translate_only() -> None:
    """Let Numba optimise nothing from now on, and make no machine code: neither of this package's
    functions nor of its own.

    Raises:
        NotImplementedError: the installed Numba lacks a name on which this rests.
    """
    lacking = missing({**LINKING, **PORTABLE})
    if lacking:
        raise NotImplementedError(
            f"Numba has no {lacking[0]}, or another one than is needed. {SUPPORTED_VERSIONS}"
        )
    context: Any = cpu_target.target_context
    rtsys.initialize(context)  # the one part that has to run
    context.codegen()._library_class = TranslatedLibrary
    CPUContext.get_executable = _no_executable  # type: ignore[method-assign]


def _no_executable(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """Return a stand-in for a function that Python could call: Numba finds compiled functions by
    it."""
    return _dynfunc.make_function(
        description.lookup_module(), description.qualname, "", 1, environment, (library,)
    )


def load_for_export(game: DeclaredGame) -> tuple[Any, Any, Any, Any]:
    """The loops of ``kernels.py``, ``search/simulation.py``, ``search/grave.py`` and
    ``search/mistakes.py`` with this game's functions, all of them translated only.

    They are there under the same names, as functions that others can call and that become a part of
    the module.
    """
    functions = {name: getattr(game.rules, name) for name in loading.ENTRIES}
    functions |= {name: TranslatedWriter(functions[name].py_func) for name in loading.WRITERS}
    kernels = loading.load_kernels_with(game, functions, FORM)
    simulation = loading.load_search(game, kernels, FORM)
    grave = loading.load_grave(game, kernels, FORM)
    mistakes = loading.load_mistakes(game, kernels, grave, FORM)
    return _translated(kernels), _translated(simulation), _translated(grave), _translated(mistakes)


def _translated(module: Any) -> SimpleNamespace:
    return SimpleNamespace(
        **{
            name: translated(value) if isinstance(value, Function) else value
            for name, value in vars(module).items()
        }
    )


def translated(function: Any) -> TranslatedFunction:
    """A kernel as a function that becomes a part of what calls it."""
    return (
        function
        if isinstance(function, TranslatedFunction)
        else TranslatedFunction(function.py_func)
    )


def link_entries(entries: Sequence[Entry], take: str, give_back: str) -> str:
    """The module with these functions and all that they call, in LLVM's language; nothing else can
    be called from outside.

    ``take`` and ``give_back`` are the names of the functions that it calls for memory:
    ``void *take(int64_t size, uint32_t align)`` returns a block whose data are behind it, or NULL,
    and ``void give_back(void *block)``.
    """
    # Memory comes first: it replaces what others bring along under these names.
    module = llvm.parse_assembly(MEMORY.replace("TAKE", take).replace("GIVE_BACK", give_back))
    below: dict[int, Any] = {}
    for entry in entries:
        function = TranslatedFunction(entry.function)
        function.compile(entry.arguments)
        result: Any = function.overloads[entry.arguments]
        own = result.library._final_module.clone()
        own.get_function(result.fndesc.llvm_func_name).name = entry.name
        module.link_in(own)
        below |= {id(library): library for library in libraries_below(result.library)}
    link_in(module, list(below.values()))
    names = {entry.name for entry in entries}
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in names else "internal"
        if function.name in names:
            function.visibility = "hidden"  # from outside the library that it becomes a part of
    return WORDY.sub(r"\1{\n  ret i32 1\n}\n", str(module))
