"""Compiled functions for devices where no memory can be allocated: what NumPy would allocate lies
on the stack of the function that asks for it, as it is gone when that returns.

The source of such a function is changed before Numba sees it: a call such as
``np.zeros(NUM_TYPES, np.int64)``, whose shape and type are constants, becomes one of
:func:`_allocator`. Functions that do not allocate stay as they are, and so do those that return
such an array, whole or in part, under whatever name: there is none on the device, so that Numba
refuses whoever calls them there. What a called function returns is not looked into: it is not to be
a part of what it was given. What is allocated in a loop lies in the same place in each round, zero
again: nothing may keep it for a later one.

Functions of scripted players are not put into their callers, as they call each other from so many
places that it would take the compiler minutes.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from dig_envs.engine.core import state

instruction: Any = intrinsic
ALIGNMENT = 16  # bytes
APART = "heuristic"  # in the names of modules of scripted players
ALLOCATING = {"zeros", "empty", "full", "scratch_records", "zero_records"}
KEPT = "_on_stack"  # the names of what is put into the function begin so
# what allocates -> the place of its dtype among the arguments; the first one is the shape
ALLOCATE = {np.zeros: 1, np.empty: 1, np.full: 2}
RECORDS = tuple(
    getattr(made, "py_func", made) for made in (state.scratch_records, state.zero_records)
)


def on_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with its arrays on the stack."""
    is_player = APART in function.__module__.split(".")
    if not is_player and not ALLOCATING & set(function.__code__.co_names):
        return function
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    definition: Any = tree.body[0]
    definition.decorator_list = []
    inside = inspect.getclosurevars(function).nonlocals
    change = _Change(function, inside)
    change.visit(definition)
    if is_player:
        change.put_apart(definition)
    if not change.put_in or returns_one(definition, change.put_in):
        return function
    given = {**inside, **change.put_in}
    # arguments of a function around it, as the function's own globals are to stay its globals
    around: Any = ast.parse(f"def around({', '.join(given)}):\n return {definition.name}").body[0]
    around.body.insert(0, definition)
    made: dict[str, Any] = {}
    module = ast.fix_missing_locations(ast.Module([around], []))
    exec(compile(module, function.__code__.co_filename, "exec"), function.__globals__, made)
    changed: Callable[..., Any] = made["around"](**given)
    changed.__qualname__ = function.__qualname__
    return changed


def returns_one(definition: ast.FunctionDef, made: Collection[str]) -> bool:
    """Whether a function returns memory that comes from these names."""
    inside: list[Any] = list(ast.walk(definition))
    pairs: list[Any] = [(node.target, node.iter) for node in inside if isinstance(node, ast.For)]
    for node in inside:
        if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            pairs.append((node.target, node.value))
        elif isinstance(node, ast.Assign):
            pairs += [(target, node.value) for target in node.targets]
    own, before = set(made), 0
    while len(own) > before:
        before = len(own)
        for target, value in pairs:
            if own & _shared(value):
                own |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    return any(own & _shared(node.value) for node in inside if isinstance(node, ast.Return))


def _shared(value: Any) -> set[str]:
    """The names of what an expression may be a part of."""
    if isinstance(value, ast.Name):
        return {value.id}
    parts: list[Any] = []
    if isinstance(value, (ast.Subscript, ast.Attribute, ast.Starred, ast.NamedExpr)):
        parts = [value.value]
    elif isinstance(value, ast.Call):
        parts = [value.func]
    elif isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    elif isinstance(value, ast.BoolOp):
        parts = value.values
    elif isinstance(value, (ast.Tuple, ast.List)):
        parts = value.elts
    return {name for part in parts for name in _shared(part)}


class _Change(ast.NodeTransformer):
    """Changes the calls in a function; ``put_in`` has what it then needs, by name."""

    def __init__(self, function: Callable[..., Any], inside: Mapping[str, Any]) -> None:
        self.put_in: dict[str, Any] = {}
        self._known = {**function.__globals__, **inside}
        self._locals = set(function.__code__.co_varnames + function.__code__.co_cellvars)

    def put_apart(self, definition: ast.FunctionDef) -> None:
        """Keep a function from being put into its callers."""
        call = self._put(_apart, [], definition)
        definition.body.insert(0, ast.copy_location(ast.Expr(call), definition.body[0]))

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        made = self._constant(node.func)
        made = getattr(made, "py_func", made)
        if (made not in ALLOCATE and made not in RECORDS) or node.keywords:
            return node
        place = ALLOCATE.get(made, 1)
        if made is np.full and len(node.args) <= place:
            return node  # the value tells the type
        kind = self._constant(node.args[place]) if len(node.args) > place else np.float64
        shape = self._constant(node.args[0])
        if shape is None or kind is None:  # a device has no such function, if it is called there
            return node
        shape = tuple(shape) if isinstance(shape, tuple) else (shape,)
        allocated = self._put(_allocator(shape, np.dtype(kind)), [], node)
        return self._put(_filled, [allocated, node.args[1]], node) if made is np.full else allocated

    def _constant(self, node: ast.expr) -> Any:
        """The value of an expression that is the same in every call; None for others."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if names & self._locals or any(isinstance(one, ast.Call) for one in ast.walk(node)):
            return None
        try:
            return eval(ast.unparse(node), self._known)
        except (NameError, AttributeError):
            return None

    def _put(self, value: Any, arguments: list[Any], node: ast.AST) -> ast.Call:
        name = f"{KEPT}_{len(self.put_in)}"
        self.put_in[name] = value
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.copy_location(call, node)


@instruction
def _apart(typing_context):  # type: ignore[no-untyped-def]
    """Nothing but a mark on the function that calls it."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), generate


def _allocator(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """What makes an array of zeros on the stack of its caller."""

    @instruction
    def allocate(typing_context):  # type: ignore[no-untyped-def]
        array = types.Array(numba.from_dtype(dtype), len(shape), "C")
        return array(), lambda context, builder, signature, _: _make(context, builder, array, shape)

    return allocate


def _make(context: Any, builder: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    size = item * int(np.prod(shape))
    memory = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), size))
    memory.align = ALIGNMENT
    number = context.get_constant
    cgutils.memset(builder, memory, number(types.intp, size), 0)
    strides = [item * int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    array = context.make_array(kind)(context, builder)
    context.populate_array(
        array,
        data=builder.bitcast(memory, array.data.type),
        shape=[number(types.intp, length) for length in shape],
        strides=[number(types.intp, stride) for stride in strides],
        itemsize=number(types.intp, item),
        meminfo=None,
    )
    return array._getvalue()


@numba.njit
def _filled(array, value):  # type: ignore[no-untyped-def]
    array[:] = value
    return array
