"""The ways to ask an agent: in turn, by name, in batches, and with positions in which a seat is to
act."""

import json
from collections import defaultdict

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs import BatchEnv, PolicyMismatchError, SnapshotError, load_agent, make
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.agents.memory import memory_size
from dig_envs.agents.zoo import policies_of
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.games import every_game, is_over, some_positions

KINDS = ("random", "heuristic", "search:sims=3:playout=random:depth=1")


def agents_for(name):
    """Agents of all kinds that play the default number of players."""
    policies = policies_of(load_game(name))[:1]
    kinds = ("random", *policies) if JIT_DISABLED else (*KINDS, *policies)
    agents = [load_agent(kind, name, seed=1) for kind in kinds]
    seats = RawAEC(name).num_seats
    return [agent for agent in agents if seats in (getattr(agent, "num_players", ()) or (seats,))]


def memory_of(agent, count):
    """The further argument of an agent that remembers, at the start of so many games."""
    size = memory_size(agent)
    return (np.zeros((count, size), np.float32),) if size else ()


@every_game
def test_a_parallel_game_is_played_by_name(name):
    """Each agent for each seat that is to act; a seat that is not, and no name at all, are
    errors."""
    for agent in agents_for(name):
        env = Parallel(name)
        env.reset(seed=2)
        for _ in range(8):
            to_act = env.agents_to_act()
            if not to_act:
                break
            for idle in set(env.possible_agents) - set(to_act):
                with pytest.raises(ValueError, match=f"{idle} has no decision to make"):
                    agent.act(env, agent=idle)
            with pytest.raises(ValueError, match="name the agent"):
                agent.act(env)
            with pytest.raises(ValueError, match="no agent 'nobody'"):
                agent.act(env, "nobody")
            env.step({one: agent.act(env, agent=one) for one in to_act})


@every_game
def test_in_turn_by_name_and_in_batches_agree(name):
    """Agents with the same seed choose alike, and legally, however they are asked."""
    for agent, twin, many in zip(*(agents_for(name) for _ in range(3)), strict=True):
        env, batch = make(name), BatchEnv(name, 1, seed=3)
        env.reset(seed=3)
        memories = defaultdict(lambda many=many: memory_of(many, 1))
        for _ in range(20):
            action = agent.act(env)
            assert twin.act(env.unwrapped, agent=env.agent_selection) == action
            seats = np.asarray(batch.mover)
            assert (
                many.act_batch(
                    batch.observation,
                    batch.action_mask,
                    batch.states,
                    seats,
                    *memories[int(seats[0])],
                )[0]
                == action
            )
            assert batch.action_mask[0, action]
            env.step(action)
            batch.step([action])
            if batch.terminated[0]:
                break


@every_game
def test_one_seat_is_answered_from_its_view(name):
    """By all agents as in the true position; what cannot be answered is refused."""
    for agent, twin in zip(*(agents_for(name) for _ in range(2)), strict=True):
        for env in some_positions(name, {}, 3):
            view = json.loads(json.dumps(env.view(env.agent_selection)))
            assert twin.act_view(view, seed=7) == agent.act(env)
            for idle in np.flatnonzero(env.states["owes"][0][: env.num_seats] == 0)[:1].tolist():
                other = env.view(env.possible_agents[idle])
                with pytest.raises(ValueError, match=f"seat {idle} has no decision"):
                    twin.act_view(other, seat=idle)
        for wrong in (None, {}, {**view, "environment": "chess"}, env.snapshot()):
            with pytest.raises(SnapshotError):
                twin.act_view(wrong)
        with pytest.raises(TypeError, match="seat"):
            twin.act_view(view, seat="player_0")
        with pytest.raises(TypeError, match="seed"):
            twin.act_view(view, seed=0.5)


@every_game
def test_one_seat_is_answered_from_an_earlier_view_and_what_it_was_told(name):
    agent, env, earlier = load_agent("heuristic", name), RawAEC(name), {}
    env.reset(seed=4)
    for _ in range(30):
        if env.states["over"][0]:
            break
        mover, action = env.agent_selection, agent.act(env)
        if mover in earlier:
            events = [event.to_json() for event in env.events(mover)]
            view, seat = earlier[mover], env.seat_of(mover)
            assert agent.act_view(view, events, seat) == action
        earlier[mover] = env.view(mover)
        env.step(action)
    with pytest.raises(ValueError, match="event 1"):
        agent.act_view(env.view("player_0"), [{"kind": "nothing of the kind"}], 0)


def test_a_player_of_another_version_of_the_game_says_how_to_load_it():
    env = RawAEC("oak_island_v1")
    env.reset(seed=0)
    with pytest.raises(PolicyMismatchError, match=r"load it with env='oak_island_v1'$"):
        load_agent("heuristic", "oak_island_v0").act(env)


def test_a_view_of_another_game_or_for_an_agent_that_remembers_is_refused():
    views = {}
    for name in ("go_dig_v0", "fossil_memory_v0"):
        env = RawAEC(name)
        env.reset(seed=1)
        views[name] = env.view("player_0")
    with pytest.raises(PolicyMismatchError, match=r"plays go_dig_v0, not fossil_memory_v0$"):
        load_agent("heuristic", "go_dig_v0").act_view(views["fossil_memory_v0"], seat=0)
    for level in ("easy", "hard"):
        with pytest.raises(ValueError, match="keep a dig_envs"):
            load_agent(level, "fossil_memory_v0").act_view(views["fossil_memory_v0"], seat=0)
    assert load_agent("best", "fossil_memory_v0").memory_size  # with other options
    load_agent("best", "fossil_memory_v0").act_view(views["fossil_memory_v0"], seat=0)


@every_game
def test_where_there_is_nothing_to_decide(name):
    agents = agents_for(name)
    over = RawAEC(name)
    over.reset(seed=1)
    while not is_over(over):
        over.step(int(np.flatnonzero(over.observe(over.agent_selection)["action_mask"])[0]))
    for agent in agents:
        for env in (RawAEC(name), Parallel(name)):
            with pytest.raises(ResetNeeded, match="call reset"):
                agent.act(env)
        with pytest.raises(ValueError, match="has no decision to make"):
            agent.act(over)
