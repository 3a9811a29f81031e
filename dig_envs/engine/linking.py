"""How compiled functions are put together: each is optimised once, where it is needed.

Numba by itself makes a library of every compiled function: it links everything below into it, optimises all that again and emits
machine code, although nearly all functions are only ever called by other compiled ones. Here there are two kinds.

A *part* is typed and translated, and no more. A *whole* is a function that is called from Python, or by many wholes: all the parts
below it are linked into one module, which is optimised and turned into machine code once. Wholes do not contain each other:
they call each other by symbols. These must be the same in every process, because machine code on disk refers to them; so they are
named after the function, its types and its sources. A whole that is loaded from the disk first loads those that it calls.

All of this goes through extension points of Numba and a few of its internals; ``jit.py`` does without if they are not what
is expected here (:func:`works_here`).
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import itanium_mangler, types
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodegen, CPUCodeLibrary, JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from dig_envs.engine.cache import FileCache, Owner

TRIED = ((0, 61), (0, 68))  # the oldest and the newest Numba with which this is known to work
ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of the variables begin that point to Python objects that a function needs
HOW_TO_FIND_IT = "To find the line, run the same as plain Python, with the environment variable NUMBA_DISABLE_JIT=1."
LOOPS_CAN_STAY = hasattr(llvm, "create_pass_builder") and hasattr(CPUCodegen, "_pass_builder")  # else with fewer vectors
ALLOCATION = "NRT_MemInfo_alloc"  # how the names of Numba's functions begin that a function needs which makes arrays
OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "boundscheck": None, "_nrt": True}


# ---------------------------------------------------------------- libraries


class Part(JITCodeLibrary):
    """The translation of one function, as it came out of Numba."""

    def add_llvm_module(self, module: Any) -> None:
        """Take a module in, without optimising it."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Nothing is made of a part alone."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """For functions that Numba compiles in its own way: this one with all below it."""
        if self._shared_module is None:
            module = self._final_module.clone()
            link_parts(module, everything_below(self))
            for function in module.functions:
                if is_visible(function):
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class MakesArrays(NumbaError):
    """A function that was said to make no arrays makes some, or a part of it does."""


class Whole(Part):
    """A function with all the parts below it, optimised and in machine code.

    Attributes: ``symbol`` of the function; ``key`` and ``types`` say which it is (:data:`WHOLES`); ``needs``: the wholes it calls;
    ``apart``: whether no two of its arguments share memory; ``allocates``: whether it may make arrays.
    """

    apart = False
    allocates = True

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.symbol = ""
        self.key: tuple[str, ...] = ()
        self.types: tuple[Any, ...] = ()
        self.needs: list[Whole] = []
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link, optimise, make machine code."""
        self._raise_if_finalized()
        self._codegen._check_llvm_bugs()
        module = self._final_module
        own = {function.name for function in module.functions if is_visible(function)}
        below = everything_below(self)
        self.needs = [library for library in below if isinstance(library, Whole)]
        link_parts(module, below)
        refuse_circles(module, self.name)
        if not self.allocates and any(function.name.startswith(ALLOCATION) for function in module.functions):
            raise MakesArrays(f"{self.name} makes arrays")
        for function in module.functions:
            if is_visible(function) and function.name not in own:
                function.linkage = "internal"
        if self.apart and LOOPS_CAN_STAY:
            self._optimize_with_vectors(module)
        else:
            self._optimize_functions(module)
            self._optimize_final_module()
        module.verify()
        self._finalize_final_module()

    def _optimize_with_vectors(self, module: Any) -> None:
        """First with the loops as they are, and then in full: of a short loop that is unrolled, vectors can no longer be made."""
        with loops_stay(self._codegen):
            self._optimize_functions(module)
            passes, builder = self._codegen._module_pass_manager(cost="cheap")
            passes.run(module, builder)
        passes, builder = self._codegen._module_pass_manager()
        passes.run(module, builder)

    def _get_module_for_linking(self) -> Any:
        """Nothing: callers find the symbol in memory."""
        return llvm.parse_assembly("")

    def serialize_using_object_code(self) -> Any:
        """What is kept on disk: machine code, and the symbols in it."""
        symbols = [value.name for values in (self._final_module.functions, self._final_module.global_variables)
                   for value in values if not value.is_declaration]  # fmt: skip
        return (self.name, self.key, self.types, self.symbol), "object", (self._get_compiled_object(), symbols)

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        (name, key, types, symbol), _, (machine_code, symbols) = state
        library = cls(codegen, name)
        library.key, library.types, library.symbol = key, types, symbol
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        return library


@contextmanager
def loops_stay(codegen: Any) -> Iterator[None]:
    """LLVM leaves loops as they are (nobody else compiles: Numba holds its lock)."""
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization, options.loop_unrolling = True, False
    codegen._pass_builder = lambda **settings: llvm.create_pass_builder(codegen._tm, options)
    try:
        yield
    finally:
        del codegen._pass_builder


def everything_below(library: Any) -> list[Any]:
    """The libraries that a library calls, and what the parts among them call; wholes and Numba's own stand for themselves."""
    found: dict[int, Any] = {}
    left = list(reversed(library._linking_libraries))
    while left:
        other = left.pop()
        if id(other) not in found:
            found[id(other)] = other
            if type(other) is Part:
                left.extend(reversed(other._linking_libraries))
    return list(found.values())


