"""How machine code is made: Numba translates functions to LLVM's language, and no more; what a
kernel needs is then put into one module, which is optimised once.

Numba by itself makes a library of every compiled function, although nearly all functions are only
ever called by other compiled ones. Here a *translated* function is typed and translated. A *linked*
one has machine code of its own, with all the translated ones below it; others call it by its
symbol. A *kernel* is linked together with the function by which Python calls it
(``entry.py``). Machine code and its loading: ``machine_code.py``, ``objects.py``.

This goes through extension points of Numba and names of it that are private or undocumented: what
is imported from ``numba.core``, and what is called or overridden of it.
"""

import gc
from collections.abc import Collection, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from dig_envs.engine.compiler import objects, references
from dig_envs.engine.compiler.cache import numba_setting
from dig_envs.engine.compiler.calling import FLOAT, HOW_TO_FIND_IT, INT, PACKED, WORD, Kind
from dig_envs.engine.compiler.entry import entry_text
from dig_envs.engine.compiler.machine_code import object_code
from dig_envs.engine.compiler.notice import compiling

# how the names of the variables begin that point to Python objects that a function needs
ENVIRONMENT = "_ZN08NumbaEnv"
OPTIONS = {
    "nopython": True,
    "nogil": True,
    "_nrt": True,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
    "boundscheck": numba_setting("BOUNDSCHECK"),
}
# symbol -> what becomes its machine code, and whether to look for vectors; for who asks for it
MODULES: dict[str, tuple[str, bool]] | None = None
INNER = "dig_inner"  # the kernel in the module of its entry
plain_njit = cache(numba.njit(nogil=True))


# ---------------------------------------------------------------- libraries


