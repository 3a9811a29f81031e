"""Agents of every kind are given what they cannot decide on: each says what was wrong, in the same
words, and none plays on."""

import sys
from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs import (
    BatchEnv,
    IllegalActionError,
    PolicyMismatchError,
    Seat,
    load_agent,
    make,
    make_parallel,
)
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.agents.matches import play_games
from dig_envs.agents.memory import memory_size
from dig_envs.arena import run
from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.policies import shipped

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="scripted players are slow uncompiled")

FEW = "sims=2:depth=1"
OF_GO_DIG = (
    "random",
    "heuristic",
    "heuristic:careless=0.5",
    "easy",
    f"search:{FEW}",
    "best",
    f"best+search:{FEW}",
    "go_dig/policy",
    f"go_dig/policy+search:{FEW}",
    f"exec:{sys.executable} -c pass",
    "llm:none:base_url=http://127.0.0.1:9",
)
OF_FOSSIL_MEMORY = ("remembering", "optimal", "remembering:careless=0.5", "fossil_memory/memory")
AGENTS = [
    *(("go_dig_v0", name) for name in OF_GO_DIG),
    *(("fossil_memory_v0", name) for name in OF_FOSSIL_MEMORY),
]
OTHERS = {"go_dig_v0": "fossil_canyon_v0", "fossil_memory_v0": "go_dig_v0"}
COUNT = 3


@cache
def agent_of(game, name):
    if name.startswith(("go_dig/", "fossil_memory/")):
        shipped(name)
    return load_agent(name, game, seed=1)


@cache
def batch_of(game):
    return BatchEnv(game, COUNT, seed=1)


def asked(game, agent):
    """All that an agent takes, right, by name."""
    batch = batch_of(game)
    given = {
        "observation": batch.observation.copy(),
        "action_mask": batch.action_mask.copy(),
        "states": batch.states.copy(),
        "seats": batch.mover.copy(),
    }
    if memory_size(agent):
        given["memory"] = np.zeros((COUNT, memory_size(agent)), np.float32)
    if agent.takes_events:
        given["events"] = [[] for _ in range(COUNT)]
    return given


def with_one(array, place, value):
    changed = array.copy()
    changed[place] = value
    return changed


def with_field(states, field, value):
    changed = states.copy()
    changed[field][1] = value
    return changed


