"""The scripted player of every game: legal, deterministic, and blind to what its seat cannot know."""

import numpy as np
import pytest

from dig_envs.batch import BatchEnv
from dig_envs.engine.jit import JIT_DISABLED
from tests.games import every_case, positions

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python scripted players are slow")


def choice(env, states=None):
    states = env.states if states is None else states
    actions = np.full(1, -1, np.int64)
    env.game.kernels.heuristic_actions(states, 0, 1, np.array([states["to_move"][0]], np.int64), actions)
    return int(actions[0])


@every_case
def test_it_reads_only_what_its_seat_knows_and_changes_nothing(name, options):
    for env in positions(name, options, games=3, every=7):
        seat, before = int(env.states["to_move"][0]), env.states.tobytes()
        action = choice(env)
        assert choice(env) == action
        assert env.states.tobytes() == before
        assert env.observe(env.agent_selection)["action_mask"][action]
        for seed in range(2):
            redealt = env.states.copy()
            env.game.kernels.determinize_one(redealt, seat, np.uint64(seed))
            assert env.action_names[choice(env, redealt)] == env.action_names[action]


@every_case
def test_whole_games(name, options):
    """BatchEnv refuses illegal actions; and a game among scripted players ends."""
    batch = BatchEnv(name, 8, seed=60, **options)
    running = np.ones(8, bool)
    for _ in range(batch.game.max_actions):
        batch.step(batch.heuristic_actions(), running)
        running &= ~(batch.terminated | batch.truncated)
        if not running.any():
            return
    raise AssertionError("too long")
