"""Policies in compiled code say what onnxruntime says, and those that cannot be read are left to
it."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from dig_envs import load_agent
from dig_envs.agents import program as program_module
from dig_envs.agents.onnx import WEIGHTS, OnnxAgent
from dig_envs.agents.onnx_graph import from_weights
from dig_envs.agents.program import evaluate_program, program_for, read_program
from dig_envs.agents.zoo import zoo_policies
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.search.program import (
    ADD,
    GATHER,
    INPUTS,
    KIND,
    LAYER,
    LEFT,
    MAX,
    OUT,
    PRODUCT,
    RIGHT,
    ROWS,
    SIGMOID,
    START,
    STRIDE,
    TANH,
    TIMES,
    WIDTH,
    check_program,
    evaluate_rows,
    new_scratch,
)
from dig_envs.registry import load_game
from tests.agents.program_speed import decisions_of
from tests.policies import shipped
from tests.training.random_network import random_network, random_policy
from tests.training.test_remembering import GAME as MEMORY_GAME
from tests.training.test_remembering import network_of
from training.export import to_onnx, write_policy

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a network is slow")

GAME = load_game("go_dig")
SHIPPED = sorted(name for name, folder in zoo_policies().items() if "policies" in folder.parts)


@pytest.mark.parametrize("name", SHIPPED)
def test_as_onnxruntime(name):
    """Every shipped policy: logits of legal actions, values, and what it remembers, to the rounding
    of float32."""
    agent = load_agent(shipped(name))
    seen, masks = decisions_of(agent)
    rng = np.random.default_rng(0)
    memory = rng.uniform(-1, 1, (len(seen), agent.memory_size)).astype(np.float32)
    after = memory.copy()
    logits, values = evaluate_program(agent.program, seen, masks, memory)
    expected, expected_values = agent.evaluate(seen, masks, after)
    legal = masks != 0
    np.testing.assert_allclose(memory, after, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(logits[legal], expected[legal], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, expected_values, rtol=1e-4, atol=1e-4)
    assert (logits[~legal] == 0).all()
    assert np.ptp(expected_values) > 0.01, "they are not all alike"


def model_of(network):
    return onnx.load_model_from_string(from_weights(network.weights, GAME, "relu"))


def read(model, game=GAME):
    return read_program(model, game.observation_size, len(game.actions))


def test_another_game_is_refused():
    """A network for other observations or actions."""
    model = to_onnx(random_network(GAME))
    assert read_program(model, GAME.observation_size + 1, len(GAME.actions)) is None
    assert read_program(model, GAME.observation_size, len(GAME.actions) + 1) is None


def wired_otherwise(model):
    """The policy reads the first layer before its ReLU, not the last layer."""
    gemms = [node for node in model.graph.node if node.op_type == "Gemm"]
    gemms[-2].input[0] = gemms[0].output[0]


def without_a_bias(model):
    del next(node for node in model.graph.node if node.op_type == "Gemm").input[2]


def twice_the_value(model):
    """The value is added to itself."""
    flat = next(node for node in model.graph.node if node.op_type == "Reshape")
    value, flat.input[0] = flat.input[0], "twice"
    model.graph.node.insert(
        list(model.graph.node).index(flat), helper.make_node("Add", [value, value], ["twice"])
    )


@pytest.mark.parametrize(
    "change", [lambda model: None, wired_otherwise, without_a_bias, twice_the_value]
)
def test_other_graphs_are_read_as_they_are(change):
    """A graph with operations that are known computes what onnxruntime computes, whatever it does
    with them."""
    model = model_of(random_network(GAME))
    change(model)
    program = read(model.SerializeToString())
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(20, GAME.observation_size)).astype(np.float32)
    masks = np.ones((20, len(GAME.actions)), np.float32)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected = session.run(["logits", "value"], {"observation": seen, "action_mask": masks})
    for found, right in zip(
        evaluate_program(program, seen, masks.astype(np.int8)), expected, strict=True
    ):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-4)


def test_recurrent_networks_remember_as_in_onnxruntime(tmp_path):
    """Over a long game, each with its own memory."""
    folder = write_policy(tmp_path / "fossil_memory" / "any", MEMORY_GAME, network_of(), {})
    agent = OnnxAgent(folder)
    rng = np.random.default_rng(0)
    here, there = np.zeros((2, 1, agent.memory_size), np.float32)
    masks = np.ones((1, len(MEMORY_GAME.actions)), np.int8)
    for _ in range(100):
        seen = rng.normal(size=(1, MEMORY_GAME.observation_size)).astype(np.float32)
        found = evaluate_program(agent.program, seen, masks, here)
        for one, right in zip(found, agent.evaluate(seen, masks, there), strict=True):
            np.testing.assert_allclose(one, right, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-4)
    assert np.ptp(here) > 0.1


def scaled(model):
    next(node for node in model.graph.node if node.op_type == "Gemm").attribute.append(
        helper.make_attribute("alpha", 2.0)
    )


def with_another_step(model):
    model.graph.node.insert(2, helper.make_node("Elu", [model.graph.node[1].output[0]], ["more"]))


def in_double(model):
    model.graph.initializer[0].data_type = onnx.TensorProto.DOUBLE


def reads_the_mask(model):
    """The first layer sees the mask as well."""
    first = next(node for node in model.graph.node if node.op_type == "Gemm")
    model.graph.node.insert(
        0, helper.make_node("Concat", ["observation", "action_mask"], ["both"], axis=1)
    )
    first.input[0] = "both"


def with_another_threshold(model):
    """No action counts as legal."""
    half = next(tensor for tensor in model.graph.initializer if tensor.name == "half")
    half.raw_data = np.float32(1.5).tobytes()


def legal_and_illegal_exchanged(model):
    where = next(node for node in model.graph.node if node.op_type == "Where")
    where.input[1], where.input[2] = where.input[2], where.input[1]


def with_an_attribute(model):
    """A Relu has none."""
    next(node for node in model.graph.node if node.op_type == "Relu").attribute.append(
        helper.make_attribute("alpha", "no")
    )


def with_a_cast_of_what_is_seen(model):
    """To half precision and back."""
    next(node for node in model.graph.node if node.op_type == "Gemm").input[0] = "cast"
    for given, made, kind in (
        ("half_seen", "cast", "FLOAT"),
        ("observation", "half_seen", "FLOAT16"),
    ):
        cast = helper.make_node("Cast", [given], [made], to=onnx.TensorProto.DataType.Value(kind))
        model.graph.node.insert(0, cast)


REFUSED = [
    with_a_cast_of_what_is_seen,
    scaled,
    with_another_step,
    in_double,
    reads_the_mask,
    with_another_threshold,
]
REFUSED += [legal_and_illegal_exchanged, with_an_attribute]


@pytest.mark.parametrize("change", REFUSED)
def test_other_graphs_are_left_alone(change):
    """A graph that computes something else is never taken for what it is not."""
    model = model_of(random_network(GAME))
    change(model)
    assert read(model.SerializeToString()) is None


@pytest.mark.parametrize("content", [b"", b"no model", b"\x3a\xff\xff\xff\xff\x0f"])
def test_no_models(content):
    assert read(content) is None


def test_who_disagrees_is_not_used(tmp_path, monkeypatch):
    """Should the reader ever misread a file, onnxruntime is asked."""
    folder = random_policy(tmp_path / "go_dig" / "any", GAME)
    agent = OnnxAgent(folder)
    model = (folder / WEIGHTS).read_bytes()
    right = read(model)
    assert program_for(model, GAME, agent.evaluate) is not None
    wrong = right._replace(weights=right.weights * np.float32(1.01))
    monkeypatch.setattr(program_module, "read_program", lambda *_: wrong)
    assert program_for(model, GAME, agent.evaluate) is None


def test_a_file_that_has_changed_is_refused(tmp_path):
    folder = random_policy(tmp_path / "go_dig" / "any", GAME)
    agent = OnnxAgent(folder)
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes() + b"\0\0")
    with pytest.raises(PolicyMismatchError, match="has changed"):
        _ = agent.program


KINDS = {
    "diggity/two-players": {GATHER, LAYER, PRODUCT, ADD, MAX},
    "fossil_memory/memory": {GATHER, LAYER, PRODUCT, ADD, TIMES, SIGMOID, TANH},
}


@pytest.fixture(scope="module", params=KINDS)
def all_kinds(request):
    """Two programs that have steps of all kinds between them."""
    program = load_agent(shipped(request.param)).program
    assert set(program.steps[:, KIND]) == KINDS[request.param]
    return program


def test_programs_are_checked(all_kinds):
    """Whatever number of a step is wrong, nothing beyond the memory, the weights and the table is
    read or written."""
    check_program(all_kinds)
    size = max(int(all_kinds.sizes[2]), len(all_kinds.weights), len(all_kinds.table))
    unused = {GATHER: {INPUTS, LEFT, START}, ADD: {INPUTS, RIGHT}, TIMES: {INPUTS, RIGHT}}
    unused |= {kind: {INPUTS, RIGHT, START} for kind in (MAX, SIGMOID, TANH)}
    changed = 0
    for k, step in enumerate(all_kinds.steps):
        for column in {ROWS, INPUTS, WIDTH, LEFT, RIGHT, START, OUT} - unused.get(
            step[KIND], set()
        ):
            for number in (-1,) if (step[KIND], column) == (GATHER, ROWS) else (-1, size):
                steps = all_kinds.steps.copy()
                steps[k, column] = number
                assert refused(all_kinds._replace(steps=steps)), (k, column, number)
                changed += 1
        for column, number in (
            (KIND, -1),
            (KIND, 8),
            (STRIDE, step[WIDTH] + 1),
            (STRIDE, -1),
            (ROWS, 0),
            (WIDTH, 0),
        ):
            steps = all_kinds.steps.copy()
            steps[k, column] = number
            assert refused(all_kinds._replace(steps=steps)), (k, column, number)
    assert changed > 100


def refused(program):
    try:
        check_program(program)
    except ValueError:
        return True
    return False


def test_heads_table_and_sizes_are_checked(all_kinds):
    """As the steps are."""
    for name, (index, numbers) in {
        "heads": ((3, 0), (-1, len(all_kinds.weights))),
        "table": (5, (-1, int(all_kinds.sizes[2]))),
        "sizes": (3, (-1, len(all_kinds.steps) + 1)),
    }.items():
        for number in numbers:
            array = getattr(all_kinds, name).copy()
            array[index] = number
            assert refused(all_kinds._replace(**{name: array})), (name, number)
    for column, number in (
        (1, -1),
        (1, int(all_kinds.sizes[2])),
        (2, -1),
        (2, len(all_kinds.weights)),
    ):
        heads = all_kinds.heads.copy()
        heads[-1, column] = number
        assert refused(all_kinds._replace(heads=heads)), (column, number)
    changes = [(0, -1), (1, -1), (1, len(all_kinds.weights) + 1), (2, 10), (4, 3)]
    changes += [(5, -1), (5, all_kinds.sizes[0] + 1), (6, -1), (6, all_kinds.sizes[2] + 1)]
    for k, number in changes:
        sizes = all_kinds.sizes.copy()
        sizes[k] = number
        assert refused(all_kinds._replace(sizes=sizes)), (k, number)
    assert refused(all_kinds._replace(weights=all_kinds.weights[:-1]))


LARGE = 1 << 22  # more than any index of a program, and a memory of this size is allowed
GUARD = 64  # numbers before and behind each array


def guarded(array):
    """Return a copy of an array between numbers that are NaN, and the copy with these."""
    whole = np.full(len(array) + 2 * GUARD, np.nan, np.float32)
    inner = whole[GUARD : len(whole) - GUARD]
    inner[:] = array
    return inner, whole


def test_damaged_programs_stay_within_their_memory(all_kinds):
    """Random damage: a program is refused, or reads and writes nothing beyond its arrays, which NaN
    surrounds."""
    rng = np.random.default_rng(0)
    names = ["steps", "table", "heads", "sizes"]
    weights, whole_weights = guarded(all_kinds.weights)
    observation = rng.random((1, int(all_kinds.sizes[0])), np.float32)
    mask = np.ones((1, len(all_kinds.heads) - 1), np.int8)
    taken = 0
    for _ in range(2000):
        name = rng.choice(names, p=[0.7, 0.1, 0.15, 0.05])
        array = getattr(all_kinds, name).copy()
        k = rng.integers(array.size)
        array.flat[k] = rng.choice(
            [array.flat[k] + rng.integers(-8, 9), rng.integers(-2, 5000), -1, 0, LARGE]
        )
        damaged = all_kinds._replace(**{"weights": weights, name: array})
        if refused(damaged) or damaged.sizes[0] != all_kinds.sizes[0]:
            continue
        taken += 1
        scratch = new_scratch(damaged)
        memory, whole_memory = guarded(scratch.memory)
        logits, values = np.zeros(mask.shape, np.float32), np.zeros(1, np.float32)
        evaluate_rows(damaged, scratch._replace(memory=memory), observation, mask, logits, values)
        assert not np.isnan(logits).any(), (name, k, array.flat[k])
        assert not np.isnan(values).any(), (name, k, array.flat[k])
        for whole in (whole_weights, whole_memory):
            assert np.isnan([whole[:GUARD], whole[-GUARD:]]).all(), (name, k, array.flat[k])
    assert 100 < taken < 1900, "some are taken, some are refused"
