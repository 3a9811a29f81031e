"""Observations with earlier ones behind them, in the environments and in what other libraries offer for theirs."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import dig_envs
from dig_envs.adapters.history import HistoryEnv, HistoryVectorEnv

NAME = "go_dig_v0"
SIZE = dig_envs.make(NAME).observation_space("player_0")["observation"].shape[0]


def test_pettingzoos_judges():
    api_test(HistoryEnv(dig_envs.make(NAME, max_turns=6), 3), num_cycles=50)
    seed_test(lambda: HistoryEnv(dig_envs.make(NAME, max_turns=6), 3), num_cycles=20)


def test_each_agent_sees_its_own_decisions_again():
    env = HistoryEnv(dig_envs.make(NAME, num_players=3, max_turns=9), 2)
    env.reset(seed=4)
    before = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        frames = observation["observation"].reshape(3, SIZE)
        assert np.array_equal(frames[0], env.env.observe(agent)["observation"])
        for frame, seen in zip(frames[1:], [*before[agent][::-1][:2], np.zeros(SIZE), np.zeros(SIZE)], strict=False):
            assert np.array_equal(frame, seen)
        if not terminated:
            assert env.observation_space(agent).contains(observation)
            before[agent].append(frames[0])
        env.step(None if terminated else int(observation["action_mask"].argmax()))
    assert max(map(len, before.values())) > 3


@pytest.mark.parametrize("how", ["reset", "restore"])
def test_a_new_game_begins_without_a_history(how):
    env = HistoryEnv(dig_envs.make(NAME), 2)
    env.reset(seed=1)
    snapshot = env.unwrapped.snapshot()
    for _ in range(4):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.reset(seed=2) if how == "reset" else env.restore(snapshot)
    for agent in env.possible_agents:
        assert not env.observe(agent)["observation"][SIZE:].any()


def test_in_many_games_the_history_ends_with_the_episode():
    env = HistoryVectorEnv(gymnasium.make_vec("dig/go_dig-v0", num_envs=5, max_turns=4), 2)
    observation, infos = env.reset(seed=3)
    assert observation.shape == (5, 3 * SIZE) == env.observation_space.shape
    assert not observation[:, SIZE:].any()
    ended = 0
    for _ in range(40):
        before = observation
        observation, _, terminated, _, infos = env.step(env.action_masks().argmax(axis=1))
        assert env.observation_space.contains(observation)
        for i in range(5):
            expected = np.zeros(2 * SIZE) if terminated[i] else before[i, : 2 * SIZE]
            assert np.array_equal(observation[i, SIZE:], expected)
            if terminated[i]:
                assert np.array_equal(infos["final_obs"][i][SIZE:], before[i, : 2 * SIZE])
                ended += 1
    assert ended > 5
    env.close()


@pytest.mark.parametrize("frames", [0, -1])
def test_too_few_frames(frames):
    for wrapper, env in ((HistoryEnv, dig_envs.make(NAME)), (HistoryVectorEnv, gymnasium.make_vec("dig/go_dig-v0"))):
        with pytest.raises(ValueError, match=f"frames must be at least 1, not {frames}"):
            wrapper(env, frames)
    with pytest.raises(TypeError):
        HistoryEnv(dig_envs.make(NAME), 2.5)
