"""Policies from outside: complete, checked when they are loaded, copied by the hash of their files,
and quiet."""

import copy
import os
import pickle
import shutil
from contextlib import nullcontext, suppress
from hashlib import sha256

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from dig_envs import BatchEnv, PolicyMismatchError, load_agent
from dig_envs.agents import onnx as onnx_agents
from dig_envs.agents import zoo
from dig_envs.agents.onnx import read_card, trained_for
from dig_envs.agents.onnx_file import check_self_contained
from dig_envs.agents.program import read_program
from dig_envs.arena.entrants import load_entrants
from dig_envs.export.machines import ExportError
from dig_envs.export.weights import policy_weights
from dig_envs.registry import load_game
from tests.agents.test_loading import change_card
from tests.training.random_network import random_policy
from training.export import read_network

GAME = load_game("cretaceous_creek")
SIZE, ACTIONS = GAME.observation_size, len(GAME.actions)


@pytest.fixture
def policy(tmp_path):
    return random_policy(tmp_path / "cretaceous_creek" / "small", GAME)


def put(policy, weights: bytes):
    """Other weights, and a card that fits them."""
    (policy / "policy.onnx").write_bytes(weights)
    change_card(policy, weights_sha256=sha256(weights).hexdigest())


def put_model(policy, model):
    put(policy, model.SerializeToString())


def read_model(policy):
    return onnx.load_model(policy / "policy.onnx")


def refused(policy, text):
    with pytest.raises(PolicyMismatchError, match=text) as error:
        load_agent(str(policy))
    return str(error.value)


# ---------------------------------------------------------------- data in other files


def with_data_elsewhere(policy, folder):
    """The policy's model with its weights in a file of their own."""
    model = read_model(policy)
    onnx.save_model(
        model,
        folder / "model.onnx",
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=1000,
    )
    return (folder / "model.onnx").read_bytes()


def test_data_in_other_files(policy, tmp_path, monkeypatch):
    """onnxruntime would read such a file, which the hash on the card does not cover."""
    (tmp_path / "elsewhere").mkdir()
    weights = with_data_elsewhere(policy, tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    onnxruntime.InferenceSession(weights, providers=["CPUExecutionProvider"])  # it does
    put(policy, weights)
    assert "data in other files" in refused(policy, "policy.onnx cannot be used")
    onnx.load_model(tmp_path / "elsewhere" / "model.onnx").graph.node[0].name = "x"


def external_tensor(name="hidden", location="/etc/hostname"):
    tensor = numpy_helper.from_array(np.zeros(2, np.float32), name)
    external_data_helper.set_external_data(tensor, location, 0, 8)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    return tensor


def hide_in_sparse_initializer(model):
    indices = numpy_helper.from_array(np.zeros(2, np.int64), "indices")
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(external_tensor(), indices, [9])
    )


def hide_in_list_of_an_attribute(model):
    node = helper.make_node("Constant", [], ["hidden"])
    node.attribute.append(helper.make_attribute("values", [external_tensor()]))
    model.graph.node.append(node)


def hide_in_branch(model):
    branch = helper.make_graph(
        [helper.make_node("Identity", ["hidden"], ["out"])], "branch", [], [], [external_tensor()]
    )
    model.graph.node.append(
        helper.make_node("If", ["one"], ["chosen"], then_branch=branch, else_branch=branch)
    )


def hide_in_function(model):
    node = helper.make_node("Constant", [], ["y"], value=external_tensor())
    model.functions.append(
        helper.make_function("own", "f", [], ["y"], [node], [helper.make_opsetid("", 17)])
    )


def without(field):
    """A tensor that says only half of where its data is."""
    tensor = external_tensor()
    tensor.ClearField(field)
    return tensor


