"""The compile command does all there is to do, and callers of every kind use the kernels that it
made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import list_environments, load_game
from tests.kernels import signatures

# One of simultaneous decisions and one of turns; the others are slow tests.
OF_EACH_KIND = ("the_big_dig_v0", "go_dig_v0")
LATER = ("styled_actions",)  # compiled when a style is first asked for, which few do
CHECKOUT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")


def start(*words):
    """A process that does everything with each of some games: what people do, or what the command
    does."""
    command = [sys.executable, "-m", "tests.adapters.tour", *words]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        env=environment,
    )


def result(process):
    """The signatures of all kernels of each game after a process has done that."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return json.loads(output)


@pytest.fixture(scope="module")
def processes(request):
    """The signatures after warming up, and after a tour, of all games whose test is to run: two
    processes for all of them."""
    pytest.importorskip("stable_baselines3")
    names = sorted(
        {
            item.callspec.params["name"]
            for item in request.session.items
            if item.path == request.path and hasattr(item, "callspec")
        }
    )
    return [result(process) for process in [start("warm-up", *names), start(*names)]]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in OF_EACH_KIND else pytest.mark.slow)
        for name in list_environments()
    ],
)
def test_every_caller_uses_the_kernels_that_warming_up_makes(name, processes):
    """Other integers, arrays that cannot be written to or are not contiguous: no kernel is compiled
    a second time for them."""
    made, used = (found[name] for found in processes)
    assert {kernel: len(types) for kernel, types in made.items()} == dict.fromkeys(
        made, 1
    ) | dict.fromkeys(LATER, 0)
    assert {
        "deal_one",
        "step_batch",
        "heuristic_actions",
        "search.simulate",
        "tree.take_evaluations",
    } <= made.keys()
    assert made.keys() == signatures(load_game(name)).keys()
    assert {
        kernel: types for kernel, types in used.items() if types and types != made[kernel]
    } == {}
    assert sum(1 for types in used.values() if types) > 12


WITHOUT_A_COMPILER = """
import sys
import dig_envs
env = dig_envs.make("go_dig_v0")
agents = [dig_envs.load_agent(name, env="go_dig_v0") for name in ("heuristic", "search:sims=4")]
env.reset(seed=7)
for k, agent in zip(range(12), env.agent_iter()):
    observation, reward, terminated, truncated, info = env.last()
    env.step(agents[k % 2].act(env))
env.unwrapped.restore(env.unwrapped.snapshot())
env.unwrapped.determinize("player_0", 1)
batch = dig_envs.BatchEnv("go_dig_v0", batch_size=8)
batch.step(batch.sample_actions())
batch.step(batch.heuristic_actions())
print(sorted({"numba", "scipy"} & sys.modules.keys()))
"""


def test_once_compiled_the_compiler_is_not_even_imported():
    """A program that plays, searches and steps batches starts without Numba."""
    command = [sys.executable, "-c", WITHOUT_A_COMPILER]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    for _ in range(2):  # the first may have to compile
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]", done.stderr
