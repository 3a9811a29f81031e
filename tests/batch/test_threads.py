"""The threads of a batch: each share is done once, whatever happens meanwhile."""

import copy
import multiprocessing
import sys
import threading
import time

import numpy as np
import pytest

from dig_envs.batch.batch_env import SMALLEST_SHARE, BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED

NAME = "oak_island_v1"


def test_each_share_is_done_once_by_whoever_is_free():
    batch, seen = BatchEnv(NAME, 2, num_threads=3), set()

    def share(number):
        seen.add(threading.get_ident())
        time.sleep(0.001)
        return number

    for count in (1, 2, 50):
        found = batch._call([lambda number=number: share(number) for number in range(count)])
        assert found == list(range(count))
    assert len(seen) > 1
    batch.close()
    assert batch._call([lambda: 7]) == [7]


@pytest.mark.parametrize("error", [ValueError, IndexError, KeyboardInterrupt])
def test_after_an_error_or_an_interrupt_the_others_are_done_all_the_same(error):
    batch, done = BatchEnv(NAME, 2, num_threads=2), []

    def share(number):
        time.sleep(0.0005)
        if number in (0, 5, 29):
            raise error(number)
        done.append(number)

    with pytest.raises(error):
        batch._call([lambda number=number: share(number) for number in range(30)])
    assert sorted(done) == [number for number in range(30) if number not in (0, 5, 29)]
    assert batch._call([lambda: 1, lambda: 2]) == [1, 2]
    batch.close()


def play_in_child(batch, results):
    batch.step(batch.sample_actions())
    results.put(batch.states.tobytes())


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_batch_plays_on_in_a_process_that_was_forked():
    batch = BatchEnv(NAME, 2 * SMALLEST_SHARE, num_threads=2)
    batch.step(batch.sample_actions())
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=play_in_child, args=(batch, results))
    child.start()
    states = results.get(timeout=60)
    child.join()
    batch.step(batch.sample_actions())
    assert states == batch.states.tobytes()
    batch.close()


def test_what_is_drawn_does_not_depend_on_when():
    """With steps before, without, and twice in a row; after copies and new deals."""
    batch = BatchEnv(NAME, 5, seed=3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        kind = rng.choice(["sample", "step", "first", "reset", "copy"])
        if kind == "reset":
            batch.reset(games=rng.random(5) < 0.3)
        elif kind == "copy":
            batch = copy.deepcopy(batch)
        elif kind == "first":
            batch.step(batch.action_mask.argmax(axis=1))
        else:
            generators, expected = batch._data.generators.copy(), np.zeros(5, np.int64)
            if not JIT_DISABLED:
                batch.game.kernels.sample_legal(0, 5, batch.action_mask, generators, expected)
            actions = batch.sample_actions()
            assert JIT_DISABLED or actions.tolist() == expected.tolist()
            actions[:] = batch.action_mask.argmax(axis=1)  # the caller's own array
            if kind == "step":
                batch.step(actions)