# What is changed: the name of the argument, how, the error, and words of its message.
BAD = {
    "no mask": ("action_mask", lambda x: None, TypeError, "action_mask of"),
    "mask of fractions": ("action_mask", lambda x: x * 1.0, TypeError, "integers or bool"),
    "mask of texts": ("action_mask", lambda x: x.astype(str), TypeError, "integers or bool"),
    "mask for one": ("action_mask", lambda x: x[0], ValueError, "must have the shape"),
    "narrow mask": ("action_mask", lambda x: x[:, :-1], ValueError, "must have the shape"),
    "wide mask": ("action_mask", lambda x: np.hstack([x, x]), ValueError, "must have the shape"),
    "ragged mask": ("action_mask", lambda x: [[1], [1, 0]], ValueError, "of different lengths"),
    "empty mask": ("action_mask", lambda x: with_one(x, 1, 0), ValueError, "no action in"),
    "mask of twos": ("action_mask", lambda x: x * 2, ValueError, "1 for each legal action"),
    "mask of minus one": ("action_mask", lambda x: -x, ValueError, "1 for each legal action"),
    "fewer masks": ("action_mask", lambda x: x[:2], ValueError, "shape|states for 2 decisions"),
    "no observation": ("observation", lambda x: None, TypeError, "observation of"),
    "observation of integers": ("observation", lambda x: x.astype(int), TypeError, "floating"),
    "observed objects": ("observation", lambda x: x.astype(object), TypeError, "floating"),
    "observation of an environment": (
        "observation", lambda x: {"observation": x}, TypeError, "observation of",
    ),
    "five columns": ("observation", lambda x: x[:, :5], ValueError, r"must have the shape \(3, "),
    "fewer observations": (
        "observation", lambda x: x[:2], ValueError, r"with action_mask \(3, .* must have the shape",
    ),
    "nan": ("observation", lambda x: with_one(x, (1, 4), np.nan), ValueError, "without NaN"),
    "infinity": ("observation", lambda x: with_one(x, (1, 4), -np.inf), ValueError, "finite"),
    "too large": (
        "observation", lambda x: with_one(x.astype(float), (1, 4), 1e300), ValueError, "finite",
    ),
    "states as a list": ("states", lambda x: [1, 2, 3], TypeError, "array of records of"),
    "one state": ("states", lambda x: x[0], ValueError, "one-dimensional array of records of"),
    "fewer states": ("states", lambda x: x[:2], ValueError, "2 states for 3 decisions"),
    "another version": (
        "states", lambda x: with_field(x, "version", 7), PolicyMismatchError, "_v0, not .*_v7",
    ),
    "fewer seats": ("seats", lambda x: x[:2], ValueError, r"seats must have the shape \(3,\)"),
    "seats of fractions": ("seats", lambda x: x + 0.5, TypeError, "seats must be integers"),
    "seats of truths": ("seats", lambda x: x == 0, TypeError, "seats must be integers"),
    "seat 99": ("seats", lambda x: x * 0 + 99, ValueError, "seat 99 has no decision to make"),
    "seat -1": ("seats", lambda x: x * 0 - 1, ValueError, "seat -1 has no decision to make"),
    "seat 2**64 - 1": (
        "seats", lambda x: np.full(3, 2**64 - 1, np.uint64), ValueError, f"seat {2**64 - 1} has no",
    ),
    "another seat": ("seats", lambda x: 1 - x, ValueError, "has no decision to make in position 0"),
}  # fmt: skip
OF_MEMORY = {
    "no memory": (lambda x: None, ValueError, "remembers: pass memory"),
    "memory as a list": (lambda x: x.tolist(), TypeError, "remembers: pass memory"),
    "memory of doubles": (lambda x: x.astype(float), TypeError, "not float64"),
    "fewer memories": (lambda x: x[:2], ValueError, "remembers: pass memory"),
    "memory of nan": (lambda x: x + np.nan, ValueError, "finite"),
}
OF_EVENTS = {
    "events of another kind": (lambda x: [["told"]] * COUNT, TypeError, "list of events"),
    "one list of events": (lambda x: 5, TypeError, "list of events"),
    "fewer lists of events": (lambda x: x[:2], ValueError, "2 lists of events for 3 decisions"),
}


@pytest.mark.parametrize(("game", "name"), AGENTS)
def test_bad_arrays(game, name):
    """Each fault alone, in what is right otherwise; nothing has changed then."""
    agent = agent_of(game, name)
    cases = dict(BAD)
    for argument, more in (("memory", OF_MEMORY), ("events", OF_EVENTS)):
        if argument in asked(game, agent):
            cases |= {case: (argument, *rest) for case, rest in more.items()}
    for case, (argument, change, error, words) in cases.items():
        given = asked(game, agent)
        before = {key: np.copy(value) for key, value in given.items()}
        bad = {**given, argument: change(given[argument])}
        with pytest.raises(error, match=words) as caught:
            agent.act_batch(**bad)
        assert len(str(caught.value)) < 500, case
        for key, value in given.items():
            np.testing.assert_array_equal(value, before[key], case)


@pytest.mark.parametrize(("game", "name"), AGENTS)
def test_what_is_missing_or_too_much(game, name):
    agent = agent_of(game, name)
    given = asked(game, agent)
    for argument in ("states", "seats"):
        if agent.needs_positions or (argument == "states" and name.startswith("heuristic:")):
            with pytest.raises(ValueError, match="pass states and seats"):
                agent.act_batch(**{**given, argument: None})
    if "memory" not in given:
        with pytest.raises(TypeError, match="remembers nothing"):
            agent.act_batch(**given, memory=np.zeros((COUNT, 1), np.float32))
    if "events" not in given:
        with pytest.raises(TypeError, match="takes no events"):
            agent.act_batch(**given, events=[[]] * COUNT)


