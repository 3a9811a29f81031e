"""The ends of episodes: always terminated, with the result in the infos; and a critic's observation
of all seats."""

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.registry import load_game
from tests.games import every_game, play_out


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
