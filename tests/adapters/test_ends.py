"""How episodes end: always terminated, with the result in the infos; and what a critic sees of all seats."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.parallel import Parallel
from dig_envs.batch import BatchEnv
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count, mostly_heuristic, play, play_out


def shortest(name):
    """The options with which the turn limit ends games, None where a game has none."""
    limits = [option for option in load_game(name).options if option.name in ("max_turns", "max_rounds")]
    return {limits[0].name: limits[0].values[0]} if limits else None


def expected_infos(env):
    state = env.states[0]
    return {
        agent: {
            "score": int(state["scores"][seat]),
            "won": bool(state["winners"][seat]),
            "turn_limit": bool(state["truncated"]),
        }
        for seat, agent in enumerate(env.possible_agents)
    }


def random_joint_actions(env, rng):
    return {agent: int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]))) for agent in env.owing()}


@every_player_count
def test_infos_at_the_end_and_only_then(name, options):
    aec, parallel = RawAEC(name, **options), Parallel(name, **options)
    for seed in range(3):
        aec.reset(seed=seed)
        for _ in play(aec, np.random.default_rng(seed), mostly_heuristic):
            assert not any(aec.infos.values())
        assert aec.infos == expected_infos(aec)
        assert {type(value) for info in aec.infos.values() for value in info.values()} == {int, bool}
        _, infos = parallel.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while parallel.agents:
            assert not any(infos.values())
            *_, infos = parallel.step(random_joint_actions(parallel, rng))
        assert infos == expected_infos(parallel)


@every_game
def test_the_turn_limit_terminates(name):
    """In every kind of environment; the position says that it was the limit."""
    options = shortest(name)
    if options is None:
        return
    reached = 0
    for seed in range(6):
        aec = RawAEC(name, **options)
        aec.reset(seed=seed)
        play_out(aec, np.random.default_rng(seed))
        limit = aec.snapshot()["truncated"]
        reached += limit
        assert all(aec.terminations.values())
        assert not any(aec.truncations.values())
        assert all(info["turn_limit"] is limit for info in aec.infos.values())

        parallel = Parallel(name, **options)
        parallel.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while parallel.agents:
            _, _, terminations, truncations, infos = parallel.step(random_joint_actions(parallel, rng))
        assert all(terminations.values())
        assert not any(truncations.values())
        assert all(info["turn_limit"] is parallel.snapshot()["truncated"] for info in infos.values())

        single = SingleLearnerEnv(name, **options)
        single.reset(seed=seed)
        terminated = truncated = False
        while not (terminated or truncated):
            *_, terminated, truncated, info = single.step(int(np.flatnonzero(single.action_masks())[0]))
        assert (terminated, truncated) == (True, False)
        assert info["turn_limit"] is single.aec.snapshot()["truncated"]
    assert reached, "the smallest limit is reached"

    batch, counts = BatchEnv(name, 8, seed=0, **options), [0, 0]
    while min(counts) < 1:
        batch.step(batch.sample_actions())
        assert not batch.truncated.any()
        assert (batch.turn_limit == (batch.terminated & (batch.final_states["truncated"] != 0))).all()
        counts[0] += int(batch.turn_limit.sum())
        counts[1] += 1


@every_game
def test_an_illegal_move_is_no_turn_limit(name):
    env = SingleLearnerEnv(name)
    env.reset(seed=1)
    *_, terminated, truncated, info = env.step(-1)
    assert (terminated, truncated, info["turn_limit"]) == (True, False, False)


@every_player_count
def test_state_for_a_critic(name, options):
    """The observations of all seats one after the other, zero for those that are not there, in AEC and parallel alike."""
    game = load_game(name)
    size = game.observation_size
    aec, parallel, wrapped = RawAEC(name, **options), Parallel(name, **options), dig_envs.make(name, **options)
    for env in (aec, parallel):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            env.state()
    for env in (aec, parallel, wrapped):
        env.reset(seed=8)
    assert np.array_equal(parallel.state(), aec.state())
    assert np.array_equal(wrapped.state(), aec.state())
    for _ in play(aec, np.random.default_rng(0), mostly_heuristic):
        before, seen = aec.states.tobytes(), aec.state()
        assert seen.dtype == np.float32
        assert seen.shape == (game.max_players * size,)
        assert aec.state_space.contains(seen)
        for seat, agent in enumerate(aec.possible_agents):
            assert np.array_equal(seen[seat * size : (seat + 1) * size], aec.observe(agent)["observation"])
        assert not seen[aec.num_seats * size :].any()
        seen[:] = 7  # a fresh array
        assert aec.states.tobytes() == before
    assert aec.state().any(), "also at the end"
    for twin in (copy.deepcopy(aec), pickle.loads(pickle.dumps(aec))):
        assert twin.state_space == aec.state_space == parallel.state_space == wrapped.unwrapped.state_space


@every_game
def test_a_deal_that_scores_is_not_paid(name):
    """With reward "score" an episode's rewards add up to what was gained in it."""
    env = RawAEC(name, reward="score")
    env.reset(seed=3)
    assert not any(env.rewards.values())
    dealt = env.snapshot()["scores"]
    total = np.zeros(env.num_seats)
    for _ in play(env, np.random.default_rng(3), mostly_heuristic):
        total += list(env.rewards.values())
    total += list(env.rewards.values())
    assert (dealt + total).tolist() == env.snapshot()["scores"]
