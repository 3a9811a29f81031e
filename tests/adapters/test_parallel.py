"""The parallel environment, for every registered game."""

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from dig_envs import IllegalActionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from tests.games import every_game, every_player_count, expected_infos, is_over


def random_actions(observations, rng):
    return {
        agent: int(rng.choice(np.flatnonzero(seen["action_mask"])))
        if seen["action_mask"].any()
        else 0
        for agent, seen in observations.items()
    }


@every_player_count
def test_pettingzoo_parallel_api(name, options):
    parallel_api_test(Parallel(name, **options), num_cycles=200)


@every_player_count
def test_same_game_as_the_aec_environment(name, options):
    """The joint actions of the parallel environment, played one by one in seat order, give the same
    states."""
    parallel, aec = Parallel(name, **options), RawAEC(name, **options)
    for seed in range(2):
        observations, _ = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while parallel.agents:
            owing = parallel.agents_to_act()
            actions = random_actions(observations, rng)
            # in a simultaneous phase the AEC order may differ; the outcome is compared by the
            # game's tests
            if len(owing) == 1:
                aec.step(actions[owing[0]])
            else:
                for agent in owing:
                    aec.game.kernels.apply_one(aec.states, aec.seat_of(agent), actions[agent])
                aec._refresh()
                aec.agent_selection = aec.possible_agents[aec._mover]
            observations, rewards, terminations, truncations, _ = parallel.step(actions)
            assert parallel.states.tobytes() == aec.states.tobytes()
        assert is_over(aec)
        assert all(terminations.values())
        assert not any(truncations.values()), "the turn limit is a rule: it terminates"
        if any(aec.rewards.values()):
            assert rewards == aec.rewards


@every_player_count
def test_illegal_or_missing_action_is_refused_and_changes_nothing(name, options):
    env = Parallel(name, **options)
    observations, _ = env.reset(seed=3)
    # in some games everything is legal at first
    while observations[env.agents_to_act()[0]]["action_mask"].all():
        observations, *_ = env.step(random_actions(observations, np.random.default_rng(0)))
    before = env.states.tobytes()
    mover = env.agents_to_act()[0]
    illegal = int(np.flatnonzero(observations[mover]["action_mask"] == 0)[0])
    actions = random_actions(observations, np.random.default_rng(0))
    legal = actions[mover]
    for bad in (illegal, 10**5000, -1):
        with pytest.raises(IllegalActionError, match=mover):
            env.step({**actions, mover: bad})
        assert env.states.tobytes() == before
    with pytest.raises(IllegalActionError, match=f"no action given for {mover}"):
        env.step({k: v for k, v in actions.items() if k != mover})
    with pytest.raises(TypeError, match="mapping from agents to actions"):
        env.step([legal])
    assert env.states.tobytes() == before
    env.step(
        {
            agent: np.array([action], np.int32)
            for agent, action in actions.items()
            if agent in env.agents_to_act()
        }
    )
    assert env.states.tobytes() != before


def play_out(env, seed, most=10_000):
    """Play on with random actions; returns all that the environment handed out, in a form that can
    be compared."""
    rng, found = np.random.default_rng(seed), []
    observations = {agent: env._look(env.seat_of(agent)) for agent in env.agents}
    for _ in range(most):
        if not env.agents:
            break
        observations, *rest = env.step(random_actions(observations, rng))
        found.append(
            (
                {
                    agent: [a.tobytes() for a in seen.values()]
                    for agent, seen in observations.items()
                },
                *rest,
            )
        )
    return found


@every_player_count
def test_same_seed_same_game_over_several_resets(name, options):
    games = []
    for _ in range(2):
        env, record = Parallel(name, **options), []
        for episode in range(3):
            env.reset(seed=11 if episode == 0 else None)
            record.append((env.states.tobytes(), play_out(env, 5), env.states.tobytes()))
        games.append(record)
    assert games[0] == games[1]
    aec = RawAEC(name, **options)
    for episode, (dealt, _, _) in enumerate(games[0]):
        aec.reset(seed=11 if episode == 0 else None)
        assert aec.states.tobytes() == dealt


@every_game
def test_actions_of_others_are_ignored(name):
    env, twin = Parallel(name), Parallel(name)
    observations, _ = env.reset(seed=4)
    twin.reset(seed=4)
    rng = np.random.default_rng(0)
    while env.agents:
        actions = random_actions(observations, rng)
        owing = env.agents_to_act()
        nonsense = {agent: "nothing of the kind" for agent in env.agents if agent not in owing}
        twin.step({**{agent: actions[agent] for agent in owing}, **nonsense})
        observations, *_ = env.step(actions)
        assert twin.states.tobytes() == env.states.tobytes()
    assert env.step({}) == ({}, {}, {}, {}, {}), "after the end"


@every_player_count
@pytest.mark.parametrize("reward", ["win", "score"])
def test_rewards_and_the_end(name, options, reward):
    env = Parallel(name, reward, **options)
    for seed in range(2):
        env.reset(seed=seed)
        start = np.array(env.snapshot()["scores"])
        steps = play_out(env, seed)
        paid = np.array([[step[1][agent] for agent in env.possible_agents] for step in steps])
        if reward == "score":
            assert (start + paid.sum(axis=0) == env.snapshot()["scores"]).all()
        else:
            assert not paid[:-1].any()
            assert paid[-1].tolist() == env._returns()
        for _, _, terminations, truncations, infos in steps[:-1]:
            assert not any(terminations.values())
            assert not any(truncations.values())
            assert infos == {agent: {} for agent in env.possible_agents}
        ends = {(steps[-1][2][agent], steps[-1][3][agent]) for agent in env.possible_agents}
        assert ends == {(True, False)}
        assert steps[-1][4] == expected_infos(env.snapshot())