HIDDEN = {
    "initializer": lambda model: model.graph.initializer.append(external_tensor()),
    "sparse initializer": hide_in_sparse_initializer,
    "attribute": lambda model: model.graph.node.append(
        helper.make_node("Constant", [], ["hidden"], value=external_tensor())
    ),
    "list of an attribute": hide_in_list_of_an_attribute,
    "branch": hide_in_branch,
    "function": hide_in_function,
    "training": lambda model: model.training_info.add().algorithm.initializer.append(
        external_tensor()
    ),
    "place only": lambda model: model.graph.initializer.append(without("external_data")),
    "mark only": lambda model: model.graph.initializer.append(without("data_location")),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_data_in_other_files_is_found_wherever_it_is(policy, place):
    model = read_model(policy)
    check_self_contained(model.SerializeToString())
    HIDDEN[place](model)
    with pytest.raises(ValueError, match="data in other files"):
        check_self_contained(model.SerializeToString())
    put_model(policy, model)
    refused(policy, "data in other files")


def test_other_formats(policy):
    weights = (policy / "policy.onnx").read_bytes()
    put(policy, weights[:4] + b"ORTM" + weights[8:])
    refused(policy, "onnxruntime's own format")


@pytest.mark.parametrize("length", [0, 7, 28, 49])
def test_cut_and_changed_files(policy, length, capfd):
    """Any bytes with a card that fits them: refused or played, never another error, never a message
    on the screen."""
    weights = (policy / "policy.onnx").read_bytes()
    rng = np.random.default_rng(length)
    for _ in range(4):
        changed = bytearray(weights)
        for place in rng.integers(
            min(len(weights), 400 if length % 2 else len(weights)), size=1 + length
        ):
            changed[place] = rng.integers(256)
        for content in (
            bytes(changed),
            bytes(changed[: len(changed) - 1 - int(rng.integers(200))]),
        ):
            put(policy, content)
            with suppress(PolicyMismatchError):
                load_agent(str(policy))
    assert capfd.readouterr() == ("", "")


def test_nested_messages():
    """As deep as one likes, without a limit of Python's being met."""
    message = b""
    for _ in range(300):  # a branch in an attribute in a node in a graph …
        for field in (6, 5, 1):
            message = bytes([field << 3 | 2]) + varint(len(message)) + message
    with pytest.raises(ValueError, match="too many messages"):
        check_self_contained(bytes([7 << 3 | 2]) + varint(len(message)) + message)


def varint(number):
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 20,
        b"\x80",
        b"\x00\x01",
        b"\x3a\xff\x01",
        b"\x0b",
        b"\x09\x01",
        b"\x0d",
        b"\x80\x80\x80\x80\x80\x01\x01",
    ],
)
def test_what_is_no_message(content):
    with pytest.raises(ValueError, match="not an ONNX model"):
        check_self_contained(content)


# ---------------------------------------------------------------- weights in half precision


def cut(model):
    half_of(model).raw_data = half_of(model).raw_data[:-2]


def called_float32(model):
    """A tensor that says that its numbers are of another type than they are."""
    half_of(model).data_type = TensorProto.FLOAT


def called_float16(model):
    """Numbers of four bytes that are said to have two."""
    tensor = next(one for one in model.graph.initializer if one.name == "layer0.bias")
    tensor.data_type = TensorProto.FLOAT16


def used_without_a_cast(model):
    (gemm,) = [
        node
        for node in model.graph.node
        if node.op_type == "Gemm" and "layer0.weight" in node.input
    ]
    gemm.input[1] = half_of(model).name


def cast_to_another_type(model):
    cast_of(model).attribute[0].i = TensorProto.DOUBLE


def cast_of_what_is_not_there(model):
    cast_of(model).input[0] = "nothing"


def cast_of_another_tensor(model):
    """Of integers, of another shape."""
    cast_of(model).input[0] = next(
        one.name for one in model.graph.initializer if one.data_type == TensorProto.INT64
    )


def half_of(model):
    return next(one for one in model.graph.initializer if one.name == "layer0.weight.float16")


def cast_of(model):
    return next(
        node
        for node in model.graph.node
        if node.op_type == "Cast" and node.output[0] == "layer0.weight"
    )


BAD_HALVES = [
    cut,
    called_float32,
    called_float16,
    used_without_a_cast,
    cast_to_another_type,
    cast_of_what_is_not_there,
]
BAD_HALVES += [cast_of_another_tensor]


@pytest.mark.parametrize("change", BAD_HALVES)
def test_bad_weights_in_half_precision(policy, change, capfd):
    model = read_model(policy)
    change(model)
    put_model(policy, model)
    refused(policy, "not an ONNX model that can be run|does not run")
    assert read_program(model.SerializeToString(), SIZE, ACTIONS) is None
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------- what goes in and what comes out


