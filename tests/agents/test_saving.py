"""A network of one's own becomes a policy that plays as it does, or is refused with nothing
written."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
import torch
from onnx import helper
from torch import nn

from dig_envs import BatchEnv, OptionError, PolicyMismatchError, load_agent, save_policy
from dig_envs.agents.matches import play_games
from dig_envs.agents.onnx import read_card
from dig_envs.agents.program import evaluate_program
from dig_envs.agents.saving import OWN_KEYS
from dig_envs.export.machines import ExportError
from dig_envs.export.weights import policy_weights
from dig_envs.registry import load_game
from tests.games import needs_compiling
from tests.policies import shipped

NAME = "twenty_questions_v0"
GAME = load_game(NAME)
SIZE, ACTIONS = GAME.observation_size, len(GAME.actions)


class Plain(nn.Module):
    """Logits alone, of observations alone."""

    def __init__(self, size=SIZE, actions=ACTIONS, activation=nn.ReLU):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 16), activation())
        self.policy, self.value = nn.Linear(16, actions), nn.Linear(16, 1)

    def forward(self, observation):
        return self.policy(self.body(observation))


class Filled(Plain):
    def forward(self, observation, action_mask):
        hidden = self.body(observation)
        return self.policy(hidden).masked_fill(action_mask == 0, -1e8), self.value(hidden)


class Chosen(Plain):
    def forward(self, observation, action_mask):
        hidden = self.body(observation)
        logits = torch.where(action_mask.bool(), self.policy(hidden), -torch.inf)
        return logits, self.value(hidden).squeeze(-1)


class Inverted(Plain):
    def forward(self, observation, action_mask):
        hidden = self.body(observation)
        return self.policy(hidden).masked_fill(~(action_mask > 0.2), -1e9), self.value(hidden)


class Added(Plain):
    """The mask is part of what is computed."""

    def forward(self, observation, action_mask):
        return super().forward(observation) - 1e6 * (1 - action_mask)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.policy = nn.GRUCell(SIZE, 8), nn.Linear(8, ACTIONS)

    def forward(self, observation, action_mask, memory):
        memory = self.cell(observation, memory)
        return self.policy(memory), memory[:, :1], memory


class RecurrentLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.policy = nn.LSTMCell(SIZE, 4), nn.Linear(4, ACTIONS)

    def forward(self, observation, action_mask, memory):
        hidden, cell = self.cell(observation, memory.chunk(2, dim=1))
        return self.policy(hidden), cell[:, ::4], torch.cat([hidden, cell], dim=1)


class RecurrentSplit(RecurrentLstm):
    def forward(self, observation, action_mask, memory):
        states = [part.reshape(-1, 4) for part in torch.split(memory, [4, 4], dim=1)]
        hidden, cell = self.cell(observation, states)
        return self.policy(hidden), cell[:, ::4], torch.cat([hidden, cell], dim=1)


class Dividing(Plain):
    def forward(self, observation):
        return super().forward(observation) / (observation.sum() * 0)


class Branching(Plain):
    def forward(self, observation):
        logits = super().forward(observation)
        return logits if bool(observation.mean() > 0.9) else logits - 5 * logits**2


class ThroughNumPy(Plain):
    def forward(self, observation):
        return super().forward(torch.from_numpy(observation.numpy()))


class Three(Plain):
    def forward(self, observation, action_mask):
        return super().forward(observation), observation[:, 0], observation


class Named(Plain):
    def forward(self, observation):
        return {"logits": super().forward(observation)}


class Four(Plain):
    def forward(self, observation, action_mask, more, still_more):
        return super().forward(observation)


def some_decisions():
    batch = BatchEnv(NAME, 32, seed=3)
    for _ in range(5):
        batch.step(batch.heuristic_actions())
    return batch.observation.copy(), batch.action_mask.copy()


def answer(folder, memory=None):
    seen, mask = some_decisions()
    return load_agent(str(folder)).evaluate(seen, mask, memory)


def same_where_legal(found, wanted):
    legal = some_decisions()[1] == 1
    assert 0 < legal.sum() < legal.size
    np.testing.assert_allclose(found[legal], np.asarray(wanted)[legal], rtol=1e-4, atol=1e-4)
    assert (found[~legal] == np.float32(-1e8)).all()


@pytest.mark.parametrize("kind", [Plain, Filled, Chosen, Inverted, Added])
def test_a_module_of_pytorch(kind, tmp_path):
    """Logits and values are its own, however it masks; all but one of these graphs are computed by
    compiled code, too."""
    torch.manual_seed(0)
    module = kind().train()
    folder = save_policy(tmp_path / "x" / "mine", NAME, module)
    assert folder == (tmp_path / "x" / "mine").resolve()
    assert module.training
    seen, mask = (torch.tensor(array, dtype=torch.float32) for array in some_decisions())
    with torch.no_grad():
        found = module(seen) if kind is Plain else module(seen, mask)
        logits, value = found if isinstance(found, tuple) else (found, torch.zeros(len(seen)))
    ours, our_value = answer(folder)
    same_where_legal(ours, logits)
    np.testing.assert_allclose(our_value, value.reshape(-1), atol=1e-5)
    assert (load_agent(str(folder)).program is None) == (kind is Added)


@pytest.mark.parametrize("kind", [Recurrent, RecurrentLstm, RecurrentSplit])
def test_a_module_that_remembers(kind, tmp_path):
    """Compiled code gives the same as onnxruntime."""
    torch.manual_seed(0)
    module = kind()
    folder = save_policy(tmp_path / "mine", NAME, module, memory_size=8)
    agent = load_agent(str(folder))
    assert agent.memory_size == 8
    seen, mask = some_decisions()
    memory = np.full((len(seen), 8), 0.5, np.float32)
    with torch.no_grad():
        logits, _, then = module(torch.tensor(seen), mask, torch.tensor(memory))
    same_where_legal(agent.evaluate(seen, mask, memory)[0], logits)
    np.testing.assert_allclose(memory, then, atol=1e-5)
    rng = np.random.default_rng(1)
    ours = rng.uniform(-1, 1, (len(seen), 8)).astype(np.float32)
    theirs, seen = ours.copy(), rng.random(seen.shape, np.float32)
    found = evaluate_program(agent.program, seen, mask, ours)
    wanted = agent.evaluate(seen, mask, theirs)
    np.testing.assert_allclose(found[0][mask == 1], wanted[0][mask == 1], atol=1e-4)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-4)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert np.ptp(ours) > 0.1
    assert policy_weights(GAME, str(folder))


@pytest.mark.parametrize(
    ("activation", "operation"), [(nn.ELU, "Elu"), (nn.GELU, "Erf"), (nn.LeakyReLU, "LeakyRelu")]
)
def test_what_cannot_be_exported_is_named(activation, operation, tmp_path):
    folder = save_policy(tmp_path / "mine", NAME, Plain(activation=activation))
    with pytest.raises(ExportError, match=f"does not know its operation '{operation}'"):
        policy_weights(GAME, str(folder))


@pytest.mark.parametrize(
    ("activation", "function"), [("relu", lambda x: np.maximum(x, 0)), ("tanh", np.tanh)]
)
def test_weights_by_name(activation, function, tmp_path):
    rng = np.random.default_rng(0)
    weights = {
        "layer0.weight": rng.normal(size=(12, SIZE)),
        "layer0.bias": rng.normal(size=12),
        "layer1.weight": rng.normal(size=(7, 12)),
        "policy.weight": rng.normal(size=(ACTIONS, 7)),
        "value.weight": rng.normal(size=(1, 7)),
        "value.bias": np.ones(1),
    }
    folder = save_policy(tmp_path / "mine", NAME, weights, activation=activation)
    hidden = function(some_decisions()[0] @ weights["layer0.weight"].T + weights["layer0.bias"])
    hidden = function(hidden @ weights["layer1.weight"].T)
    logits, value = answer(folder)
    same_where_legal(logits, hidden @ weights["policy.weight"].T)
    np.testing.assert_allclose(value, hidden @ weights["value.weight"][0] + 1, rtol=1e-4, atol=1e-4)


def own_graph(mask_type=None, size=SIZE, actions=ACTIONS):
    """A model whose names are its own: the logits are the first numbers of the observation, after
    the mask if there is one."""
    given = [helper.make_tensor_value_info("x", onnx.TensorProto.DOUBLE, ["b", size])]
    nodes = [
        helper.make_node("Constant", [], ["a"], value_ints=[0]),
        helper.make_node("Constant", [], ["b"], value_ints=[actions]),
        helper.make_node("Constant", [], ["axis"], value_ints=[1]),
        helper.make_node("Slice", ["x", "a", "b", "axis"], ["y"]),
    ]
    if mask_type is not None:
        given.append(helper.make_tensor_value_info("m", mask_type, ["b", actions]))
    made = helper.make_tensor_value_info("y", onnx.TensorProto.DOUBLE, ["b", actions])
    graph = helper.make_graph(nodes, "own", given, [made])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


@pytest.mark.parametrize("form", ["path", "bytes", "model"])
@pytest.mark.parametrize("mask_type", [None, onnx.TensorProto.BOOL, onnx.TensorProto.INT8])
def test_an_onnx_model(form, mask_type, tmp_path):
    """By position, and of other types."""
    model = own_graph(mask_type)
    onnx.save_model(model, tmp_path / "m.onnx")
    given = {"path": tmp_path / "m.onnx", "bytes": model.SerializeToString(), "model": model}
    logits, value = answer(save_policy(tmp_path / "mine", NAME, given[form]))
    same_where_legal(logits, some_decisions()[0][:, :ACTIONS])
    assert not value.any()


def test_a_policy_is_saved_from_the_file_of_another(tmp_path):
    first = save_policy(tmp_path / "first", NAME, Filled())
    second = save_policy(tmp_path / "second", NAME, first / "policy.onnx")
    np.testing.assert_array_equal(answer(first)[0], answer(second)[0])


def test_the_card(tmp_path):
    options = {"num_players": 2}
    folder = save_policy(
        tmp_path / "mine", NAME, Plain(), options=[options], licence="MIT", about={"steps": 5}
    )
    card = read_card(folder)
    assert (card["environment"], card["num_players"], card["licence"]) == (NAME, [2], "MIT")
    assert card["steps"] == 5
    assert card["settings"]["games"] == [GAME.complete_options(options)]
    with pytest.raises(PolicyMismatchError, match="trained for 2 players, not for 3"):
        load_agent(str(folder)).check_num_players([3])
    assert "num_players" not in read_card(save_policy(folder, NAME, Plain()))


@pytest.mark.parametrize("key", OWN_KEYS)
def test_what_is_checked_is_not_overwritten(key, tmp_path):
    with pytest.raises(ValueError, match=f"about has '{key}'.*use another name"):
        save_policy(tmp_path / "mine", NAME, Plain(), about={"steps": 5, key: {"lr": 0.1}})
    assert list(tmp_path.iterdir()) == []


def test_one_empty_case_stands_for_all_games(tmp_path):
    card = read_card(save_policy(tmp_path / "a", NAME, Plain(), options=[{}, {"num_players": 2}]))
    assert not {"num_players", "settings"} & card.keys()
    with pytest.raises(OptionError):
        save_policy(tmp_path / "b", NAME, Plain(), options=[{}, {"num_players": 99}])


def test_weights_of_pytorch(tmp_path):
    """They have gradients."""
    weights = dict(nn.ModuleDict({"policy": nn.Linear(SIZE, ACTIONS)}).named_parameters())
    assert weights["policy.weight"].requires_grad
    seen = torch.tensor(some_decisions()[0])
    wanted = nn.functional.linear(seen, *weights.values()).detach()
    same_where_legal(answer(save_policy(tmp_path / "mine", NAME, weights))[0], wanted)


BAD_WEIGHTS = {
    "turned": (
        {"layer0.weight": np.ones((SIZE, 9)), "policy.weight": np.ones((ACTIONS, 9))},
        rf"\({SIZE}, 9\).*{NAME}.*\(outputs, {SIZE}\)",
    ),
    "no policy": ({"layer0.weight": np.ones((9, SIZE))}, r"policy\.weight is missing"),
    "other names": (
        {"dense": np.ones((9, SIZE))},
        r"weights by name are layer0\.weight.*not dense",
    ),
    "too many actions": (
        {"layer0.weight": np.ones((9, SIZE)), "policy.weight": np.ones((ACTIONS + 1, 9))},
        rf"policy.weight has the shape \({ACTIONS + 1}, 9\)",
    ),
    "bias alone": (
        {"policy.weight": np.ones((ACTIONS, SIZE)), "layer0.bias": np.ones(9)},
        r"layer0\.bias is given, and layer0\.weight is missing",
    ),
    "not finite": ({"policy.weight": np.full((ACTIONS, SIZE), np.nan)}, "NaN or infinite"),
}
WRONG = {
    "observation": (
        Filled(SIZE + 1),
        PolicyMismatchError,
        rf"Filled does not take.*{NAME}.*{SIZE}",
    ),
    "actions": (Plain(actions=4), PolicyMismatchError, rf"gives \(2, 4\).*needs.*\(2, {ACTIONS}\)"),
    "three": (Three(), PolicyMismatchError, r"Three gives .* needs logits .* \(or logits alone\)"),
    "dict": (
        Named(),
        PolicyMismatchError,
        r"Named gives a dict; return logits or \(logits, value\)",
    ),
    "parameters": (Four(), TypeError, r"takes \(observation, action_mask, more, still_more\)"),
    "memory": (Recurrent(), TypeError, "memory_size"),
    "complex": ({"policy.weight": np.ones((ACTIONS, SIZE)) * 1j}, TypeError, "policy.*complex128"),
    "words": ({"policy.weight": "many"}, TypeError, "policy.weight must be an array of floats"),
    "numpy": (ThroughNumPy(), PolicyMismatchError, "does not use its input as a tensor"),
    "zero": (Dividing(), PolicyMismatchError, "NaN or infinite numbers for decision 0"),
    "half": (Plain().half(), ValueError, r"has weights of torch.float16; give it as float32"),
    "function": (lambda seen: seen, TypeError, "of a function give the weights by name"),
    "nothing": (None, TypeError, "a network is a torch.nn.Module"),
    "class": (Plain, TypeError, "a network is a torch.nn.Module"),
    "bytes": (b"no model", PolicyMismatchError, "no ONNX model"),
    "no file": ("nowhere.onnx", FileNotFoundError, "nowhere"),
    "other game": (own_graph(size=SIZE + 1), PolicyMismatchError, rf"{SIZE + 1}\); {NAME} needs"),
    "other actions": (own_graph(actions=3), PolicyMismatchError, rf"logits of shape .*{ACTIONS}\)"),
    **{name: (one, PolicyMismatchError, words) for name, (one, words) in BAD_WEIGHTS.items()},
}


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_said_and_nothing_is_written(case, tmp_path):
    network, error, words = WRONG[case]
    with pytest.raises(error, match=words):
        save_policy(tmp_path / "mine", NAME, network)
    assert list(tmp_path.iterdir()) == []


def test_what_pytorch_cannot_trace_is_found(tmp_path):
    """The graph has one branch only; the trial sees observations of which some take the other."""
    module = Branching()
    with (
        pytest.warns(torch.jit.TracerWarning),
        pytest.raises(PolicyMismatchError, match="branches"),
    ):
        save_policy(tmp_path / "mine", NAME, module)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"options": {"num_players": 9}}, OptionError, "9 is not one of"),
        ({"memory_size": -1}, ValueError, "memory_size"),
        ({"memory_size": 3}, TypeError, "memory"),
        ({"options": 3}, TypeError, "options must be .*, not 3"),
        ({"options": ["a"]}, TypeError, "options must be .* a list of such"),
        ({"licence": 3}, TypeError, "licence must be a text"),
        ({"about": "hi"}, TypeError, "about must be a dict"),
        ({"about": {5: 1}}, TypeError, "about must be a dict whose keys are texts"),
        ({"about": {"x": 1j}}, TypeError, "JSON"),
        ({"about": {"a": 1, "b": np.float32(1)}}, TypeError, r"about\['b'\] must be JSON"),
        ({"about": {"x": [np.nan]}}, ValueError, r"about\['x'\].*finite"),
    ],
)
def test_other_arguments(more, error, words, tmp_path):
    with pytest.raises(error, match=words):
        save_policy(tmp_path / "mine", NAME, Plain(), **more)
    for folder, env, kind in ((5, NAME, TypeError), (tmp_path, None, TypeError)):
        with pytest.raises(kind):
            save_policy(folder, env, Plain())
    with pytest.raises(ValueError, match="no environment"):
        save_policy(tmp_path / "mine", "no_game_v0", Plain())
    with pytest.raises(ValueError, match="weights by name have no memory"):
        save_policy(tmp_path / "mine", NAME, {}, memory_size=3)
    with pytest.raises(OptionError, match="'gelu' is not one of"):
        save_policy(tmp_path / "mine", NAME, {}, activation="gelu")
    assert list(tmp_path.iterdir()) == []


def test_only_policies_are_replaced(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="holds no policy"):
        save_policy(tmp_path, NAME, Plain())
    folder = save_policy(tmp_path / "mine", NAME, Plain())
    before = (folder / "policy.onnx").read_bytes()
    with pytest.raises(PolicyMismatchError):
        save_policy(folder, NAME, Plain(actions=4))
    assert (folder / "policy.onnx").read_bytes() == before
    save_policy(folder, NAME, Plain())
    assert (folder / "policy.onnx").read_bytes() != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.txt", "mine"]


def test_a_name_of_the_package_is_refused(tmp_path, monkeypatch):
    shipped("twenty_questions/policy")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="twenty_questions/policy is a policy of this package"):
        save_policy("policies/twenty_questions/policy", NAME, Plain())
    save_policy("policies/twenty_questions/mine", NAME, Plain())
    assert load_agent("mine", NAME).name == "twenty_questions/mine"
    save_policy("elsewhere/twenty_questions/policy", NAME, Plain())


@pytest.mark.parametrize(
    "name", ["easy", "heuristic", "best", "random", "llm", "a:b", "a:", "a+search"]
)
def test_a_name_of_another_player_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is another player: choose another name"):
        save_policy(f"policies/twenty_questions/{name}", NAME, Plain())
    with pytest.raises(ValueError, match="write it to policies/twenty_questions/mine"):
        save_policy("policies/go_dig/mine", NAME, Plain())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_pytorch_is_not_needed_for_weights(tmp_path):
    program = f"""
