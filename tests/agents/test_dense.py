"""Policies in compiled code say what onnxruntime says, and those that cannot be read are left to it."""

import time

import numpy as np
import onnx
import pytest
from onnx import helper

from dig_envs import BatchEnv
from dig_envs.agents import dense as dense_module
from dig_envs.agents.dense import dense_of, evaluate_dense, read_dense
from dig_envs.agents.loading import zoo_policies
from dig_envs.agents.onnx import WEIGHTS, OnnxAgent
from dig_envs.engine.dense import evaluate_rows, new_scratch
from dig_envs.engine.errors import PolicyMismatchError
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from training.export import to_onnx, write_policy

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a network is slow")

GAME = load_game("go_dig")
# Cells that share weights, memories.
LEFT_TO_ONNXRUNTIME = {"diggity/ppo", "fossil_memory/memory", "fossil_memory/ppo", "the_big_dig/ppo"}
SHIPPED = sorted(name for name, folder in zoo_policies().items() if "policies" in folder.parts)


def decisions_of(agent, count=64):
    """Observations and masks of positions in the middle of games."""
    players = {"num_players": agent.num_players[0]} if agent.num_players else {}
    batch = BatchEnv(agent.game.env_name, count, seed=1, **players)
    rng = np.random.default_rng(0)
    for _ in range(12):
        batch.step(np.where(batch.action_mask, rng.random(batch.action_mask.shape), -1).argmax(axis=1))
    return batch.observation.copy(), batch.action_mask.copy()


@pytest.mark.parametrize("name", SHIPPED)
def test_as_onnxruntime(name):
    """Every shipped policy that is a plain dense network: logits of legal actions and values, to the rounding of float32."""
    agent = OnnxAgent(zoo_policies()[name])
    if name in LEFT_TO_ONNXRUNTIME:
        assert agent.dense is None
        return
    seen, masks = decisions_of(agent)
    logits, values = evaluate_dense(agent.dense, seen, masks)
    expected, expected_values = agent.evaluate(seen, masks)
    legal = masks != 0
    np.testing.assert_allclose(logits[legal], expected[legal], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, expected_values, rtol=1e-4, atol=1e-4)
    assert (logits[~legal] == 0).all()
    assert np.ptp(expected_values) > 0.01, "they are not all alike"


def model_of(network):
    return onnx.load_model_from_string(to_onnx(network))


def test_reads_what_the_export_writes():
    assert read_dense(to_onnx(random_network(GAME))) is not None


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
    """What computes something else is never taken for a plain dense network."""
    model = model_of(random_network(GAME))
    change(model)
    assert read_dense(model.SerializeToString()) is None


@pytest.mark.parametrize("content", [b"", b"no model", b"\x3a\xff\xff\xff\xff\x0f"])
def test_no_models(content):
    assert read_dense(content) is None


def test_who_disagrees_is_not_used(tmp_path, monkeypatch):
    """Should the reader ever misread a file, onnxruntime is asked."""
    folder = write_policy(tmp_path / "go_dig" / "any", GAME, random_network(GAME), {})
    agent = OnnxAgent(folder)
    model = (folder / WEIGHTS).read_bytes()
    right = read_dense(model)
    assert dense_of(agent, model) is not None
    wrong = right._replace(weights=right.weights * np.float32(1.01))
    monkeypatch.setattr(dense_module, "read_dense", lambda model: wrong)
    assert dense_of(agent, model) is None


def test_a_file_that_has_changed_is_refused(tmp_path):
    folder = write_policy(tmp_path / "go_dig" / "any", GAME, random_network(GAME), {})
    agent = OnnxAgent(folder)
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes() + b"\0\0")
    with pytest.raises(PolicyMismatchError, match="has changed"):
        _ = agent.dense


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SHIPPED) - LEFT_TO_ONNXRUNTIME))
def test_one_position_takes_less_than_50_microseconds(name):
    agent = OnnxAgent(zoo_policies()[name])
    seen, masks = decisions_of(agent)
    logits, values = np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)
    scratch, best = new_scratch(agent.dense), np.inf
    for _ in range(20):
        began = time.process_time()
        for _ in range(10):
            evaluate_rows(agent.dense, scratch, seen, masks, logits, values)
        best = min(best, (time.process_time() - began) / 10 / len(seen))
    assert best < 50e-6