def model_of(inputs, outputs, nodes):
    made = [
        helper.make_tensor_value_info(name, kind, shape)
        for name, kind, shape in (*inputs, *outputs)
    ]
    graph = helper.make_graph(nodes, "g", made[: len(inputs)], made[len(inputs) :])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


FLOAT, DOUBLE = TensorProto.FLOAT, TensorProto.DOUBLE
SEEN, MASK = ("observation", FLOAT, ["n", SIZE]), ("action_mask", FLOAT, ["n", ACTIONS])
LOGITS, VALUE = ("logits", FLOAT, ["n", ACTIONS]), ("value", FLOAT, ["n"])
IDENTITY = helper.make_node("Identity", ["action_mask"], ["logits"])
MEAN = helper.make_node("ReduceMean", ["observation"], ["value"], axes=[1], keepdims=0)


ANY_LOGITS, ANY_VALUE = ("logits", FLOAT, None), ("value", FLOAT, None)
DOUBLES = [("action_mask", DOUBLE, ["n", ACTIONS]), ("logits", DOUBLE, ["n", ACTIONS])]
TURNED = helper.make_node("Transpose", ["action_mask"], ["logits"])
WHOLE = helper.make_node("Identity", ["observation"], ["value"])
ELSE = helper.make_node("ReduceMean", ["seen"], ["value"], axes=[1], keepdims=0)


@pytest.mark.parametrize(
    ("inputs", "outputs", "nodes", "text"),
    [
        ([SEEN, MASK, ("more", FLOAT, ["n"])], [LOGITS, VALUE], [IDENTITY, MEAN], "has the inputs"),
        ([("seen", FLOAT, ["n", SIZE]), MASK], [LOGITS, VALUE], [IDENTITY, ELSE], "has the inputs"),
        ([SEEN, MASK], [LOGITS], [IDENTITY], "has the outputs"),
        (
            [SEEN, DOUBLES[0]],
            [DOUBLES[1], VALUE],
            [IDENTITY, MEAN],
            r"action_mask is a tensor\(double\)",
        ),
        (
            [("observation", FLOAT, ["n", SIZE + 1]), MASK],
            [LOGITS, VALUE],
            [IDENTITY, MEAN],
            "does not run on 1 decisions",
        ),
        (
            [("observation", FLOAT, [1, SIZE]), MASK],
            [LOGITS, ANY_VALUE],
            [IDENTITY, MEAN],
            "does not run on 2 decisions",
        ),
        ([SEEN, MASK], [ANY_LOGITS, VALUE], [TURNED, MEAN], "gives logits"),
        ([SEEN, MASK], [LOGITS, ANY_VALUE], [IDENTITY, WHOLE], "gives logits"),
    ],
)
def test_graphs_of_another_shape(policy, inputs, outputs, nodes, text, capfd):
    put_model(policy, model_of(inputs, outputs, nodes))
    refused(policy, text)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("logit", [np.nan, np.inf, -np.inf])
def test_logits_that_are_no_numbers_choose_nothing(policy, logit):
    nodes = [
        helper.make_node(
            "Constant", [], ["odd"], value=numpy_helper.from_array(np.full(1, logit, np.float32))
        ),
        helper.make_node("Add", ["action_mask", "odd"], ["logits"]),
        MEAN,
    ]
    put_model(policy, model_of([SEEN, MASK], [LOGITS, VALUE], nodes))
    batch = BatchEnv("cretaceous_creek_v0", 20, seed=1)
    for name in (str(policy), f"{policy}:sample"):
        with pytest.raises(
            PolicyMismatchError, match="gives NaN or infinite numbers for decision 0"
        ):
            load_agent(name, seed=1).act_batch(batch.observation, batch.action_mask)


# ---------------------------------------------------------------- odd folders and cards


