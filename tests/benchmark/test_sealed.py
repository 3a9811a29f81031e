"""Players of users' code: what their processes are told, what they cannot have, and what happens
when they fail."""

import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import dig_envs
from dig_envs.agents import sealed, sealed_process
from dig_envs.agents.matches import play_games
from dig_envs.agents.sealed import (
    MAY_NEED,
    SealedAgent,
    end_processes,
    ending_processes,
    load_player,
)
from dig_envs.engine.core.errors import ForfeitError, PlayerError
from dig_envs.registry import load_game

CODE = """
import json, os, sys, time
import numpy as np

def first(environment, observation, action_mask):
    print("what a player prints is no answer")
    return action_mask.argmax(axis=1)

class Notes:
    def __init__(self, environment, seed):
        self.made_with = environment, seed
    def choose(self, observation, action_mask, **told):
        arrays = {name for name, value in told.items() if isinstance(value, np.ndarray)}
        lists = {name: told[name].tolist() if name in arrays else told[name] for name in told}
        modules = [name for name in sys.modules if "dig_envs" in name]
        own = {"pid": os.getpid(), "made_with": self.made_with, "modules": modules}
        own |= {"n": len(observation), "writable": observation.flags.writeable}
        with open(f"notes-{os.getpid()}.jsonl", "a") as file:
            file.write(json.dumps({**own, **lists}) + "\\n")
        return action_mask.argmax(axis=1)

class NotesOfAll(Notes):
    needs = ("seats", "games", "views", "events", "legal", "prompts")

class States(Notes):
    needs = ("views", "states")

class Text(Notes):
    needs = "views"

class TakesUnasked:
    def __init__(self, environment, seed): pass
    def choose(self, observation, action_mask, views): pass

class Open:
    def __init__(self, environment, seed): pass
    def act(self, env): pass

class Bare:
    def act_batch(self, observation, action_mask): return action_mask.argmax(axis=1)

class MadeOtherwise(Bare):
    def __init__(self, weights): pass

class Remembers(Bare):
    def __init__(self): self.memory_size = 3

class Told(Bare):
    takes_events = True

def all_four(environment, observation, action_mask, states): pass

def floats(environment, observation, action_mask): return action_mask.argmax(axis=1) * 1.0

def too_few(environment, observation, action_mask): return action_mask.argmax(axis=1)[1:]

def beyond(environment, observation, action_mask): return np.full(len(action_mask), 10**9)

def raising(environment, observation, action_mask): return {}["nothing"]

def leaving(environment, observation, action_mask):
    print("no more", file=sys.stderr)
    os._exit(7)

def sleeping(environment, observation, action_mask): time.sleep(60)

def forging(environment, observation, action_mask):
    for number in range(3, 20):  # all files that are open, the one of the answers among them
        try: os.write(number, b"\\x00\\xff\\xff\\xff\\xff" + b"x" * 20)
        except OSError: pass
    return action_mask.argmax(axis=1)
"""
GAME = "go_dig_v0"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """A working folder with a module of a user; no process outlives the test."""
    (tmp_path / "sealed_code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    with ending_processes():
        yield
    sys.modules.pop("sealed_code", None)


def player(name, seed=0):
    return SealedAgent(f"python:sealed_code:{name}", load_game(GAME), seed)


def notes():
    """Return what the players wrote down, process by process."""
    return [
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(Path().glob("notes-*.jsonl"))
    ]


def test_a_process_for_each_seat_that_holds_nothing_of_the_games():
    """A new interpreter without this package: no environment, no position, no other player."""
    play_games(GAME, [player("Notes", 5)] * 2, 3)
    found = notes()
    assert len(found) == 2
    assert {line["pid"] for lines in found for line in lines} == {
        lines[0]["pid"] for lines in found
    }
    assert os.getpid() not in {lines[0]["pid"] for lines in found}
    assert sorted(lines[0]["made_with"] for lines in found) == [[GAME, 5], [GAME, 6]]
    keys = {"pid", "made_with", "modules", "n", "writable"}
    assert all(line.keys() == keys and line["modules"] == [] for lines in found for line in lines)
    assert max(line["n"] for lines in found for line in lines) > 1, "several decisions in one call"


def test_what_a_player_needs_is_what_its_seat_may_know():
    """Of its own seat alone; events since its last decision; a number for each game."""
    play_games(GAME, [player("NotesOfAll")] * 2, 2, seed=3)
    found = notes()
    assert len(found) == 2
    for lines in found:
        (seat,) = {seat for line in lines for seat in line["seats"]}
        assert {number for line in lines for number in line["games"]} <= {1, 2, 3, 4}
        for line in lines:
            assert all(len(line[need]) == line["n"] for need in MAY_NEED)
            # of others, a view says how many cards they hold
            hands = [view["hands"] for view in line["views"]]
            assert all(
                isinstance(hand[seat], list) and isinstance(hand[1 - seat], int) for hand in hands
            )
            assert all(
                entry.keys() == {"action", "text", "label"}
                for legal in line["legal"]
                for entry in legal
            )
            assert all("## How to answer" in prompt for prompt in line["prompts"])
        begun = lines[-1]["events"][0]
        assert begun, "something has happened since its last decision"


def test_views_and_events_are_those_of_the_seat():
    """The same as an environment tells; what the other seat holds is in neither."""
    env = dig_envs.make(GAME)
    env.reset(seed=4)
    agent = player("NotesOfAll")
    for _ in range(3):
        agent_name = env.agent_selection
        expected = env.unwrapped.view(agent_name)
        events = [event.to_json() for event in env.unwrapped.events(agent_name)]
        env.step(agent.act(env))
        (line,) = [
            lines[-1]
            for lines in notes()
            if lines[-1]["views"] == [json.loads(json.dumps(expected))]
        ]
        assert line["events"] == [json.loads(json.dumps(events))]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("States", "asks for 'states', which a sealed player is not given"),
        ("all_four", "asks for 'states', which a sealed player is not given"),
        (
            "TakesUnasked",
            r"takes views, which a class names in its attribute needs: needs = \('views',\)",
        ),
        ("Text", "should be a tuple of names"),
        ("Open", "no class with a method choose"),
        ("MadeOtherwise", r"made with \(weights\): write __init__\(self, environment, seed\)"),
        ("Remembers", r"has memory_size, .* needs = \('games',\)"),
        ("Told", r"has takes_events, .* needs = \('events',\)"),
    ],
)
def test_who_asks_for_more_is_refused(name, words):
    with pytest.raises(PlayerError, match=words):
        player(name)


