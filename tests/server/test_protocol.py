"""The methods of the protocol, and what they refuse."""

import json
import threading
from typing import Any

import jsonschema
import numpy as np
import pytest

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.errors import DigEnvsError, IllegalActionError, OptionError, SnapshotError
from dig_envs.registry import list_environments, load_game
from dig_envs.server.choosing import AgentError, permitted_agent
from dig_envs.server.dispatcher import ERRORS
from dig_envs.server.limits import LimitError, Limits
from dig_envs.server.service import METHODS
from tests.games import SHIPPED
from tests.server.asking import Client, Refused

GAME = "go_dig_v0"
every_shipped = pytest.mark.parametrize("name", SHIPPED)


@pytest.fixture
def client() -> Client:
    return Client()


def position(name: str = GAME, steps: int = 0, seed: int = 1, **options: Any) -> RawAEC:
    env, rng = RawAEC(name, **options), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        if not env.states["over"][0]:
            env.step(int(rng.choice(env.game.legal_actions(env.states, int(env.states["to_move"][0])))))
    return env


# ---------------------------------------------------------------- what there is


def test_hello_tells_versions_limits_and_methods(client):
    said = client.call("hello")
    assert said["protocol"] == 1
    assert said["dig_envs"] == dig_envs.__version__
    assert said["limits"]["games"] == Limits().games
    assert said["methods"] == list(METHODS)


def test_environments_and_their_description(client):
    assert [entry["environment"] for entry in client.call("environments")] == list_environments()
    said, game = client.call("describe", environment=GAME), load_game(GAME)
    assert said["actions"] == list(game.actions)
    assert said["observation"][-1]["stop"] == game.observation_size
    assert {"random", "heuristic", "search", "go_dig/ppo"} <= set(said["agents"])
    schemas = client.call("schema", environment=GAME)
    assert schemas == json.loads(json.dumps({"snapshot": game.json_schema, "view": game.view_schema}))


def test_methods_describe_themselves(client):
    for entry in client.call("methods"):
        jsonschema.Draft202012Validator.check_schema(entry["params"])
        assert entry["meaning"].endswith(".")
    choose = next(entry["params"] for entry in client.call("methods") if entry["name"] == "choose")
    valid = jsonschema.Draft202012Validator(choose).is_valid
    asked = {"environment": GAME, "snapshot": {}, "agent": "random"}
    assert valid(asked)
    assert valid({**asked, "budget": {"sims": 3}})
    assert not valid({**asked, "budget": {"hours": 3}})
    assert not valid({**asked, "snapshot": []})
    assert not valid({"environment": GAME})


# ---------------------------------------------------------------- games


@every_shipped
def test_a_whole_game(client, name):
    """Played over the protocol it is the game that the environment plays."""
    env, rng = position(name, seed=5), np.random.default_rng(5)
    said = client.call("new", environment=name, seed=5)
    game = said["game"]
    while not said["over"]:
        seat = said["owing"][0]
        legal = client.call("legal", game=game)
        assert [entry["action"] for entry in legal] == env.game.legal_actions(env.states, seat)
        chosen = legal[rng.integers(len(legal))]
        env.step(chosen["action"])
        said = client.call("act", game=game, seat=seat, action=chosen["text" if rng.random() < 0.5 else "action"])
        assert said["played"] == chosen["text"]
        assert said["scores"] == env.snapshot()["scores"]
    assert client.call("save", game=game) == env.snapshot()
    assert said["winners"] == env.snapshot()["winners"]
    assert said["returns"] == pytest.approx(env.game.returns_of(env.states)[0][: env.num_seats])
    with pytest.raises(Refused, match="the game is over") as refused:
        client.call("act", game=game, action=0)
    assert refused.value.kind == "IllegalActionError"


@pytest.mark.parametrize("name", ["the_big_dig_v0", "fossil_canyon_v0"])
def test_simultaneous_decisions_in_any_order(client, name):
    """Any seat that owes a decision may make it, and what is saved in between can be loaded."""
    rng = np.random.default_rng(2)
    said = client.call("new", environment=name, seed=2)
    together = 0
    for _ in range(60):
        if said["over"]:
            break
        together += len(said["owing"]) > 1
        seat = said["owing"][-1]
        legal = client.call("legal", game=said["game"], seat=seat)
        said = client.call("act", game=said["game"], seat=seat, action=legal[rng.integers(len(legal))]["action"])
        saved = client.call("save", game=said["game"])
        again = client.call("load", environment=name, snapshot=saved)
        assert client.call("save", game=again["game"]) == saved
        client.call("close", game=again["game"])
    assert together


