"""Calls as a user makes them, in a process of its own: other tests call kernels as nobody else
does.

``python -m tests.adapters.tour NAME …`` does it and prints the signatures of the kernels of each
game; with ``warm-up`` before the names it does what ``dig-envs compile`` does instead.
"""

import json
import multiprocessing
import sys
import warnings

import numpy as np

import dig_envs
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.sb3 import DigVecEnv
from dig_envs.adapters.warmup import warm_up_steps
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.search import SearchAgent, SearchSettings
from dig_envs.batch.batch_env import BatchEnv, random_rollout
from dig_envs.engine.compiler.cache import CacheWarning
from dig_envs.registry import load_game
from tests import games  # noqa: F401 (the model is made known there)
from tests.kernels import signatures


def legal(mask):
    return int(np.flatnonzero(mask)[0])


def warm_up(name):
    for _, step in warm_up_steps(load_game(name)):
        step()


def tour(name):
    """Everything once, with integers, arrays and orders as they come."""
    game = load_game(name)
    scripted, searching = (
        HeuristicAgent(game),
        SearchAgent(game, SearchSettings(sims=4, reuse=1, **game.search)),
    )
    play(name, scripted, searching)
    play_together(name)
    for kind in (np.int16, np.int32, np.uint16, np.int64):
        play_batch(name, kind, scripted, searching)
    random_rollout(name, 3)
    learn(name)


def play(name, scripted, searching):
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


def play_together(name):
    together = Parallel(name)
    observations, _ = together.reset(seed=2)
    while together.agents:
        observations, *_ = together.step(
            {
                agent: legal(seen["action_mask"]) if seen["action_mask"].any() else 0
                for agent, seen in observations.items()
            }
        )


def play_batch(name, kind, scripted, searching):
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


def learn(name):
    single = SingleLearnerEnv(name, opponents="heuristic")
    single.reset(seed=3)
    for _ in range(5):
        *_, over, cut, _ = single.step(legal(single.action_masks()))
        if over or cut:
            single.reset()
    vectors = DigVecEnv(name, 4, opponents="heuristic")
    vectors.reset()
    for _ in range(5):
        masks = np.stack(vectors.env_method("action_masks"))
        vectors.step(np.array([legal(mask) for mask in masks]))


def signatures_after(name):
    """The signatures of all kernels of a game after it was warmed up or toured."""
    warm_up(name) if sys.argv[1] == "warm-up" else tour(name)
    return signatures(load_game(name))


if __name__ == "__main__":
    # code that cannot be kept would be compiled by every process
    warnings.simplefilter("error", CacheWarning)
    names = [word for word in sys.argv[1:] if word != "warm-up"]
    # one for each game: they share kernels
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as processes:
        print(
            json.dumps(
                dict(zip(names, processes.map(signatures_after, names, chunksize=1), strict=True))
            )
        )