def test_folders_in_place_of_files(policy):
    for file in ("card.json", "policy.onnx"):
        content = (policy / file).read_bytes()
        (policy / file).unlink()
        (policy / file).mkdir()
        refused(policy, f"{file} cannot be read")
        (policy / file).rmdir()
        (policy / file).write_bytes(content)
    load_agent(str(policy))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": True},
        {"format": "1"},
        {"format": [1] * 10_000},
        {"environment": None},
        {"environment": ["cretaceous_creek_v0"]},
        {"environment": {"a": 1}},
        {"environment": "x" * 100_000},
        {"observation_layout": 5},
        {"action_list": None},
        {"weights_sha256": None},
        {"weights_sha256": ["x"] * 1000},
        {"num_players": "2"},
        {"num_players": [2.0]},
        {"num_players": [True]},
        {"num_players": {"2": 1}},
    ],
)
def test_odd_cards(policy, changes):
    change_card(policy, **changes)
    assert len(refused(policy, "policy|card")) < 1000


def test_games_that_a_card_names(policy):
    """Those that the game does not have are left out, of what is exported, too."""
    odd = [5, None, [], "x", {"num_players": 99}, {"num_players": []}, {"luck": 1}]
    games = [*odd, {"num_players": 3}, {"num_players": 3, "level": "intermediate"}]
    change_card(policy, settings={"games": games})
    found = trained_for(read_card(policy), GAME)
    assert found == [GAME.complete_options({"num_players": 3})]
    for settings in (None, 5, [], {}, {"games": 5}, {"games": odd}):
        assert trained_for({"settings": settings}, GAME) == []


def test_odd_numbers_of_players_are_exported_as_they_are_meant(policy):
    change_card(policy, num_players=[2, 3])
    expected = policy_weights(GAME, str(policy))
    change_card(policy, num_players=[3, 2, 2, 99, -1])
    assert policy_weights(GAME, str(policy)) == expected
    change_card(policy, num_players=[99, 10**400])
    with pytest.raises(ExportError, match="1 to 4"):
        policy_weights(GAME, str(policy))


def test_odd_settings_of_a_guide(policy):
    for settings in ([], "x", {"win_weight": "1"}, {"shaping_weight": None}, {"score_weight": [1]}):
        for where in ("settings", "rewards"):
            change_card(policy, **{where: settings})
            with pytest.raises(PolicyMismatchError, match="its rewards or settings do not say"):
                load_agent(f"search:playout=none:guide={policy}", "cretaceous_creek_v0")


# ---------------------------------------------------------------- copies


def pickled(agent):
    return pickle.loads(pickle.dumps(agent))


COPIES = pytest.mark.parametrize("how", [copy.deepcopy, pickled])


@COPIES
@pytest.mark.parametrize("setting", ["", ":sample"])
def test_copies_play_alike(policy, how, setting, tmp_path, monkeypatch):
    """Copies and pickles of an agent go on with the same draws, also when they are loaded in
    another folder."""
    monkeypatch.chdir(policy.parent.parent)
    agent = load_agent(f"cretaceous_creek/small{setting}", seed=3)
    batch = BatchEnv("cretaceous_creek_v0", 30, seed=1)
    agent.act_batch(batch.observation, batch.action_mask)
    (tmp_path / "away").mkdir()
    data = pickle.dumps(agent)
    monkeypatch.chdir(tmp_path / "away")
    twin = how(agent) if how is copy.deepcopy else pickle.loads(data)
    assert (twin.name, twin.num_players, twin.card) == (agent.name, agent.num_players, agent.card)
    for _ in range(3):
        actions = agent.act_batch(batch.observation, batch.action_mask)
        assert twin.act_batch(batch.observation, batch.action_mask).tolist() == actions.tolist()
        batch.step(actions)
    assert len(data) < 10_000, "the weights are not in it"


@COPIES
def test_copies_of_what_has_changed(policy, how):
    agent = load_agent(str(policy))
    change_card(policy, licence="another")
    with pytest.raises(PolicyMismatchError, match=r"card\.json has changed"):
        how(agent)
    other = random_policy(policy.parent / "other", GAME, seed=5)
    agent = load_agent(str(policy))
    put(policy, (other / "policy.onnx").read_bytes())
    with pytest.raises(PolicyMismatchError, match="has changed since this agent was copied"):
        how(agent)
    agent = load_agent(str(policy))
    (policy / "policy.onnx").unlink()
    with pytest.raises(PolicyMismatchError, match=r"no policy\.onnx"):
        how(agent)