def test_undo_goes_back_action_by_action(client):
    game = client.call("new", environment=GAME, seed=1)["game"]
    saved = []
    for _ in range(4):
        saved.append(client.call("save", game=game))
        client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
    client.call("undo", game=game)
    assert client.call("save", game=game) == saved[3]
    client.call("undo", game=game, actions=3)
    assert client.call("save", game=game) == saved[0]
    with pytest.raises(Refused, match="0 actions to take back, not 1") as refused:
        client.call("undo", game=game)
    assert refused.value.kind == "UndoError"


def test_an_illegal_action_changes_nothing(client):
    game = client.call("new", environment=GAME, seed=1)["game"]
    before = client.call("save", game=game)
    for action in ("ask +1 nobody", 9999, -1, 0, True, 1.5, None, [1]):
        with pytest.raises(Refused):
            client.call("act", game=game, action=action)
    with pytest.raises(Refused, match="seat must be from 0 to 1"):
        client.call("act", game=game, action=2, seat=2)
    with pytest.raises(Refused, match="not legal for seat 1"):
        client.call("act", game=game, action=2, seat=1)
    assert client.call("save", game=game) == before


def test_the_words_are_those_of_python(client):
    env = position()
    for method, params, run in [
        ("new", {"environment": GAME, "options": {"hands": 3}}, lambda: RawAEC(GAME, hands=3)),
        ("new", {"environment": GAME, "options": {"num_players": 9}}, lambda: RawAEC(GAME, num_players=9)),
        ("load", {"environment": GAME, "snapshot": {"game": "x"}}, lambda: env.restore({"game": "x"})),
    ]:
        with pytest.raises(DigEnvsError) as here:
            run()
        with pytest.raises(Refused) as there:
            client.call(method, **params)
        assert str(there.value) == str(here.value)
        assert there.value.kind == type(here.value).__name__
        assert there.value.code == ERRORS[type(here.value)][0]
    assert {OptionError, SnapshotError, IllegalActionError} <= set(ERRORS)
    assert len({code for code, _ in ERRORS.values()}) == len(ERRORS)


# ---------------------------------------------------------------- what is hidden


@every_shipped
def test_a_view_tells_nothing_that_is_hidden(client, name):
    """Two deals that a seat cannot tell apart are answered byte for byte alike."""
    for steps in (0, 7, 25):
        for seat in range(position(name).num_seats):
            told = []
            for seed in (1, 99):
                each = position(name, steps, seed=steps)
                each.determinize(f"player_{seat}", seed)
                game = client.call("load", environment=name, snapshot=each.snapshot())["game"]
                told.append(
                    [
                        client.call("view", game=game, seat=seat, observation=True),
                        client.call("view", game=game),
                        client.call("legal", game=game, seat=seat),
                    ]
                )
                client.call("close", game=game)
            assert told[0] == told[1]
            assert not {"rng", "seed"} & set(told[0][0]["view"])


def test_a_view_has_the_legal_actions_of_its_own_seat_only(client):
    game = client.call("new", environment=GAME, seed=1)["game"]
    assert client.call("view", game=game, seat=0)["legal"] == client.call("legal", game=game)
    assert client.call("view", game=game, seat=1)["legal"] == []
    assert "legal" not in client.call("view", game=game)
    assert "observation" not in client.call("view", game=game, observation=True)


@every_shipped
def test_pictures(client, name):
    pytest.importorskip("drawsvg")
    env = position(name, 12)
    picture = client.call("picture", environment=name, snapshot=env.snapshot(), seat=0, fonts=False)["svg"]
    assert picture.startswith(("<?xml", "<svg"))
    twin = position(name, 12)
    twin.determinize("player_0", 5)
    assert client.call("picture", environment=name, snapshot=twin.snapshot(), seat=0, fonts=False)["svg"] == picture
    for wrong in ({"seat": 99}, {"theme": "pink"}):
        with pytest.raises(Refused):
            client.call("picture", environment=name, snapshot=env.snapshot(), **wrong)


