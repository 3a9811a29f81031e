"""A trained network as a policy that anybody can load: ``policy.onnx`` and ``card.json``.

The graph is built from the weights, so that no tracing of PyTorch code is involved:
(observation float32 (n, observation_size), action_mask float32 (n, num_actions)) -> (logits, illegal actions at -1e8; value (n,)).
A network that remembers takes ``memory`` float32 (n, memory_size), too, and gives ``next_memory``.
"""

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from dig_envs.agents.onnx import CARD_FORMAT, MEMORY, NEXT_MEMORY, check_card, read_card
from dig_envs.engine.game import Game

from .cells import Cells, CellsNetwork, Places
from .files import check_can_write, write_atomically
from .network import ILLEGAL, Network
from .parts import Parts, begin_network, make_network
from .remembering import (
    CELL_FEATURES,
    GridNetwork,
    HistoryNetwork,
    Memory,
    RecurrentNetwork,
)
from .window import Window

Array = np.ndarray[Any, Any]
OPSET, IR_VERSION = 17, 8  # what onnxruntime 1.18 and later read
LICENCE = "MIT"
NO_PARTS = Parts()
POLICY_SIZE = 50_000_000  # more than the bytes of a policy with its papers


def to_onnx(network: Network) -> bytes:
    """The graph of a network."""
    weights = network.weights
    constants = {"one": np.array([1], np.int64), "half": np.float32(0.5), "illegal": np.float32(ILLEGAL)}
    nodes: list[onnx.NodeProto] = []
    features, width = "observation", weights["layer0.weight"].shape[1]
    if network.window is not None:
        nodes, more = _window_nodes(network.window)
        constants |= more
        features, width = "extended", width - network.window.size
    if isinstance(network, HistoryNetwork):
        nodes, more = _history_nodes(network)
        constants |= more
        features, width = "seen", network.inputs
    if isinstance(network, GridNetwork):
        nodes, more = _before_the_layers(network)
        constants |= more
        features, width = "whole", width - CELL_FEATURES
    if isinstance(network, CellsNetwork):
        nodes, more = _features_of_groups(network.cells)
        constants |= more
        features, width = "whole", network.cells.inputs
    for k in range(network.depth):
        nodes.append(helper.make_node("Gemm", [features, f"layer{k}.weight", f"layer{k}.bias"], [f"sum{k}"], transB=1))
        nodes.append(helper.make_node("Relu", [f"sum{k}"], [f"features{k}"]))
        features = f"features{k}"
    if isinstance(network, RecurrentNetwork):
        nodes += _gru_nodes(features, MEMORY, NEXT_MEMORY)
        nodes.append(helper.make_node("Concat", [features, NEXT_MEMORY], ["remembering"], axis=1))
        features = "remembering"
    actions = weights["policy.weight"].shape[0]
    if isinstance(network, GridNetwork):
        more_nodes, more = _logits_of_cells(features, network.grid)
        nodes += more_nodes
        constants |= more
        actions = network.grid.cells
    elif isinstance(network, CellsNetwork):
        more_nodes, more = _logits_of_groups(features, network.cells)
        nodes += more_nodes
        constants |= more
        actions = len(network.cells.order)
    else:
        nodes.append(helper.make_node("Gemm", [features, "policy.weight", "policy.bias"], ["unmasked"], transB=1))
    nodes += [
        helper.make_node("Gemm", [features, "value.weight", "value.bias"], ["value_column"], transB=1),
        helper.make_node("Squeeze", ["value_column", "one"], ["value"]),
        helper.make_node("Greater", ["action_mask", "half"], ["legal"]),
        helper.make_node("Where", ["legal", "unmasked", "illegal"], ["logits"]),
    ]
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in {**weights, **constants}.items()]
    inputs: dict[str, list[Any]] = {"observation": ["n", width], "action_mask": ["n", actions]}
    outputs: dict[str, list[Any]] = {"logits": ["n", actions], "value": ["n"]}
    if network.memory_size:
        inputs[MEMORY] = outputs[NEXT_MEMORY] = ["n", network.memory_size]
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in one.items()] for one in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, "policy", ends[0], ends[1], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="dig_envs")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def _history_nodes(network: HistoryNetwork) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """:meth:`HistoryNetwork.step` as nodes to ``seen`` and ``next_memory``, and their constants."""
    constants = {name: np.array([k], np.int64) for name, k in (("first", 0), ("second", 1), ("memory_size", network.memory_size))}
    nodes = [
        helper.make_node("Concat", ["observation", MEMORY], ["seen"], axis=1),
        helper.make_node("Slice", ["seen", "first", "memory_size", "second"], [NEXT_MEMORY]),
    ]
    return nodes, constants