def test_a_class_may_be_made_without_arguments():
    assert play_games(GAME, [player("Bare")] * 2, 2).lengths.min() > 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("floats", r"must return 2 integers, not float64 \(2,\)"),
        ("too_few", r"must return 2 integers, not int64 \(1,\)"),
        ("beyond", "chose action 1000000000, which is not legal"),
        ("raising", r"raised KeyError: 'nothing' \(sealed_code.py, line \d+\)"),
        ("leaving", "ended with exit status 7: its last words: no more"),
        ("sleeping", "did not answer within 0.2 seconds"),
        ("forging", "ended its output|ended with exit status|answered with something else"),
    ],
)
def test_what_fails_is_said_and_its_processes_are_ended(name, words, monkeypatch):
    agent = player(name)
    monkeypatch.setattr(sealed, "SECONDS", 0.2 if name == "sleeping" else 20.0)
    with pytest.raises(PlayerError, match=rf"^python:sealed_code:{name}, Player 1: .*({words})"):
        play_games(GAME, [agent] * 2, 2)
    assert sealed._idle == {}


def test_nothing_that_comes_back_is_unpickled():
    """Bytes that are no integers of the right number are refused, whatever they are."""
    mask = np.ones((2, 3), np.int8)

    class Bomb:
        def __reduce__(self):
            return os.mkdir, ("exploded",)

    for kind, said in (
        (sealed_process.ACTIONS, pickle.dumps(Bomb())),
        (sealed_process.FACTS, bytes(16)),
        (9, bytes(16)),
    ):
        with pytest.raises(ForfeitError, match="something else than 2 actions"):
            sealed._read_actions(kind, said, mask)
    with pytest.raises(ForfeitError, match="not legal"):
        sealed._read_actions(sealed_process.ACTIONS, np.array([0, -1], "<i8").tobytes(), mask)
    assert sealed._read_actions(
        sealed_process.ACTIONS, np.array([0, 2], "<i8").tobytes(), mask
    ).tolist() == [0, 2]
    for said in (pickle.dumps(Bomb()), b"{}", b"[" * 100_000, b'{"file": 1, "needs": []}',
                 b'{"file": null, "needs": ["states"]}'):  # fmt: skip
        with pytest.raises(ForfeitError):
            sealed._read_facts(said)
    assert not Path("exploded").exists()


def test_processes_go_on_with_the_same_seat():
    """The next agent of the name has them, with a player made anew; they end with the
    measurement."""
    play_games(GAME, [player("Notes", 1)] * 2, 1)
    for lines in notes():
        Path(f"notes-{lines[0]['pid']}.jsonl").rename(f"before-{lines[0]['pid']}")
    play_games(GAME, [player("Notes", 8)] * 2, 1)
    assert sorted(lines[0]["made_with"] for lines in notes()) == [[GAME, 8], [GAME, 9]]
    assert all(Path(f"before-{lines[0]['pid']}").exists() for lines in notes())


def test_processes_that_were_ended_begin_anew():
    """What a player keeps in its process it cannot carry over to games with another opponent."""
    for _ in range(2):
        agents = [pickle.loads(pickle.dumps(load_player))("python:sealed_code:Notes", GAME, 1)] * 2
        play_games(GAME, agents, 1)
        agents[0].close()
        end_processes()
        assert not sealed._idle
    assert len(notes()) == 4, "two seats, twice"


def test_the_player_of_the_guide():
    page = (
        Path(sealed.__file__).parent.parent / "documentation" / "pages" / "guides" / "60_submit.md"
    )
    Path("my_player.py").write_text(
        page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    )
    agent = SealedAgent("python:my_player:Player", load_game(GAME), 0)
    assert agent.needs == ()
    assert play_games(GAME, [agent] * 2, 2).lengths.min() > 0