import sys, numpy, dig_envs
weights = {{"policy.weight": numpy.ones(({ACTIONS}, {SIZE}))}}
dig_envs.save_policy({str(tmp_path / "mine")!r}, {NAME!r}, weights)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@needs_compiling
def test_the_folder_plays(tmp_path):
    agents = [load_agent(str(save_policy(tmp_path / "mine", NAME, Filled())))]
    results = play_games(NAME, [*agents, load_agent("random", seed=1)], 6, rotate=True)
    assert results.names == (agents[0].name, "random")
    assert (results.lengths > 0).all()


# ---------------------------------------------------------------- Stable-Baselines3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PPO", "A2C", "MaskablePPO", "DQN", "QRDQN", "RecurrentPPO"])
@pytest.mark.parametrize("whole", [True, False])
def test_models_of_sb3(name, whole, tmp_path):
    """The same likeliest actions, where the model's own are legal."""
    sb3, contrib = pytest.importorskip("stable_baselines3"), pytest.importorskip("sb3_contrib")
    from dig_envs.adapters.sb3 import DigVecEnv

    kind = getattr(sb3, name, None) or getattr(contrib, name)
    env = DigVecEnv(NAME, num_envs=2, seed=0)
    recurrent = name == "RecurrentPPO"
    steps = {} if "DQN" in name else {"n_steps": 4}
    model = kind("MlpLstmPolicy" if recurrent else "MlpPolicy", env, seed=0, **steps)
    model.learn(8)
    folder = save_policy(tmp_path / "mine", NAME, model if whole else model.policy)
    with pytest.raises(ValueError, match=r"memory_size is .* not 7"):
        save_policy(tmp_path / "other", NAME, model, memory_size=7)
    agent = load_agent(str(folder))
    seen, mask = some_decisions()
    more, memory, states = {}, None, None
    if name == "MaskablePPO":
        more["action_masks"] = mask.astype(bool)
    if recurrent:
        # both continue from the same states
        memory = np.zeros((len(seen), agent.memory_size), np.float32)
        _, states = model.predict(seen, deterministic=True)
        agent.evaluate(seen, mask, memory)
        more = {"state": states, "episode_start": np.zeros(len(seen), bool)}
    theirs, _ = model.predict(seen, deterministic=True, **more)
    every = np.ones_like(mask) if name != "MaskablePPO" else mask
    logits, _ = agent.evaluate(seen, every, memory)
    assert (logits.argmax(axis=1) == theirs).mean() > 0.96  # rounding may decide a tie
