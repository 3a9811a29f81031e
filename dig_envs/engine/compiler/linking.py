"""How compiled functions are put together: each is optimised once, where it is needed.

Numba by itself makes a library of every compiled function: it links everything that it calls into
it, optimises all that again and emits machine code, although nearly all functions are only ever
called by other compiled ones. Here there are two kinds.

A *translated* function is typed and translated to LLVM's language, and no more. A *linked* function
is called from Python, or by many others: all the translated functions below it are linked into one
module, which is optimised and turned into machine code once. Linked functions do not contain each
other: they call each other by symbols. These must be the same in every process, because machine
code on disk refers to them; so they are named after the function, its types and its sources. A
linked function that is loaded from the disk first loads those that it calls.

All of this goes through extension points of Numba and the names that ``internals.py`` lists.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from typing import Any

import llvmlite.binding as llvm
from numba.core import itanium_mangler, types
from numba.core.codegen import CPUCodegen, JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.runtime.context import _NRT_MEMINFO_DEFAULT_API
from numba.core.typed_passes import NativeLowering

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.specialisations import Specialisations

# how the names of the variables begin that point to Python objects that a function needs
ENVIRONMENT = "_ZN08NumbaEnv"
# how the names of Numba's functions begin that a function needs which makes arrays
ALLOCATION = _NRT_MEMINFO_DEFAULT_API.alloc
HOW_TO_FIND_IT = (
    "To find the line, run the same as plain Python, with the environment variable "
    "NUMBA_DISABLE_JIT=1."
)
# not in Numba 0.61: fewer vectors
LOOPS_CAN_STAY = hasattr(llvm, "create_pass_builder") and hasattr(CPUCodegen, "_pass_builder")
OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "boundscheck": None}


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
        if self._shared_module is None:
            module = self._final_module.clone()
            link_in(module, libraries_below(self))
            for function in module.functions:
                if is_visible(function):
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class MakesArrays(NumbaError):
    """A function that was said to make no arrays makes some, or one that is linked into it does."""


class LinkedLibrary(TranslatedLibrary):
    """A function with all the translated ones below it, optimised and in machine code.

    Attributes: ``reference``: its identity (:data:`LINKED`), its types and its symbol; ``callees``:
    the linked libraries that it calls; ``noalias``: whether no two of its arguments share memory;
    ``allocates``: whether it may make arrays; ``lasting``: whether it and what it calls have the
    symbols that they have in other processes, too.
    """

    reference: tuple[Any, ...] = ()
    noalias = False
    allocates = True
    lasting = True

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.callees: list[LinkedLibrary] = []
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link, optimise, make machine code."""
        self._raise_if_finalized()
        self._codegen._check_llvm_bugs()
        module = self._final_module
        own = {function.name for function in module.functions if is_visible(function)}
        below = libraries_below(self)
        self.callees = [library for library in below if isinstance(library, LinkedLibrary)]
        link_in(module, below)
        refuse_circles(module, self.name)
        if not self.allocates and any(
            function.name.startswith(ALLOCATION) for function in module.functions
        ):
            raise MakesArrays(f"{self.name} makes arrays")
        for function in module.functions:
            if is_visible(function) and function.name not in own:
                function.linkage = "internal"
        if self.noalias and LOOPS_CAN_STAY:
            self._optimize_with_vectors(module)
        else:
            self._optimize_functions(module)
            self._optimize_final_module()
        module.verify()
        self._finalize_final_module()

    def _optimize_with_vectors(self, module: Any) -> None:
        """First with the loops as they are, and then in full: of a short loop that is unrolled,
        vectors can no longer be made."""
        codegen = self._codegen
        options = llvm.create_pipeline_tuning_options(3)
        options.loop_vectorization, options.loop_unrolling = True, False
        codegen._pass_builder = lambda **_: llvm.create_pass_builder(codegen._tm, options)  # type: ignore[method-assign]
        try:  # nobody else compiles meanwhile: Numba holds its lock
            self._optimize_functions(module)
            passes, builder = codegen._module_pass_manager(cost="cheap")
            passes.run(module, builder)
        finally:
            del codegen._pass_builder
        passes, builder = codegen._module_pass_manager()
        passes.run(module, builder)

    def _get_module_for_linking(self) -> Any:
        """An empty one: callers find the symbol in memory."""
        return llvm.parse_assembly("")

    def serialize_using_object_code(self) -> Any:
        """Return what is kept on disk: machine code, and the symbols in it."""
        symbols = [value.name for values in (self._final_module.functions,
            self._final_module.global_variables)
                   for value in values if not value.is_declaration]  # fmt: skip
        return self.name, self.reference, self._get_compiled_object(), symbols

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, reference, machine_code, symbols = state
        library = cls(codegen, name)
        library.reference = reference
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        return library


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


