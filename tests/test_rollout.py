"""Random games played entirely in compiled code."""

import numpy as np

from dig_envs import random_rollout
from dig_envs.batch import BatchEnv
from tests.games import every_case, every_game, every_player_count


@every_case
def test_it_plays_legal_games_and_agrees_with_stepping(name, options):
    """BatchEnv refuses illegal actions; stepping it with the same random choices gives the same games."""
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
    """Cooperative games: all seats the same, +1 or -1; others: the returns of a game add up to zero."""
    rollout = random_rollout(name, 40, **options)
    cooperative = BatchEnv(name, 1, **options).game.cooperative
    seats = BatchEnv(name, 1, **options).states["num_players"][0]
    assert not rollout.returns[:, seats:].any()
    for returns in rollout.returns[:, :seats]:
        if cooperative:
            assert set(returns.tolist()) in ({1.0}, {-1.0})
        else:
            assert abs(returns.sum()) < 1e-6
            assert returns.max() <= 1


@every_game
def test_the_same_seeds_give_the_same_games(name):
    first, second, other = (random_rollout(name, 20, seed=seed) for seed in (1, 1, 500))
    assert (first.lengths == second.lengths).all()
    assert (first.scores == second.scores).all()
    assert (first.lengths != other.lengths).any() or (first.scores != other.scores).any()
    shifted = random_rollout(name, 20, seed=2)
    assert (first.scores[1:] == shifted.scores[:-1]).all(), "game i has seed + i"
    assert (first.lengths[1:] == shifted.lengths[:-1]).all()
