"""A trained network as a policy that anybody can load: ``policy.onnx`` and ``card.json``."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from dig_envs.agents.onnx import (
    MEMORY,
    MOST_BYTES,
    NEXT_MEMORY,
    WEIGHTS,
    check_card,
    read_card,
    read_weights,
)
from dig_envs.agents.onnx_file import read_graph
from dig_envs.agents.onnx_graph import IR_VERSION, OPSET
from dig_envs.agents.plain_file import read_plain_file
from dig_envs.agents.saving import check_free, write_folder
from dig_envs.engine.core.files import replaced, write_file
from dig_envs.engine.game import Game

from .cells import Cells
from .network import Network, new_network

LICENCE = "MIT"
LEAST_ROUNDED = 1024  # numbers in a tensor that is stored as float16


def read_network(folder: Path, game: Game, cells: Cells | None = None) -> Network:
    """The network of a policy that :func:`write_policy` wrote, to continue its training.

    Raises:
        PolicyMismatchError: if it was made for something else.
        ValueError: if it has not the cells that are asked for.
    """
    card = read_card(folder)
    check_card(card, game, folder)
    _, tensors = read_graph(read_weights(folder, card))
    weights = {name: array for name, array in tensors.items() if "." in name}
    depth = sum(name.startswith("layer") for name in weights) // 2
    layers = [len(weights.get(f"layer{k}.weight", ())) for k in range(depth)]
    network = new_network(game, layers or [1], cells, 0)
    shapes, wanted = (
        {name: array.shape for name, array in some.items()} for some in (weights, network.weights)
    )
    if shapes != wanted:
        raise ValueError(
            f"{folder} is not what these settings ask for ([[cells]], [[links]], [grid], rounds)"
        )
    return network.load_weights(weights)


def to_onnx(network: Network) -> bytes:
    """The graph of a network as a file: (observation float32 (n, observation_size), action_mask
    float32 (n, num_actions)) -> (logits, illegal actions at -1e8; value (n,)). A network that
    remembers takes ``memory`` float32 (n, memory_size), too, and gives ``next_memory``.

    Large tensors are float16 in the file. :mod:`dig_envs.agents.program` knows its operations.
    """
    inputs, outputs = ["observation", "action_mask"], ["logits", "value"]
    widths = [network.inputs, network.num_actions]
    if network.memory_size:
        inputs, outputs = [*inputs, MEMORY], [*outputs, NEXT_MEMORY]
        widths.append(network.memory_size)
    device = network.value.weight.device
    given = tuple(torch.ones(2, width, device=device) for width in widths)
    file, fast, network.fast = io.BytesIO(), network.fast, False
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore", DeprecationWarning)  # the other exporter needs more
            torch.onnx.export(
                _Step(network) if network.memory_size else network,
                given,
                file,  # type: ignore[arg-type]
                dynamo=False,
                do_constant_folding=False,  # which renames weights
                input_names=inputs,
                output_names=outputs,
                dynamic_axes={name: {0: "n"} for name in (*inputs, *outputs)},
                opset_version=OPSET,
            )
    finally:
        network.fast = fast
    model = _with_plain_tensors(onnx.load_from_string(file.getvalue()))
    round_weights(model)
    return bytes(model.SerializeToString())


OWN = "network."  # before the names of weights in _Step


class _Step(nn.Module):
    """A network whose forward is its step."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.network.step(*given)


def _with_plain_tensors(model: Any) -> Any:
    """The model with its constants as tensors, equal ones once, and its weights under their own
    names: PyTorch writes nodes for constants, and equal weights once."""
    graph, nodes = model.graph, []
    tensors = {one.name.removeprefix(OWN): numpy_helper.to_array(one) for one in graph.initializer}
    constants: dict[tuple[Any, ...], str] = {}  # by what they are
    names: dict[str, str] = {}
    for node in graph.node:
        node.ClearField("name")
        for k, name in enumerate(node.input):
            node.input[k] = names.get(name, name.removeprefix(OWN))
        made = node.output[0]
        if node.op_type == "Constant":
            array = numpy_helper.to_array(node.attribute[0].t)
            key = (array.dtype, array.shape, array.tobytes())
            names[made] = constants.setdefault(key, made)
            tensors[names[made]] = array
        elif node.op_type == "Identity" and node.input[0] in tensors:
            tensors[made.removeprefix(OWN)] = tensors[node.input[0]]
        else:
            nodes.append(node)
    for part in ("initializer", "node"):
        graph.ClearField(part)
    graph.node.extend(nodes)
    graph.initializer.extend(numpy_helper.from_array(one, name) for name, one in tensors.items())
    model.ir_version, model.producer_name = IR_VERSION, "dig_envs"
    return model


def round_weights(model: Any) -> None:
    """Store the large float32 tensors of a graph as float16, each with a Cast to float32.

    All arithmetic stays float32. A tensor with numbers that float16 cannot hold, those beyond
    65504 and those that are not finite, stays float32.
    """
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        name, array = tensor.name, numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.size < LEAST_ROUNDED:
            continue
        with np.errstate(over="ignore"):
            rounded = array.astype(np.float16)
        if np.isfinite(rounded).all():
            tensor.CopyFrom(numpy_helper.from_array(rounded, f"{name}.float16"))
            casts.append(helper.make_node("Cast", [tensor.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    graph.ClearField("node")
    graph.node.extend(nodes)


def write_policy(folder: Path, game: Game, network: Network, facts: dict[str, Any]) -> Path:
    """Write a policy's folder and return it: complete or not at all; a policy that was there before
    is replaced.

    Args:
        folder: such as ``policies/cretaceous_creek/policy``.
        game: that it plays.
        network: its weights.
        facts: for the card besides what identifies the policy: training command, seed, steps, date,
            settings, evaluation.

    Raises:
        ValueError: if the folder holds something else.
    """
    return write_folder(folder, game, to_onnx(network), {"licence": LICENCE, **facts})


def copy_policy(folder: Path, to: Path) -> Path:
    """Copy a policy's folder with its files, and return the copy; as :func:`write_policy`
    otherwise.

    Raises:
        ValueError: also if something in it is not a file, leads out of it or is too large.
    """
    check_free(to)
    content = {}
    for file in folder.iterdir():
        try:
            content[file.name] = read_plain_file(file, MOST_BYTES[WEIGHTS], folder)
        except OSError as error:
            raise ValueError(f"{file} cannot be copied: {error}") from None
    with replaced(to.resolve()) as draft:
        for name, data in content.items():
            write_file(draft / name, data)
    return to.resolve()