def link_parts(module: Any, libraries: list[Any]) -> None:
    """Copy all but wholes into a module."""
    for library in libraries:
        if type(library) is Part:
            module.link_in(library._final_module, preserve=True)
        elif not isinstance(library, Whole):
            module.link_in(library._get_module_for_linking(), preserve=True)
    for variable in module.global_variables:
        if variable.name.startswith(ENVIRONMENT) and not variable.is_declaration:
            variable.linkage = "linkonce_odr"  # goes away if it is not used; hardly any is


def is_visible(function: Any) -> bool:
    """Whether a function is defined here and can be called from outside."""
    return not function.is_declaration and function.linkage == llvm.Linkage.external


def refuse_circles(module: Any, name: str) -> None:
    """Functions that call each other in a circle would be looked for by symbols that parts do not have."""
    for variable in module.global_variables:
        if variable.name.startswith(RuntimeLinker.PREFIX):
            raise NotImplementedError(
                f"compiled functions below {name} call each other in a circle; only a function may call itself"
            )


# ---------------------------------------------------------------- the compiler


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Translates a function and leaves it at that."""

    _name = "dig_envs_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Numba calls this."""
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # There is nothing that Python could call, and Numba finds functions by what Python calls: the library stands for it.
        state.targetctx.insert_user_function(state.library, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=state.library)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class WholeLowering(NativeLowering):
    """Translates a function, links it with all below it and makes machine code."""

    _name = "dig_envs_whole_lowering"

    def run_pass(self, state: Any) -> bool:
        """Numba calls this."""
        codegen = state.targetctx.codegen()
        library = Whole(codegen, state.func_id.func_qualname)
        state.library = library
        library.key, library.types = state.pipeline.key, tuple(state.args)
        library.apart = state.flags.noalias = state.pipeline.apart
        library.allocates = bool(state.flags.nrt)
        state.targetctx.mangler = state.pipeline.symbol_maker(codegen._engine)
        super().run_pass(state)
        library.symbol = state["cr"].fndesc.mangled_name
        for variable in library._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith(ENVIRONMENT) else None
            if environment is not None:
                codegen.set_env(variable.name, environment)
        return True


class PartCompiler(CompilerBase):
    """Numba's compiler, but for the last step."""

    lowering: Any = PartLowering

    def define_pipelines(self) -> list[Any]:
        """Numba calls this."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if step is NativeLowering else step, text) for step, text in passes.passes]
        passes.finalize()
        return [passes]


class WholeCompiler(PartCompiler):
    """Numba's compiler, but for the last step and for symbols.

    Args:
        key: which function it is (:data:`WHOLES`).
        folder: of its machine code, which tells sources apart; None if nothing is kept.
        apart: whether no two of its arguments share memory.
    """

    lowering = WholeLowering

    def __init__(self, key: tuple[str, ...], folder: str | None, apart: bool, *numba_arguments: Any) -> None:
        super().__init__(*numba_arguments)
        self.key = key
        self.folder = folder
        self.apart = apart

    def symbol_maker(self, engine: Any) -> Callable[..., str]:
        """What takes the place of ``BaseContext.mangler``: its names are the same in every process and new in this one."""
        name = f"{self.key[1]}.{self.key[2]}"
        for number in count():
            key = (self.key, self.folder, [str(kind) for kind in self.state.args], number)
            digest = sha256(repr(key).encode()).hexdigest()[:24]
            if not engine.is_symbol_defined(itanium_mangler.mangle(name, (), uid=digest)):
                break

        def symbol(name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
            return str(itanium_mangler.mangle(name, (), uid=digest))

        return symbol


# ---------------------------------------------------------------- functions

# All wholes, by owner, module and name: by these, machine code on disk names those that it calls.
WHOLES: dict[tuple[str, ...], "WholeDispatcher"] = {}


def canonical(given: Any) -> Any:
    """The type in which an argument is passed between compiled functions: one for all signed integers, so that none is
    compiled once for int8 and once for int64. (Numba computes with both in 64 bits.)"""
    kind: Any = types.unliteral(given)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind  # type: ignore[attr-defined]


class CanonicalDispatcher(CPUDispatcher):
    """What other compiled functions call with canonical types."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba asks which signature a call has."""
        return super().get_call_template(tuple(map(canonical, args)), {name: canonical(kind) for name, kind in kws.items()})


