"""Sparse observations: the numbers of the dense ones, to the bit, and words for who cannot read
them."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from dig_envs import LearnerBatch, OptionError, load_agent
from dig_envs.batch.batch_env import BatchEnv
from tests.batch.test_batch_env import FINALS, LARGE, NAME, OUTPUTS, mixed_actions
from tests.games import every_game


def dense(rows):
    """What float32 observations would be."""
    found = np.zeros((len(rows), rows.size), np.float32)
    found[np.repeat(np.arange(len(rows)), np.diff(rows.offsets)), rows.columns] = rows.values
    return found


@every_game
def test_the_games_are_the_same_however_they_are_seen(name):
    """Also where some games wait, episodes end, and new ones are dealt."""
    size, rng = 12, np.random.default_rng(1)
    batch, sparse, bare = (
        BatchEnv(name, size, seed=6, observation=kind) for kind in ("float32", "sparse", None)
    )
    for k in range(25):
        rows, some = sparse.observation, rng.permutation(size)[:3]
        assert rows.columns.dtype == np.int32
        assert (rows.values != 0).all()
        np.testing.assert_array_equal(dense(rows), batch.observation)
        for one in (batch, sparse, bare):
            np.testing.assert_array_equal(one.dense_observation(some), batch.observation[some])
        games, actions = rng.random(size) < 0.8, mixed_actions(batch, rng)
        for one in (batch, sparse, bare):
            one.step(actions, games)
            if k == 12:
                one.reset(games=~games)
    assert bare.observation is None
    for output in {*OUTPUTS, *FINALS} - {"observation"}:
        for one in (sparse, bare):
            assert getattr(one, output).tobytes() == getattr(batch, output).tobytes()


def test_rows_of_several_threads_and_of_copies():
    batch = BatchEnv(NAME, LARGE, seed=1, num_threads=3, observation="sparse")
    single = BatchEnv(NAME, LARGE, seed=1, num_threads=1)
    actions = single.sample_actions()
    for one in (batch, single):
        one.step(actions)
    kept, before = batch.observation, single.observation.copy()
    for one in (batch, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        np.testing.assert_array_equal(dense(one.observation), before)
        one.step(one.sample_actions())
    np.testing.assert_array_equal(dense(kept), before)  # a step makes new ones


def test_a_learner_with_sparse_rows_plays_the_same_games():
    """Its opponents see what they always see; so does what it imitates."""
    games = [
        LearnerBatch(NAME, 6, opponents=[f"{NAME[:-3]}/policy", "random"], seed=2, observation=kind)
        for kind in ("float32", "sparse")
    ]
    for one in games:
        one.reset()
    for _ in range(30):
        np.testing.assert_array_equal(dense(games[1].observation), games[0].observation)
        actions = [one.choices_of(load_agent("heuristic", NAME)) for one in games]
        np.testing.assert_array_equal(*actions)
        np.testing.assert_array_equal(*[one.step(actions[0]).reward for one in games])


def test_errors_in_words():
    with pytest.raises(OptionError, match="observation 'uint8' is not one of 'float32', 'sparse'"):
        BatchEnv(NAME, 2, observation="uint8")
    batch = BatchEnv(NAME, 2, observation="sparse")
    policy = load_agent(f"{NAME[:-3]}/policy")
    with pytest.raises(TypeError, match="not sparse rows: make the games with observation="):
        policy.act_batch(batch.observation, batch.action_mask)
    with pytest.raises(ValueError, match="sparse rows are made on the CPU only"):
        batch.to("cuda")
    with pytest.raises(OptionError, match="observation 'sparse' is not one of 'float32'"):
        gymnasium.make_vec("dig/go_dig-v0", 2, observation="sparse")
    with pytest.raises(IndexError):
        batch.dense_observation(np.array([2]))
