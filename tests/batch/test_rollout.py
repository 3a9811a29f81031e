"""Random games played entirely in compiled code."""

import numpy as np

from dig_envs import random_rollout
from dig_envs.batch.batch_env import BatchEnv
from tests.games import every_player_count


@every_player_count
def test_it_plays_legal_games_and_agrees_with_stepping(name, options):
    """BatchEnv refuses illegal actions; stepping it with the same random choices gives the same
    games."""
    size = 12
    rollout = random_rollout(name, size, seed=20, **options)
    batch = BatchEnv(name, size, seed=20, **options)
    running = np.ones(size, bool)
    for _ in range(batch.game.max_actions):
        batch.step(batch.sample_actions(), running)
        for index in np.flatnonzero(batch.terminated | batch.truncated):
            assert rollout.lengths[index] == batch.final_lengths[index]
            assert rollout.returns[index].tolist() == batch.final_returns[index].tolist()
            scores = batch.final_states["scores"][index]
            assert rollout.scores[index].tolist() == scores.tolist()
            running[index] = False
        if not running.any():
            break
    assert not running.any(), "every game ends within max_actions"
    assert rollout.actions == rollout.lengths.sum()
    assert (rollout.lengths > 0).all()


@every_player_count
def test_returns_of_a_game_are_fair(name, options):
    """Cooperative games: all seats the same, +1 or -1; others: the returns of a game add up to
    zero, but where a game may end without a winner; then all have lost."""
    rollout = random_rollout(name, 40, **options)
    batch = BatchEnv(name, 1, **options)
    seats = batch.states["num_players"][0]
    assert not rollout.returns[:, seats:].any()
    for returns in rollout.returns[:, :seats]:
        if batch.game.cooperative:
            assert set(returns.tolist()) in ({1.0}, {-1.0})
        elif not batch.game.zero_sum and returns.max() < 0:
            assert set(returns.tolist()) == {np.float32(-1 / (seats - 1))}
        else:
            assert abs(returns.sum()) < 1e-6
            assert returns.max() <= 1


def test_game_i_has_seed_plus_i():
    first, second, shifted, other = (
        random_rollout("fossil_canyon_v0", 20, seed=seed) for seed in (1, 1, 2, 500)
    )
    for of in (lambda rollout: rollout.lengths, lambda rollout: rollout.scores):
        assert (of(first) == of(second)).all()
        assert (of(first)[1:] == of(shifted)[:-1]).all()
    assert (first.lengths != other.lengths).any() or (first.scores != other.scores).any()
