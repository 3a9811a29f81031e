"""A policy's plain dense network in compiled code, for one position at a time: what a search asks thousands of times a second.

Observations are mostly zeros, and so are the outputs of ReLU layers: the rows of zeros are skipped, which leaves a fraction of the
work of a matrix product. The weights are in one array, so that networks of any depth have the same type and are compiled once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled, kernel

Array = np.ndarray[Any, Any]


class Dense(NamedTuple):
    """A network: hidden layers (ReLU), then a linear head with a row for each action and one for the value.

    ``weights`` float32, of all layers one after the other: each a row of ``outputs`` numbers for each input, then the bias; of the
    heads a row for each action, the actions' biases, the value's row, its bias. ``layers`` int64 (depth, 2): inputs and outputs of
    the hidden layers. ``window`` int32 (cells, extra): for each cell of the position that the observation has from ``position``
    on, which of its numbers the first layer sees once more behind it, -1 for zero; (0, 0) without such a stage. ``sizes`` int64
    (4,): of the observation, of the features that the heads see, of the actions, and ``position``.
    """

    weights: Array
    layers: Array
    window: Array
    sizes: Array


class Scratch(NamedTuple):
    """Memory of one thread: ``features`` float32 (2, widest layer), ``rows`` int64 (widest,), ``logits`` float32 (actions,)."""

    features: Array
    rows: Array
    logits: Array


NO_WINDOW = np.zeros((0, 0), np.int32)
NO_POLICY = Dense(np.zeros(1, np.float32), np.zeros((0, 2), np.int64), NO_WINDOW, np.zeros(4, np.int64))


def new_dense(
    layers: Sequence[tuple[Array, Array]],
    policy: tuple[Array, Array],
    value: tuple[Array, Array],
    window: Array = NO_WINDOW,
    position: int = 0,
) -> Dense:
    """A network from weights (outputs, inputs) and biases (outputs,), ``value`` with one output; the window: :class:`Dense`."""
    parts = [part for weight, bias in layers for part in (weight.T, bias)] + [*policy, *value]
    shapes = [weight.shape[::-1] for weight, _ in layers]
    actions, features = policy[0].shape
    observation = (shapes[0][0] if shapes else features) - window.shape[1]
    return Dense(
        np.concatenate([np.asarray(part, np.float32).ravel() for part in parts]),
        np.array(shapes, np.int64).reshape(-1, 2),
        np.ascontiguousarray(window, np.int32),
        np.array([observation, features, actions, position], np.int64),
    )


def new_scratch(policy: Dense) -> Scratch:
    """Memory for a network."""
    widest = max(1, int(policy.layers.max(initial=0)), int(policy.sizes[1]))
    return Scratch(np.zeros((2, widest), np.float32), np.zeros(widest, np.int64), np.zeros(int(policy.sizes[2]), np.float32))


@kernel("dense")
def evaluate_rows(policy, scratch, observations, masks, logits, values):
    """Logits of the legal actions, zero elsewhere, and values, of some decisions (n, …), one after the other."""
    for i in range(len(observations)):
        values[i] = judge(policy, scratch, observations[i], masks[i])
        logits[i, :] = 0.0
        for action in range(len(scratch.logits)):
            if masks[i, action]:
                logits[i, action] = scratch.logits[action]


@compiled
def judge(policy, scratch, observation, mask):
    """The value, and into ``scratch.logits`` the logits of the legal actions."""
    which, place = hidden(policy, scratch, observation)
    features, actions = policy.sizes[1], policy.sizes[2]
    biases = place + actions * features
    for action in range(actions):
        if mask[action]:
            row = place + action * features
            scratch.logits[action] = policy.weights[biases + action] + dot(
                scratch.features[which], policy.weights[row : row + features], features
            )
    return value_from(policy, scratch, which, place)


@compiled
def value_alone(policy, scratch, observation):
    """The value of :func:`judge`."""
    which, place = hidden(policy, scratch, observation)
    return value_from(policy, scratch, which, place)


@compiled
def value_from(policy, scratch, which, place):
    """The value from features."""
    features, actions = policy.sizes[1], policy.sizes[2]
    row = place + actions * (features + 1)
    weights = policy.weights[row : row + features]
    return policy.weights[row + features] + dot(scratch.features[which], weights, features)


@compiled
def hidden(policy, scratch, observation):
    """The hidden layers; returns in which row of ``scratch.features`` the last one is, and where the heads' weights begin."""
    take_in(policy, scratch.features[0], observation)
    which, place = 0, 0
    for k in range(len(policy.layers)):
        inputs, outputs = policy.layers[k, 0], policy.layers[k, 1]
        end = place + inputs * outputs
        below, above = scratch.features[which, :inputs], scratch.features[1 - which, :outputs]
        add_rows(below, policy.weights[place:end], policy.weights[end : end + outputs], above, scratch.rows)
        for j in range(outputs):
            above[j] = max(above[j], np.float32(0.0))
        which, place = 1 - which, end + outputs
    return which, place


@compiled
def take_in(policy, features, observation):
    """The observation, and behind it what lies around the player, where the network has such a window."""
    size, extra, position = policy.sizes[0], policy.window.shape[1], policy.sizes[3]
    features[:size] = observation[:size]
    if extra == 0:
        return
    features[size : size + extra] = 0.0
    for cell in range(policy.window.shape[0]):
        here = observation[position + cell]
        if here != 0.0:
            for k in range(extra):
                if policy.window[cell, k] >= 0:
                    features[size + k] += here * observation[policy.window[cell, k]]


@compiled
def add_rows(inputs, weights, bias, outputs, rows):
    """``outputs = bias + inputs @ weights``; rows of weights whose input is 0 are not read, the others four at a time."""
    count, width = 0, len(outputs)
    for i in range(len(inputs)):
        if inputs[i] != 0.0:
            rows[count] = i
            count += 1
    for j in range(width):
        outputs[j] = bias[j]
    k = 0
    while k + 4 <= count:
        first, second, third, fourth = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        a, b, c, d = inputs[first], inputs[second], inputs[third], inputs[fourth]
        of_a, of_b = weights[first * width : (first + 1) * width], weights[second * width : (second + 1) * width]
        of_c, of_d = weights[third * width : (third + 1) * width], weights[fourth * width : (fourth + 1) * width]
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