def is_visible(function: Any) -> bool:
    """Whether a function is defined here and can be called from outside."""
    return not function.is_declaration and function.linkage == llvm.Linkage.external


def refuse_circles(module: Any, name: str) -> None:
    """Refuse functions that call each other in a circle.

    For the function that closes a circle Numba leaves a variable, to be filled with the address of
    that function once it is in memory. A translated function never is: it is linked in.
    """
    if any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in module.global_variables):
        raise NotImplementedError(
            f"compiled functions below {name} call each other in a circle; only a function may "
            "call itself"
        )


# ---------------------------------------------------------------- the compiler


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


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslationAndLinking(NativeLowering):
    """Translates a function, links it with all below it and makes machine code."""

    _name = "dig_envs_translation_and_linking"

    def run_pass(self, state: Any) -> bool:
        """Numba calls this."""
        codegen, function = state.targetctx.codegen(), state.pipeline.function
        library = LinkedLibrary(codegen, state.func_id.func_qualname)
        state.library = library
        library.noalias = state.flags.noalias = function.noalias
        library.allocates = bool(state.flags.nrt)
        state.targetctx.mangler, is_first = symbol_maker(function, state.args, codegen._engine)
        super().run_pass(state)
        library.lasting = is_first and all(callee.lasting for callee in library.callees)
        library.reference = (function.identity, tuple(state.args), state["cr"].fndesc.mangled_name)
        for variable in library._final_module.global_variables:
            environment = (
                lookup_environment(variable.name) if variable.name.startswith(ENVIRONMENT) else None
            )
            if environment is not None:
                codegen.set_env(variable.name, environment)
        return True


