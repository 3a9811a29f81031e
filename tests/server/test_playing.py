"""Games that the server keeps for a program: the forms of its answers, agents that play seats,
numbered events, names and choices."""

import json
import threading
from typing import Any

import jsonschema
import numpy as np
import pytest

import dig_envs
from dig_envs.language.guides import guide_text
from dig_envs.registry import load_game
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.protocol.service import METHODS, is_long
from dig_envs.server.table.table import Table
from tests.games import SHIPPED
from tests.server.asking import Client

NAME, MEMORY = "go_dig_v0", "fossil_memory_v0"
every_shipped = pytest.mark.parametrize("name", SHIPPED)


def strict(schema: Any) -> Any:
    """A schema whose objects have nothing but what it names; events have the parts of their
    kind."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(part) for key, part in schema.items()}
    if "properties" in schema and schema.get("title") != "Event":
        closed["additionalProperties"] = False
    return closed


VALIDATORS = {
    name: jsonschema.Draft202012Validator(strict(method.description()["result"]))
    for name, method in METHODS.items()
}


class Strict(Client):
    """A client that knows what form each answer has."""

    def call(self, method: str, **params: Any) -> Any:
        said = super().call(method, **params)
        VALIDATORS[method].validate(said)
        return said


@pytest.fixture
def client() -> Strict:
    return Strict()


def new(client: Client, name: str = NAME, **more: Any) -> Any:
    return client.call("new", environment=name, seed=1, **more)


def acted(client: Client, said: Any, rng: np.random.Generator) -> Any:
    """The answer after a random legal action of who is to decide."""
    legal = client.call("legal", game=said["game"])
    return client.call("act", game=said["game"], action=int(rng.choice(legal)["action"]))


# ---------------------------------------------------------------- the form of answers


@every_shipped
def test_answers_have_the_form_that_methods_tells(client, name):
    """In a whole game, with all that there is to ask about it; no object has keys of its own."""
    rng = np.random.default_rng(3)
    for method in ("hello", "methods", "environments"):
        client.call(method)
    for method in ("describe", "schema", "guide"):
        client.call(method, environment=name)
    said = new(client, name)
    client.call("play", game=said["game"], seat=1, agent="search:guide=none", budget={"sims": 4})
    steps = 0
    while not said["over"]:
        game, seat = said["game"], said["owing"][0]
        said = client.call("act", game=game) if seat == 1 else acted(client, said, rng)
        steps += 1
        if steps % 20 == 1 or said["over"]:
            for onlooker in (None, 0, 1):
                client.call("view", game=game, seat=onlooker, observation=True, since=0)
            client.call("choices", game=game)
            asked = {"environment": name, "snapshot": client.call("save", game=game)}
            client.call("score", **asked)
            client.call("text", **asked)
            if not said["over"]:
                client.call("choose", **asked, agent="search", budget={"sims": 4}, memory="")
                client.call("undo", game=game)
                client.call("act", game=game, action=said["action"], seat=said["seat"])
    assert {"winners", "returns", "turn_limit"} <= set(said)
    client.call("picture", **asked, fonts=False)
    client.call("names", game=game)
    client.call("load", **asked)
    client.call("close", game=game)


def test_another_form_is_noticed():
    """The schemas are not so wide that anything fits."""
    said = new(Client())
    valid = VALIDATORS["new"].is_valid
    assert valid(said)
    for wrong in ({"scores": ["0"]}, {"over": 0}, {"agents": [1]}, {"surprise": 1}):
        assert not valid({**said, **wrong})
    assert not any(valid({key: said[key] for key in said if key != gone}) for gone in said)


# ---------------------------------------------------------------- agents in open games


@pytest.mark.parametrize("recall", ["none", "perfect"])
def test_an_agent_with_a_memory_plays_as_in_the_environment(client, recall):
    """The server keeps its memory, over actions that are taken back, too."""
    options = {"recall": recall, "max_turns": 40}
    env = dig_envs.make(MEMORY, **options).unwrapped
    env.reset(seed=1)
    agent, said = dig_envs.load_agent("hard", env=MEMORY), new(client, MEMORY, options=options)
    game, rng, played = said["game"], np.random.default_rng(1), 0
    for seat in range(2):
        assert client.call("play", game=game, seat=seat, agent="hard")["agents"][seat] == "hard"
    while not said["over"]:
        action = agent.act(env)
        said = client.call("act", game=game)
        assert said["action"] == action
        env.step(action)
        played += 1
        if rng.random() < 0.3:
            back = int(rng.integers(1, min(4, played + 1)))
            client.call("undo", game=game, actions=back)
            for _ in range(back):
                said = client.call("act", game=game)
            assert said["action"] == action
    assert client.call("save", game=game) == env.snapshot()


def test_a_search_goes_on_with_its_tree(client):
    """With ``reuse=1`` it searches in the tree of its last decision, as one agent does that plays a
    game; of many games the trees of those are kept whose agents were asked last."""
    name = "search:guide=none:reuse=1:sims=100:seed=3"
    env = dig_envs.make(NAME).unwrapped
    env.reset(seed=1)
    agents = [dig_envs.load_agent(name, env=NAME) for _ in range(2)]
    said, sessions = new(client), client.dispatcher._sessions
    game = said["game"]
    for seat in range(2):
        client.call("play", game=game, seat=seat, agent=name)
    while not said["over"]:
        action = agents[said["owing"][0]].act(env)
        said = client.call("act", game=game)
        assert said["action"] == action
        env.step(action)
    for seat, agent in enumerate(agents):
        assert sessions.get(game).players[seat].search._count("num_nodes") == agent._count(
            "num_nodes"
        )
    others = [new(client)["game"] for _ in range(12)]
    for other in others:
        client.call("play", game=other, seat=0, agent="search", budget={"sims": 5})
        client.call("act", game=other)
    trees = [sessions.get(other).players[0].search for other in (game, *others)]
    assert [tree is not None for tree in trees] == [False] * 5 + [True] * 8
    client.call("undo", game=others[0])
    assert client.call("act", game=others[0])["seat"] == 0
    client.call("close", game=others[-1])
    assert len(sessions.searches._players) == 7


def test_who_plays_is_told_and_may_be_changed(client):
    said = new(client, options={"num_players": 3})
    game = said["game"]
    assert said["agents"] == [None] * 3
    seated = client.call("play", game=game, seat=2, agent="go_dig/search", budget={"ms": 5})
    assert seated == {**said, "agents": [None, None, "search:ms=5"]}
    assert client.call("play", game=game, seat=2, agent=None) == said
    before = client.call("save", game=game)
    for wrong, words in (
        ({"seat": 3, "agent": "random"}, "seat must be from 0 to 2"),
        ({"seat": 0, "agent": "nobody"}, "no agent 'nobody'"),
        ({"seat": 0, "agent": "search", "budget": {"sims": 10**9}}, "at most sims=10000"),
        ({"seat": 0}, "missing required field `agent`"),
    ):
        assert words in client.refusal("play", game=game, **wrong).message
    assert "no agent plays seat 0" in client.refusal("act", game=game).message
    client.call("play", game=game, seat=1, agent="random")
    assert "seat 1 has no decision" in client.refusal("act", game=game, seat=1).message
    assert client.call("save", game=game) == before
    # a person may act in the place of an agent
    client.call("play", game=game, seat=0, agent="random")
    assert acted(client, said, np.random.default_rng(1))["seat"] == 0


def test_an_agent_that_fails_loses_nothing(client, monkeypatch):
    """Its error is answered, and the game, its memory and its seat are as before."""
    game = new(client, MEMORY, options={"recall": "none"})["game"]
    client.call("play", game=game, seat=0, agent="hard")
    client.call("act", game=game)
    client.call("undo", game=game)
    session = client.dispatcher._sessions.get(game)
    before = client.call("save", game=game), session.players[0].memory
    with monkeypatch.context() as changed:
        changed.setattr(
            "dig_envs.server.protocol.sessions.ask", lambda *_: ({"action": 10**6}, b"x")
        )
        assert client.refusal("act", game=game).code == -32603
        changed.setattr("dig_envs.server.protocol.sessions.ask", lambda *_: 1 / 0)
        assert client.refusal("act", game=game).code == -32603
    assert (client.call("save", game=game), session.players[0].memory) == before
    assert client.call("act", game=game)["seat"] == 0


def test_others_do_not_wait_while_an_agent_of_the_game_thinks(monkeypatch):
    """They may look, and change the game: then what the agent chose is not played."""
    client = Client(Limits(ms=60_000))
    game = new(client)["game"]
    client.call("play", game=game, seat=0, agent="search:guide=none", budget={"ms": 10})
    client.call("act", game=game)  # compiled
    client.call("undo", game=game)
    began, go_on = threading.Event(), threading.Event()

    def slowly(*_: Any) -> Any:
        began.set()
        go_on.wait(60)
        return {"action": 2}, b""

    monkeypatch.setattr("dig_envs.server.protocol.sessions.ask", slowly)
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(client.refusal("act", game=game)))
    thread.start()
    assert began.wait(60)
    assert client.call("view", game=game, seat=0)["legal"]
    assert client.refusal("act", game=game).kind == "LimitError"
    said = client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
    go_on.set()
    thread.join()
    assert (told[0].kind, told[0].message) == (
        "IllegalActionError",
        "the game has changed while the agent was thinking",
    )
    assert client.call("view", game=game)["next"] == len(said["events"])


def test_what_takes_long_is_known_beforehand():
    for params, long in [
        ({"game": "x", "action": 0}, False),
        (["x", 0], False),
        ({"game": "x"}, True),
        ({"game": "x", "action": None}, True),
        (["x"], True),
        (["x", None, 0], True),
        (None, True),
        (7, True),
    ]:
        assert is_long({"method": "act", "params": params}) == long
    for name in ("play", "follow", "advise", "picture"):
        assert is_long({"method": name, "params": {}})
    assert not is_long({"method": "view", "params": {}})


# ---------------------------------------------------------------- numbered events


@every_shipped
def test_events_are_numbered_without_gaps(client, name):
    """Told in any parts they are the same; taken back, numbers begin where the events did."""
    rng, said = np.random.default_rng(2), new(client, name)
    game, seats = said["game"], [None, *range(len(said["scores"]))]
    kept: dict[Any, list[Any]] = {seat: [] for seat in seats}
    for _ in range(80):
        if said["over"]:
            break
        before = {seat: client.call("view", game=game, seat=seat, since=0) for seat in seats}
        said = acted(client, said, rng)
        if rng.random() < 0.2:
            client.call("undo", game=game)
            for seat in seats:
                again = client.call("view", game=game, seat=seat, since=0)
                assert again == before[seat]
                del kept[seat][again["next"] :]
            said = acted(client, said, rng)
        if rng.random() < 0.5:
            for seat in seats:
                seen = client.call("view", game=game, seat=seat, since=len(kept[seat]))
                kept[seat] += seen["events"]
                assert seen["next"] == len(kept[seat])
                recent = client.call("view", game=game, seat=seat)
                assert recent["next"] == seen["next"]
                assert recent["events"] == kept[seat][len(kept[seat]) - len(recent["events"]) :]
                if seat == said["seat"]:
                    assert recent["events"] == said["events"]
    for seat in seats:
        whole = client.call("view", game=game, seat=seat, since=0)["events"]
        assert [event["index"] for event in whole] == list(range(len(whole)))
        assert whole[: len(kept[seat])] == kept[seat]
        assert client.call("view", game=game, seat=seat, since=10**6)["events"] == []
    assert "since" in client.refusal("view", game=game, since=-1).message


# ---------------------------------------------------------------- names, guides, choices


def test_names_are_in_all_texts_of_a_game(client):
    game = new(client)["game"]
    assert client.call("names", game=game)["names"] == ["Player 1", "Player 2"]
    assert client.call("names", game=game, names=["Ann", ""])["names"] == ["Ann", "Player 2"]
    client.call("names", game=game, names=["", "Bob"])
    said = client.call("act", game=game, action="ask +1 TRI")
    assert said["events"][0]["text"] == "You ask Bob for a Triceratops."
    seen = client.call("view", game=game, seat=0)
    assert "Bob" in seen["text"]
    assert seen["headline"].startswith("Bob:")
    client.call("undo", game=game)
    assert client.call("legal", game=game)[0]["label"].startswith("Ask Bob for")
    asked = {"environment": NAME, "snapshot": client.call("save", game=game)}
    for method, key in (("text", "text"), ("picture", "svg")):
        told = client.call(method, **asked, names=["", "Bob"])[key]
        assert "Bob" in told
        assert "Player 2" not in told
        assert "Bob" not in client.call(method, **asked)[key]
    for wrong in (["Bob"], ["Bob", "Bob"], ["you", ""], ["x" * 99, ""], ["\n", ""], [1, 2], "Bob"):
        for method, where in (("names", {"game": game}), ("text", asked)):
            assert client.refusal(method, **where, names=wrong).code == -32602
    assert client.call("names", game=game)["names"] == ["Player 1", "Bob"]


@every_shipped
def test_guides_are_those_of_the_options(client, name):
    game = load_game(name)
    options = {"num_players": game.player_counts[-1]}
    said = client.call("guide", environment=name, options=options)
    assert said == {"title": game.title, "text": guide_text(game, game.complete_options(options))}
    assert said["text"]
    assert client.refusal("guide", environment=name, options={"x": 1}).kind == "OptionError"


@every_shipped
def test_choices_are_those_of_the_page(client, name):
    """Of the legal actions, each with what the page shows of it at a table with the position."""
    pytest.importorskip("drawsvg")
    rng, said = np.random.default_rng(4), new(client, name)
    for _ in range(25):
        if said["over"]:
            break
        game, seat = said["game"], said["owing"][0]
        found, legal = (client.call(method, game=game) for method in ("choices", "legal"))
        assert [(one["action"], one["text"]) for one in found] == [
            (one["action"], one["text"]) for one in legal
        ]
        players = ["human"] * len(said["scores"])
        table = Table(load_game(name), client.call("save", game=game), players)
        assert [one["label"] for one in found] == [
            table.label(seat, one["action"]) for one in found
        ]
        for one in found:
            assert one["things"]
            assert one["group"] <= one["action"]
        # what is chosen step by step leads to one action only
        paths = [(one["group"], tuple(one["steps"]), one["label"]) for one in found]
        assert len(set(paths)) == len(paths)
        assert client.call("choices", game=game, seat=seat) == found
        said = acted(client, said, rng)
    assert json.dumps(found)
