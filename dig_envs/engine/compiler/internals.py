"""The names of Numba that are private or undocumented and on which compiling rests, and whether the
installed version has them.

:data:`LINKING` is what ``linking.py`` builds on. The table is checked once, before the first
function is compiled; without one of the names ``jit.py`` does without that module.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any

import numba

SUPPORTED = ((0, 62), (0, 68))  # the oldest and the newest Numba with which the tests have been run
SUPPORTED_VERSIONS = "Supported are Numba {}.{} to {}.{} (DIG_ENVS_QUIET=1 silences this)".format(
    *SUPPORTED[0], *SUPPORTED[1]
)

# In a module or class of numba.core: ``name``, ``name(its parameters)`` of what is called or
# overridden, and ``.name`` for an attribute of objects, or a text, which the class's own code must
# mention.
LINKING = {
    "codegen:CodeLibrary": "_finalized",
    "codegen:CPUCodeLibrary": (
        "__init__(self, codegen, name) ._final_module ._linking_libraries ._shared_module "
        "finalize(self) add_llvm_module(self, ll_module) _get_module_for_linking(self)"
    ),
    "codegen:RuntimeLinker": "PREFIX",
    "compiler:CompilerBase": ".state",
    "compiler:Flags": "no_compile noalias",
    "compiler:_LowerResult": "cfunc fndesc",
    "typed_passes:NativeLowering": "run_pass(self, state)",
    "funcdesc:FunctionDescriptor": "llvm_func_name .qualname",
    "funcdesc:ExternalFunctionDescriptor": "__init__(self, name, restype, argtypes)",
    "base:BaseContext": "insert_user_function(self, func, fndesc, libs)",
    "cpu:CPUContext": "codegen(self)",
    "registry:CPUDispatcher": (
        "__init__(self, py_func, locals, targetoptions, pipeline_class) .overloads "
        "compile(self, sig) add_overload(self, cres) get_call_template(self, args, kws)"
    ),
    "options:DefaultOptions": "_nrt no_cfunc_wrapper no_cpython_wrapper",
    "types:": "unliteral(lit_type)",
    "types:BaseTuple": "from_types(tys, pyclass)",
}


def missing(table: Mapping[str, str]) -> list[str]:
    """The names of a table that the installed Numba does not have, or has with other parameters."""
    return [
        f"numba.core.{holder}.{name}".replace(":.", ".").replace(":", ".")
        for holder, names in table.items()
        for dot, name, parameters in re.findall(r"(\.?)(\w+)(\([^)]*\))?", names)
        if not (_is_mentioned(holder, name) if dot else _is_there(holder, name, parameters))
    ]


def _is_there(holder: str, name: str, parameters: str) -> bool:
    try:
        found = getattr(resolve_name(f"numba.core.{holder}"), name)
        return not parameters or f"({', '.join(inspect.signature(found).parameters)})" == parameters
    except (ImportError, AttributeError, TypeError, ValueError):
        return False


def _is_mentioned(holder: str, name: str) -> bool:
    try:
        return any(
            name in (*code.co_names, *code.co_consts)
            for code in _code_of(resolve_name(f"numba.core.{holder}"))
        )
    except (ImportError, AttributeError):
        return False


def _code_of(kind: Any) -> Iterator[Any]:
    """The code of the functions that a class and its bases define."""
    for function in (value for base in kind.__mro__ for value in vars(base).values()):
        if hasattr(function, "__code__"):
            yield function.__code__


def is_supported() -> bool:
    """Whether the tests have been run with this version of Numba."""
    oldest, newest = SUPPORTED
    return oldest <= tuple(int(number) for number in numba.__version__.split(".")[:2]) <= newest
