"""What agents are asked: by name in parallel environments, and with positions that owe a decision."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs import BatchEnv, load_agent, make
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.agents.loading import zoo_policies
from dig_envs.agents.memory import memory_size
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.registry import game_name
from tests.games import every_game, is_over

KINDS = ("random", "heuristic", "search:sims=3:playout=random:depth=1")


def agents_for(name):
    policies = [one for one in zoo_policies() if one.startswith(game_name(name))][:1]
    kinds = ("random", *policies) if JIT_DISABLED else (*KINDS, *policies)
    return [load_agent(kind, name, seed=1) for kind in kinds]


def fits(agent, env):
    return env.num_seats in (getattr(agent, "num_players", ()) or (env.num_seats,))


@every_game
def test_a_parallel_game_is_played_by_name(name):
    """Each agent for each seat that owes a decision; a seat that owes none, and no name at all, are errors."""
    for agent in agents_for(name):
        env = Parallel(name)
        if not fits(agent, env):
            continue
        env.reset(seed=2)
        for _ in range(12):
            owing = env.owing()
            if not owing:
                break
            for idle in set(env.possible_agents) - set(owing):
                with pytest.raises(ValueError, match=f"{idle} owes no decision"):
                    agent.act(env, agent=idle)
            with pytest.raises(ValueError, match="name the agent"):
                agent.act(env)
            with pytest.raises(ValueError, match="no agent 'nobody'"):
                agent.act(env, "nobody")
            env.step({one: agent.act(env, agent=one) for one in owing})


@every_game
def test_a_name_and_no_name_are_the_same_in_turn(name):
    for agent, twin in zip(agents_for(name), agents_for(name), strict=True):
        env = make(name)
        if not fits(agent, env.unwrapped):
            continue
        env.reset(seed=3)
        for _ in range(8):
            if is_over(env.unwrapped):
                break
            action = agent.act(env)
            assert twin.act(env.unwrapped, agent=env.agent_selection) == action
            env.step(action)


@every_game
def test_where_there_is_nothing_to_decide(name):
    for agent in agents_for(name):
        for env in (RawAEC(name), Parallel(name)):
            with pytest.raises(ResetNeeded, match="call reset"):
                agent.act(env)
        env = RawAEC(name)
        env.reset(seed=1)
        while not is_over(env):
            env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        with pytest.raises(ValueError, match="owes no decision"):
            agent.act(env)


@every_game
@pytest.mark.skipif(JIT_DISABLED, reason="scripted players are slow uncompiled")
def test_positions_of_a_wrong_kind(name):
    """Compiled code would read beyond them."""
    batch = BatchEnv(name, 3, seed=1)
    other = BatchEnv("cretaceous_creek_v0" if name != "cretaceous_creek_v0" else "fossil_canyon_v0", 3)
    seen, mask, states, seats = batch.observation, batch.action_mask, batch.states, batch.mover
    idle = np.where(seats == 0, 1, 0)
    for agent in [one for one in agents_for(name) if one.name == "heuristic" or one.name.startswith("search")]:
        for bad_states, bad_seats, text in (
            (None, seats, "states and seats"),
            (states, None, "states and seats"),
            (other.states, seats, "state records"),
            (states[0], seats, "state records"),
            ([1, 2, 3], seats, "state records"),
            (states, seats[:2], "seats must be 3 integers"),
            (states[:2], seats, "seats must be 2 integers"),
            (states, seats.astype(float), "seats must be 3 integers"),
            (states, seats * 0 + 99, "seat 99 owes no decision in position 0"),
            (states, seats * 0 - 1, "seat -1 owes no decision in position 0"),
        ):
            with pytest.raises(ValueError, match=text):
                agent.act_batch(seen, mask, bad_states, bad_seats)
        owes_too = batch.states["owes"][np.arange(3), idle] != 0
        if not owes_too.any():
            with pytest.raises(ValueError, match="owes no decision"):
                agent.act_batch(seen, mask, states, idle)


def memory_of(agent, count):
    """The further argument of an agent that remembers, at the start of so many games."""
    size = memory_size(agent)
    return (np.zeros((count, size), np.float32),) if size else ()


@every_game
@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_no_form_of_an_array_compiles_a_kernel_again(name):
    """Read-only, strided, Fortran-ordered, of other integers: what is meant is the same, and so is the compiled code."""
    batch = BatchEnv(name, 4, seed=1)
    agents = agents_for(name)
    game = batch.game
    states, seats = batch.states, batch.mover
    for agent in agents:
        if fits(agent, RawAEC(name)):
            agent.act_batch(batch.observation.copy(), batch.action_mask.copy(), states.copy(), seats.copy(), *memory_of(agent, 4))
    batch.step(batch.sample_actions().copy(), np.ones(4, np.bool_))
    batch.restore(0, batch.snapshot(0))  # what only snapshots need is compiled, too

    def signatures():
        modules = (game.kernels, game.search_kernels)
        return {
            (module.__name__, key): len(kernel.signatures)
            for module in modules
            for key, kernel in vars(module).items()
            if hasattr(kernel, "signatures")
        }

    before = signatures()
    seen, mask = np.asfortranarray(batch.observation), np.asfortranarray(batch.action_mask)
    for agent in agents:
        if fits(agent, RawAEC(name)):
            agent.act_batch(seen, mask, batch.states, batch.mover, *memory_of(agent, 4))
            agent.act_batch(seen, mask, np.repeat(batch.states, 2)[::2], np.repeat(batch.mover, 3)[::3], *memory_of(agent, 4))
            agent.act_batch(seen, mask, batch.states, list(batch.mover.astype(np.int8)), *memory_of(agent, 4))
    games = np.ones(4, np.bool_)
    games.flags.writeable = False
    batch.step(batch.action_mask.argmax(axis=1).astype(np.int16), games)
    batch.step(list(map(int, batch.action_mask.argmax(axis=1))), list(games))
    fixed = batch.action_mask.argmax(axis=1)
    fixed.flags.writeable = False
    batch.step(fixed, np.ones(8, np.bool_)[::2])
    batch.set_states(None, batch.states)
    batch.restore(np.int8(1), batch.snapshot(2))
    game.legal_actions(batch.states.copy(), np.int8(batch.mover[0]))
    batch.reset(np.arange(4, dtype=np.int16))
    assert signatures() == before
