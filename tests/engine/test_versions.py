"""Versions of an environment side by side: the model game raised to version 1
(tests/model/raised.py), and its version 0.

Version 0 of the raised game plays exactly as the model does, which has never been raised.
"""

import copy
import importlib
import json
import pickle
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test

import dig_envs
from dig_envs import BatchEnv, IllegalActionError, OptionError, SnapshotError, load_agent
from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import JIT_DISABLED, compiled, kernel
from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.options import Option
from dig_envs.language.guides import applied
from dig_envs.registry import environments_of, load_game
from tests.engine.test_conformance import test_everything_holds_in_whole_games as everything_holds
from tests.games import mostly_heuristic, play, random_choice
from tests.model.raised import NAME, raised

MODEL, OLD, NEW = "bone_bids_v0", f"{NAME}_v0", f"{NAME}_v1"
HOME = TemporaryDirectory(prefix="raised_")


@cache
def made() -> str:
    """The raised game, known as other packages' games are; only for the tests of this module, which
    take it back."""
    raised(Path(HOME.name))
    sys.path.insert(0, HOME.name)
    return dig_envs.add_game(NAME)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The raised game is one of the environments while a test of this module runs."""
    import dig_envs.registry as registry

    monkeypatch.setattr(registry, "_added", dict(registry._added))
    made()
    registry.add_package(NAME)


def states_of(name, seeds=range(20), **options):
    """Random and scripted games from the same seeds: everything that can be seen of them but the
    names of the environments."""
    for seed in seeds:
        env = RawAEC(name, **options)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for action in play(env, rng, random_choice if seed % 2 else mostly_heuristic):
            seen = env.observe(env.agent_selection)
            plain = {k: v for k, v in env.snapshot().items() if k not in ("game", "environment")}
            yield seen["observation"].tobytes(), seen["action_mask"].tobytes(), plain, action
        yield env.snapshot()["scores"], env.infos, env.rewards


@pytest.mark.parametrize("options", [{}, {"num_players": 2}, {"num_players": 4, "hand_size": 5}])
def test_version_0_plays_on_as_it_did(options):
    assert list(states_of(OLD, **options)) == list(states_of(MODEL, **options))


def test_everything_holds_in_the_newer_one():
    everything_holds(NEW, {"num_players": 4})


def test_all_versions_are_listed_and_a_name_without_one_is_the_newest():
    assert dig_envs.add_game(NAME) == NEW
    assert environments_of(NAME) == [OLD, NEW]
    assert {OLD, NEW} <= set(dig_envs.list_environments())
    assert load_game(NAME) is load_game(NEW) is not load_game(OLD)
    with pytest.raises(ValueError, match=f"no environment '{NAME}_v2'; there are {OLD}, {NEW}"):
        load_game(f"{NAME}_v2")
    for wrong in (f"{NAME}_v01", f"{NAME}_v-1", f"{NAME}_v", f"{NAME}_vx"):
        with pytest.raises(ValueError, match="no environment"):
            dig_envs.make(wrong)


def test_what_differs_is_what_was_declared():
    old, new = load_game(OLD), load_game(NEW)
    assert new.layout.keys() - old.layout.keys() == {"carried", "own_pass"}
    assert old.layout.keys() - new.layout.keys() == {"cards_left"}
    assert (old.layout_hash, old.actions_hash) == (
        load_game(MODEL).layout_hash,
        load_game(MODEL).actions_hash,
    )
    assert new.actions == (*old.actions, "pass"), "the indices of the older actions stay"
    assert [option.name for option in old.options] == ["num_players", "hand_size"]
    assert [option.name for option in new.options] == ["num_players", "hand_size", "carry"]
    assert (old.complete_options({})["hand_size"], new.complete_options({})["hand_size"]) == (4, 5)
    assert new.snapshot_table.keys() - old.snapshot_table.keys() == {"carried"}
    with pytest.raises(OptionError, match="has no option 'carry'"):
        dig_envs.make(OLD, carry=True)


def test_the_guide_of_the_newest_version_tells_an_older_one_what_it_plays():
    page = "*If `carry` is `false`:* It is lost.\n\n*If `carry` is `true`:* It goes on."
    old, new = load_game(OLD), load_game(NEW)
    assert applied(page, old, {"num_players": "2"}) == "It is lost."
    assert applied(page, new, {"num_players": "2", "carry": "true"}) == "It goes on."
    with pytest.raises(ValueError, match="there is no option and value '`carry` is `often`'"):
        applied("*If `carry` is `often`:* A.", old, {"num_players": "2"})


def test_another_deal():
    deals = []
    for name in (OLD, NEW):
        env = RawAEC(name, hand_size=4)
        env.reset(seed=3)
        deals.append(env.snapshot()["hands"])
    assert deals[0] != deals[1]
    assert [len(hand) for hand in deals[0]] == [len(hand) for hand in deals[1]]


def test_another_action_and_another_rule():
    """In version 1 one may pass, and a bone that nobody wins goes to who wins the next."""
    env = RawAEC(NEW, num_players=2, hand_size=2)
    env.reset(seed=1)
    first = env.snapshot()["worth"]
    for _ in range(2):
        env.step(env.game.action_index["pass"])
    assert (env.snapshot()["scores"], env.snapshot()["carried"]) == ([0, 0], first)
    second = env.snapshot()["worth"]
    env.step(env.game.action_index["pass"])
    card = env.snapshot()["hands"][1][0]
    env.step(env.game.action_index[f"bid {card}"])
    assert env.snapshot()["scores"] == [0, first + second]
    old = RawAEC(OLD, num_players=2)
    old.reset(seed=1)
    with pytest.raises(IllegalActionError):
        old.step(len(old.game.actions))


@pytest.mark.parametrize("name", [OLD, NEW])
def test_pettingzoo_and_gymnasium_know_both(name):
    version = name[-1]
    api_test(dig_envs.make(name), num_cycles=60)
    parallel_api_test(dig_envs.make_parallel(name), num_cycles=60)
    env = gymnasium.make(f"dig/{NAME}-v{version}")
    assert env.unwrapped.game.env_name == name
    assert env.reset(seed=1)[0].shape == (load_game(name).observation_size,)
    if hasattr(pettingzoo, "make"):
        assert pettingzoo.make("aec", f"dig/{NAME}-v{version}").unwrapped.game.env_name == name
    assert getattr(dig_envs, name).env().unwrapped.game.env_name == name


@pytest.mark.parametrize("name", [OLD, NEW])
def test_batches_and_players(name):
    """A batch deals what one environment deals, and players find the version that they are asked
    for."""
    batch = BatchEnv(name, batch_size=16, seed=3)
    for _ in range(30):
        batch.step(batch.sample_actions())
    assert set(batch.states["version"].tolist()) == {load_game(name).version}
    env = dig_envs.make(name)
    env.reset(seed=5)
    for spec in ("random", "heuristic"):
        action = load_agent(spec, env=name, seed=1).act(env)
        assert env.observe(env.agent_selection)["action_mask"][action]


@pytest.mark.parametrize("name", [OLD, NEW])
def test_copies_keep_the_version(name):
    env = dig_envs.make(name, num_players=2)
    env.reset(seed=2)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env.unwrapped))):
        assert twin.unwrapped.game is load_game(name)
        assert twin.unwrapped.snapshot() == env.unwrapped.snapshot()
    assert pickle.loads(pickle.dumps(load_game(name))) is load_game(name)


def test_a_position_goes_on_in_its_own_version_only():
    old, new = RawAEC(OLD), RawAEC(NEW, hand_size=4)
    for env in (old, new):
        env.reset(seed=4)
    with pytest.raises(SnapshotError, match=f"'environment': must be '{NEW}', not '{OLD}'"):
        new.restore(old.snapshot())
    with pytest.raises(SnapshotError, match=f"'environment': must be '{OLD}', not '{NEW}'"):
        old.restore(new.snapshot())
    nameless = {
        key: value
        for key, value in old.snapshot().items()
        if key not in ("environment", "dig_envs")
    }
    old.restore(nameless)  # before versions were noted there was version 0 alone
    with pytest.raises(SnapshotError, match=f"'environment': must be '{NEW}', not '{OLD}'"):
        new.restore(nameless)
    hostile = {**old.snapshot(), "pending": ["pass", None, None], "to_move": 1}
    with pytest.raises(SnapshotError, match="pending"):
        old.restore(hostile)


@pytest.mark.parametrize("check", [True, False])
def test_a_record_of_another_version_is_refused(check):
    old, new = BatchEnv(OLD, batch_size=1, seed=1), BatchEnv(NEW, batch_size=1, seed=1, hand_size=4)
    with pytest.raises(SnapshotError, match=f"of version 1 of the environment, not of {OLD}"):
        old.set_states(None, new.states.copy(), check=check)


def test_options_that_a_position_lacks_have_their_defaults():
    new = RawAEC(NEW, carry=False)
    new.reset(seed=6)
    snapshot = json.loads(json.dumps(new.snapshot()))
    usual = {
        **snapshot,
        "options": {
            k: v for k, v in snapshot["options"].items() if k not in ("carry", "hand_size")
        },
    }
    other = RawAEC(NEW)
    other.restore(usual)
    assert other.snapshot()["options"] == {"num_players": 3, "hand_size": 5, "carry": True}
    with pytest.raises(SnapshotError, match="made with other options: carry = True"):
        new.restore(usual)


def test_a_module_of_its_own():
    """``import dig_envs.NAME_vN`` works for each version of the games of this package."""
    for name in dig_envs.list_environments():
        if load_game(name).package.startswith("dig_envs."):
            assert importlib.import_module(f"dig_envs.{name}").env().unwrapped.game.env_name == name


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_version_with_one_field_more_is_compiled_in_silence():
    """The functions that two versions share are compiled for each, with no word of Numba's about
    records that begin alike."""
    # never compiled before
    key = CacheKey("shared", ("tests.engine.test_versions",), (time.time_ns(),))
    write = kernel(key)(write_first)
    with warnings.catch_warnings(record=True) as said:
        for more in ([], [("b", np.float32)]):
            records = np.zeros(1, [("a", np.float32), *more])
            assert write(records) == records["a"][0] == 1.0
    assert not said


@compiled
def write_shared(obs):
    obs.a = 1.0
    return obs.a


def write_first(records):
    return int(write_shared(records[0]))


# ---------------------------------------------------------------- what is declared


def test_fields_come_and_go():
    fields = Fields(
        Field("a", (), ""),
        Field("b", (2,), "", until=2),
        Field("b", (3,), "", since=2),
        Field("c", (), "", since=1),
    )
    found = [
        [(field.name, field.shape) for field in fields.in_version(version).fields]
        for version in range(3)
    ]
    assert found == [
        [("a", ()), ("b", (2,))],
        [("a", ()), ("b", (2,)), ("c", ())],
        [("a", ()), ("b", (3,)), ("c", ())],
    ]


def test_actions_are_only_added_at_the_end():
    actions = Actions()
    assert [actions.add("a {}", "xy"), actions.add("b", since=2), actions.add("c", since=2)] == [
        0,
        2,
        3,
    ]
    assert [actions.in_version(version).names for version in (0, 1, 2)] == [("a x", "a y")] * 2 + [
        ("a x", "a y", "b", "c")
    ]
    with pytest.raises(ValueError, match="'d': actions of version 1 go before those of version 2"):
        actions.add("d", since=1)


def test_defaults_of_earlier_versions():
    option = Option("x", range(9), 5, "", former={0: 2, 3: 4})
    assert [option.in_version(version).default for version in range(6)] == [2, 4, 4, 4, 5, 5]