# ---------------------------------------------------------------- links, devices, pipes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such files")
@pytest.mark.parametrize("name", ["card.json", "policy.onnx"])
@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder", "other file"])
def test_what_is_no_file_of_a_policy_is_refused_at_once(policy, name, kind):
    path = policy / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)  # to read it would wait for somebody to write
    else:
        path.symlink_to(
            {"device": "/dev/zero", "loop": path, "folder": policy, "other file": __file__}[kind]
        )
    refused(policy, "cannot be read|is damaged")


def test_a_link_to_a_policy_is_the_policy(policy, tmp_path):
    (tmp_path / "link").symlink_to(policy, target_is_directory=True)
    assert load_agent(str(tmp_path / "link")).card == load_agent(str(policy)).card


# ---------------------------------------------------------------- too much, and from elsewhere

LITTLE = 300_000  # kilobytes of memory that a bad file may take


def grow(path, size):
    with path.open("r+b") as file:
        file.truncate(size)


@pytest.fixture
def with_little_memory():
    """To refuse something does not take much memory."""
    resource = pytest.importorskip("resource", reason="this system does not tell the memory")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < LITTLE


DOORS = {
    "load": lambda folder: load_agent(str(folder), "cretaceous_creek_v0"),
    "guide": lambda folder: load_agent(f"search:guide={folder}", "cretaceous_creek_v0"),
    "guided": lambda folder: load_agent(f"{folder}+search", "cretaceous_creek_v0"),
    "arena": lambda folder: load_entrants(
        GAME, [str(folder), "random"], GAME.complete_options({}), True
    ),
    "export": lambda folder: policy_weights(GAME, str(folder)),
    "training": lambda folder: read_network(folder, GAME),
}
EVERY_DOOR = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@EVERY_DOOR
@pytest.mark.parametrize("name", ["card.json", "policy.onnx"])
def test_huge_files(policy, door, name, with_little_memory):
    for size in (2**31, 2**40):
        grow(policy / name, size)
        with pytest.raises(PolicyMismatchError, match=f"{name} cannot be read: it has more than"):
            door(policy)


@EVERY_DOOR
@pytest.mark.parametrize("name", ["card.json", "policy.onnx"])
def test_links_to_outside_of_the_folder(policy, door, name, tmp_path):
    """Not even to a good file: what is there may change, and is not to be read."""
    (policy / name).rename(tmp_path / name)
    (policy / name).symlink_to(tmp_path / name)
    with pytest.raises(PolicyMismatchError, match="it is a link to outside of"):
        door(policy)
    (policy / name).unlink()
    (tmp_path / name).rename(policy / f"own-{name}")
    (policy / name).symlink_to(f"own-{name}")
    door(policy)


@EVERY_DOOR
def test_weights_that_are_not_those_of_the_card(policy, door):
    path = policy / "policy.onnx"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(PolicyMismatchError, match="damaged or not the one of its card"):
        door(policy)


def test_links_below_policies(policy, tmp_path, monkeypatch, capfd):
    """Links of games and of policies to outside are left out, and that is said; others are not."""
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    zoo_folder = tmp_path / "here" / "policies"
    (zoo_folder / "cretaceous_creek").mkdir(parents=True)
    policy.rename(zoo_folder / "cretaceous_creek" / "real")
    (tmp_path / "away" / "other").mkdir(parents=True)
    shutil.copytree(zoo_folder / "cretaceous_creek" / "real", tmp_path / "away" / "policy")
    (zoo_folder / "cretaceous_creek" / "near").symlink_to("real")
    (zoo_folder / "cretaceous_creek" / "far").symlink_to(tmp_path / "away" / "policy")
    (zoo_folder / "go_dig").symlink_to(tmp_path / "away")
    assert set(zoo.zoo_policies([zoo_folder])) == {"cretaceous_creek/real", "cretaceous_creek/near"}
    said = capfd.readouterr().err
    assert said.count("is a link to outside of") == 2
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ValueError, match="no agent 'cretaceous_creek/far'"):
        load_agent("cretaceous_creek/far")
    load_agent("cretaceous_creek/near")