def _gru_nodes(features: str, memory: str, after: str) -> list[onnx.NodeProto]:
    """PyTorch's GRU cell as nodes from features and memory, both (n, …), to what is remembered then."""
    node = helper.make_node
    gates = ("reset", "update", "new")
    return [
        node("Gemm", [features, "memory.weight_ih", "memory.bias_ih"], ["from_input"], transB=1),
        node("Gemm", [memory, "memory.weight_hh", "memory.bias_hh"], ["from_memory"], transB=1),
        node("Split", ["from_input"], [f"input_{gate}" for gate in gates], axis=1),
        node("Split", ["from_memory"], [f"memory_{gate}" for gate in gates], axis=1),
        node("Add", ["input_reset", "memory_reset"], ["sum_reset"]),
        node("Sigmoid", ["sum_reset"], ["reset"]),
        node("Add", ["input_update", "memory_update"], ["sum_update"]),
        node("Sigmoid", ["sum_update"], ["keep"]),
        node("Mul", ["reset", "memory_new"], ["let_through"]),
        node("Add", ["input_new", "let_through"], ["sum_new"]),
        node("Tanh", ["sum_new"], ["new"]),
        node("Sub", [memory, "new"], ["difference"]),
        node("Mul", ["keep", "difference"], ["kept"]),
        node("Add", ["new", "kept"], [after]),
    ]


def _seen_at_each(places: Places, cells: int, name: str) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """:func:`training.cells.at_each` as nodes from ``observation`` to ``name``, and their constants except ``columns``."""
    node = helper.make_node
    nodes, parts = [], []
    constants: dict[str, Array] = {}
    for k, (place, depth) in enumerate(places):
        start, stop, shape, flat, part = (f"{name}_{word}{k}" for word in ("start", "stop", "shape", "slice", "field"))
        constants |= {start: np.array([place.start], np.int64), stop: np.array([place.stop], np.int64)}
        constants[shape] = np.array([-1, cells, depth], np.int64)
        nodes.append(node("Slice", ["observation", start, stop, "columns"], [flat]))
        nodes.append(node("Reshape", [flat, shape], [part]))
        parts.append(part)
    return [*nodes, node("Concat", parts, [name], axis=2)], constants


def _before_the_layers(network: GridNetwork) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """What a grid remembers and its features, as nodes to ``next_memory``, ``cells`` (n * cells, …) and ``whole`` (n, …)."""
    grid, node = network.grid, helper.make_node
    depth = sum(one for _, one in grid.fields)
    constants = {
        "columns": np.array([1], np.int64),
        "cell_rows": np.array([-1, depth], np.int64),
        "memory_rows": np.array([-1, grid.size], np.int64),
        "memory_columns": np.array([-1, network.memory_size], np.int64),
        "per_cell": np.array([-1, grid.cells, network.cell.out_features], np.int64),
    }
    nodes, more = _seen_at_each(grid.fields, grid.cells, "seen_there")
    constants |= more
    nodes += [
        node("Reshape", ["seen_there", "cell_rows"], ["seen"]),
        node("Reshape", [MEMORY, "memory_rows"], ["remembered"]),
        *_gru_nodes("seen", "remembered", "remembered_then"),
        node("Reshape", ["remembered_then", "memory_columns"], [NEXT_MEMORY]),
        node("Concat", ["seen", "remembered_then"], ["seen_and_remembered"], axis=1),
        node("Gemm", ["seen_and_remembered", "cell.weight", "cell.bias"], ["cell_sums"], transB=1),
        node("Relu", ["cell_sums"], ["cells"]),
        node("Reshape", ["cells", "per_cell"], ["by_cell"]),
        node("ReduceSum", ["by_cell", "columns"], ["all_cells"], keepdims=0),
        node("Concat", ["observation", "all_cells"], ["whole"], axis=1),
    ]
    return nodes, constants