@pytest.mark.parametrize(("game", "name"), AGENTS)
def test_another_game(game, name):
    """The message names both games, or their shapes."""
    agent, other = agent_of(game, name), OTHERS[game]
    for env in (make(other), make_parallel(other), gymnasium.make(gymnasium_id(other))):
        env.reset(seed=1)
        with pytest.raises(PolicyMismatchError, match=f"plays {game}, not {other}"):
            agent.act(env, "player_0")
    batch = batch_of(other)
    given = asked(game, agent)
    for wrong in (
        {"observation": batch.observation, "action_mask": batch.action_mask},
        {"states": batch.states},
    ):
        with pytest.raises(ValueError, match=f"of {game}"):
            agent.act_batch(**{**given, **wrong})


def gymnasium_id(name):
    return f"dig_envs:dig/{name.replace('_v', '-v')}"


@pytest.mark.parametrize(("game", "name"), AGENTS)
def test_what_is_no_environment(game, name):
    agent, env = agent_of(game, name), make(game)
    with pytest.raises(ResetNeeded):
        agent.act(env)
    env.reset(seed=1)
    wrong = (
        None, 5, "go_dig_v0", np.zeros(5), env.observe("player_0"), type(env.unwrapped), object(),
        batch_of(game), DigVectorEnv(game, 2), gymnasium.make("CartPole-v1"), env.unwrapped.states,
    )  # fmt: skip
    for given in wrong:
        with pytest.raises(TypeError, match="act needs an AEC, parallel or Gymnasium environment"):
            agent.act(given)
    for who in (0, ["player_0"], np.zeros(2)):
        with pytest.raises(TypeError, match="an agent is named by a text"):
            agent.act(env, who)
    with pytest.raises(ValueError, match="no agent 'player_9'"):
        agent.act(env, "player_9")


@pytest.mark.parametrize("name", ["random", "heuristic", "go_dig/policy"])
def test_an_environment_for_gymnasium_is_asked_as_the_game_in_it(name):
    agent, again = (
        load_agent(shipped(name) if "/" in name else name, "go_dig_v0", 1) for _ in "ab"
    )
    env = gymnasium.make(gymnasium_id("go_dig_v0"), learner=0, opponents="heuristic")
    with pytest.raises(ResetNeeded):
        agent.act(env)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        action = agent.act(env)
        assert action == again.act(env.unwrapped.aec)
        assert info["action_mask"][action]
        _, _, over, _, info = env.step(action)
    with pytest.raises(ValueError, match="has no decision to make"):
        agent.act(env)
    _, info = env.reset(seed=2)
    env.step(int(info["action_mask"].argmin()))  # an illegal action, which ends the episode
    with pytest.raises(ValueError, match="has no decision to make"):
        agent.act(env)


def test_a_position_that_is_searched():
    agent, batch = agent_of("go_dig_v0", f"search:{FEW}"), batch_of("go_dig_v0")
    seat = int(batch.mover[0])
    assert agent.search(batch.states, seat).action in np.flatnonzero(batch.action_mask[0])
    for states, seat_asked, error in (
        (None, seat, TypeError),
        ([1], seat, TypeError),
        (batch_of("fossil_canyon_v0").states, seat, ValueError),
        (batch.states, 1 - seat, ValueError),
        (batch.states, 1.5, TypeError),
        (batch.states, "0", TypeError),
        (batch.states, None, TypeError),
    ):
        with pytest.raises(error, match=r"states must be|seats must be|has no decision"):
            agent.search(states, seat_asked)


def test_what_is_no_agent():
    for wrong in ("random", None, 5, load_agent):
        with pytest.raises(TypeError, match="an agent is what load_agent returns"):
            play_games("go_dig_v0", [wrong, load_agent("random")], 1)
        with pytest.raises((TypeError, ValueError)):
            DigVectorEnv("go_dig_v0", 2, opponents=[wrong, 5])

    class Own:
        def act_batch(self, observation, action_mask):
            return action_mask.argmax(axis=1)

    with pytest.raises(TypeError, match=r"; give an instance: Own\(\)$"):
        DigVectorEnv("go_dig_v0", 2, opponents=["random", Own])
    for count in (0, -1, 1.5, "2", None, True):
        with pytest.raises((TypeError, ValueError), match="num_games must be"):
            play_games("go_dig_v0", [load_agent("random")] * 2, count)
        with pytest.raises((TypeError, ValueError), match="batch_size must be"):
            play_games("go_dig_v0", [load_agent("random")] * 2, 1, batch_size=count)