HUGE = numpy_helper.from_array(np.array([2**33], np.int64), "huge")
ONE = numpy_helper.from_array(np.ones(1, np.float32), "one")
TALL = numpy_helper.from_array(np.ones((2**17, 1), np.float32), "tall")
WIDE = numpy_helper.from_array(np.ones((1, 2**17), np.float32), "wide")
WITHOUT_NUMBERS = TensorProto(name="many", dims=[2**40], data_type=TensorProto.FLOAT)
SPARSE = helper.make_sparse_tensor(
    ONE, numpy_helper.from_array(np.zeros(1, np.int64), "place"), [2**33]
)
SPARSE.values.name = "many"
ADDED = [
    helper.make_node("ReduceSum", ["many"], ["sum"], keepdims=0),
    helper.make_node("Add", ["action_mask", "sum"], ["logits"]),
    MEAN,
]
BOMBS = {
    "values that are all alike": (
        [HUGE],
        [helper.make_node("ConstantOfShape", ["huge"], ["many"])],
    ),
    "copies": ([HUGE, ONE], [helper.make_node("Expand", ["one", "huge"], ["many"])]),
    "copies of what is seen": (
        [HUGE],
        [
            helper.make_node("ReduceMean", ["observation"], ["mean"], keepdims=0),
            helper.make_node("Expand", ["mean", "huge"], ["many"]),
        ],
    ),
    "sums of all pairs": ([TALL, WIDE], [helper.make_node("Add", ["tall", "wide"], ["many"])]),
    "constants without numbers": ([WITHOUT_NUMBERS], []),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_graphs_that_want_all_memory(policy, bomb, with_little_memory, capfd):
    constants, nodes = BOMBS[bomb]
    model = model_of([SEEN, MASK], [ANY_LOGITS, VALUE], [*nodes, *ADDED])
    model.graph.initializer.extend(constants)
    put_model(policy, model)
    refused(policy, "does not run on 1 decisions|is not an ONNX model that can be run")
    assert capfd.readouterr() == ("", "")


def test_constants_that_are_almost_nothing_but_zeros(policy, with_little_memory):
    model = model_of([SEEN, MASK], [ANY_LOGITS, VALUE], ADDED)
    model.graph.sparse_initializer.append(SPARSE)
    put_model(policy, model)
    refused(policy, "does not run on 1 decisions|is not an ONNX model that can be run")


def test_a_program_may_have_limited_the_memory_itself(monkeypatch):
    """Releases of onnxruntime differ in whether a second allocator is an error."""
    for said in ("An allocator for this device has already been registered", "no memory"):

        def register(*_, said=said):
            raise RuntimeError(said)

        monkeypatch.setattr(onnxruntime, "create_and_register_allocator", register)
        with nullcontext() if "already" in said else pytest.raises(RuntimeError, match=said):
            onnx_agents._limit_memory.__wrapped__()


def test_a_graph_that_does_not_end(policy, monkeypatch, capfd):
    monkeypatch.setattr(onnx_agents, "TRIAL_SECONDS", 0.5)
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go_on"], ["goes_on"]),
            helper.make_node("Identity", ["before"], ["after"]),
        ],
        "body",
        [
            value("number", TensorProto.INT64, []),
            value("go_on", TensorProto.BOOL, []),
            value("before", FLOAT, None),
        ],
        [value("goes_on", TensorProto.BOOL, []), value("after", FLOAT, None)],
    )
    loop = helper.make_node("Loop", ["most", "yes", "action_mask"], ["logits"], body=body)
    model = model_of([SEEN, MASK], [ANY_LOGITS, VALUE], [loop, MEAN])
    model.graph.initializer.extend(
        [
            numpy_helper.from_array(np.array(2**62, np.int64), "most"),
            numpy_helper.from_array(np.array(True), "yes"),
        ]
    )
    put_model(policy, model)
    refused(policy, "does not run on 1 decisions: .*terminate")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.graph.node.append(helper.make_node("Wish", ["value"], ["wealth"])),
        lambda model: model.graph.node.append(
            helper.make_node("Relu", ["value"], ["wealth"], domain="of.nobody")
        ),
        lambda model: setattr(model.opset_import[0], "version", 9999),
        lambda model: model.opset_import.pop(),
    ],
    ids=["an operation", "a domain", "a version", "no version"],
)
def test_what_nobody_knows(policy, change, capfd):
    model = read_model(policy)
    change(model)
    put_model(policy, model)
    refused(policy, "policy.onnx is not an ONNX model that can be run")
    assert capfd.readouterr() == ("", "")
