"""Restoring, the seeds of episodes, and what there is before the first reset."""

import json

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import dig_envs
from dig_envs import SnapshotError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.engine.core.seeds import following_seed
from tests.games import every_game, mostly_heuristic, play_out

NAME = "bone_bids_v0"  # where no game can make a difference
KINDS = {"AEC": RawAEC, "wrapped": dig_envs.make, "parallel": Parallel}
every_kind = pytest.mark.parametrize("kind", KINDS)


def in_the_middle(name, seed=5):
    env = RawAEC(name)
    env.reset(seed=seed)
    play_out(env, np.random.default_rng(seed), mostly_heuristic, 4)
    return env


@every_game
@every_kind
def test_a_fresh_environment_can_be_restored(name, kind):
    """An environment that was never reset can be restored; it plays on, and its next game is the
    one that follows in the source."""
    source = in_the_middle(name)
    saved = json.loads(json.dumps(source.snapshot()))
    env = KINDS[kind](name)
    env.unwrapped.restore(saved)
    assert env.unwrapped.snapshot() == saved
    if kind == "parallel":
        assert env.agents == env.possible_agents
        actions = {
            agent: int(np.flatnonzero(env.observe(agent)["action_mask"])[0])
            for agent in env.agents_to_act()
        }
        env.step(actions)
        assert env.snapshot() != saved
    else:
        assert env.agent_selection == source.agent_selection
        rng, twin = np.random.default_rng(1), np.random.default_rng(1)
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            env.step(
                None
                if terminated or truncated
                else int(rng.choice(np.flatnonzero(seen["action_mask"])))
            )
        play_out(source, twin)
        assert env.unwrapped.snapshot() == source.snapshot()
    env.reset()
    source.reset()
    assert env.unwrapped.states.tobytes() == source.states.tobytes(), "the next game"


@every_game
@every_kind
def test_the_next_game_is_that_of_the_snapshot(name, kind):
    """After a restore the next game follows from the seed of the snapshot, whatever game was dealt
    before."""
    source = in_the_middle(name, 21)
    assert source.snapshot()["seed"] == "21"
    env = KINDS[kind](name)
    env.reset(seed=99)
    env.unwrapped.restore(source.snapshot())
    env.reset()
    assert env.unwrapped.snapshot()["seed"] == str(following_seed(21))


@every_game
def test_a_snapshot_without_a_seed(name):
    """A snapshot without a seed can be restored; an environment that has seeds goes on with its
    own, a fresh one draws one."""
    source = in_the_middle(name)
    plain = {key: value for key, value in source.snapshot().items() if key != "seed"}
    assert plain == source.game.to_snapshot(source.states[0]), "what a game itself calls a snapshot"
    env = RawAEC(name)
    env.reset(seed=99)
    env.restore(plain)
    assert env.snapshot() == {**plain, "seed": "99"}
    env.reset()
    assert env.snapshot()["seed"] == str(following_seed(99))
    fresh = [RawAEC(name), RawAEC(name)]
    for one in fresh:
        one.restore(plain)
    assert fresh[0].snapshot()["seed"] != fresh[1].snapshot()["seed"], "drawn"


@pytest.mark.parametrize(
    "seed", [5, None, True, -1, "", "-1", "1.0", "x", " 5", "٣", str(2**64), "9" * 5000, ["5"], {}]
)
def test_a_bad_seed_in_a_snapshot(seed):
    env = in_the_middle(NAME)
    before = env.snapshot()
    with pytest.raises(SnapshotError, match="'seed'"):
        env.restore({**before, "seed": seed})
    assert env.snapshot() == before


def test_seeds_are_kept_to_the_last_bit():
    env, other = RawAEC(NAME), RawAEC(NAME)
    for seed in (0, 2**64 - 1, -1, 2**53 + 1):
        env.reset(seed=seed)
        other.restore(json.loads(json.dumps(env.snapshot())))
        assert other.snapshot()["seed"] == str(seed % 2**64)


def test_wrapped_environments_restore_in_the_middle_of_a_loop():
    env = dig_envs.make(NAME)
    env.reset(seed=1)
    saved = env.unwrapped.snapshot()
    for _ in env.agent_iter():
        break
    env.restore(saved)
    for agent in env.agent_iter():
        assert agent == env.agent_selection
        break


# ---------------------------------------------------------------- before reset


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.snapshot(),
        lambda env: env.view("player_0"),
        lambda env: env.determinize("player_0", 1),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: env.step({} if isinstance(env, Parallel) else 0),
        lambda env: env.render(),
    ],
    ids=["snapshot", "view", "determinize", "observe", "state", "step", "render"],
)
def test_before_the_first_reset(call):
    for kind in (RawAEC, Parallel):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call(kind(NAME, render_mode="ansi"))


@pytest.mark.parametrize("kind", [RawAEC, Parallel])
def test_unknown_agents(kind):
    env = kind(NAME)
    env.reset(seed=1)
    before = env.states.tobytes()
    with pytest.raises(TypeError, match="a seed must be"):
        env.determinize("player_0", None)
    for agent in ("nobody", "player_99", 0, None, ["player_0"]):
        for call in (env.observe, env.view, env.seat_of, lambda a: env.determinize(a, 1)):
            with pytest.raises(ValueError, match="; there are player_0"):
                call(agent)
    assert env.states.tobytes() == before
