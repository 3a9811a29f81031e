"""Policies in compiled code say what onnxruntime says, and those that cannot be read are left to it."""

import numpy as np
import onnx
import pytest
from onnx import helper

from dig_envs.agents import dense as dense_module
from dig_envs.agents.program import program_for, evaluate_program, read_program
from dig_envs.agents.onnx import WEIGHTS, OnnxAgent
from dig_envs.agents.zoo import zoo_policies
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.registry import load_game
from tests.agents.program_speed import decisions_of, measure
from tests.training.random_network import random_network
from training.export import to_onnx, write_policy

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a network is slow")

GAME = load_game("go_dig")
# Cells that share weights, relations, memories.
LEFT_TO_ONNXRUNTIME = {"cretaceous_creek/relations", "diggity/ppo", "fossil_memory/many", "fossil_memory/memory"}
LEFT_TO_ONNXRUNTIME |= {"fossil_memory/ppo", "the_big_dig/ppo"}
SHIPPED = sorted(name for name, folder in zoo_policies().items() if "policies" in folder.parts)


@pytest.mark.parametrize("name", SHIPPED)
def test_as_onnxruntime(name):
    """Every shipped policy that is a plain dense network: logits of legal actions and values, to the rounding of float32."""
    agent = OnnxAgent(zoo_policies()[name])
    if name in LEFT_TO_ONNXRUNTIME:
        assert agent.program is None
        return
    seen, masks = decisions_of(agent)
    logits, values = evaluate_program(agent.program, seen, masks)
    expected, expected_values = agent.evaluate(seen, masks)
    legal = masks != 0
    np.testing.assert_allclose(logits[legal], expected[legal], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, expected_values, rtol=1e-4, atol=1e-4)
    assert (logits[~legal] == 0).all()
    assert np.ptp(expected_values) > 0.01, "they are not all alike"


def model_of(network):
    return onnx.load_model_from_string(to_onnx(network))


def test_reads_what_the_export_writes():
    assert read_program(to_onnx(random_network(GAME))) is not None


def scaled(model):
    next(node for node in model.graph.node if node.op_type == "Gemm").attribute.append(helper.make_attribute("alpha", 2.0))


def wired_otherwise(model):
    """The policy reads the first layer, not the last."""
    gemms = [node for node in model.graph.node if node.op_type == "Gemm"]
    gemms[-2].input[0] = gemms[0].output[0]


def with_another_step(model):
    model.graph.node.insert(2, helper.make_node("Tanh", [model.graph.node[1].output[0]], ["more"]))


def without_a_bias(model):
    del next(node for node in model.graph.node if node.op_type == "Gemm").input[2]


def in_double(model):
    model.graph.initializer[0].data_type = onnx.TensorProto.DOUBLE


@pytest.mark.parametrize("change", [scaled, wired_otherwise, with_another_step, without_a_bias, in_double])
def test_other_graphs_are_left_alone(change):
    """A graph that computes something else is never taken for a plain dense network."""
    model = model_of(random_network(GAME))
    change(model)
    assert read_program(model.SerializeToString()) is None


@pytest.mark.parametrize("content", [b"", b"no model", b"\x3a\xff\xff\xff\xff\x0f"])
def test_no_models(content):
    assert read_program(content) is None


def test_who_disagrees_is_not_used(tmp_path, monkeypatch):
    """Should the reader ever misread a file, onnxruntime is asked."""
    folder = write_policy(tmp_path / "go_dig" / "any", GAME, random_network(GAME), {})
    agent = OnnxAgent(folder)
    model = (folder / WEIGHTS).read_bytes()
    right = read_program(model)
    assert program_for(model, GAME, agent.evaluate) is not None
    wrong = right._replace(weights=right.weights * np.float32(1.01))
    monkeypatch.setattr(dense_module, "read_program", lambda model: wrong)
    assert program_for(model, GAME, agent.evaluate) is None


def test_a_file_that_has_changed_is_refused(tmp_path):
    folder = write_policy(tmp_path / "go_dig" / "any", GAME, random_network(GAME), {})
    agent = OnnxAgent(folder)
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes() + b"\0\0")
    with pytest.raises(PolicyMismatchError, match="has changed"):
        _ = agent.program


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SHIPPED) - LEFT_TO_ONNXRUNTIME))
def test_one_position_takes_less_than_50_microseconds(name):
    shown, compiled, *_ = measure(name).split()
    assert shown == name
    assert float(compiled) < 50
