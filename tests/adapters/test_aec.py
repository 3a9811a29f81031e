"""The AEC environment, for every registered game."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import dig_envs
from dig_envs.adapters.aec import RawAEC
from tests.games import every_game, every_player_count, mostly_heuristic, play


def state_bytes(env):
    return env.unwrapped.states.tobytes()


def same_observation(a, b):
    return all(np.array_equal(a[key], b[key]) for key in ("observation", "action_mask"))


@every_player_count
def test_pettingzoo_api(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(dig_envs.make(name, **options), num_cycles=100)
        api_test(RawAEC(name, **options), num_cycles=100)


@every_game
def test_pettingzoo_seed(name):
    seed_test(lambda: dig_envs.make(name), num_cycles=200)


@every_player_count
def test_spaces_are_the_same_object_at_each_call_and_size(name, options):
    env, other = RawAEC(name, **options), RawAEC(name)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) == other.observation_space("player_0")


def test_the_position_is_not_assigned():
    env = RawAEC("oak_island_v1")
    with pytest.raises(AttributeError, match="states"):
        env.states = env.states.copy()


@every_game
@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@pytest.mark.parametrize(
    "moment",
    ["before the first reset", "just paid", "over", "some gone", "ended by an illegal move"],
)
def test_copies_at_special_moments(name, how, moment):
    env = dig_envs.make(name, reward="score")
    if moment != "before the first reset":
        env.reset(seed=12)
        rng = np.random.default_rng(0)
        for _ in play(env.unwrapped, rng, mostly_heuristic):
            if moment == "just paid" and any(env.rewards.values()):
                break
            illegal = np.flatnonzero(env.last()[0]["action_mask"] == 0)
            if moment == "ended by an illegal move" and len(illegal):
                env.step(int(illegal[0]))
                break
        if moment == "some gone":
            env.step(None)
    twin = how(env)
    if moment == "before the first reset":
        env.reset(seed=3)
        twin.reset(seed=3)
    for _ in range(500):
        assert state_bytes(twin) == state_bytes(env)
        kept = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
        assert [getattr(twin, one) for one in kept] == [getattr(env, one) for one in kept]
        if not env.agents:
            return
        last, there = env.last(), twin.last()
        assert same_observation(last[0], there[0])
        assert last[1:] == there[1:]
        action = None if last[2] or last[3] else int(np.flatnonzero(last[0]["action_mask"])[0])
        env.step(action)
        twin.step(action)


@every_player_count
def test_what_was_paid_between_two_turns_is_in_the_cumulative_reward(name, options):
    """``last()`` tells an agent all that it was paid since its own last action."""
    env = dig_envs.make(name, reward="score", **options)
    for seed in range(2):
        env.reset(seed=seed)
        owed = dict.fromkeys(env.possible_agents, 0.0)
        rng = np.random.default_rng(seed)
        while env.agents:
            agent = env.agent_selection
            seen, reward, terminated, truncated, _ = env.last()
            assert reward == owed[agent]
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            owed[agent] = 0.0
            for one, paid in env.rewards.items():
                owed[one] += paid
