"""Policies that are plain dense networks, read from their ONNX files for compiled code (:mod:`dig_envs.engine.search.dense`).

onnxruntime stays the reference: what is read here must agree with it on a few decisions, or it is not used. Graphs of another kind
(with a memory, cells or relations) are left to onnxruntime.
"""

from collections.abc import Callable, Mapping

import numpy as np

from dig_envs.agents.onnx_file import Array, Node, read_graph
from dig_envs.engine.game import Game
from dig_envs.engine.search.dense import Dense, evaluate_rows, new_dense, new_scratch

TRIALS = 8  # decisions on which compiled code and onnxruntime must agree …
TOLERANCE = 1e-3  # … to this share of the greatest logit or value; sums of float32 in another order differ by about 1e-6
SHARE_SEEN = 0.15  # of the numbers of a trial's observation are not zero

Evaluate = Callable[[Array, Array], tuple[Array, Array]]

END = ["Gemm", "Gemm", "Squeeze", "Greater", "Where"]  # how our graphs go on behind the last hidden layer
WINDOW_END = ["Concat", "MatMul", "Reshape", "MatMul", "Reshape", "Concat"]  # … and how the window before the first one ends


def read_dense(model: bytes) -> Dense | None:
    """Return the network of an ONNX model; None if it is not a plain dense one as :mod:`training.export` writes them."""
    try:
        return _read(*read_graph(model))
    except (ValueError, KeyError, IndexError):
        return None


def _read(nodes: list[Node], tensors: Mapping[str, Array]) -> Dense | None:
    kinds = [node.kind for node in nodes]
    first = kinds.index("Gemm")  # the hidden layers begin here
    depth = (len(nodes) - first - len(END)) // 2
    if kinds[first:] != ["Gemm", "Relu"] * depth + END or not all(_is_plain(node) for node in nodes if node.kind == "Gemm"):
        return None
    layers = [_linear(node, tensors) for node in nodes[first : first + 2 * depth : 2]]
    chain = [nodes[first].inputs[0], *(node.outputs[0] for node in nodes[first + 1 : first + 2 * depth : 2])]
    gemms = [node for node in nodes[first:] if node.kind == "Gemm"]
    if [node.inputs[0] for node in gemms] != [*chain, chain[-1]]:
        return None
    policy, value = (_linear(node, tensors) for node in gemms[-2:])
    if first == 0:
        return new_dense(layers, policy, value) if chain[0] == "observation" else None
    window, position = _window(nodes[:first], tensors)
    return new_dense(layers, policy, value, window, position)


def _is_plain(node: Node) -> bool:
    """Whether a Gemm multiplies by a matrix of (outputs, inputs) and adds a bias."""
    return len(node.inputs) == 3 and dict(node.attributes) in ({"transB": 1.0}, {"transB": 1.0, "alpha": 1.0, "beta": 1.0})


def _linear(node: Node, tensors: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the matrix and the bias of a Gemm."""
    return tensors[node.inputs[1]], tensors[node.inputs[2]]


def _window(nodes: list[Node], tensors: Mapping[str, Array]) -> tuple[Array, int]:
    """Return ``window`` and ``position`` (:class:`~dig_envs.engine.search.dense.Dense`) of a :class:`training.window.Window`."""
    if [node.kind for node in nodes[-len(WINDOW_END) :]] != WINDOW_END:
        raise ValueError("no window")
    slices = [node for node in nodes if node.kind == "Slice"]
    starts = [int(tensors[node.inputs[1]][0]) for node in slices]
    depths = [int(tensors[node.inputs[1]][2]) for node in nodes[: -len(WINDOW_END)] if node.kind == "Reshape"]
    cells = len(tensors["lookup"])
    lookup = tensors["lookup"].reshape(cells, -1, cells)  # the player's cell, the offset, the cell there
    numbers = np.concatenate(  # of the observation, for each cell
        [start + np.arange(cells * depth).reshape(cells, depth) for start, depth in zip(starts, depths, strict=False)], axis=1
    )
    inside = np.asarray(lookup.any(axis=2))[:, :, None]  # the grid
    seen = np.where(inside, numbers[lookup.argmax(axis=2)], -1)
    return seen.reshape(cells, -1), starts[-1]


def dense_of(model: bytes, game: Game, evaluate: Evaluate) -> Dense | None:
    """Return the network of a policy without a memory, if it is plain and agrees with onnxruntime; None if that has to be asked.

    Args:
        model: the ONNX file.
        game: that the policy plays.
        evaluate: asks onnxruntime about observations and masks: logits (n, num_actions) and values (n,).
    """
    policy = read_dense(model)
    size, actions = game.observation_size, len(game.actions)
    if policy is None or tuple(policy.sizes[[0, 2]]) != (size, actions) or policy.sizes[3] + len(policy.window) > size:
        return None
    rng = np.random.default_rng(0)
    seen = (rng.random((TRIALS, size)) * (rng.random((TRIALS, size)) < SHARE_SEEN)).astype(np.float32)
    masks = (rng.random((TRIALS, actions)) < 0.5).astype(np.int8)
    masks[:, 0] = 1
    found, expected = evaluate_dense(policy, seen, masks), evaluate(seen, masks)
    legal = masks != 0
    return policy if _agree(found[0][legal], expected[0][legal]) and _agree(found[1], expected[1]) else None


def _agree(found: Array, expected: Array) -> bool:
    return bool(np.abs(found - expected).max() <= TOLERANCE * max(1.0, float(np.abs(expected).max())))


def evaluate_dense(policy: Dense, observation: Array, action_mask: Array) -> tuple[Array, Array]:
    """Return logits float32 (n, num_actions), zero for illegal actions, and values float32 (n,), computed by compiled code."""
    logits = np.zeros((len(observation), int(policy.sizes[2])), np.float32)
    values = np.zeros(len(observation), np.float32)
    evaluate_rows(policy, new_scratch(policy), observation, action_mask, logits, values)
    return logits, values
