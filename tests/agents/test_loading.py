"""Players by name, and policies that do not fit."""

import copy
import json
import pickle
import re
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest

from dig_envs import BatchEnv, PolicyMismatchError, load_agent, make
from dig_envs.agents.loading import MAKERS, parse_spec
from dig_envs.agents.names import one_per_seat
from dig_envs.agents.zoo import comes_with_package, zoo_policies
from dig_envs.registry import load_game
from tests.policies import shipped
from tests.training.random_network import random_policy

GAME = load_game("cretaceous_creek")


@pytest.fixture
def policy(tmp_path):
    return random_policy(tmp_path / "cretaceous_creek" / "small", GAME)


def change_card(policy, **changes):
    path = policy / "card.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_policy_plays(policy):
    """A loaded policy plays legal actions, one game at a time and in batches, likeliest or
    drawn."""
    env = make("cretaceous_creek_v0")
    env.reset(seed=1)
    agent = load_agent(str(policy))
    batch = BatchEnv("cretaceous_creek_v0", 1, seed=1)
    for _ in range(30):
        action = agent.act(env)
        assert action == agent.act_batch(batch.observation, batch.action_mask)[0]
        env.step(action)
        batch.step([action])
        if batch.terminated[0]:
            break
    drawn = load_agent(f"{policy}:sample", seed=3)
    many = BatchEnv("cretaceous_creek_v0", 200, seed=[1] * 200)
    actions = drawn.act_batch(many.observation, many.action_mask)
    assert (many.action_mask[np.arange(200), actions] == 1).all()
    assert len(set(actions.tolist())) > 1
    again = load_agent(f"{policy}:sample", seed=3).act_batch(many.observation, many.action_mask)
    np.testing.assert_array_equal(actions, again)


def test_threads_of_a_policy(policy):
    """More threads for a batch, the same decisions; copies have as many."""
    agent = load_agent(f"{policy}:threads=2:sample", seed=3)
    assert agent._session.get_session_options().intra_op_num_threads == 2
    assert copy.deepcopy(agent)._session.get_session_options().intra_op_num_threads == 2
    many = BatchEnv("cretaceous_creek_v0", 200, seed=5)
    seen = many.observation, many.action_mask
    np.testing.assert_array_equal(
        agent.act_batch(*seen), load_agent(f"{policy}:sample", seed=3).act_batch(*seen)
    )
    for setting in (
        "threads",
        "threads=0",
        "threads=257",
        "threads=" + "9" * 5000,
        "threads=2:threads=2",
        "sample=1",
        "200ms",
    ):
        with pytest.raises(
            ValueError, match=":threads=' with a whole number from 1 to 256, each once"
        ):
            load_agent(f"{policy}:{setting}")


@pytest.mark.parametrize(
    ("changes", "env", "message"),
    [
        ({"observation_layout": "0123"}, None, "observation_layout is '0123', here"),
        ({"action_list": "4567"}, None, "action_list is '4567', here"),
        ({"weights_sha256": "89"}, None, "SHA-256"),
        ({"format": 99}, None, "format 99"),
        (
            {"environment": "cretaceous_creek_v9"},
            None,
            "'cretaceous_creek_v9', which is not here; there are cretaceous_creek_v0$",
        ),
        (
            {"environment": "cretaceous_creek_v9"},
            "cretaceous_creek_v0",
            "it was made for 'cretaceous_creek_v9'",
        ),
    ],
)
def test_policy_that_does_not_fit(policy, changes, env, message):
    change_card(policy, **changes)
    with pytest.raises(PolicyMismatchError, match=message):
        load_agent(str(policy), env)


class Bomb:
    """Says so if it is ever unpickled."""

    def __reduce__(self):
        return (sys.exit, ("unpickled",))


def test_nothing_is_unpickled(policy):
    """A pickle in place of the weights, with a card that fits it, is refused without being
    executed."""
    bomb = pickle.dumps(Bomb())
    (policy / "policy.onnx").write_bytes(bomb)
    change_card(policy, weights_sha256=sha256(bomb).hexdigest())
    with pytest.raises(PolicyMismatchError, match="not an ONNX model"):
        load_agent(str(policy))


def test_names_and_environments_that_are_no_text():
    for spec in (None, 5, b"random", ["random"], Bomb(), np.zeros(2)):
        with pytest.raises(TypeError, match="an agent's name is a text"):
            load_agent(spec)
    with pytest.raises(ValueError, match="an agent's name is a text"):
        load_agent("")
    for env in (5, ["cretaceous_creek_v0"], b"cretaceous_creek_v0", make("go_dig_v0")):
        for agent in ("random", "heuristic", "search", "cretaceous_creek/policy"):
            with pytest.raises(TypeError, match="an environment's name is a text"):
                load_agent(agent, env)


@pytest.mark.parametrize(
    "spec", ["x" * 300, "x" * 5000, "heuristic/" * 500, "a\0b", "search/" + "x" * 300, "../" * 3000]
)
def test_names_that_no_file_can_have(spec):
    with pytest.raises(ValueError, match="no agent") as error:
        load_agent(spec, "cretaceous_creek_v0")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("spec", "env", "kind"),
    [
        ("random", None, "random"),
        ("exec:node my_bot.js:x", "go_dig_v0", "exec"),
        ("go_dig/heuristic", None, "heuristic"),
        ("search:200ms", "go_dig_v0", "search"),
        ("fossil_memory/remembering", None, "player"),
        ("remembering", "fossil_memory_v0", "player"),
        ("remembering", "go_dig_v0", "policy"),
        ("go_dig_v0/best", None, "best"),
        ("best+search:sims=3:c=1", "go_dig_v0", "best+search"),
        ("go_dig/policy:sample", None, "policy"),
        ("go_dig/policy+search:sims=3", None, "policy+search"),
        ("chess/policy", None, "policy"),
    ],
)
def test_kinds_of_names(spec, env, kind):
    parsed = parse_spec(spec, env)
    assert parsed.kind == kind
    assert parsed.kind in MAKERS
    assert f"{parsed.name}:{parsed.settings}".removesuffix(":") == spec