def _logits_of_cells(features: str, grid: Memory) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """The logits of a grid, as nodes from ``cells`` and what the layers make of the whole to ``unmasked``."""
    node = helper.make_node
    nodes = [
        node("Gemm", ["cells", "of_cell.weight", "of_cell.bias"], ["each_flat"], transB=1),
        node("Reshape", ["each_flat", "per_cell"], ["each"]),
        node("Gemm", [features, "of_all.weight", "of_all.bias"], ["all"], transB=1),
        node("Unsqueeze", ["all", "columns"], ["all_at_each"]),
        node("Add", ["each", "all_at_each"], ["both_alike"]),
        node("Add", ["both_alike", "place.weight"], ["both_sums"]),
        node("Relu", ["both_sums"], ["both"]),
        node("Reshape", ["both", "both_rows"], ["both_flat"]),
        node("Gemm", ["both_flat", "policy.weight", "policy.bias"], ["logit_column"], transB=1),
        node("Reshape", ["logit_column", "logit_columns"], ["unmasked"]),
    ]
    constants = {
        "both_rows": np.array([-1, CELL_FEATURES], np.int64),
        "logit_columns": np.array([-1, grid.cells], np.int64),
    }
    return nodes, constants


def _features_of_groups(cells: Cells) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """The features of cells, as nodes to ``features_of<k>`` (n * cells, units) and ``whole``, which goes into the layers."""
    node = helper.make_node
    constants = {"columns": np.array([1], np.int64), "kept": np.array(cells.kept, np.int64)}
    nodes, parts = [node("Gather", ["observation", "kept"], ["kept_of_all"], axis=1)], ["kept_of_all"]
    for k, group in enumerate(cells.groups):
        constants[f"rows{k}"] = np.array([-1, group.depth], np.int64)
        constants[f"each{k}"] = np.array([-1, group.cells, group.units], np.int64)
        some, more = _seen_at_each(group.fields, group.cells, f"seen_at{k}")
        constants |= more
        nodes += [
            *some,
            node("Reshape", [f"seen_at{k}", f"rows{k}"], [f"seen_rows{k}"]),
            node("Gemm", [f"seen_rows{k}", f"cells{k}.weight"], [f"sums_of{k}"], transB=1),
            node("Relu", [f"sums_of{k}"], [f"features_of{k}"]),
            node("Reshape", [f"features_of{k}", f"each{k}"], [f"by_cell{k}"]),
            node("ReduceMean", [f"by_cell{k}"], [f"mean{k}"], axes=[1], keepdims=0),
            node("ReduceMax", [f"by_cell{k}"], [f"most{k}"], axes=[1], keepdims=0),
        ]
        parts += [f"mean{k}", f"most{k}"]
    return [*nodes, node("Concat", parts, ["whole"], axis=1)], constants


def _logits_of_groups(features: str, cells: Cells) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """The logits of all actions, as nodes from the cells' features and what the layers make of the whole to ``unmasked``."""
    node = helper.make_node
    constants: dict[str, Array] = {"order": np.array(cells.order, np.int64)}
    nodes = [node("Gemm", [features, "policy.weight", "policy.bias"], ["logits_of_rest"], transB=1)]
    parts = ["logits_of_rest"]
    for k, group in enumerate(cells.groups):
        if not group.per_cell:
            continue
        constants[f"both_rows{k}"] = np.array([-1, group.units], np.int64)
        constants[f"logit_columns{k}"] = np.array([-1, len(group.actions)], np.int64)
        nodes += [
            node("Gemm", [f"features_of{k}", f"of_cells{k}.weight", f"of_cells{k}.bias"], [f"each_flat{k}"], transB=1),
            node("Reshape", [f"each_flat{k}", f"each{k}"], [f"each_of{k}"]),
            node("Gemm", [features, f"of_all{k}.weight", f"of_all{k}.bias"], [f"all{k}"], transB=1),
            node("Unsqueeze", [f"all{k}", "columns"], [f"all_at_each{k}"]),
            node("Add", [f"each_of{k}", f"all_at_each{k}"], [f"both_sums{k}"]),
            node("Relu", [f"both_sums{k}"], [f"both{k}"]),
            node("Reshape", [f"both{k}", f"both_rows{k}"], [f"both_flat{k}"]),
            node("Gemm", [f"both_flat{k}", f"logits{k}.weight", f"logits{k}.bias"], [f"logits_flat{k}"], transB=1),
            node("Reshape", [f"logits_flat{k}", f"logit_columns{k}"], [f"logits_of{k}"]),
        ]
        parts.append(f"logits_of{k}")
    nodes += [node("Concat", parts, ["listed"], axis=1), node("Gather", ["listed", "order"], ["unmasked"], axis=1)]
    return nodes, constants


