"""The compile command does all there is to do, and callers of every kind use the kernels that it made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import list_environments, load_game
from tests.kernels import signatures

CHECKOUT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")


def start(*words):
    """A process that does everything with each game: what people do, or what the command does."""
    command = [sys.executable, "-m", "tests.adapters.tour", *words]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=CHECKOUT, env=environment)


def result(process):
    """The signatures of all kernels of each game after a process has done that."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return json.loads(output)


def test_every_caller_uses_the_kernels_that_warming_up_makes():
    """Other integers, arrays that cannot be written to or are not contiguous: no kernel is compiled a second time for them."""
    pytest.importorskip("stable_baselines3")
    made, used = (result(process) for process in [start("warm-up"), start()])
    for name in list_environments():
        assert {kernel: len(types) for kernel, types in made[name].items()} == dict.fromkeys(made[name], 1), name
        assert {"deal_one", "step_batch", "heuristic_actions", "search.simulate", "tree.take_evaluations"} <= made[name].keys()
        assert made[name].keys() == signatures(load_game(name)).keys(), name
        assert {kernel: types for kernel, types in used[name].items() if types and types != made[name][kernel]} == {}, name
        assert sum(1 for types in used[name].values() if types) > 12