def symbol_maker(
    function: "LinkedFunction", kinds: tuple[Any, ...], engine: Any
) -> tuple[Callable[..., str], bool]:
    """Return a replacement for ``BaseContext.mangler``, and whether its names are the same in every
    process.

    In this process the names are new: where another dispatcher of the same function has the usual
    ones already, a number makes others, and the second value is False.
    """
    folder = function.key.folder if function.key is not None else None  # tells sources apart
    name = f"{function.identity[1]}.{function.identity[2]}"
    for number in count():
        made_from = (function.identity, folder, [str(kind) for kind in kinds], number)
        digest = sha256(repr(made_from).encode()).hexdigest()[:24]
        if not engine.is_symbol_defined(itanium_mangler.mangle(name, (), uid=digest)):
            break

    def symbol(name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        return str(itanium_mangler.mangle(name, (), uid=digest))

    return symbol, number == 0


class Translator(CompilerBase):
    """Numba's compiler, but for the last step."""

    last_step: Any = Translation

    def define_pipelines(self) -> list[Any]:
        """Numba calls this."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.last_step if step is NativeLowering else step, text)
            for step, text in passes.passes
        ]
        passes.finalize()
        return [passes]


class Linker(Translator):
    """Numba's compiler, but for the last step and for symbols; ``function`` is what it compiles."""

    last_step = TranslationAndLinking

    def __init__(self, function: "LinkedFunction", *numba_arguments: Any) -> None:
        super().__init__(*numba_arguments)
        self.function = function


# ---------------------------------------------------------------- functions

# All linked functions, by name of the cache key, module and name: by these, machine code on disk
# names those that it calls.
LINKED: dict[tuple[str, ...], "LinkedFunction"] = {}


def canonical(given: Any) -> Any:
    """The type in which an argument is passed between compiled functions: one for all signed
    integers, so that none is compiled once for int8 and once for int64. (Numba computes with both
    in 64 bits.)"""
    kind: Any = types.unliteral(given)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind  # type: ignore[attr-defined]


class Function(CPUDispatcher):
    """A function that compiled functions call with canonical types."""

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


class TranslatedFunction(Function):
    """A function for other compiled functions. Where Python calls it, it is linked, and its machine
    code kept nowhere."""

    def __init__(self, function: Any) -> None:
        super().__init__(
            function, {}, {**OPTIONS, "_nrt": True, "no_cpython_wrapper": True}, Translator
        )
        self._linked: LinkedFunction | None = None

    def add_overload(self, result: Any) -> None:
        """Remember a compiled signature, for compiled callers only."""
        self.overloads[tuple(result.signature.args)] = result

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call it from Python."""
        if self._linked is None:
            self._linked = LinkedFunction(self.py_func)
        return self._linked(*args, **kws)


@contextmanager
def garbage_left() -> Iterator[None]:
    """Look for no garbage meanwhile: compiling makes so many objects that it costs a tenth of the
    time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class LinkedFunction(Function):
    """A function that is called from Python, or by many others.

    Args:
        function: the plain Python function.
        key: what its machine code is made from; None: that is not kept.
        allocates: whether it makes arrays, or what is linked into it does. If not, nobody counts
            references, which would be slow between threads. What makes some after all is compiled
            once more.
        noalias: whether no two of its arguments share memory. Then what is written to one leaves
            the others as they are, and loops are done with vectors.
    """

    def __init__(
        self,
        function: Any,
        key: CacheKey | None = None,
        allocates: bool = True,
        noalias: bool = False,
    ) -> None:
        self.key = key
        self.identity = (key.name if key else "", function.__module__, function.__qualname__)
        self.noalias = noalias
        make_compiler: Any = self._make_compiler
        super().__init__(function, {}, {**OPTIONS, "_nrt": allocates}, make_compiler)
        if key is not None:
            LINKED[self.identity] = self
            self._cache = LinkedSpecialisations(key, function)

    def compile(self, sig: Any) -> Any:
        """Compile or load a signature.

        A function that was said to make no arrays and cannot be compiled so is compiled as one that
        makes some. Errors of Numba come with a note on how to find the line.
        """
        with garbage_left():
            try:
                if not self.targetoptions["_nrt"]:
                    try:
                        return super().compile(sig)
                    except NumbaError:
                        self.targetoptions["_nrt"] = True
                        self._compiler._failed_cache.clear()  # type: ignore[attr-defined]
                return super().compile(sig)
            except NumbaError as error:
                if HOW_TO_FIND_IT not in getattr(error, "__notes__", ()):
                    error.add_note(HOW_TO_FIND_IT)
                raise

    def _make_compiler(self, *numba_arguments: Any) -> Linker:
        return Linker(self, *numba_arguments)


class LinkedSpecialisations(Specialisations):
    """Linked functions on disk, each with the symbols of those that it calls."""

    form = "linked"

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compile result, unless its symbols are not the usual ones, which the files of its
        callers refer to."""
        if result.library.lasting:
            super().save_overload(signature, result)

    def reduce(self, result: Any) -> Any:
        """Something to pickle, from a compile result."""
        return [callee.reference for callee in result.library.callees], super().reduce(result)

    def rebuild(self, context: Any, reduced: Any) -> Any:
        """A compile result, after those that it calls; None if these are not what they were."""
        callees, plain = reduced
        for identity, args, symbol in callees:
            callee = LINKED[identity]
            callee.compile(args)
            if callee.overloads[args].library.reference[2] != symbol:  # type: ignore[attr-defined]
                return None
        codegen = context.codegen()
        # the same function, compiled for another dispatcher
        if codegen._engine.is_symbol_defined(plain[1].mangled_name):
            return None
        codegen._library_class = LinkedLibrary
        try:  # nobody else makes libraries meanwhile: Numba holds its lock
            return super().rebuild(context, plain)
        finally:
            del codegen._library_class


def works() -> bool:
    """Whether a small function can be linked: a trial with a Numba that is not among those
    supported."""
    increased = TranslatedFunction(lambda x: x + 1)
    try:
        return bool(LinkedFunction(lambda x: increased(x))(1) == 2)
    except Exception:
        return False