def read_network(folder: Path, game: Game, parts: Parts = NO_PARTS) -> Network:
    """The network of a policy that :func:`write_policy` wrote, to go on training with it.

    Raises:
        PolicyMismatchError: if it was made for something else.
        ValueError: if it has not the window, the memory or the cells that are asked for.
    """
    check_card(read_card(folder), game, folder)
    graph = onnx.load_model_from_string((folder / "policy.onnx").read_bytes()).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name: array.copy() for name, array in tensors.items() if "." in name}
    depth = sum(name.startswith("layer") for name in weights) // 2
    layers = [len(weights.get(f"layer{k}.weight", ())) for k in range(depth)]
    wanted = begin_network(game, layers, parts, 0).weights if layers else {}
    if {name: array.shape for name, array in weights.items()} != {name: array.shape for name, array in wanted.items()}:
        raise ValueError(f"{folder} is not what these settings ask for ([window], [memory], [[cells]])")
    if ("lookup" in tensors) != bool(parts.window):
        raise ValueError(f"{folder} has not the window that these settings ask for ([window])")
    return make_network(weights, parts)


def _window_nodes(window: Window) -> tuple[list[onnx.NodeProto], dict[str, Array]]:
    """:meth:`Window.extend` as nodes from ``observation`` to ``extended``, and their constants."""
    cells = window.cells
    constants: dict[str, Array] = {
        "columns": np.array([1], np.int64),
        "lookup": window.lookup,
        "per_offset": np.array([0, len(window.offsets), cells], np.int64),
        "flat": np.array([0, -1], np.int64),
    }
    nodes, parts = [], []
    for k, (place, depth) in enumerate((*window.fields, (window.position, 0))):
        constants |= {f"start{k}": np.array([place.start], np.int64), f"stop{k}": np.array([place.stop], np.int64)}
        nodes.append(helper.make_node("Slice", ["observation", f"start{k}", f"stop{k}", "columns"], [f"slice{k}"]))
        if depth:
            constants[f"shape{k}"] = np.array([0, cells, depth], np.int64)
            nodes.append(helper.make_node("Reshape", [f"slice{k}", f"shape{k}"], [f"field{k}"]))
            parts.append(f"field{k}")
    nodes += [
        helper.make_node("Concat", parts, ["grid"], axis=2),
        helper.make_node("MatMul", [f"slice{len(window.fields)}", "lookup"], ["looked_up"]),
        helper.make_node("Reshape", ["looked_up", "per_offset"], ["which"]),
        helper.make_node("MatMul", ["which", "grid"], ["around"]),
        helper.make_node("Reshape", ["around", "flat"], ["around_flat"]),
        helper.make_node("Concat", ["observation", "around_flat"], ["extended"], axis=1),
    ]
    return nodes, constants


def check_free(folder: Path) -> None:
    """Raise ValueError if writing a policy there would replace something that is no policy."""
    if folder.exists() and not (folder / "card.json").exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise ValueError(f"{folder} exists and holds no policy: choose another folder for it")


def check_out(folder: Path) -> None:
    """Raise ValueError if a policy cannot be written there, which is better found before the training than after it."""
    check_free(folder)
    check_can_write(folder.parent, POLICY_SIZE)


def write_policy(folder: Path, game: Game, network: Network, facts: dict[str, Any]) -> Path:
    """Write a policy's folder: complete or not at all; a policy that was there before is replaced.

    Args:
        folder: such as ``policies/cretaceous_creek/ppo``.
        game: that it plays.
        network: its weights.
        facts: for the card besides what identifies the policy: training command, seed, steps, date, settings, evaluation.

    Raises:
        ValueError: if the folder holds something else.
    """
    graph = to_onnx(network)
    card = {
        "format": CARD_FORMAT,
        "environment": game.env_name,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
        "weights_sha256": sha256(graph).hexdigest(),
        "licence": LICENCE,
        **facts,
    }
    draft = _draft_of(folder)
    draft.mkdir(parents=True)
    (draft / "policy.onnx").write_bytes(graph)
    write_atomically(draft / "card.json", json.dumps(card, indent=1) + "\n")
    return _put(draft, folder)


def copy_policy(folder: Path, to: Path) -> Path:
    """Copy a policy's folder with all that is in it; as :func:`write_policy` otherwise."""
    draft = _draft_of(to)
    draft.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, draft)
    return _put(draft, to)


def _draft_of(folder: Path) -> Path:
    check_free(folder)
    folder = folder.resolve()
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(draft, ignore_errors=True)
    return draft


def _put(draft: Path, folder: Path) -> Path:
    old = draft.with_suffix(".old")
    if folder.exists():
        os.rename(folder, old)
    os.rename(draft, folder)
    shutil.rmtree(old, ignore_errors=True)
    return folder