class PartDispatcher(CanonicalDispatcher):
    """A function for other compiled functions. Where Python calls it, it is compiled as a whole, which is kept nowhere."""

    def __init__(self, function: Any, locals: Any = None, options: Any = None) -> None:
        super().__init__(function, locals or {}, options or {**OPTIONS, "no_cpython_wrapper": True}, PartCompiler)
        self._alone: WholeDispatcher | None = None

    def add_overload(self, result: Any) -> None:
        """Remember a compiled signature, for compiled callers only."""
        self.overloads[tuple(result.signature.args)] = result

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call it from Python."""
        if self._alone is None:
            self._alone = WholeDispatcher(self.py_func)
        return self._alone(*args, **kws)


class WholeDispatcher(CanonicalDispatcher):
    """A function that is called from Python, or by many wholes.

    Args:
        function: the plain Python function.
        owner: what it belongs to; None: its machine code is not kept.
        allocates: whether it or a part of it makes arrays. If not, nobody counts references, which would be slow between threads.
            What makes some after all is compiled once more.
        apart: whether no two of its arguments share memory. Then what is written to one leaves the others as they are, and loops
            are done with vectors.
    """

    def __init__(
        self,
        function: Any,
        locals: Any = None,
        options: Any = None,
        owner: Owner | None = None,
        allocates: bool = True,
        apart: bool = False,
    ) -> None:
        self.key = (owner.name if owner else "", function.__module__, function.__qualname__)
        make_compiler: Any = self._make_compiler
        super().__init__(function, locals or {}, (options or OPTIONS) | {"_nrt": allocates}, make_compiler)
        self.owner = owner
        self.apart = apart
        if owner is not None:
            WHOLES[self.key] = self
            self._cache = FileCache(owner, function, reduce, rebuild, "whole")

    def compile(self, sig: Any) -> Any:
        """Compile or load a signature. (Compiling makes so many objects that looking for garbage costs a tenth of the time.)

        Errors of Numba come with a note on how to find the line.
        """
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile(sig)
        except NumbaError as error:
            if not self.targetoptions["_nrt"]:  # perhaps it makes arrays
                self.targetoptions["_nrt"] = True
                self._compiler._failed_cache.clear()  # type: ignore[attr-defined]
                return self.compile(sig)
            if HOW_TO_FIND_IT not in getattr(error, "__notes__", ()):
                error.add_note(HOW_TO_FIND_IT)
            raise
        finally:
            if collecting:
                gc.enable()

    def _make_compiler(self, *numba_arguments: Any) -> WholeCompiler:
        folder = self.owner.folder if self.owner is not None else None
        return WholeCompiler(self.key, folder, self.apart, *numba_arguments)


def reduce(result: Any) -> Any:
    """What is kept of a compiled whole."""
    return [(library.key, library.types, library.symbol) for library in result.library.needs], result._reduce()


def rebuild(context: Any, reduced: Any) -> Any:
    """A compiled whole from what was kept, after those that it calls; None if these are not what they were."""
    needs, plain = reduced
    for key, args, symbol in needs:
        WHOLES[key].compile(args)
        if WHOLES[key].overloads[args].library.symbol != symbol:  # type: ignore[attr-defined]
            return None
    codegen = context.codegen()
    if codegen._engine.is_symbol_defined(plain[1].mangled_name):  # the same function, compiled for another dispatcher
        return None
    with libraries_become(Whole, codegen):
        return CompileResult._rebuild(context, *plain)


@contextmanager
def libraries_become(kind: type, codegen: Any) -> Iterator[None]:
    """Libraries that Numba makes anew are of that kind (nobody else makes any: Numba holds its lock)."""
    codegen._library_class = kind
    try:
        yield
    finally:
        del codegen._library_class


# ---------------------------------------------------------------- whether all this can be done


def works_here() -> bool:
    """Whether Numba's internals are what is expected; with a Numba that is newer than those tried, by trying."""
    version = tuple(int(number) for number in numba.__version__.split(".")[:2])
    oldest, newest = TRIED
    if version < oldest:
        return False
    expected = (
        (
            CPUCodeLibrary,
            ("_optimize_functions", "_optimize_final_module", "_finalize_final_module", "serialize_using_object_code"),
        ),
        (CompileResult, ("_reduce", "_rebuild")),
        (BaseContext, ("mangler", "insert_user_function")),
        (Flags, ("no_compile",)),
    )
    if any(not hasattr(kind, name) for kind, names in expected for name in names):
        return False
    return version <= newest or _try_it()


def _try_it() -> bool:
    """Compile something small."""
    part = PartDispatcher(lambda x: x + 1)
    try:
        return bool(WholeDispatcher(_calls(part))(1) == 2)
    except Exception:
        return False


def _calls(function: Any) -> Any:
    def calls(x):  # type: ignore[no-untyped-def]
        return function(x)

    return calls