# ---------------------------------------------------------------- choosing


@every_shipped
def test_agents_choose_in_a_position(client, name):
    env = position(name, 5)
    for agent in ("random", "heuristic", "search"):
        said = client.call("choose", environment=name, snapshot=env.snapshot(), agent=agent, budget={"sims": 8}, seed=1)
        legal = env.game.legal_actions(env.states, said["seat"])
        assert said["action"] in legal
        assert said["text"] == env.game.actions[said["action"]]
        if agent == "search" and len(legal) > 1:
            found = said["statistics"]
            assert found["simulations"] == 8
            assert sum(move["visits"] for move in found["moves"]) == 7  # the first makes the root
            assert found["moves"][0]["visits"] >= found["moves"][-1]["visits"] > 0
            assert {move["action"] for move in found["moves"]} <= set(legal)
            assert said["agent"].startswith("search:sims=8")
    assert env.snapshot() == position(name, 5).snapshot()


def test_policies_choose(client):
    pytest.importorskip("onnxruntime")
    for name, agent in ((GAME, "go_dig/ppo"), (GAME, "ppo:sample"), ("fossil_memory_v0", "fossil_memory/memory")):
        env = position(name, 4)
        said = client.call("choose", environment=name, snapshot=env.snapshot(), agent=agent)
        assert said["action"] in env.game.legal_actions(env.states, said["seat"])
        assert said["statistics"] is None
    guided = client.call("choose", environment=GAME, snapshot=position().snapshot(), agent="search:guide=ppo", budget={"sims": 4})
    assert guided["statistics"]["simulations"] == 4


def test_a_seed_repeats_a_choice(client):
    env = position("fossil_canyon_v0", 30)
    asked = {"environment": "fossil_canyon_v0", "snapshot": env.snapshot(), "agent": "search", "budget": {"sims": 60}, "seed": 4}
    assert client.call("choose", **asked) == client.call("choose", **asked)


def test_a_search_by_time(client):
    said = client.call("choose", environment=GAME, snapshot=position().snapshot(), agent="search:c=0.7:sims=9", budget={"ms": 5})
    assert said["agent"].startswith("search:ms=5:c=0.7")


@pytest.mark.parametrize(
    "agent",
    [
        "/etc/passwd",
        "policies/go_dig/ppo",
        "./policies/go_dig/ppo",
        "../policies/go_dig/ppo",
        "exec:touch /tmp/x",
        "exec",
        "human",
        "",
        "go_dig/../go_dig/ppo",
        "cretaceous_creek/ppo",
        "fossil_canyon_v0/heuristic",
        "heuristic:x",
        "random:x",
        "ppo:x",
        "go_dig/ppo:samples",
        "search:guide=/tmp/policy",
        "search:guide=policies/go_dig/ppo",
        "search:guide=exec",
        "search:sims=0",
        "search:nonsense",
        "search:sims=9:ms=9",
        "\x00",
        "x" * 100_000,
    ],
)
def test_a_name_from_outside_is_neither_path_nor_program(client, agent, monkeypatch):
    loaded = []
    monkeypatch.setattr("dig_envs.server.choosing.load_agent", lambda *args: loaded.append(args))
    with pytest.raises(Refused) as refused:
        client.call("choose", environment=GAME, snapshot=position().snapshot(), agent=agent)
    assert refused.value.kind == "AgentError"
    assert len(str(refused.value)) < 1000
    assert not loaded


