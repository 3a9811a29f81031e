"""A trained network as a policy that anybody can load: ``policy.onnx`` and ``card.json``.

The graph is built from the weights, so that no tracing of PyTorch code is involved:
(observation float32 (n, observation_size), action_mask float32 (n, num_actions)) -> (logits, illegal actions at -1e8; value (n,)).
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

from dig_envs.agents.onnx import CARD_FORMAT
from dig_envs.engine.game import Game
from training.checkpoints import write_atomically

Array = np.ndarray[Any, Any]
OPSET, IR_VERSION = 17, 8  # what onnxruntime 1.18 and later read
ILLEGAL = np.float32(-1e8)
LICENCE = "MIT"


def to_onnx(weights: dict[str, Array]) -> bytes:
    """The graph of a multi-layer perceptron with the weights of :func:`training.network.parameters`."""
    depth = sum(key.startswith("layer") for key in weights) // 2
    nodes, features = [], "observation"
    for k in range(depth):
        nodes.append(helper.make_node("Gemm", [features, f"layer{k}.weight", f"layer{k}.bias"], [f"sum{k}"], transB=1))
        nodes.append(helper.make_node("Relu", [f"sum{k}"], [f"features{k}"]))
        features = f"features{k}"
    nodes += [
        helper.make_node("Gemm", [features, "policy.weight", "policy.bias"], ["unmasked"], transB=1),
        helper.make_node("Gemm", [features, "value.weight", "value.bias"], ["value_column"], transB=1),
        helper.make_node("Squeeze", ["value_column", "one"], ["value"]),
        helper.make_node("Greater", ["action_mask", "half"], ["legal"]),
        helper.make_node("Where", ["legal", "unmasked", "illegal"], ["logits"]),
    ]
    constants = {"one": np.array([1], np.int64), "half": np.float32(0.5), "illegal": ILLEGAL}
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in {**weights, **constants}.items()]
    inputs, actions = weights["layer0.weight"].shape[1], weights["policy.weight"].shape[0]
    graph = helper.make_graph(
        nodes,
        "policy",
        [
            helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["n", inputs]),
            helper.make_tensor_value_info("action_mask", TensorProto.FLOAT, ["n", actions]),
        ],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", actions]),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]),
        ],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="dig_envs")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def write_policy(folder: Path, game: Game, weights: dict[str, Array], facts: dict[str, Any]) -> Path:
    """Write a policy's folder: complete or not at all; what was there before is replaced.

    Args:
        folder: such as ``policies/cretaceous_creek/ppo``.
        game: that it plays.
        weights: from :func:`training.network.parameters`.
        facts: for the card besides what identifies the policy: training command, seed, steps, date, settings, evaluation.
    """
    graph = to_onnx(weights)
    card = {
        "format": CARD_FORMAT,
        "environment": game.env_name,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
        "weights_sha256": sha256(graph).hexdigest(),
        "licence": LICENCE,
        **facts,
    }
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    (draft / "policy.onnx").write_bytes(graph)
    write_atomically(draft / "card.json", json.dumps(card, indent=1) + "\n")
    if folder.exists():
        shutil.rmtree(folder)
    os.rename(draft, folder)
    return folder
