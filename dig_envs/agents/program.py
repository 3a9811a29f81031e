"""Policies read from their ONNX files for compiled code
(:mod:`dig_envs.engine.search.program`).

A number that a graph computes is represented by its place in memory, a tensor by an array of places
with the tensor's shape. So the operations that only move numbers (Slice, Reshape, Concat …) are
done here, once, on arrays of places. The others become steps (:mod:`dig_envs.agents.steps`).

onnxruntime stays the reference: a program must agree with it on a few decisions, or it is not used.
Graphs with operations that are not in :data:`VIEWS` and :data:`OPERATIONS` are left to onnxruntime.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dig_envs.agents.onnx_file import FLOAT32, Array, Node, read_graph
from dig_envs.agents.steps import Step, Steps
from dig_envs.engine.game import Game
from dig_envs.engine.search.program import (
    ADD,
    LAYER,
    MAX,
    PRODUCT,
    SIGMOID,
    TANH,
    TIMES,
    Program,
    evaluate_rows,
    new_scratch,
)

TRIALS = 8  # decisions on which compiled code and onnxruntime must agree …
# … to this share of the greatest logit or value; sums of float32 in another order differ by about
# 1e-6
TOLERANCE = 1e-3
SHARE_SEEN = 0.15  # of the numbers of a trial's observation are not zero

# what is raised where a graph has another form
UNREADABLE = (ValueError, KeyError, IndexError, TypeError, MemoryError)

Evaluate = Callable[[Array, Array, Array], tuple[Array, Array]]


def program_for(
    model: bytes, game: Game, evaluate: Evaluate, memory_size: int = 0
) -> Program | None:
    """The program of a policy, if it can be read and agrees with onnxruntime; None if that
    has to be asked.

    Args:
        model: the ONNX file.
        game: that the policy plays.
        evaluate: asks onnxruntime about observations, masks and memories, which it rewrites: logits
            (n, num_actions) and values (n,).
        memory_size: numbers that the policy remembers of a game.
    """
    size, actions = game.observation_size, len(game.actions)
    program = read_program(model, size, actions, memory_size)
    if program is None:
        return None
    rng = np.random.default_rng(0)
    seen = (rng.random((TRIALS, size)) * (rng.random((TRIALS, size)) < SHARE_SEEN)).astype(
        np.float32
    )
    masks = (rng.random((TRIALS, actions)) < 0.5).astype(np.int8)
    masks[:, 0] = 1
    memory = (2 * rng.random((TRIALS, memory_size)) - 1).astype(np.float32)
    after = memory.copy()
    found, expected = evaluate_program(program, seen, masks, after), evaluate(seen, masks, memory)
    legal = masks != 0
    pairs = ((found[0][legal], expected[0][legal]), (found[1], expected[1]), (after, memory))
    return program if all(_agree(*pair) for pair in pairs) else None


def _agree(found: Array, expected: Array) -> bool:
    greatest = float(np.abs(expected).max(initial=1.0))
    return bool(np.abs(found - expected).max(initial=0.0) <= TOLERANCE * greatest)


def evaluate_program(
    program: Program, observation: Array, action_mask: Array, memory: Array | None = None
) -> tuple[Array, Array]:
    """Logits float32 (n, num_actions), zero for illegal actions, and values float32 (n,),
    computed by compiled code; what a recurrent network remembers, zero by default, is
    rewritten."""
    logits = np.zeros((len(observation), len(program.heads) - 1), np.float32)
    values = np.zeros(len(observation), np.float32)
    scratch, (count, after) = new_scratch(program), program.sizes[-2:]
    memory = np.zeros((len(observation), count), np.float32) if memory is None else memory
    inputs = np.concatenate([observation, memory], axis=1)
    for k in range(len(inputs)):
        row = slice(k, k + 1)
        evaluate_rows(program, scratch, inputs[row], action_mask[row], logits[row], values[row])
        memory[k] = scratch.memory[after : after + count]
    return logits, values


def read_program(
    model: bytes, observation_size: int, num_actions: int, memory_size: int = 0
) -> Program | None:
    """The program of an ONNX model of this size; None if it has an unknown operation."""
    try:
        nodes, tensors = read_graph(model)
        reader = Reader(observation_size, num_actions, tensors, memory_size)
        for node in nodes:
            reader.read(node)
        return reader.program()
    except UNREADABLE:
        return None


def first_unknown(model: bytes, game: Game, memory_size: int = 0) -> str:
    """The first operation of an ONNX model that is not known here, such as ``Elu``, or else
    the first that has another form; empty if there is none."""
    nodes, tensors = read_graph(model)
    known = {"Split", *VIEWS, *OPERATIONS}
    for node in nodes:
        if node.kind not in known:
            return node.kind
    reader = Reader(game.observation_size, len(game.actions), tensors, memory_size)
    for node in nodes:
        try:
            reader.read(node)
        except UNREADABLE:
            return node.kind
    return ""


class Tensor(NamedTuple):
    """A tensor of the graph, with the batch's dimension of 1: the numbers of a constant, or places
    in memory."""

    array: Array
    is_constant: bool


BOOL = 9  # the type, as ONNX numbers it
NOWHERE = -1  # in the place of the mask, which only the last operations may read


class Reader:
    """Reads a graph node by node, in the order of the file.

    The methods in :data:`OPERATIONS` take the inputs and the attributes of a node, as ONNX defines
    them, and return its output. A node of another form raises ValueError, or TypeError if it has
    another number of inputs or other attributes.
    """

    def __init__(
        self,
        observation_size: int,
        num_actions: int,
        tensors: Mapping[str, Array],
        memory_size: int = 0,
    ) -> None:
        self._mask = Tensor(np.full((1, num_actions), NOWHERE), False)
        self._legal = Tensor(np.full((1, num_actions), NOWHERE), False)
        self._illegal = Tensor(np.full((1, num_actions), NOWHERE), False)
        self._tensors = {name: Tensor(array, True) for name, array in tensors.items()}
        inputs = np.arange(observation_size + memory_size)[None]
        self._tensors |= {
            "observation": Tensor(inputs[:, :observation_size], False),
            "action_mask": self._mask,
            "memory": Tensor(inputs[:, observation_size:], False),
        }
        self._tensors["next_memory"] = self._tensors["memory"]  # until a node gives another
        self._steps = Steps(inputs.size)
        # the factors of products with weights, by the places of these
        self._layers: dict[bytes, tuple[Tensor, Tensor]] = {}

    def read(self, node: Node) -> None:
        """Take in the next node."""
        given = [self._tensors[name] for name in node.inputs]
        attributes: dict[str, Any] = dict(node.attributes)
        if node.kind == "Split":
            data, *sizes = given
            parts = _split(data.array, len(node.outputs), *sizes, **attributes)
            for name, part in zip(node.outputs, parts, strict=True):
                self._tensors[name] = Tensor(part, data.is_constant)
            return
        (name,) = node.outputs
        if node.kind in VIEWS:
            data, *others = given
            if not all(other.is_constant for other in others):
                raise ValueError("the form of a tensor depends on what is seen")
            array = VIEWS[node.kind](data.array, *(other.array for other in others), **attributes)
            self._tensors[name] = Tensor(array, data.is_constant)
        else:
            self._tensors[name] = OPERATIONS[node.kind](self, *given, **attributes)

    # ------------------------------------------------------------ operations

    def concat(self, *given: Tensor, axis: int) -> Tensor:
        """The tensors joined along an axis."""
        return Tensor(np.concatenate([self._places(one) for one in given], axis), False)

    def gemm(
        self,
        data: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        *,
        transB: int,
        alpha: float = 1,
        beta: float = 1,
    ) -> Tensor:
        """``data @ weight.T + bias``."""
        if (transB, alpha, beta) != (1, 1, 1):
            raise ValueError("a Gemm of another form")
        product = self.matmul(data, Tensor(weight.array.T, weight.is_constant))
        return product if bias is None else self.add(product, bias)

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """The product of two matrices, which may have leading dimensions of size 1."""
        if left.is_constant and right.is_constant:
            return Tensor(left.array @ right.array, True)
        made_by = self._layers.get(right.array.tobytes())
        if made_by is not None and left.array.shape[-2] < left.array.shape[-1]:
            # left @ (features @ weights) is less work as (left @ features) @ weights
            features, weights = made_by
            return self.matmul(self.matmul(left, features), weights)
        return self._layer(left, right) if right.is_constant else self._product(left, right)

    def _layer(self, left: Tensor, weights: Tensor) -> Tensor:
        shape = _shape_of_product(left.array, weights.array)
        (rows, inputs), width = left.array.shape[-2:], shape[-1]
        step = Step(
            LAYER, width, rows, inputs, left=self._contiguous(left), start=self._zeros(width)
        )
        step.matrix = weights.array.reshape(inputs, width)
        result = self._computed(step, shape)
        self._layers[result.array.tobytes()] = (left, weights)
        return result

    def _product(self, left: Tensor, right: Tensor) -> Tensor:
        shape = _shape_of_product(left.array, right.array)
        (rows, inputs), width = left.array.shape[-2:], shape[-1]
        step = Step(
            PRODUCT, width, rows, inputs, left=self._contiguous(left), right=self._contiguous(right)
        )
        step.start = self._zeros(width)
        return self._computed(step, shape)

    def add(self, one: Tensor, other: Tensor) -> Tensor:
        """The sum of two tensors; one may be a row that is added to each row of the other."""
        if one.is_constant and other.is_constant:
            return Tensor(one.array + other.array, True)
        full, start = np.broadcast_arrays(self._places(one), self._places(other))
        if full.size not in (one.array.size, other.array.size) or full.ndim < 2:
            raise ValueError("an addition of another form")
        if not full.size:
            return Tensor(full, False)
        if one.array.size < other.array.size:
            full, start = start, full
        start = start.reshape(-1, start.shape[-1])
        rows, width = start.shape
        is_row = bool((start == start[0]).all())
        step = Step(
            ADD, width, rows, left=self._steps.contiguous(full), stride=0 if is_row else width
        )
        step.start = self._steps.contiguous(start[0] if is_row else start)
        return self._computed(step, full.shape)

    def relu(self, data: Tensor) -> Tensor:
        """The tensor with negative numbers replaced by zero."""
        width = data.array.shape[-1]
        step = Step(
            ADD,
            width,
            data.array.size // max(1, width),
            left=self._contiguous(data),
            start=self._zeros(width),
            relu=True,
        )
        return self._computed(step, data.array.shape)

    def subtract(self, one: Tensor, other: Tensor) -> Tensor:
        """The difference of two tensors."""
        return self.add(one, self.multiply(other, Tensor(np.full(1, -1, np.float32), True)))

    def multiply(self, one: Tensor, other: Tensor) -> Tensor:
        """The product of two tensors, number by number."""
        if one.is_constant and other.is_constant:
            return Tensor(one.array * other.array, True)
        left, start = np.broadcast_arrays(self._places(one), self._places(other))
        step = Step(TIMES, left.size, left=self._steps.contiguous(left))
        step.start = self._steps.contiguous(start)
        return self._computed(step, left.shape)

    def shape(self, data: Tensor) -> Tensor:
        """The shape of a tensor, with a batch of 1."""
        return Tensor(np.array(data.array.shape), True)

    def divide(self, one: Tensor, other: Tensor) -> Tensor:
        """A quotient of sizes, such as the width of a part."""
        pair = (one, other)
        if not all(given.is_constant and given.array.dtype == np.int64 for given in pair) or not (
            one.array.min() >= 0 < other.array.min()
        ):
            raise ValueError("not a quotient of sizes")
        return Tensor(one.array // other.array, True)

    def sigmoid(self, data: Tensor, kind: int = SIGMOID) -> Tensor:
        """A function of each number."""
        step = Step(kind, data.array.size, left=self._contiguous(data))
        return self._computed(step, data.array.shape)

    def tanh(self, data: Tensor) -> Tensor:
        """The hyperbolic tangent of each number."""
        return self.sigmoid(data, TANH)

    def sum(self, data: Tensor, axes: Tensor, *, keepdims: int) -> Tensor:
        """The sum of the rows of a matrix."""
        if not axes.is_constant:
            raise ValueError("not reduced over the rows of a matrix")
        rows = self._rows(data, axes.array.tolist())
        ones = Tensor(np.ones((1, len(rows)), np.float32), True)
        return _without_rows(self.matmul(ones, Tensor(rows, False)), data, keepdims)

    def mean(self, data: Tensor, *, axes: Sequence[int], keepdims: int) -> Tensor:
        """The mean of the rows of a matrix."""
        rows = self._rows(data, axes)
        share = Tensor(np.full((1, len(rows)), 1 / len(rows), np.float32), True)
        return _without_rows(self.matmul(share, Tensor(rows, False)), data, keepdims)

    def maximum(self, data: Tensor, *, axes: Sequence[int], keepdims: int) -> Tensor:
        """The largest number of each column of a matrix."""
        rows = self._rows(data, axes)
        step = Step(MAX, rows.shape[1], rows.shape[0], left=self._steps.contiguous(rows))
        return _without_rows(self._computed(step, (1, rows.shape[1])), data, keepdims)

    def _rows(self, data: Tensor, axes: Sequence[int]) -> Array:
        """The places of the matrix whose rows are reduced to one."""
        places = self._places(data)
        if (
            tuple(axes) != (places.ndim - 2,)
            or places.size != places.shape[-2] * places.shape[-1]
            or not places.size
        ):
            raise ValueError("not reduced over the rows of a matrix")
        return places.reshape(places.shape[-2:])

    def identity(self, data: Tensor) -> Tensor:
        """A tensor as it is."""
        return data

    def cast(self, data: Tensor, *, to: int) -> Tensor:
        """A tensor of floats as it is, and of the mask which actions are legal."""
        is_bool = data is self._legal or data is self._illegal
        if to == BOOL and data is self._mask:
            return self._legal
        if to != (BOOL if is_bool else FLOAT32):
            raise ValueError("a Cast of another form")
        return data

    def greater(self, mask: Tensor, least: Tensor) -> Tensor:
        """The action mask as a condition; nothing is computed."""
        if mask is not self._mask or not _is_number(least) or not 0 <= least.array.item() < 1:
            raise ValueError("not the legal actions")
        return self._legal

    def equal(self, mask: Tensor, number: Tensor) -> Tensor:
        """Which actions are illegal, where the mask is 0, or legal, where it is 1."""
        if mask is not self._mask or not _is_number(number) or number.array.item() not in (0, 1):
            raise ValueError("not the legal actions")
        return self._legal if number.array.item() else self._illegal

    def invert(self, given: Tensor) -> Tensor:
        """The illegal actions for the legal ones, and the other way round."""
        if given is not self._legal and given is not self._illegal:
            raise ValueError("not the legal actions")
        return self._illegal if given is self._legal else self._legal

    def where(self, given: Tensor, then: Tensor, otherwise: Tensor) -> Tensor:
        """The logits; compiled code reads those of legal actions only."""
        if given is self._illegal:
            then, otherwise = otherwise, then
        elif given is not self._legal:
            raise ValueError("not the legal actions")
        if not _is_number(otherwise):
            raise ValueError("not the logits of legal actions")
        return then

    # ------------------------------------------------------------ places

    def _zeros(self, count: int) -> int:
        return self._steps.constant(np.zeros(count, np.float32))

    def _contiguous(self, tensor: Tensor) -> int:
        """The place where the numbers of a tensor begin, one behind the other."""
        return self._steps.contiguous(self._places(tensor))

    def _computed(self, step: Step, shape: tuple[int, ...]) -> Tensor:
        """Add a step; return what it writes."""
        first = self._steps.add(step)
        return Tensor(first + np.arange(step.written).reshape(shape), False)

    def _places(self, tensor: Tensor) -> Array:
        if not tensor.is_constant:
            return tensor.array
        return self._steps.constant(tensor.array) + np.arange(tensor.array.size).reshape(
            tensor.array.shape
        )

    def program(self) -> Program:
        """The finished program, after the last node."""
        logits, value = self._places(self._tensors["logits"]), self._places(self._tensors["value"])
        before, after = self._tensors["memory"], self._places(self._tensors["next_memory"])
        if (
            logits.shape != self._mask.array.shape
            or value.shape != (1,)
            or after.shape != before.array.shape
        ):
            raise ValueError("logits, value or memory of another form")
        return self._steps.program(logits[0], int(value[0]), after[0])


def _is_number(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.array.size == 1


def _shape_of_product(left: Array, right: Array) -> tuple[int, ...]:
    """The shape of the product of two matrices; other dimensions must be 1."""
    (rows, inputs), (same, width) = left.shape[-2:], right.shape[-2:]
    if same != inputs or left.size != rows * inputs or right.size != inputs * width:
        raise ValueError("not a product of two matrices")
    return (*max(left.shape[:-2], right.shape[:-2], key=len), rows, width)


def _without_rows(reduced: Tensor, data: Tensor, keepdims: int) -> Tensor:
    """A row (1, width) in the shape of ``data`` once its rows are reduced to one."""
    lead, width = data.array.shape[:-2], data.array.shape[-1:]
    return Tensor(reduced.array.reshape((*lead, 1, *width) if keepdims else (*lead, *width)), False)


def _split(
    data: Array, count: int, sizes: Tensor | None = None, *, axis: int = 0
) -> Sequence[Array]:
    """The parts of these sizes, as ONNX's Split takes them; None: of equal ones."""
    if sizes is None:
        return np.split(data, count, axis)
    if not sizes.is_constant or sizes.array.min() < 0 or sizes.array.sum() != data.shape[axis]:
        raise ValueError("a Split of another form")
    return np.split(data, np.cumsum(sizes.array)[:-1], axis)