def test_thinking_is_bounded():
    client = Client(Limits(sims=50, ms=20))
    asked = {"environment": GAME, "snapshot": position().snapshot()}
    for agent, budget in [
        ("search", {"sims": 51}),
        ("search", {"ms": 21}),
        ("search:sims=51", None),
        ("search:2000ms", None),
        ("search:ms=2000", None),
    ]:
        with pytest.raises(Refused, match=r"at most (sims=50|ms=20) here") as refused:
            client.call("choose", **asked, agent=agent, budget=budget)
        assert refused.value.kind == "LimitError"
    assert client.call("choose", **asked, agent="search")["statistics"]["simulations"] == 50  # instead of the usual 1000
    assert client.call("choose", **asked, agent="search:sims=99", budget={"sims": 3})["statistics"]["simulations"] == 3
    for budget in ({}, {"sims": 1, "ms": 1}, {"sims": 0}, {"ms": -5}, {"sims": 1.5}, {"sims": True}, {"hours": 1}, 7):
        with pytest.raises(Refused):
            client.call("choose", **asked, agent="search", budget=budget)


def test_the_best_player_and_searches_that_policies_guide():
    game = load_game("fossil_canyon_v0")
    assert permitted_agent("best", game, Limits()) == "best"
    assert permitted_agent("fossil_canyon/best+search:sims=5", game, Limits()) == "best+search:sims=5"
    assert permitted_agent("fossil_canyon/ppo+search:50ms", game, Limits()) == "fossil_canyon/ppo+search:50ms"
    for spec, words in (("best+search:threads=64", "threads=2"), ("best+search:60000ms", "ms=10000")):
        with pytest.raises(LimitError, match=words):
            permitted_agent(spec, game, Limits())
    for spec in ("heuristic+search:50ms", "random+search", "/etc/passwd+search", "nobody+search:50ms"):
        with pytest.raises(AgentError):
            permitted_agent(spec, game, Limits())


def test_only_some_agents():
    limits = Limits(agents=frozenset({"heuristic", "search"}))
    assert permitted_agent("heuristic", load_game(GAME), limits) == "heuristic"
    assert permitted_agent("go_dig/search:sims=5", load_game(GAME), limits) == "search:sims=5"
    for agent in ("random", "ppo", "search:guide=ppo"):
        with pytest.raises(AgentError):
            permitted_agent(agent, load_game(GAME), limits)
    assert Client(limits).call("describe", environment=GAME)["agents"] == ["heuristic", "search"]


def test_who_owes_nothing_cannot_be_chosen_for(client):
    with pytest.raises(Refused, match="seat 1 owes no decision"):
        client.call("choose", environment=GAME, snapshot=position().snapshot(), agent="random", seat=1)
    over = position(GAME, 10_000)
    with pytest.raises(Refused, match="the game is over"):
        client.call("choose", environment=GAME, snapshot=over.snapshot(), agent="random")
    said = client.call("score", environment=GAME, snapshot=over.snapshot())
    assert said["over"]
    assert said["winners"] == over.snapshot()["winners"]


# ---------------------------------------------------------------- limits


def test_the_number_of_games_is_limited():
    client = Client(Limits(games=2))
    first = client.call("new", environment=GAME)["game"]
    client.call("new", environment=GAME)
    with pytest.raises(Refused, match="2 games are held already; close one") as refused:
        client.call("new", environment=GAME)
    assert refused.value.kind == "LimitError"
    assert client.call("close", game=first) == {"closed": first}
    with pytest.raises(Refused, match="no such game") as refused:
        client.call("view", game=first)
    assert refused.value.kind == "NoGameError"
    client.call("new", environment=GAME)


def test_games_left_alone_make_room():
    client = Client(Limits(games=2, idle_seconds=0.0))
    games = [client.call("new", environment=GAME)["game"] for _ in range(3)]
    with pytest.raises(Refused, match="no such game"):
        client.call("view", game=games[0])
    assert client.call("view", game=games[2])


def test_shared_games_have_names_that_cannot_be_guessed():
    shared = Client(shared=True)
    names = {shared.call("new", environment=GAME)["game"] for _ in range(20)}
    assert len(names) == 20
    assert min(map(len, names)) >= 22  # 128 bits
    assert Client().call("new", environment=GAME)["game"] == "game-1"


def test_several_threads():
    client = Client(Limits(games=8))
    failures = []

    def play(seed: int) -> None:
        try:
            mine = Client()
            mine.dispatcher = client.dispatcher
            said = mine.call("new", environment=GAME, seed=seed)
            while not said["over"]:
                legal = mine.call("legal", game=said["game"])
                said = mine.call("act", game=said["game"], action=legal[seed % len(legal)]["action"])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
