"""Events in all environments: each agent is told what happened since its last decision, the same
everywhere."""

import json

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.batch.batch_env import BatchEnv
from tests.games import every_game, random_choice

NAME = "go_dig_v0"


def texts(events):
    return [str(event) for event in events]


def played(steps, seed=5, **settings):
    """An AEC environment after some random actions."""
    env, rng = RawAEC(NAME, **settings), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        env.step(random_choice(env, rng))
    return env


@every_game
def test_all_that_an_agent_is_told_is_its_part_of_the_log(name):
    """The events in the infos before each decision and at the end are together all that the agent
    is told of the game."""
    env, rng = dig_envs.make(name, with_events=True), np.random.default_rng(1)
    env.reset(seed=1)
    told = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter(400):
        *_, terminated, _, info = env.last()
        told[agent] += info["events"] if not terminated else []
        if terminated:
            break
        assert info["events"] == env.unwrapped.events(agent)
        env.step(random_choice(env.unwrapped, rng))
    for seat, agent in enumerate(env.possible_agents):
        everything = env.unwrapped.event_log.told(seat)
        assert texts(told[agent] + env.unwrapped.events(agent)) == texts(everything)
        assert json.dumps([event.to_json() for event in everything])


def test_without_being_asked_for_they_are_in_no_info():
    env = played(4)
    assert "events" not in env.infos["player_0"]
    assert texts(env.events("player_0"))
    with pytest.raises(ValueError, match="no agent 'player_7'"):
        env.events("player_7")
    with pytest.raises(ResetNeeded):
        RawAEC(NAME).events("player_0")


def test_a_restored_or_redealt_game_begins_a_new_log():
    env = played(6)
    snapshot = env.snapshot()
    assert env.event_log.told(None)
    for begin in (
        lambda: env.restore(snapshot),
        lambda: env.determinize("player_0", 3),
        lambda: env.reset(seed=1),
    ):
        env.step(random_choice(env, np.random.default_rng(0)))
        begin()
        assert env.event_log.told(None) == []


def test_the_parallel_environment_tells_the_same():
    env, rng = dig_envs.make_parallel(NAME, with_events=True), np.random.default_rng(5)
    aec = RawAEC(NAME, with_events=True)
    aec.reset(seed=5)
    _, infos = env.reset(seed=5)
    for _ in range(20):
        action = random_choice(aec, rng)
        mover = aec.agent_selection
        aec.step(action)
        *_, infos = env.step({mover: action})
        assert {agent: texts(info["events"]) for agent, info in infos.items()} == {
            agent: texts(aec.events(agent)) for agent in aec.possible_agents
        }


def test_gymnasium_tells_the_learner():
    env = SingleLearnerEnv(NAME, learner=1, opponents="heuristic", with_events=True)
    _, info = env.reset(seed=3)
    assert texts(info["events"])[0].startswith("Player 1 asks ")
    *_, info = env.step(np.flatnonzero(info["action_mask"])[0])
    assert texts(info["events"])[0].startswith("You ask ")
    made = gymnasium.make("dig/go_dig-v0", with_events=True, learner=0)
    assert made.reset(seed=3)[1]["events"] == []


def test_a_batch_tells_of_each_game_and_of_its_last_episode():
    batch = BatchEnv(NAME, 2, seed=5, with_events=True)
    aec, rng, ended = RawAEC(NAME), np.random.default_rng(1), 0
    aec.reset(seed=6)
    with pytest.raises(ValueError, match="no episode of game 0 has ended"):
        batch.events(0, 0, final=True)
    while not ended:
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in batch.action_mask]
        aec.step(actions[1])
        batch.step(actions)
        ended = int(batch.terminated[1])
        for seat in range(2):
            assert texts(batch.events(1, seat, final=ended == 1)) == texts(
                aec.events(f"player_{seat}")
            )
    assert batch.events(1, 0) == []
    with pytest.raises(ValueError, match="with_events=True"):
        BatchEnv(NAME, 1).events(0, 0)


def test_names_from_outside():
    env = played(1)
    names = dig_envs.Names(("Ann", "Bob"))
    assert env.events("player_1")[0].text(names).startswith("Ann asks you ")
    assert env.events("player_0")[0].text(names).startswith("You ask Bob ")