def _slice(
    data: Array, starts: Array, ends: Array, axes: Array, steps: Array | None = None
) -> Array:
    """What ONNX's Slice takes."""
    found = [slice(None)] * data.ndim
    strides = np.ones_like(axes) if steps is None else steps
    for start, end, axis, step in zip(
        starts.tolist(), ends.tolist(), axes.tolist(), strides.tolist(), strict=True
    ):
        found[axis] = slice(start, end, step)
    return data[tuple(found)]


def _reshape(data: Array, shape: Array, *, allowzero: int = 0) -> Array:
    """The data in another shape, in which a zero stands for the size that there was, unless
    zeros are allowed."""
    return data.reshape(
        [data.shape[k] if size == 0 and not allowzero else size for k, size in enumerate(shape)]
    )


VIEWS: Mapping[str, Callable[..., Array]] = {
    "Flatten": lambda data, *, axis=1: data.reshape((math.prod(data.shape[:axis]), -1)),
    "Gather": lambda data, indices, *, axis=0: np.take(data, indices, axis),
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": lambda data, axes: np.squeeze(data, tuple(axes.tolist())),
    "Transpose": lambda data, *, perm: np.transpose(data, perm),
    "Unsqueeze": lambda data, axes: np.expand_dims(data, tuple(axes.tolist())),
}
OPERATIONS: Mapping[str, Callable[..., Tensor]] = {
    "Add": Reader.add,
    "Cast": Reader.cast,
    "Concat": Reader.concat,
    "Div": Reader.divide,
    "Equal": Reader.equal,
    "Gemm": Reader.gemm,
    "Greater": Reader.greater,
    "Identity": Reader.identity,
    "MatMul": Reader.matmul,
    "Mul": Reader.multiply,
    "Not": Reader.invert,
    "ReduceMax": Reader.maximum,
    "ReduceMean": Reader.mean,
    "ReduceSum": Reader.sum,
    "Relu": Reader.relu,
    "Shape": Reader.shape,
    "Sigmoid": Reader.sigmoid,
    "Sub": Reader.subtract,
    "Tanh": Reader.tanh,
    "Where": Reader.where,
}