def test_folders_go_before_kinds(tmp_path, monkeypatch):
    """A policy's folder may have the name of a kind."""
    monkeypatch.chdir(tmp_path)
    for name in ("search", "best", "heuristic", "ppo+search"):
        (tmp_path / "mine" / name).mkdir(parents=True)
        assert (parse_spec(f"mine/{name}").kind, parse_spec(f"mine/{name}").policy) == (
            "policy",
            f"mine/{name}",
        )
        assert parse_spec(f"other/{name}").kind != "policy"


def test_no_folder_goes_before_a_name_without_a_path(tmp_path, monkeypatch):
    """Nor before a level of a game; with ./ it is the folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("hard", "best", "heuristic", "search", "go_dig/hard", "own"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("hard", "best", "heuristic", "search", "go_dig/hard"):
        assert parse_spec(name, "go_dig_v0").kind == name.rpartition("/")[2]
        assert comes_with_package(name)
        assert parse_spec(f"./{name}", "go_dig_v0").kind == "policy"
        assert not comes_with_package(f"./{name}")
    with pytest.raises(ValueError, match=r"no agent 'own': .*; the folder .* is '\./own'"):
        load_agent("own", "go_dig_v0")
    looked = re.escape(str(tmp_path / "policies"))
    with pytest.raises(ValueError, match=f"no agent 'go_dig/mine': .* looked .* in {looked}$"):
        load_agent("go_dig/mine", "go_dig_v0")


@pytest.mark.parametrize("spec", ["heuristic", "search:sims=5", "best", "exec:python3 x"])
def test_needs_a_game(spec):
    with pytest.raises(ValueError, match="needs the environment"):
        load_agent(spec)


@pytest.mark.parametrize("name", ["random", "heuristic", "search", ":sample"])
def test_seeds(name, policy):
    name = f"{policy}:sample" if name == ":sample" else name
    for seed in ("5", b"5", 1.5, True):
        with pytest.raises(TypeError, match="a seed must be an integer"):
            load_agent(name, "cretaceous_creek_v0", seed=seed)
    with pytest.raises(ValueError, match="a seed must be from"):
        load_agent(name, "cretaceous_creek_v0", seed=2**64)
    load_agent(name, "cretaceous_creek_v0", seed=np.int64(3))


@pytest.mark.parametrize("name", ["random", ":sample"])
def test_without_a_seed_every_agent_is_another_one(name, policy):
    name = f"{policy}:sample" if name == ":sample" else name
    batch = BatchEnv("cretaceous_creek_v0", 400, seed=1)
    for _ in range(20):
        batch.step(batch.heuristic_actions())

    def choices(**seed):
        return (
            load_agent(name, "cretaceous_creek_v0", **seed)
            .act_batch(batch.observation, batch.action_mask)
            .tolist()
        )

    assert choices() != choices()
    assert choices(seed=None) != choices(seed=None)
    assert choices(seed=0) == choices(seed=0) != choices(seed=1)


def test_unknown_names():
    with pytest.raises(ValueError, match="one of random, heuristic"):
        load_agent("nobody")
    with pytest.raises(ValueError, match="3 agents for 2 seats"):
        one_per_seat(["random"] * 3, 2)
    assert one_per_seat(["random"], 3) == ["random"] * 3
    assert one_per_seat(["human", "heuristic"], 4) == [
        "human",
        "heuristic",
        "heuristic",
        "heuristic",
    ], "as dig-envs evaluate does"


def test_no_torch_needed_and_nothing_printed(policy):
    """In a fresh process in which PyTorch cannot be imported; neither by a policy that plays nor by
    one that does not fit."""
    code = f"""
import hashlib, json, pathlib, sys
sys.modules["torch"] = None
import dig_envs
env = dig_envs.make("cretaceous_creek_v0"); env.reset(seed=0)
assert env.unwrapped.action_names[dig_envs.load_agent({str(policy)!r}).act(env)].startswith("camp ")
folder = pathlib.Path({str(policy)!r})
(folder / "policy.onnx").write_bytes(b"\\x08\\x08")
card = json.loads((folder / "card.json").read_text())
card["weights_sha256"] = hashlib.sha256(b"\\x08\\x08").hexdigest()
(folder / "card.json").write_text(json.dumps(card))
try:
    dig_envs.load_agent(str(folder))
except dig_envs.PolicyMismatchError:
    pass
else:
    raise SystemExit("not refused")
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert (result.stdout, result.stderr) == ("", "")


@pytest.mark.parametrize("name", sorted(zoo_policies()))
def test_zoo(name):
    """Each policy of the package loads by name, with and without the version, and has a complete
    card."""
    policy = shipped(name).rpartition("/")[2]
    agent = load_agent(name)
    card = agent.card
    assert load_agent(f"{card['environment']}/{policy}").name == agent.name == name
    assert load_agent(policy, env=card["environment"]).name == name
    assert {
        "training_command",
        "seed",
        "steps",
        "date",
        "evaluation",
        "licence",
        "settings",
    } <= set(card)
    assert all(
        won["low"] <= won["mean"] <= won["high"]
        for won in (row.get("won") or row["win_rate"] for row in card["evaluation"])
    )
