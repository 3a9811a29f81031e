"""Warming up: everything that needs a game's compiled code once, so that all of this code lies on
the disk."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.agents.advice import CANDIDATES, advise, candidates
from dig_envs.agents.careless import CarelessAgent
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.search import SearchAgent, SearchSettings
from dig_envs.batch.batch_env import BatchEnv, random_rollout
from dig_envs.batch.common import new_learner
from dig_envs.engine.game import Game
from dig_envs.engine.search.program import NO_POLICY, evaluate_rows, new_scratch
from dig_envs.engine.search.tree import new_tree, packed, unpacked

Step = tuple[str, Callable[[], Any]]


def warm_up_steps(game: Game) -> list[Step]:
    """The steps of warming up a game, in this order: names, and functions that play a little by
    means of what is to be compiled.

    They call what everybody calls, so that the code on the disk is for the types that everybody
    uses.
    """
    name = game.env_name
    made: dict[str, Any] = {}

    def play() -> None:
        env = made["env"] = RawAEC(name)
        env.reset(seed=0)
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        env.reset()
        env.determinize(env.agent_selection, 0)
        env.restore(env.snapshot())
        game.facts(env.states[0])  # which only some positions from outside ask for

    def tell() -> None:
        env = made["env"]
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        _ = env.event_log

    def play_in_parallel() -> None:
        env = Parallel(name)
        observations, _ = env.reset(seed=0)
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        env.step(
            {agent: int(np.flatnonzero(mask)[0]) for agent, mask in masks.items() if mask.any()}
        )

    def play_a_batch() -> None:
        batch = BatchEnv(name, 2)
        batch.step(batch.sample_actions())
        batch.step(batch.sample_actions(), players=np.ones((2, game.max_players), np.int8))
        seats = np.zeros(2, np.int64)
        _, _, play_others = batch._for_learner(new_learner(seats, game.max_players, [1], [1], 1))
        play_others(0)
        batch.close()

    def play_at_random() -> None:
        random_rollout(name, 1)

    def play_as_scripted() -> None:
        HeuristicAgent(game).act(made["env"])

    def find_grave() -> None:
        env = made["env"]
        CarelessAgent(HeuristicAgent(game), game, None).act(env)
        game.warnings_of(env.states, int(env.states["to_move"][0]))

    def search() -> None:
        agent = SearchAgent(game, SearchSettings(sims=2, reuse=1, **game.search))
        for _ in range(2):  # the second time it looks for the position in its tree
            agent.act(made["env"])
        unpacked(packed(new_tree(2)), 2)  # as a copy of the agent is made
        agent.compile_what_guides()
        logits, masks, values = (
            np.zeros((0, len(game.actions)), np.float32),
            np.zeros((0, 1), np.int8),
            np.zeros(1, np.float32),
        )
        evaluate_rows(NO_POLICY, new_scratch(NO_POLICY), logits, masks, logits, values)

    def give_advice() -> None:
        env = made["env"]
        advise(env, HeuristicAgent(game))
        # which only positions with more actions than are told ask for
        seat = int(env.states["to_move"][0])
        candidates(game, env.states, seat, game.legal_actions(env.states, seat), CANDIDATES)

    return [
        ("environment", play),
        ("events", tell),
        ("parallel environment", play_in_parallel),
        ("batch", play_a_batch),
        ("random games", play_at_random),
        ("scripted player", play_as_scripted),
        ("grave actions", find_grave),
        ("search", search),
        ("advice", give_advice),
    ]
