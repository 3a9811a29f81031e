"""Writes ONNX graphs of policies: from weights by name (:func:`from_weights`), and around a graph
that somebody else made (:func:`completed`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.agents.onnx import MEMORY, NEXT_MEMORY
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.game import Array, Game

try:
    import onnx
    from onnx import ModelProto as ModelProto
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    raise ImportError("writing a policy needs onnx: pip install onnx") from None

ILLEGAL = -1e8  # the logit of an illegal action: its probability is exactly 0
OPSET, IR_VERSION = 17, 8  # what onnxruntime 1.18 and later read
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "elu": "Elu", "sigmoid": "Sigmoid"}
INPUTS, OUTPUTS = ("observation", "action_mask", MEMORY), ("logits", "value", NEXT_MEMORY)
OWN = "own_"  # before all names of a graph that somebody else made


def from_weights(weights: Mapping[str, Any], game: Game, activation: str) -> bytes:
    """The graph of a plain network (:func:`dig_envs.save_policy`).

    Raises:
        TypeError: these are no real numbers. PolicyMismatchError: names or shapes do not fit.
    """
    arrays = {str(name): _floats(str(name), given) for name, given in weights.items()}
    hidden = [f"layer{k}" for k in range(sum(f"layer{k}.weight" in arrays for k in range(1000)))]
    heads = {"policy": len(game.actions)} | ({"value": 1} if "value.weight" in arrays else {})
    known = {f"{one}.{part}" for one in (*hidden, *heads) for part in ("weight", "bias")}
    for name in arrays:
        partner = f"{name.removesuffix('.bias')}.weight"
        if name.endswith(".bias") and partner not in arrays:
            raise PolicyMismatchError(f"{name} is given, and {partner} is missing")
    if "policy.weight" not in arrays or not arrays.keys() <= known:
        others = ", ".join(sorted(arrays.keys() - known))
        raise PolicyMismatchError(
            "weights by name are layer0.weight, layer0.bias, layer1.weight …, policy.weight, "
            "policy.bias, value.weight and value.bias"
            + (f", not {others}" if others else "; policy.weight is missing")
        )
    nodes, tensors, seen, inputs = [], [], "observation", game.observation_size
    for name in (*hidden, *heads):
        weight, outs = arrays[f"{name}.weight"], heads.get(name, 0)
        outs = outs or (len(weight) if weight.ndim else 0)
        bias = arrays.get(f"{name}.bias", np.zeros(outs, np.float32))
        if weight.shape != (outs, inputs) or bias.shape != (outs,):
            raise PolicyMismatchError(
                f"{name}.weight has the shape {weight.shape} and its bias {bias.shape}; in "
                f"{game.env_name} they must have ({heads.get(name, 'outputs')}, {inputs}) and "
                f"({heads.get(name, 'outputs')},): the rows of a weight are its outputs"
            )
        tensors += [
            numpy_helper.from_array(array, f"{name}.{part}")
            for part, array in (("weight", weight), ("bias", bias))
        ]
        layer = [seen, f"{name}.weight", f"{name}.bias"]
        nodes.append(helper.make_node("Gemm", layer, [f"{name}_out"], transB=1))
        if name in hidden:
            seen, inputs = f"{name}_active", outs
            nodes.append(helper.make_node(ACTIVATIONS[activation], [f"{name}_out"], [seen]))
    ends = {"logits": "policy_out"} | ({"value": "value_out"} if "value" in heads else {})
    return _with_ends(nodes, tensors, ends, game, 0, [helper.make_opsetid("", OPSET)], IR_VERSION)


def _floats(name: str, given: Any) -> Array:
    """Weights as float32; a tensor of PyTorch may be on another device and have
    gradients."""
    try:
        array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
        if array.dtype.kind not in "fiuV":  # V: such as bfloat16
            raise TypeError(f"they are of type {array.dtype}")
        return np.asarray(array, np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the weights {name} must be an array of floats: {error}") from None


def completed(model: Any, game: Game, memory_size: int) -> bytes:
    """The graph of a policy around one that somebody else made: with the inputs and outputs
    of a policy, and masked logits.

    Args:
        model: an ``onnx.ModelProto``.
        game: that is played.
        memory_size: how many numbers the graph remembers.

    Raises:
        PolicyMismatchError: its inputs and outputs are not those of a policy.
    """
    constant = {tensor.name for tensor in model.graph.initializer}
    given = [one for one in model.graph.input if one.name not in constant]
    takes = _named([one.name for one in given], INPUTS, memory_size, "takes", game)
    gives = _named([one.name for one in model.graph.output], OUTPUTS, memory_size, "gives", game)
    _check_widths(model.graph, {**takes, **gives}, game, memory_size)
    types = {one.name: one.type.tensor_type.elem_type for one in given}
    own = onnx.compose.add_prefix(model, OWN)
    nodes = [
        helper.make_node("Cast", [name], [OWN + theirs], to=types[theirs])
        for name, theirs in takes.items()
    ]
    # as raw data, as agents/program.py reads it
    tensors = [
        numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name)
        for tensor in own.graph.initializer
    ]
    for node in own.graph.node:
        value = next((one.t for one in node.attribute if one.name == "value"), None)
        if node.op_type == "Constant" and value is not None:
            tensors.append(numpy_helper.from_array(numpy_helper.to_array(value), node.output[0]))
        else:
            nodes.append(node)
    ends = {}
    for name, theirs in gives.items():
        ends[name] = f"{name}_float"
        nodes.append(helper.make_node("Cast", [OWN + theirs], [ends[name]], to=TensorProto.FLOAT))
    return _with_ends(
        nodes,
        tensors,
        ends,
        game,
        memory_size,
        own.opset_import,
        own.ir_version,
        own.functions,
        own.graph.sparse_initializer,
    )


def _named(
    names: Sequence[str], usual: Sequence[str], memory_size: int, what: str, game: Game
) -> dict[str, str]:
    """The inputs or outputs of a graph by the names that a policy has for them."""
    usual = usual if memory_size else usual[:2]
    if set(names) <= set(usual) and usual[0] in names:
        return {name: name for name in names}
    if not 1 <= len(names) <= len(usual) or (memory_size and len(names) < len(usual)):
        raise PolicyMismatchError(
            f"the ONNX model {what} {', '.join(names) or 'nothing'}; a policy for {game.env_name} "
            f"{what} {', '.join(usual)}" + ("" if memory_size else f" (or {usual[0]} alone)")
        )
    return dict(zip(usual, names, strict=False))


def _check_widths(graph: Any, names: Mapping[str, str], game: Game, memory_size: int) -> None:
    """Raise PolicyMismatchError if a graph says that an input or output has another width than the
    environment."""
    widths = {"observation": game.observation_size, MEMORY: memory_size}
    widths |= {"action_mask": len(game.actions), "logits": len(game.actions)}
    ends = {one.name: one.type.tensor_type.shape.dim for one in (*graph.input, *graph.output)}
    for name, theirs in names.items():
        shape = [one.dim_value or one.dim_param or "?" for one in ends[theirs]]
        width = widths.get(name)
        if (
            width is not None
            and shape
            and (len(shape) != 2 or (isinstance(shape[1], int) and shape[1] != width))
        ):
            raise PolicyMismatchError(
                f"the ONNX model has {theirs} of shape ({', '.join(map(str, shape))}); "
                f"{game.env_name} needs {name} of shape (n, {width})"
            )


def _with_ends(
    nodes: Sequence[Any],
    tensors: Sequence[Any],
    found: Mapping[str, str],
    game: Game,
    memory_size: int,
    opsets: Sequence[Any],
    ir_version: int,
    functions: Sequence[Any] = (),
    sparse: Sequence[Any] = (),
) -> bytes:
    """A graph with the inputs and outputs of a policy.

    ``found``: what the nodes give by the name of the output, ``logits`` without a mask.
    """
    size, actions = game.observation_size, len(game.actions)
    constants: dict[str, Array] = {
        "half": np.array(0.5, np.float32),
        "illegal": np.array(ILLEGAL, np.float32),
        "flat": np.array([-1], np.int64),
    }
    after = [
        helper.make_node("Greater", ["action_mask", "half"], ["legal"]),
        helper.make_node("Where", ["legal", found["logits"], "illegal"], ["logits"]),
    ]
    value = found.get("value", "no_value")
    if value == "no_value":
        constants["no_weight"], constants["no_bias"] = (
            np.zeros((1, size), np.float32),
            np.zeros(1, np.float32),
        )
        zero = ["observation", "no_weight", "no_bias"]
        after.append(helper.make_node("Gemm", zero, [value], transB=1))
    after.append(helper.make_node("Reshape", [value, "flat"], ["value"]))
    inputs: dict[str, list[Any]] = {"observation": ["n", size], "action_mask": ["n", actions]}
    outputs: dict[str, list[Any]] = {"logits": ["n", actions], "value": ["n"]}
    if memory_size:
        inputs[MEMORY] = outputs[NEXT_MEMORY] = ["n", memory_size]
        after.append(helper.make_node("Identity", [found[NEXT_MEMORY]], [NEXT_MEMORY]))
    ends = [
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in one.items()
        ]
        for one in (inputs, outputs)
    ]
    graph = helper.make_graph(
        [*nodes, *after],
        "policy",
        ends[0],
        ends[1],
        [*tensors, *(numpy_helper.from_array(array, name) for name, array in constants.items())],
    )
    graph.sparse_initializer.extend(sparse)
    model = helper.make_model(graph, opset_imports=opsets, producer_name="dig_envs")
    model.functions.extend(functions)
    model.ir_version = ir_version
    return bytes(model.SerializeToString())


def load(source: Any) -> Any:
    """The ``onnx.ModelProto`` of a path or of bytes; one that is given is returned as it is.

    Raises:
        PolicyMismatchError: it is no ONNX model. OSError: the file cannot be read.
    """
    if isinstance(source, ModelProto):
        return source
    try:
        return onnx.load_from_string(source) if isinstance(source, bytes) else onnx.load(source)
    except OSError:
        raise
    except Exception as error:  # of Protocol Buffers
        what = "these bytes are" if isinstance(source, bytes) else f"{source} is"
        raise PolicyMismatchError(f"{what} no ONNX model: {error}") from None
