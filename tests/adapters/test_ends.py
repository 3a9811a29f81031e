"""The ends of episodes: always terminated, with the result in the infos; and a critic's observation
of all seats."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count, mostly_heuristic, play, play_out


def shortest(name):
    """The options with which the turn limit ends games, None where a game has none."""
    limits = [
        option for option in load_game(name).options if option.name in ("max_turns", "max_rounds")
    ]
    return {limits[0].name: limits[0].values[0]} if limits else None


def random_joint_actions(env, rng):
    return {
        agent: int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"])))
        for agent in env.agents_to_act()
    }


@every_game
def test_the_turn_limit_terminates(name):
    """A game that reaches the turn limit is terminated, not truncated, in every kind of
    environment; the infos say that it was the limit.
    """
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
            _, _, terminations, truncations, infos = parallel.step(
                random_joint_actions(parallel, rng)
            )
        assert all(terminations.values())
        assert not any(truncations.values())
        assert all(
            info["turn_limit"] is parallel.snapshot()["truncated"] for info in infos.values()
        )
    assert reached, "the smallest limit is reached"

    batch, counts = BatchEnv(name, 8, seed=0, **options), [0, 0]
    while min(counts) < 1:
        batch.step(batch.sample_actions())
        assert not batch.truncated.any()
        assert (
            batch.turn_limit == (batch.terminated & (batch.final_states["truncated"] != 0))
        ).all()
        counts[0] += int(batch.turn_limit.sum())
        counts[1] += 1


@every_player_count
def test_state_for_a_critic(name, options):
    """The observations of all seats one after the other, zero for those that are not there, in AEC
    and parallel alike."""
    game = load_game(name)
    size = game.observation_size
    aec, parallel, wrapped = (
        RawAEC(name, **options),
        Parallel(name, **options),
        dig_envs.make(name, **options),
    )
    for env in (aec, parallel):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            env.state()
    for env in (aec, parallel, wrapped):
        env.reset(seed=8)
    assert np.array_equal(parallel.state(), aec.state())
    assert np.array_equal(wrapped.state(), aec.state())
    for _ in play(aec, np.random.default_rng(0), mostly_heuristic):
        seen = aec.state()
        assert seen.dtype == np.float32
        assert seen.shape == (game.max_players * size,)
        assert aec.state_space.contains(seen)
        seen[:] = 7  # a fresh array
        assert not (aec.state() == 7).all()
    assert aec.state().any(), "also at the end"
    for twin in (copy.deepcopy(aec), pickle.loads(pickle.dumps(aec))):
        assert (
            twin.state_space
            == aec.state_space
            == parallel.state_space
            == wrapped.unwrapped.state_space
        )