class TranslatedLibrary(JITCodeLibrary):
    """The translation of one function, as it came out of Numba."""

    def add_llvm_module(self, module: Any) -> None:
        """Take a module in, without optimising it."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Make nothing of it alone."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """For functions that Numba compiles in its own way: this one with all below it."""
        module = self._final_module.clone()
        link_in(module, libraries_below(self))
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        return module


class LinkedLibrary(TranslatedLibrary):
    """Stands for a function that is in memory under a symbol; ``place``: where its code is kept."""

    place: objects.Place

    def _get_module_for_linking(self) -> Any:
        """An empty one: callers find the symbol in memory."""
        return llvm.parse_assembly("")


def libraries_below(library: Any) -> list[Any]:
    """The libraries that a library calls, and what the translated ones among them call."""
    found: dict[int, Any] = {}
    left = list(reversed(library._linking_libraries))
    while left:
        other = left.pop()
        if id(other) not in found:
            found[id(other)] = other
            if type(other) is TranslatedLibrary:
                left.extend(reversed(other._linking_libraries))
    return list(found.values())


def link_in(module: Any, libraries: list[Any]) -> None:
    """Copy libraries into a module; of linked ones, nothing."""
    for library in libraries:
        if type(library) is TranslatedLibrary:
            module.link_in(library._final_module, preserve=True)
        elif not isinstance(library, LinkedLibrary):
            module.link_in(library._get_module_for_linking(), preserve=True)
    for variable in module.global_variables:
        if variable.name.startswith(ENVIRONMENT) and not variable.is_declaration:
            variable.linkage = "linkonce_odr"  # goes away if it is not used; hardly any is


def linked_module(
    head: str, results: Mapping[str, Any], visible: Collection[str]
) -> tuple[Any, list[Any]]:
    """One module with translated functions, by their names in it, and all that they call; and the
    libraries of what they call.

    Args:
        head: what it begins with, in LLVM's language. What others bring along under the names that
            are defined there is left out.
        results: of Numba's compiler.
        visible: the functions that can be called from outside.
    """
    module = llvm.parse_assembly(head)
    below: dict[int, Any] = {}
    for name, result in results.items():
        own = result.library._final_module.clone()
        own.get_function(result.fndesc.llvm_func_name).name = name
        module.link_in(own)
        below |= {id(library): library for library in libraries_below(result.library)}
    link_in(module, list(below.values()))
    # For the function that closes a circle Numba leaves a variable, to be filled with its address
    # once it is in memory. A translated function never is: it is linked in.
    if any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in module.global_variables):
        names = ", ".join(result.fndesc.qualname for result in results.values())
        raise NotImplementedError(
            f"compiled functions below {names} call each other in a circle; only a function may "
            "call itself"
        )
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in visible else "internal"
    return module, list(below.values())


# ---------------------------------------------------------------- the translator


@register_pass(mutates_CFG=True, analysis_only=False)
class Translation(NativeLowering):
    """Translates a function, without optimising it or making machine code."""

    _name = "dig_envs_translation"

    def run_pass(self, state: Any) -> bool:
        """Numba calls this."""
        state.library = TranslatedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # There is nothing that Python could call, and Numba finds functions by what Python calls:
        # the library stands for it.
        state.targetctx.insert_user_function(state.library, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=state.library)
        return True


class Translator(CompilerBase):
    """Numba's compiler, but for the last step.

    ``noalias``: whether no two arguments share memory; elsewhere the same function may be called
    with a part of the state.
    """

    noalias = False

    def define_pipelines(self) -> list[Any]:
        """Numba calls this."""
        self.state.flags.noalias = self.noalias
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (Translation if step is NativeLowering else step, text) for step, text in passes.passes
        ]
        passes.finalize()
        return [passes]


# ---------------------------------------------------------------- functions


def canonical(given: Any) -> Any:
    """The type in which an argument is passed between compiled functions: one for all signed
    integers, so that none is compiled once for int8 and once for int64. (Numba computes with both
    in 64 bits.)"""
    kind: Any = types.unliteral(given)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind  # type: ignore[attr-defined]


class TranslatedFunction(CPUDispatcher):
    """What Numba takes a compiled function for: other compiled functions call it with canonical
    types."""

    def __init__(self, function: Any, noalias: bool = False) -> None:
        own: Any = type("OwnTranslator", (Translator,), {"noalias": noalias})
        super().__init__(function, {}, OPTIONS, own)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba asks which signature a call has. Only one of exactly these types counts.

        The record of one version's observation may begin as another's does, and Numba would
        consider that one, too.
        """
        named = {name: canonical(kind) for name, kind in kws.items()}
        template: Any
        template, signature, given, no_names = super().get_call_template(
            tuple(map(canonical, args)), named
        )
        template.cases = (
            tuple(case for case in template.cases if case.args == tuple(given)) or template.cases
        )
        return template, signature, given, no_names

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call it from Python, which compiles it in each process."""
        return plain_njit(self.py_func)(*args, **kws)

    def add_overload(self, result: Any) -> None:
        """Remember a compiled signature, for compiled callers only."""
        self.overloads[tuple(result.signature.args)] = result

    def compile(self, sig: Any) -> Any:
        """Translate a signature. Errors of Numba come with a note on how to find the line."""
        # compiling makes so many objects that looking for garbage costs a tenth of the time
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile(sig)
        except numba.errors.NumbaError as error:
            if HOW_TO_FIND_IT not in getattr(error, "__notes__", ()):
                error.add_note(HOW_TO_FIND_IT)
            raise
        finally:
            if collects:
                gc.enable()

    def translated(self, args: tuple[Any, ...]) -> Any:
        """What Numba makes of it for arguments of these types."""
        self.compile(args)
        return self.overloads[args]


# What a linked function may return.
RETURNED = {
    "none": types.none,
    "bool": types.boolean,
    "int64": types.int64,
    "uint64": types.uint64,
    "float64": types.float64,
}
RETURNED_TO_PYTHON = (types.none, types.boolean, types.int64)


class LinkedFunction(TranslatedFunction):
    """What Numba takes a function for that has machine code of its own: a symbol with types."""

    def __init__(self, linked: Any) -> None:
        super().__init__(linked.py_func, linked.noalias)
        self.linked = linked

    def compile(self, sig: Any) -> Any:
        """Find or make the machine code for a signature."""
        args = tuple(sig)
        if args not in self.overloads:
            self.overloads[args] = self._known(args)
        found: Any = self.overloads[args]
        return found.entry_point

    def _known(self, args: tuple[Any, ...]) -> Any:
        place = objects.place_of(self.linked, ",".join(map(str, args)))
        found = objects.find(place)
        if found is None:
            with compiling(self.linked.key):
                found = objects.keep(place, self._made(args, place))
        symbol, returns = found[1].symbol, RETURNED[found[1].returns]
        context: Any = self.targetdescr.target_context
        library = LinkedLibrary(context.codegen(), symbol)
        library.place = place
        library.finalize()
        description = ExternalFunctionDescriptor(symbol, returns, args)
        context.insert_user_function(library, description, [library])
        return SimpleNamespace(
            signature=returns(*args), entry_point=library, library=library, objectmode=False
        )

    def _made(self, args: tuple[Any, ...], place: objects.Place) -> objects.Object:
        result = TranslatedFunction(self.py_func, self.linked.noalias).translated(args)
        returned = result.signature.return_type
        names = [name for name, kind in RETURNED.items() if kind == returned]
        if not names:
            raise NotImplementedError(
                f"{self.py_func.__qualname__} returns {returned}, which a linked function cannot: "
                f"it returns one of {', '.join(RETURNED)}"
            )
        return _linked(result, place, names[0], vectors=self.linked.noalias)


def translated(function: Any) -> Any:
    """What Numba takes a compiled function for."""
    if function.is_linked:
        return LinkedFunction(function)
    return TranslatedFunction(function.py_func, function.noalias)


# ---------------------------------------------------------------- machine code


def _linked(
    result: Any, place: objects.Place, returns: str, wrap: str = "", vectors: bool = False
) -> objects.Object:
    """The machine code of a translated function that is to be kept at a place.

    ``wrap``: more of the module, in LLVM's language, with the symbol of the place, which calls it
    as ``INNER``.
    """
    symbol = objects.symbol_of(place)
    module, below = linked_module(
        references.HERE + wrap, {INNER if wrap else symbol: result}, (symbol, symbol + PACKED)
    )
    callees = [library for library in below if isinstance(library, LinkedLibrary)]
    if MODULES is not None:
        MODULES[symbol] = str(module), vectors
    code, needed = object_code(str(module), objects.here(), vectors=vectors)
    if foreign := [name for name in needed if name.startswith(("numba_", "Py", "NRT_"))]:
        raise NotImplementedError(
            f"{result.fndesc.qualname} needs {foreign[0]}: compiled functions make no lists, "
            f"dictionaries and texts, and do not print. {HOW_TO_FIND_IT}"
        )
    symbols = {library.name for library in callees}
    return objects.Object(
        symbol=symbol,
        returns=returns,
        code=code,
        callees=tuple(library.place for library in callees),
        needs=tuple(name for name in needed if name not in symbols),
    )


def make(kernel: Any, kinds: tuple[Kind, ...], place: objects.Place) -> tuple[int, Any]:
    """Compile a kernel for arguments of these kinds, and load and keep it."""
    with compiling(kernel.key):
        result = kernel.translated.translated(tuple(map(_type, kinds)))
        flat = [one for kind in kinds for one in kind.flattened()]
        if (returned := types.unliteral(result.signature.return_type)) not in RETURNED_TO_PYTHON:
            raise NotImplementedError(
                f"{kernel.__name__} returns {returned}: a kernel returns nothing, a truth value or "
                "an int64, and writes everything else to arrays"
            )
        entry = entry_text(objects.symbol_of(place), INNER, flat)
        return objects.keep(place, _linked(result, place, INT.text, entry))


def _type(kind: Kind) -> Any:
    """Numba's type of an argument."""
    return numba.typeof(_example(kind))


def _example(kind: Kind) -> Any:
    if kind.dtype is not None:
        return np.empty((0,) * kind.ndim, kind.dtype)
    if kind.items is None:
        return {INT.text: 0, WORD.text: np.uint64(0), FLOAT.text: 0.0}[kind.text]
    items: Any = map(_example, kind.items)
    return tuple(items) if kind.of is tuple else kind.of(*items)  # type: ignore[misc]