# ---------------------------------------------------------------- objects of one's own


class Own:
    """Plays what a function makes of the mask."""

    name = "own"

    def __init__(self, choose):
        self.choose = choose

    def act_batch(self, observation, action_mask, states=None, seats=None):
        return self.choose(action_mask)


class Two(Own):
    def act_batch(self, observation, action_mask):
        return self.choose(action_mask)


def learn_against(agent, game="go_dig_v0"):
    env = DigVectorEnv(game, 3, opponents=agent, num_players=2)
    env.reset(seed=1)
    for _ in range(4):
        env.step(env.action_masks().argmax(axis=1))


def learn_one_against(agent, game="go_dig_v0"):
    env = gymnasium.make(f"dig/{game.replace('_v', '-v')}", opponents=agent, num_players=2)
    _, info = env.reset(seed=1)
    for _ in range(4):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))


def sit(agent, game="go_dig_v0"):
    env = make(game)
    env.reset(seed=1)
    return Seat(env.unwrapped.view(env.agent_selection)).act(agent)


DOORS = {
    "play_games": lambda agent, game="go_dig_v0": play_games(game, [agent, agent], 3),
    "arena": lambda agent, game="go_dig_v0": run(game, [agent, "random"], 2),
    "vector": learn_against,
    "gymnasium": learn_one_against,
    "seat": sit,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", [Own, Two])
def test_an_object_of_ones_own_plays(door, kind):
    DOORS[door](kind(lambda mask: mask.argmax(axis=1)))
    DOORS[door](kind(lambda mask: mask.argmax(axis=1).tolist()))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("choose", "error", "words"),
    [
        (
            lambda mask: mask.argmin(axis=1),
            IllegalActionError,
            "is not legal for agent own now; legal",
        ),
        (lambda mask: np.full(len(mask), -1), IllegalActionError, "-1, which is not an action"),
        (lambda mask: np.full(len(mask), 10**9), IllegalActionError, "1000000000, which is no"),
        (lambda mask: mask.argmax(axis=1) * 1.0, TypeError, "must be integers, .* not float64"),
        (lambda mask: np.full(len(mask), np.nan), TypeError, "agent own in go_dig_v0 must be int"),
        (lambda mask: mask.argmax(axis=1) == 0, TypeError, "not bool"),
        (lambda mask: ["0"] * len(mask), TypeError, "must be integers"),
        (lambda mask: None, TypeError, "must be integers"),
        (
            lambda mask: mask.argmax(axis=1)[:, None],
            ValueError,
            r"must have the shape \(\d,\), not",
        ),
        (lambda mask: [], TypeError, "must be integers"),
    ],
)
def test_what_an_object_chooses_is_checked_at_every_door(door, choose, error, words):
    """It loses no game by what is no action."""
    with pytest.raises(error, match=words):
        DOORS[door](Own(choose))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["random", "heuristic", f"search:{FEW}", "go_dig/policy"])
def test_an_agent_of_another_game_is_refused_at_every_door(door, name):
    with pytest.raises(PolicyMismatchError, match="plays go_dig_v0, not fossil_canyon_v0"):
        DOORS[door](agent_of("go_dig_v0", name), "fossil_canyon_v0")


def test_other_forms_of_what_is_right():
    """Lists, bool, doubles, other integers, strided arrays, and no decision at all."""
    agent = agent_of("go_dig_v0", "heuristic")
    given = asked("go_dig_v0", agent)
    expected = agent.act_batch(**given).tolist()
    for argument, change in (
        ("action_mask", lambda x: x.astype(bool)),
        ("action_mask", lambda x: x.astype(np.uint8)),
        ("action_mask", lambda x: x.tolist()),
        ("observation", lambda x: x.astype(float)),
        ("observation", lambda x: x.tolist()),
        ("observation", lambda x: np.asfortranarray(x)),
        ("seats", lambda x: x.astype(np.int8)),
        ("seats", lambda x: x.tolist()),
    ):
        assert agent.act_batch(**{**given, argument: change(given[argument])}).tolist() == expected
    for game, name in AGENTS:
        agent = agent_of(game, name)
        none = {key: value[:0] for key, value in asked(game, agent).items()}
        assert agent.act_batch(**none).shape == (0,)
