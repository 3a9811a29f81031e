"""Batches on a GPU, as far as that can be tried without one: on the simulated device of Numba,
which runs kernels as Python."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.batch.cuda import script
from tests.games import SHIPPED

QUICK = ("fossil_memory_v0", "oak_island_v0")
SIMULATED = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
NAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SHIPPED]
LEARNER_STEPS = 8
REWARDS = {"fossil_memory_v0": "score"}


def near_an_end(name):
    """Three games of different numbers of players, five steps before one of them ends if the script
    is played."""
    counts = BatchEnv(name, 1).game.player_counts
    batch = BatchEnv(
        name,
        3,
        seed=11,
        num_threads=1,
        num_players=[counts[i % len(counts)] for i in range(3)],
        reward=REWARDS.get(name, "win"),
    )
    ahead, steps = copy.deepcopy(batch), 0
    while not ahead.step(ahead.sample_actions())[2].any():
        steps += 1
    for _ in range(steps - 5):
        batch.step(batch.sample_actions())
    return batch


@pytest.mark.skipif(JIT_DISABLED, reason="games are compared with compiled ones")
@pytest.mark.parametrize("name", NAMES)
def test_a_simulated_device_plays_the_same_games(name, tmp_path):
    pytest.importorskip("torch")
    batch = near_an_end(name)
    (tmp_path / "batch").write_bytes(pickle.dumps((batch, LEARNER_STEPS)))
    before, positions = batch.states.tobytes(), batch.states.copy()
    command = [
        sys.executable,
        "-m",
        "tests.batch.cuda.script",
        str(tmp_path / "batch"),
        str(tmp_path / "seen.npz"),
    ]
    subprocess.run(command, env={**os.environ, **SIMULATED}, check=True, timeout=600)
    expected = script.play(batch)
    script.play_unchecked(batch, expected)
    script.record(expected, "back", script.outputs(batch))
    batch.step(batch.sample_actions())
    script.record(expected, "back_step", script.outputs(batch))
    learning = script.play_as_learner(name, positions, "cpu", LEARNER_STEPS)
    # others take more decisions of a learner
    assert name != QUICK[0] or any(learning[f"step_{k}_done"].any() for k in range(LEARNER_STEPS))
    expected |= {f"learner_{key}": array for key, array in learning.items()}
    with np.load(tmp_path / "seen.npz") as file:
        seen = dict(file)
    assert seen.pop("left_alone").tobytes() == before
    assert seen.keys() == expected.keys()
    for key, array in expected.items():
        assert seen[key].dtype == array.dtype, key
        assert np.array_equal(seen[key], array), key
    assert any(expected[f"step_{step}_terminated"].any() for step in range(script.STEPS))
    assert expected["refused_-1_states"].tobytes() != expected["dealt_states"].tobytes()


@pytest.mark.parametrize("size", [1, 130])
def test_a_batch_may_fill_blocks_of_threads_or_not(size):
    code = f"from tests.batch.cuda.script import compare_blocks; compare_blocks({size})"
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **SIMULATED}, check=True, timeout=300
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_same", [True, False])
def test_the_check_of_a_device_finds_what_differs(is_same, tmp_path):
    """With an action that is changed on the way to the device, everything differs."""
    change = "" if is_same else "cuda.CudaBatch.sample_actions = lambda batch, into: into\n"
    options = ["--compare-only", "--games", "fossil_memory_v0", "--size", "2", "--steps", "4"]
    code = (
        f"import sys; sys.argv[1:] = {[str(tmp_path / 'out.json'), *options]}\n"
        "from dig_envs.batch import cuda\nfrom tests.batch.cuda import device_check\n"
        f"{change}device_check.main()"
    )
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **SIMULATED}, check=True, timeout=600
    )
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["machine"]["result"]["device"] == "a simulated device"
    compared = found["compare fossil_memory_v0"]
    if is_same:
        assert compared["result"]["differ"] == []
        assert found["learner fossil_memory_v0"]["result"]["differ"] == []
    else:
        assert (
            "states" in compared.get("result", {}).get("differ", [])
            or "Illegal" in compared["error"]
        )
