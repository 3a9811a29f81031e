"""A policy's network in compiled code, for one position at a time: what a search asks thousands of
times a second.

A network is a :class:`Program`: steps, done one after the other, which read and write numbers
(float32) in one memory. All networks have this type, so that the code here is compiled once. The
memory has the inputs, then constants, then what the steps write. The inputs are the observation
and, of a recurrent network, what it remembered before. A place is an index of the memory; matrices
are in it row by row. A step is a row of integers, named by the columns below:

- GATHER writes WIDTH numbers: those whose places are in the table, from entry RIGHT on.
- LAYER multiplies the matrix (ROWS, INPUTS) at place LEFT by weights (INPUTS, WIDTH), which begin
  at entry RIGHT of the weights.
- PRODUCT does the same, but its second matrix (INPUTS, WIDTH) is at place RIGHT of the memory.
- ADD and TIMES take the matrix (ROWS, WIDTH) at place LEFT.
- MAX writes the largest number of each column of the matrix (ROWS, WIDTH) at place LEFT.
- SIGMOID and TANH write these functions of WIDTH numbers at place LEFT.

All write to place OUT. LAYER, PRODUCT and ADD add WIDTH numbers to each row of what they write:
those at place START for the first row, at START + STRIDE for the second, and so on; STRIDE is 0 (a
bias) or WIDTH. TIMES multiplies by them. With RELU, negative results become 0.

Observations are mostly zeros, and so are the outputs of ReLU layers: the rows of weights whose
input is zero are skipped, which leaves a fraction of the work of a matrix product.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled, kernel

Array = np.ndarray[Any, Any]

# The kinds of steps, and the columns of ``Program.steps``.
GATHER, LAYER, PRODUCT, ADD, TIMES, MAX, SIGMOID, TANH = range(8)
KIND, ROWS, INPUTS, WIDTH, LEFT, RIGHT, START, STRIDE, OUT, RELU = range(10)
COLUMNS = 10


class Program(NamedTuple):
    """A network: steps, and then a scalar product for each action and for the value.

    The memory begins with the inputs and constants. ``weights`` float32: the constants, and
    what layers and heads read. ``steps`` int64 (n, COLUMNS). ``table`` int32: the places in memory
    that GATHER copies. ``heads`` int64 (actions + 1, 3), the value last: how many numbers are
    multiplied, where they begin in memory, and where their factors begin in ``weights``, with the
    bias behind them. ``sizes`` int64 (7,): of the inputs, the constants and the memory, how many
    steps the value needs, the most INPUTS of a step, how many numbers of a game the network
    remembers, the last of the inputs, and where in memory begins what it remembers afterwards.
    """

    weights: Array
    steps: Array
    table: Array
    heads: Array
    sizes: Array


class Scratch(NamedTuple):
    """Memory of one thread: ``memory`` float32 (sizes[2],), ``rows`` int64 (sizes[4],), ``logits``
    float32 (actions,)."""

    memory: Array
    rows: Array
    logits: Array


def program_of(
    weights: Array, steps: Array, table: Array, heads: Array, sizes: Iterable[int]
) -> Program:
    """A checked program, with the types that compiled code expects.

    Raises:
        ValueError: a step or a head would read or write outside of the memory or the weights.
    """
    program = Program(
        np.ascontiguousarray(weights, np.float32),
        np.ascontiguousarray(steps, np.int64).reshape(-1, COLUMNS),
        np.ascontiguousarray(table, np.int32),
        np.ascontiguousarray(heads, np.int64).reshape(-1, 3),
        np.array(list(sizes), np.int64),
    )
    check_program(program)
    return program


def check_program(program: Program) -> None:
    """Raise ValueError if a step or a head would read or write outside of the memory or the
    weights."""
    memory = int(program.sizes[2])
    fits = _sizes_fit(program) and bool(((program.table >= 0) & (program.table < memory)).all())
    fits = fits and all(_step_fits(program, step) for step in program.steps.tolist())
    fits = fits and all(
        count >= 0 and 0 <= place <= memory - count and 0 <= factors < len(program.weights) - count
        for count, place, factors in program.heads.tolist()
    )
    if not fits:
        raise ValueError("the program of a network reads or writes outside of its memory")


def _sizes_fit(program: Program) -> bool:
    """Whether the memory has room for what it begins with, and the scratch memory for the rows of
    each step."""
    inputs, constants, memory, for_value, most, remembered, after = program.sizes.tolist()
    return (
        min(constants, after) >= 0
        and 0 <= remembered <= inputs
        and inputs + constants <= memory
        and after + remembered <= memory
        and constants <= len(program.weights)
        and len(program.heads) > 0
        and 0 <= for_value <= len(program.steps)
        and int(program.steps[:, INPUTS].max(initial=0)) <= most
    )


def _step_fits(program: Program, step: Sequence[int]) -> bool:
    """Whether a step stays within the memory, the weights and the table."""
    kind, rows, inputs, width, left, right, start, stride, out, _ = step
    memory = int(program.sizes[2])
    if (
        not GATHER <= kind <= TANH
        or min(rows, width) < 1
        or min(inputs, left, right, start, out) < 0
        or stride not in (0, width)
    ):
        return False
    if kind == GATHER and right + width > len(program.table):
        return False
    if kind == LAYER and right + inputs * width > len(program.weights):
        return False
    return out + numbers_written(step) <= memory and all(
        end <= memory for _, end in memory_read(step)
    )


def memory_read(step: Sequence[int]) -> list[tuple[int, int]]:
    """The ranges of places that a step reads: (first, beyond the last), without those in the
    table."""
    kind, rows, inputs, width, left, right, start, stride, _, _ = step
    if kind == GATHER:
        return []
    ranges = [(left, left + rows * (inputs if kind in (LAYER, PRODUCT) else width))]
    if kind <= TIMES:
        ranges.append((start, start + stride * (rows - 1) + width))
    if kind == PRODUCT:
        ranges.append((right, right + inputs * width))
    return ranges


def numbers_written(step: Sequence[int]) -> int:
    """The number of numbers that a step writes."""
    return step[WIDTH] * (step[ROWS] if LAYER <= step[KIND] <= TIMES else 1)


NO_POLICY = Program(
    np.zeros(1, np.float32),
    np.zeros((0, COLUMNS), np.int64),
    np.zeros(0, np.int32),
    np.zeros((1, 3), np.int64),
    np.zeros(7, np.int64),
)


def new_scratch(program: Program) -> Scratch:
    """Memory for a network."""
    _, _, memory, _, most, _, _ = program.sizes.tolist()
    return Scratch(
        np.zeros(memory, np.float32),
        np.zeros(most, np.int64),
        np.zeros(len(program.heads) - 1, np.float32),
    )


@kernel("program")
def evaluate_rows(program, scratch, observations, masks, logits, values):
    """Logits of the legal actions, zero elsewhere, and values, of some decisions (n, …), one after
    the other."""
    for i in range(len(observations)):
        values[i] = judge(program, scratch, observations[i], masks[i])
        logits[i, :] = 0.0
        for action in range(len(scratch.logits)):
            if masks[i, action]:
                logits[i, action] = scratch.logits[action]


@compiled
def judge(program, scratch, observation, mask):
    """The value, and into ``scratch.logits`` the logits of the legal actions."""
    value = value_alone(program, scratch, observation)
    run(program, scratch, program.sizes[3], len(program.steps))
    for action in range(len(scratch.logits)):
        if mask[action]:
            scratch.logits[action] = read_head(program, scratch, action)
    return value


@compiled
def value_alone(program, scratch, observation):
    """The value of :func:`judge`."""
    size, constants = program.sizes[0], program.sizes[1]
    copy(observation[:size], scratch.memory[:size])
    copy(program.weights[:constants], scratch.memory[size : size + constants])
    run(program, scratch, 0, program.sizes[3])
    return read_head(program, scratch, len(program.heads) - 1)


@compiled
def copy(numbers, outputs):
    """``outputs[:] = numbers``, without what Numba compiles for the words of an error, which takes
    seconds."""
    for i in range(len(outputs)):
        outputs[i] = numbers[i]


@compiled
def read_head(program, scratch, head):
    """The logit of an action, or the value."""
    count, place, factors = program.heads[head, 0], program.heads[head, 1], program.heads[head, 2]
    product = dot(
        scratch.memory[place : place + count], program.weights[factors : factors + count], count
    )
    return program.weights[factors + count] + product


@compiled
def run(program, scratch, first, end):
    """Do the steps from ``first`` on, up to ``end``."""
    for k in range(first, end):
        kind = program.steps[k, KIND]
        if kind == GATHER:
            gather(program.steps[k], program.table, scratch.memory)
        elif kind == LAYER:
            multiply(program.steps[k], program.weights, scratch.memory, scratch.rows)
        elif kind == PRODUCT:
            multiply(program.steps[k], scratch.memory, scratch.memory, scratch.rows)
        elif kind <= TIMES:
            combine(program.steps[k], scratch.memory)
        elif kind == MAX:
            greatest_of_columns(program.steps[k], scratch.memory)
        else:
            squash(program.steps[k], scratch.memory)


@compiled
def gather(step, table, memory):
    """The step GATHER."""
    width = step[WIDTH]
    places, outputs = (
        table[step[RIGHT] : step[RIGHT] + width],
        memory[step[OUT] : step[OUT] + width],
    )
    for i in range(width):
        outputs[i] = memory[np.uint32(places[i])]


@compiled
def multiply(step, matrix, memory, rows):
    """The steps LAYER and PRODUCT."""
    inputs, width = step[INPUTS], step[WIDTH]
    left, start, out = step[LEFT], step[START], step[OUT]
    factors = matrix[step[RIGHT] : step[RIGHT] + inputs * width]
    for _ in range(step[ROWS]):
        outputs = memory[out : out + width]
        add_rows(
            memory[left : left + inputs], factors, memory[start : start + width], outputs, rows
        )
        if step[RELU]:
            clip(outputs)
        left, start, out = left + inputs, start + step[STRIDE], out + width


@compiled
def combine(step, memory):
    """The steps ADD and TIMES."""
    width = step[WIDTH]
    left, start, out = step[LEFT], step[START], step[OUT]
    for _ in range(step[ROWS]):
        outputs, one, other = (
            memory[out : out + width],
            memory[left : left + width],
            memory[start : start + width],
        )
        for j in range(width):
            outputs[j] = one[j] * other[j] if step[KIND] == TIMES else one[j] + other[j]
        if step[RELU]:
            clip(outputs)
        left, start, out = left + width, start + step[STRIDE], out + width


@compiled
def clip(outputs):
    """Set negative numbers to zero."""
    for j in range(len(outputs)):
        outputs[j] = outputs[j] if outputs[j] > 0.0 else np.float32(0.0)


@compiled
def greatest_of_columns(step, memory):
    """The step MAX."""
    width, left, out = step[WIDTH], step[LEFT], step[OUT]
    outputs = memory[out : out + width]
    copy(memory[left : left + width], outputs)
    for row in range(1, step[ROWS]):
        others = memory[left + row * width : left + (row + 1) * width]
        for j in range(width):
            outputs[j] = others[j] if others[j] > outputs[j] else outputs[j]


@compiled
def squash(step, memory):
    """The steps SIGMOID and TANH, which is ``2 * sigmoid(2 * x) - 1``; in float64, so that
    libraries of C differ in almost no result."""
    factor = np.float64(1 + step[KIND] - SIGMOID)
    left, out = step[LEFT], step[OUT]
    for i in range(step[WIDTH]):
        number = factor / (1.0 + np.exp(-factor * memory[left + i])) - (factor - 1.0)
        memory[out + i] = np.float32(number)


@compiled
def add_rows(inputs, weights, start, outputs, rows):
    """``outputs = start + inputs @ weights``; rows of weights whose input is 0 are not read, the
    others four at a time."""
    count, width = 0, len(outputs)
    for i in range(len(inputs)):
        rows[count] = i  # without a branch, which processors could not predict
        count += inputs[i] != 0.0
    copy(start, outputs)
    k = 0
    while k + 4 <= count:
        first, second, third, fourth = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        a, b, c, d = inputs[first], inputs[second], inputs[third], inputs[fourth]
        of_a, of_b = (
            weights[first * width : (first + 1) * width],
            weights[second * width : (second + 1) * width],
        )
        of_c, of_d = (
            weights[third * width : (third + 1) * width],
            weights[fourth * width : (fourth + 1) * width],
        )
        for j in range(width):
            outputs[j] += a * of_a[j] + b * of_b[j] + c * of_c[j] + d * of_d[j]
        k += 4
    while k < count:
        a, of_a = inputs[rows[k]], weights[rows[k] * width : (rows[k] + 1) * width]
        for j in range(width):
            outputs[j] += a * of_a[j]
        k += 1


@compiled
def dot(features, weights, count):
    """The scalar product of ``count`` numbers, in four sums, which processors add side by side."""
    a, b, c, d = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    k = 0
    while k + 4 <= count:
        a += features[k] * weights[k]
        b += features[k + 1] * weights[k + 1]
        c += features[k + 2] * weights[k + 2]
        d += features[k + 3] * weights[k + 3]
        k += 4
    while k < count:
        a += features[k] * weights[k]
        k += 1
    return (a + b) + (c + d)
