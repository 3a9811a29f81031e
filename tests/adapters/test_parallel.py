"""The parallel environment, for every registered game."""

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from dig_envs import IllegalActionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from tests.games import every_case, every_player_count, is_over


def random_actions(observations, rng):
    return {
        agent: int(rng.choice(np.flatnonzero(seen["action_mask"]))) if seen["action_mask"].any() else 0
        for agent, seen in observations.items()
    }


@every_case
def test_pettingzoo_parallel_api(name, options):
    parallel_api_test(Parallel(name, **options), num_cycles=200)


@every_case
def test_same_game_as_the_aec_environment(name, options):
    """The joint actions of the parallel environment, played one by one in seat order, give the same states."""
    parallel, aec = Parallel(name, **options), RawAEC(name, **options)
    for seed in range(3):
        observations, _ = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while parallel.agents:
            owing = parallel.owing()
            actions = random_actions(observations, rng)
            if len(owing) == 1:  # in a simultaneous phase the AEC order may differ; the outcome is compared by the game's tests
                aec.step(actions[owing[0]])
            else:
                for agent in owing:
                    aec.game.kernels.apply_one(aec.states, aec.seat_of(agent), actions[agent])
                aec._refresh()
                aec.agent_selection = aec.possible_agents[aec._mover]
            observations, rewards, terminations, truncations, _ = parallel.step(actions)
            assert parallel.states.tobytes() == aec.states.tobytes()
        assert is_over(aec)
        assert all(terminations.values()) != all(truncations.values())
        if any(aec.rewards.values()):
            assert rewards == aec.rewards


@every_player_count
def test_illegal_or_missing_action_is_refused_and_changes_nothing(name, options):
    env = Parallel(name, **options)
    observations, _ = env.reset(seed=3)
    before = env.states.tobytes()
    mover = env.owing()[0]
    illegal = int(np.flatnonzero(observations[mover]["action_mask"] == 0)[0])
    actions = random_actions(observations, np.random.default_rng(0))
    for bad in ({**actions, mover: illegal}, {k: v for k, v in actions.items() if k != mover}, {**actions, mover: None}):
        with pytest.raises(IllegalActionError, match=mover):
            env.step(bad)
        assert env.states.tobytes() == before
    env.step({agent: action for agent, action in actions.items() if agent in env.owing()})
    assert env.states.tobytes() != before
