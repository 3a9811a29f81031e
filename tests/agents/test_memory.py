"""Agents that remember: who keeps the memory, and when it is forgotten."""

import copy
import pickle

import numpy as np
import pytest

import dig_envs
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.agents.deciding import OneGame
from dig_envs.agents.matches import play_games
from dig_envs.arena import run
from dig_envs.games.fossil_memory.components import TAKEN
from dig_envs.registry import load_game

NAME = "fossil_memory_v0"
GAME = load_game(NAME)


class Counting(OneGame):
    """Counts its own decisions in each game and notes what it had counted before each."""

    name = "counting"
    memory_size = 1

    def __init__(self):
        self.seen = []

    def choose(self, asked):
        self.seen += [
            (int(memory), int(turn), int(seat))
            for memory, turn, seat in zip(
                asked.memory[:, 0], asked.states["turn"], asked.seats, strict=True
            )
        ]
        asked.memory[:] += 1
        return asked.action_mask.argmax(axis=1)


def decisions_of_each_seat(env):
    """Play a game with one counting agent in all seats; what it counted, per seat, in order."""
    agent, counted = Counting(), {}
    while env.agents and not env.unwrapped.states["over"][0]:
        name = env.agent_selection
        env.step(agent.act(env))
        counted.setdefault(name, []).append(agent.seen[-1][0])
    return agent, counted


@pytest.mark.parametrize("again", ["reset", "the same seed", "restore"])
def test_a_seat_remembers_until_the_next_episode(again):
    env = dig_envs.make(NAME, max_turns=6)
    env.reset(seed=3)
    snapshot = env.unwrapped.snapshot()
    agent, counted = decisions_of_each_seat(env)
    assert len(counted) == 2
    assert all(numbers == list(range(len(numbers))) for numbers in counted.values()), (
        "every seat has a memory of its own"
    )
    {
        "reset": env.reset,
        "the same seed": lambda: env.reset(seed=3),
        "restore": lambda: env.restore(snapshot),
    }[again]()
    agent.act(env)
    assert agent.seen[-1][0] == 0


def test_environments_do_not_share_memories():
    agent = Counting()
    first, second = dig_envs.make(NAME), dig_envs.make(NAME)
    for env in (first, second, first, second):
        if not env.unwrapped.dealt:
            env.reset(seed=1)
        agent.act(env)
        assert agent.seen[-1][0] == 0, "asked again about one decision it has the same memory"
    seat = first.agent_selection
    while first.agent_selection == seat:
        first.step(agent.act(first))
    agent.act(second)
    assert agent.seen[-1][0] == 0


def test_copies_of_agent_and_environment_remember():
    """Both alone and together; a new agent remembers nothing, and a copy of an environment shares
    nothing with it."""
    env, agent = dig_envs.make(NAME), Counting()
    env.reset(seed=1)
    env.step(agent.act(env))
    counted = env.agent_selection == "player_0"
    pairs = [
        (copy.deepcopy(env), agent),
        (env, pickle.loads(pickle.dumps(agent))),
        (pickle.loads(pickle.dumps(env)), copy.deepcopy(agent)),
        pickle.loads(pickle.dumps((env, agent))),
        (env, agent),
    ]
    assert counted, "the same player goes on"
    for one, player in pairs:
        player.act(one)
        assert player.seen[-1][0] == 1
    pairs[0][0].step(agent.act(pairs[0][0]))
    agent.act(env)
    assert agent.seen[-1][0] == 1
    other = Counting()
    other.act(env)
    assert other.seen[-1][0] == 0


def test_many_games_side_by_side():
    """In each game a seat's count begins with 0 and goes up by one, whatever the other games do."""
    agent, other = Counting(), Counting()
    play_games(NAME, [agent, other], 6, seed=5, options={"max_turns": 4}, rotate=True)
    for one in (agent, other):
        counts = sorted(count for count, _, _ in one.seen)
        assert counts.count(0) == 6, "six games, each begun with nothing remembered"
        assert all(counts.count(k + 1) <= counts.count(k) for k in range(max(counts)))


