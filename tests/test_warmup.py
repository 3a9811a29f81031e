"""The compile command does all there is to do, and callers of every kind use the kernels that it made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.engine.loading import signatures
from dig_envs.registry import list_environments, load_game
from tests.games import every_game

CHECKOUT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")

# What people do with a game, in a process of its own: other tests call kernels as nobody else does.
TOUR = """
import json, sys, warnings
import numpy as np
import gymnasium
import dig_envs
import tests.games  # makes the model game known
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.parallel import Parallel
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.search import SearchAgent, SearchSettings
from dig_envs.batch import BatchEnv, random_rollout
from dig_envs.engine.cache import CacheWarning
from dig_envs.engine.loading import signatures
from dig_envs.registry import load_game
from dig_envs.warmup import warm_up_steps

warnings.simplefilter("error", CacheWarning)  # code that cannot be kept would be compiled by every process
name = sys.argv[1]
game = load_game(name)
if "tour" not in sys.argv:
    for _, step in warm_up_steps(name):
        step()
    print(json.dumps(signatures(game)))
    sys.exit()


def legal(mask):
    return int(np.flatnonzero(mask)[0])


scripted, searching = HeuristicAgent(game), SearchAgent(game, SearchSettings(sims=4, reuse=1, **game.search))

env = dig_envs.make(name)
env.reset(seed=1)
for agent in [scripted, searching] * 2:
    env.step(agent.act(env))
observation, *_ = env.last()
env.step(np.int64(legal(observation["action_mask"])))
env.unwrapped.restore(env.unwrapped.snapshot())
env.unwrapped.determinize(env.agent_selection, 3)
env.step(legal(env.observe(env.agent_selection)["action_mask"]))
env.reset()

together = Parallel(name)
observations, _ = together.reset(seed=2)
while together.agents:
    observations, *_ = together.step({agent: legal(seen["action_mask"]) if seen["action_mask"].any() else 0
                                      for agent, seen in observations.items()})

for kind in (np.int16, np.int32, np.uint16, np.int64):
    batch = BatchEnv(name, 8, seed=np.arange(8).astype(kind), num_threads=2)
    chosen = batch.sample_actions().astype(kind)
    chosen.flags.writeable = False
    batch.step(chosen, games=np.ones(8, bool))
    batch.step(list(batch.sample_actions()))
    batch.step(batch.heuristic_actions())
    batch.reset()
    while not (batch.terminated | batch.truncated).any():
        batch.step(batch.sample_actions())
    ended = int(np.flatnonzero(batch.terminated | batch.truncated)[0])
    batch.final_observation(ended, 0)
    batch.snapshot(0)
    for states in (batch.states, batch.states[::2]):
        frozen = states.view()
        frozen.flags.writeable = False
        for some in (states, frozen):
            seats = some["to_move"][:4].astype(kind)
            scripted.act_batch(batch.observation[:4], batch.action_mask[:4], some[:4], seats)
    searching.act_batch(batch.observation[:2], batch.action_mask[:2], frozen[:2], seats[:2])
random_rollout(name, 3)

single = SingleLearnerEnv(name, opponents="heuristic")
observation, info = single.reset(seed=3)
for _ in range(5):
    observation, reward, over, cut, info = single.step(legal(single.action_masks()))
    if over or cut:
        single.reset()

from dig_envs.adapters.sb3 import DigVecEnv
vectors = DigVecEnv(name, 4, opponents="heuristic")
vectors.reset()
for _ in range(5):
    masks = np.stack(vectors.env_method("action_masks"))
    vectors.step(np.array([legal(mask) for mask in masks]))
print(json.dumps(signatures(game)))
"""


def found_in(name, *words):
    """The signatures of all kernels after a process has done that."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    process = subprocess.run([sys.executable, "-c", TOUR, name, *words], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@every_game
def test_warming_up_makes_every_kernel_once(name):
    found = found_in(name)
    assert {"deal_one", "step_batch", "heuristic_actions", "search.simulate", "tree.take_evaluations"} <= found.keys()
    assert {kernel: len(types) for kernel, types in found.items()} == dict.fromkeys(found, 1)


@every_game
def test_every_caller_uses_the_same_kernels(name):
    """Other integers, arrays that cannot be written to or are not contiguous: no kernel is compiled a second time for them."""
    pytest.importorskip("stable_baselines3")
    found, made = found_in(name, "tour"), found_in(name)
    assert {kernel: types for kernel, types in found.items() if types and types != made[kernel]} == {}
    assert sum(1 for types in found.values() if types) > 12


def test_signatures_names_all_kernels_of_a_game():
    game = load_game(list_environments()[0])
    assert set(signatures(game)) == set(found_in(game.name))