def test_opponents_in_training_forget_at_the_end_of_an_episode():
    agent = Counting()
    games = LearnerBatch(NAME, 4, opponents=agent, seed=1, max_turns=4)
    games.reset()
    kept = games.memory_of(agent)
    ended = 0
    for _ in range(40):
        games.choices_of(agent)
        step = games.step(games.action_mask.argmax(axis=1))
        ended += int(step.done.sum())
        assert (kept[step.done] == 0).all()
        assert (kept[~step.done] > 0).all()
    opponents = [count for count, turn, seat in agent.seen]
    assert ended > 4
    assert opponents.count(0) >= ended


@pytest.mark.parametrize(
    "memory", [None, np.zeros((1, 24)), np.zeros((2, 24), np.float32), [0.0] * 24]
)
def test_without_its_memory_it_does_not_play(memory):
    env = dig_envs.make(NAME)
    env.reset(seed=1)
    agent = dig_envs.load_agent("fossil_memory/remembering")
    seen = env.observe("player_0")
    with pytest.raises(
        (TypeError, ValueError),
        match=r"remembering remembers: pass memory, a writable float32 array \(1, 24\)",
    ):
        agent.act_batch(
            seen["observation"][None],
            seen["action_mask"][None],
            env.unwrapped.states,
            np.array([0]),
            memory,
        )


def test_names_of_a_games_own_players():
    assert dig_envs.load_agent("remembering", env=NAME).name == "remembering"
    with pytest.raises(ValueError, match=r"no agent 'forgetting'.*remembering"):
        dig_envs.load_agent("forgetting", env=NAME)
    with pytest.raises(ValueError, match="no agent 'remembering'"):
        dig_envs.load_agent("remembering", env="go_dig_v0")


def test_the_remembering_player_sees_in_recent_what_the_scripted_player_does_in_perfect():
    """Played side by side on the same deals, the two make the same games (FM-11)."""
    remembering, scripted = (
        dig_envs.load_agent("remembering", env=NAME),
        dig_envs.load_agent("heuristic", env=NAME),
    )
    recent = play_games(NAME, [remembering, remembering], 20, options={"recall": "recent"})
    perfect = play_games(NAME, [scripted, scripted], 20, options={"recall": "perfect"})
    assert (recent.scores == perfect.scores).all()
    assert (recent.lengths == perfect.lengths).all()


def test_the_remembering_player_reads_only_what_it_was_shown():
    """Other cards where it has seen none: the same choices."""
    agent = dig_envs.load_agent("remembering", env=NAME)
    env = dig_envs.make(NAME, recall="recent")
    for seed in range(5):
        env.reset(seed=seed)
        remembered = np.zeros((2, 24), np.float32)
        for _ in range(30):
            if not env.agents or env.unwrapped.states["over"][0]:
                break
            seat = env.unwrapped.seat_of(env.agent_selection)
            seen = env.observe(env.agent_selection)
            other = copy.deepcopy(env.unwrapped)
            known = remembered[seat].astype(bool) | (
                env.unwrapped.named(seen["observation"])["known"] != 0
            )
            hidden = np.flatnonzero(~known & (other.states["grid"][0] != TAKEN))
            other.states["grid"][0, hidden] = np.roll(other.states["grid"][0, hidden], 1)
            decision = (seen["observation"][None], seen["action_mask"][None])
            kept = remembered[seat : seat + 1].copy()
            elsewhere = agent.act_batch(*decision, other.states, np.array([seat]), kept)
            action = agent.act_batch(
                *decision, env.unwrapped.states, np.array([seat]), remembered[seat : seat + 1]
            )
            assert action == elsewhere
            assert (kept == remembered[seat]).all()
            env.step(int(action[0]))


def test_the_arena_plays_agents_with_a_memory():
    """With `recent` the scripted player, which remembers nothing, has no chance against one that
    does."""
    report = run(NAME, ["remembering", "heuristic"], games=40, options={"recall": "recent"})
    best, other = report.standings
    assert (best.agent, other.agent) == ("remembering", "heuristic")
    assert best.wins.low > 0.8
