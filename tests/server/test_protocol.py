"""The methods of the protocol, and what they refuse."""

import json
import threading
from typing import Any

import jsonschema
import numpy as np
import pytest

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.search import SearchAgent
from dig_envs.agents.zoo import policies_of
from dig_envs.engine.core.errors import DigEnvsError, IllegalActionError, OptionError, SnapshotError
from dig_envs.engine.event_log import EventLog
from dig_envs.registry import list_environments, load_game
from dig_envs.server.protocol import choosing
from dig_envs.server.protocol.choosing import Budget, agents_of, permitted_agent
from dig_envs.server.protocol.dispatcher import ERRORS
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.service import METHODS
from tests.games import SHIPPED, mostly_heuristic, play, positions
from tests.policies import shipped
from tests.server.asking import Client

NAME = "go_dig_v0"
every_shipped = pytest.mark.parametrize("name", SHIPPED)


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def game(client) -> str:
    """The name of a game at its start."""
    return client.call("new", environment=NAME, seed=1)["game"]


def position(name: str = NAME, steps: int = 0, seed: int = 1, **options: Any) -> RawAEC:
    env, rng = RawAEC(name, **options), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        if not env.states["over"][0]:
            env.step(
                int(rng.choice(env.game.legal_actions(env.states, int(env.states["to_move"][0]))))
            )
    return env


def asked(env: RawAEC) -> dict[str, Any]:
    """Parameters of methods that take a position."""
    return {"environment": env.game.env_name, "snapshot": env.snapshot()}


# ---------------------------------------------------------------- what there is


def test_hello_tells_versions_limits_and_methods(client):
    said = client.call("hello")
    assert (said["protocol"], said["dig_envs"]) == (1, dig_envs.__version__)
    assert said["limits"]["games"] == Limits().games
    assert said["methods"] == list(METHODS)


def test_environments_and_their_description(client):
    assert [entry["environment"] for entry in client.call("environments")] == list_environments()
    said, game = client.call("describe", environment=NAME), load_game(NAME)
    assert said["actions"] == list(game.actions)
    assert said["observation"][-1]["stop"] == game.observation_size
    assert [option["values"] for option in said["options"]] == [
        {"least": 2, "most": 4, "step": 1},
        {"least": 1, "most": 10_000, "step": 1},
    ]
    assert {
        "random",
        "heuristic",
        "heuristic:style=greedy",
        "easy",
        "search",
        *policies_of(game),
    } <= set(said["agents"])
    schemas = client.call("schema", environment=NAME)
    assert schemas == json.loads(
        json.dumps({"snapshot": game.json_schema, "view": game.view_schema})
    )


def test_methods_describe_themselves(client):
    methods = {entry["name"]: entry for entry in client.call("methods")}
    for entry in methods.values():
        jsonschema.Draft202012Validator.check_schema(entry["params"])
        jsonschema.Draft202012Validator.check_schema(entry["result"])
        assert entry["meaning"].endswith(".")
    valid = jsonschema.Draft202012Validator(methods["choose"]["params"]).is_valid
    good = {"environment": NAME, "snapshot": {}, "agent": "random"}
    assert valid(good)
    assert valid({**good, "budget": {"sims": 3}})
    assert not valid({**good, "budget": {"hours": 3}})
    assert not valid({**good, "snapshot": []})
    assert not valid({"agent": "random"})


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
        said = client.call(
            "act", game=game, seat=seat, action=chosen["text" if rng.random() < 0.5 else "action"]
        )
        assert said["played"] == chosen["text"]
        assert said["scores"] == env.snapshot()["scores"]
    assert client.call("save", game=game) == env.snapshot()
    assert said["winners"] == env.snapshot()["winners"]
    assert said["returns"] == pytest.approx(env.game.returns_of(env.states)[0][: env.num_seats])
    error = client.refusal("act", game=game, action=0)
    assert (error.kind, error.message) == ("IllegalActionError", "the game is over")


@pytest.mark.parametrize("name", ["the_big_dig_v0", "fossil_canyon_v0"])
def test_simultaneous_decisions_in_any_order(client, name):
    """Any seat that is to decide may do so, and what is saved in between can be loaded."""
    rng = np.random.default_rng(2)
    said = client.call("new", environment=name, seed=2)
    together = 0
    for _ in range(60):
        if said["over"]:
            break
        together += len(said["owing"]) > 1
        seat = said["owing"][-1]
        legal = client.call("legal", game=said["game"], seat=seat)
        said = client.call(
            "act", game=said["game"], seat=seat, action=legal[rng.integers(len(legal))]["action"]
        )
        saved = client.call("save", game=said["game"])
        again = client.call("load", environment=name, snapshot=saved)
        assert client.call("save", game=again["game"]) == saved
        client.call("close", game=again["game"])
    assert together


def test_undo_goes_back_action_by_action(client, game):
    saved = []
    for _ in range(4):
        saved.append(client.call("save", game=game))
        client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
    client.call("undo", game=game)
    assert client.call("save", game=game) == saved[3]
    client.call("undo", game=game, actions=3)
    assert client.call("save", game=game) == saved[0]
    error = client.refusal("undo", game=game)
    assert (error.kind, error.message) == ("UndoError", "there are 0 actions to take back, not 1")


def test_an_illegal_action_changes_nothing(client, game):
    before = client.call("save", game=game)
    for action in ("ask +1 nobody", 9999, -1, 0, True, 1.5, None, [1]):
        client.refusal("act", game=game, action=action)
    assert "seat must be from 0 to 1" in client.refusal("act", game=game, action=2, seat=2).message
    assert "not legal for seat 1" in client.refusal("act", game=game, action=2, seat=1).message
    assert client.call("save", game=game) == before


def test_the_words_are_those_of_python(client):
    for method, params, run in [
        ("new", {"environment": NAME, "options": {"hands": 3}}, lambda: RawAEC(NAME, hands=3)),
        (
            "new",
            {"environment": NAME, "options": {"num_players": 9}},
            lambda: RawAEC(NAME, num_players=9),
        ),
        (
            "load",
            {"environment": NAME, "snapshot": {"game": "x"}},
            lambda: position().restore({"game": "x"}),
        ),
    ]:
        with pytest.raises(DigEnvsError) as here:
            run()
        there = client.refusal(method, **params)
        assert (there.message, there.kind) == (str(here.value), type(here.value).__name__)
        assert there.code == ERRORS[type(here.value)][0]
    assert {OptionError, SnapshotError, IllegalActionError} <= set(ERRORS)
    assert len({code for code, _ in ERRORS.values()}) == len(ERRORS)


# ---------------------------------------------------------------- what is hidden


@every_shipped
def test_nothing_that_is_hidden_is_told(client, name):
    """Two deals that a seat cannot tell apart are answered byte for byte alike: views, legal
    actions, pictures."""
    pytest.importorskip("drawsvg")
    for steps in (0, 7, 25):
        for seat in range(position(name).num_seats):
            told = []
            for seed in (1, 99):
                each = position(name, steps, seed=steps)
                each.determinize(f"player_{seat}", seed)
                game = client.call("load", **asked(each))["game"]
                told.append(
                    [
                        client.call("view", game=game, seat=seat, observation=True),
                        client.call("view", game=game),
                        client.call("legal", game=game, seat=seat),
                        client.call("picture", **asked(each), seat=seat, fonts=False),
                    ]
                )
                client.call("close", game=game)
            assert told[0] == told[1]
            assert not {"rng", "seed"} & set(told[0][0]["view"])
            assert told[0][3]["svg"].startswith(("<?xml", "<svg"))
    for wrong in ({"seat": 99}, {"theme": "pink"}):
        client.refusal("picture", **asked(each), **wrong)


def test_a_view_has_the_legal_actions_of_its_own_seat_only(client, game):
    assert client.call("view", game=game, seat=0)["legal"] == client.call("legal", game=game)
    assert client.call("view", game=game, seat=1)["legal"] == []
    assert not {"legal", "observation"} & set(client.call("view", game=game, observation=True))


# ---------------------------------------------------------------- choosing


@every_shipped
def test_agents_choose_in_a_position(client, name):
    env = position(name, 5)
    before = env.snapshot()
    for agent in ("random", "heuristic", "search"):
        said = client.call("choose", **asked(env), agent=agent, budget={"sims": 8}, seed=1)
        legal = env.game.legal_actions(env.states, said["seat"])
        assert said["action"] in legal
        assert said["text"] == env.game.actions[said["action"]]
        if agent == "search" and len(legal) > 1:
            found = said["statistics"]
            assert found["simulations"] == 8
            assert sum(move["visits"] for move in found["moves"]) == 7  # the first makes the root
            assert found["moves"][0]["visits"] >= found["moves"][-1]["visits"] > 0
            assert {move["action"] for move in found["moves"]} <= set(legal)
            assert said["agent"].startswith("search:sims=8:guide=")
            assert (
                client.call("choose", **asked(env), agent=agent, budget={"sims": 8}, seed=1) == said
            )
    assert env.snapshot() == before


def test_agents_advise(client):
    """In a position, for a view, and in an open game alike; the best is what they choose."""
    env = position(NAME, 5)
    seat, seen = env.seat_of(env.agent_selection), env.view(env.agent_selection)
    game = client.call("load", environment=NAME, snapshot=env.snapshot())["game"]
    given = {"agent": "search", "budget": {"sims": 50}, "seed": 1}
    told = client.call("advise", **asked(env), **given)
    assert told == client.call("advise", environment=NAME, view=seen, seat=seat, **given)
    assert told == client.call("advise", game=game, **given)
    chosen = client.call("choose", **asked(env), **given)
    legal = {one["action"]: one for one in client.call("legal", game=game)}
    assert [one["action"] for one in told["moves"] if one["choice"]] == [chosen["action"]]
    assert len(told["moves"]) == min(3, len(legal))
    for move in told["moves"]:
        one = legal[move["action"]]
        assert (move["text"], move["label"]) == (one["text"], one["label"])
        assert 0 <= move["chance"] <= 100
        assert move["reason"]
    assert len(client.call("advise", game=game, agent="heuristic", top=1)["moves"]) == 1
    asking = client.call("new", environment="go_dig_v0", seed=7)["game"]
    client.call("names", game=asking, names=["Ann", "Bob"])
    for move in client.call("advise", game=asking, agent="heuristic")["moves"]:
        assert move["label"].startswith("Ask Bob for")
    for wrong in ({"game": game, **asked(env)}, {}, {"environment": NAME}, {"game": "none"}):
        assert client.refusal("advise", **wrong)
    for top in (0, 21, "3", None):
        assert client.refusal("advise", game=game, top=top)


def test_mistakes_of_a_game_that_was_played(client, monkeypatch):
    """Of what was played and not taken back, by who played it."""
    monkeypatch.setattr("dig_envs.agents.mistakes.FIRST_ACTIONS", 3000)
    monkeypatch.setattr("dig_envs.agents.mistakes.ACTIONS", 2000)
    game = client.call("new", environment=NAME, seed=2)["game"]
    done = []
    while not (told := client.call("view", game=game)["view"])["winners"]:
        done.append((told["to_move"], client.call("legal", game=game)[-1]["action"]))
        client.call("act", game=game, action=done[-1][1])
        if len(done) == 9:
            client.call("undo", game=game, actions=2)
            del done[-2:]
            break
    for seat in (0, 1):
        own = [action for who, action in done if who == seat]
        told = client.call("mistakes", game=game, seat=seat, most=2)
        assert len({one["sure"] for one in told}) <= 1
        for one in told:
            assert own[one["decision"]] == one["played"]["action"] != one["better"]["action"]
            assert one["turn"] > 0
            assert any(one["played"][worth] < one["better"][worth] for worth in ("chance", "score"))
    assert "seat" in client.refusal("mistakes", game=game, seat=9).message
    assert client.refusal("mistakes", game=game, seat=0, most=0)


def test_agents_that_are_seated_advise_from_the_memory_that_is_kept(client):
    new = {"environment": "fossil_memory_v0", "options": {"recall": "none"}, "seed": 3}
    game = client.call("new", **new)["game"]
    for seat in (0, 1):
        client.call("play", game=game, seat=seat, agent="hard")
    assert "memory" in client.refusal("advise", game=game, agent="easy").message
    for _ in range(30):
        told = client.call("advise", game=game, agent="hard", top=1, seed=1)
        assert told == client.call("advise", game=game, agent="hard", top=1, seed=1)
        played = client.call("act", game=game)
        assert told["moves"][0]["action"] == played["action"]
    forgets = client.call("advise", game=game, agent="hard", top=1, seed=1, memory="")
    assert forgets["memory"] != client.call("advise", game=game, agent="hard", seed=1)["memory"]


@pytest.mark.parametrize(
    "agent", ["go_dig/policy", "policy:sample", "fossil_memory/memory", "search:guide=policy"]
)
def test_policies_choose(client, agent):
    game = "fossil_memory_v0" if agent.startswith("fossil") else NAME
    shipped(agent if "/" in agent else "go_dig/policy")
    env, budget = position(game, 4), {"budget": {"sims": 4}} if agent.startswith("search") else {}
    said = client.call("choose", **asked(env), agent=agent, memory="", **budget)
    assert said["action"] in env.game.legal_actions(env.states, said["seat"])
    assert (said["statistics"] is None) == (not budget)


@every_shipped
def test_a_seat_that_knows_its_view_only_is_told_the_same(client, name):
    """Agents choose, and texts and pictures are, as from the complete position."""
    for env in positions(name, {}, games=1, every=15):
        seat = int(env.states["to_move"][0])
        whole = {**asked(env), "seat": seat}
        view = {"environment": name, "view": env.view(env.agent_selection), "seat": seat}
        for agent in ("heuristic", "search:guide=none"):
            how = {"agent": agent, "seed": 1, **({"budget": {"sims": 6}} if ":" in agent else {})}
            assert client.call("choose", **view, **how) == client.call("choose", **whole, **how)
        assert client.call("text", **view) == client.call("text", **whole)
    assert client.call("picture", **view) == client.call("picture", **whole)
    for method in ("choose", "text", "picture"):
        error = client.refusal(method, environment=name, view=env.snapshot(), seat=seat)
        assert error.message.endswith("this is a complete position, not a view")
        assert "one of them" in client.refusal(method, environment=name).message
        assert "one of them" in client.refusal(method, **view, snapshot=env.snapshot()).message


@every_shipped
def test_a_seat_at_a_real_table_says_what_happened(client, name):
    """Chosen from what is possible: its opening, each action, and what was told of it, give the
    views of the game."""
    env = position(name, seed=3)
    view = json.loads(json.dumps(env.view("player_0")))
    asked = {"environment": name, "seat": 0}
    opening = {key: view[key] for key in client.call("opening", **asked)["keys"]}
    assert client.call("opening", **asked, opening=opening)["view"] == view
    log, rng = EventLog(env.game, env.states), np.random.default_rng(1)
    found = listed = 0
    for action in play(env, rng, mostly_heuristic, 12):
        first, mover = len(log), int(log.states["to_move"][0])
        log.play(mover, action)
        now = {**asked, "view": view}
        may = client.call("possible", **now)
        assert mover in {one["seat"] for one in may["actions"]}
        events = [{"kind": "action", "seat": mover, "action": action}]
        if mover and env.game.is_simultaneous:
            events.clear()  # what others choose in secret nobody can say
        for event in log.told(0, first):
            events.append(told := event.to_json())
            may = client.call("possible", **now, events=events[:-1])
            found += any(one.items() >= told.items() for one in may["events"])
            listed += 1
            lines = [one["line"] for one in may["events"]]
            assert len(set(lines)) == len(lines)
        view = json.loads(json.dumps(env.game.to_view(env.game.to_snapshot(log.states[0]), 0)))
        assert client.call("follow", **now, events=events)["view"] == view
    # what comes rarely may be missing, and long reveals of secret choices are
    assert found >= (0.7 if env.game.is_simultaneous else 0.95) * listed
    two = [{"kind": "action", "seat": 0, "action": 0}] * 2
    assert "only one entry" in client.refusal("possible", **now, events=two).message
    assert "seat" in client.refusal("opening", environment=name, seat=9).message
    refused = client.refusal("opening", **asked, opening={"turn": 1})
    assert "an opening is such as" in refused.message


def test_an_agent_with_a_memory_remembers_by_what_the_program_keeps(client):
    """From views and memories it plays as in the environment; without a memory it is refused."""
    env = dig_envs.make("fossil_memory_v0", recall="none", max_turns=40).unwrapped
    env.reset(seed=3)
    agent, memories = dig_envs.load_agent("hard", env="fossil_memory_v0"), ["", ""]
    while not env.states["over"][0]:
        seat = int(env.states["to_move"][0])
        asks = {"environment": "fossil_memory_v0", "view": env.view(env.agent_selection)}
        assert "memory" in client.refusal("choose", **asks, agent="hard").message
        for wrong in ("x", "AAAA", "////" * 8):
            assert "memory" in client.refusal("choose", **asks, agent="hard", memory=wrong).message
        said = client.call("choose", **asks, agent="hard", memory=memories[seat])
        memories[seat] = said["memory"]
        action = agent.act(env)
        assert said["action"] == action
        env.step(action)


@every_shipped
def test_every_agent_says_who_has_played_and_keeps_the_limit_of_time(name, monkeypatch):
    """Also from a view: the name in the answer is that of a player that chooses the same."""
    env, limits, given = position(name, 3), Limits(ms=321), []
    search = SearchAgent.search

    def searching(self, *args, **more):
        given.append(more["most_seconds"])
        return search(self, *args, **more)

    monkeypatch.setattr(SearchAgent, "search", searching)
    seat, small = int(env.states["to_move"][0]), Budget(sims=5)
    seen = env.game.complete(env.view(env.agent_selection), seat, 9)
    policies = [*policies_of(env.game), "best"]
    for agent in [
        *agents_of(env.game),
        *(f"{policy}+search" for policy in policies if policy != "fossil_memory/memory"),
        *(f"{policy}:sample" for policy in policies[:-1]),
    ]:
        if agent in ("optimal", "answering"):  # compute for seconds
            continue
        said = choosing.choose(env.game, env.states, seat, agent, small, 4, limits, memory="")
        assert choosing.choose(env.game, seen, seat, agent, small, 4, limits, memory="") == said
        again = choosing.choose(env.game, seen, seat, said["agent"], None, 4, limits, memory="")
        assert again == said
        assert given == [0.321] * 3 * choosing.searches(agent)
        given.clear()


def test_levels_styles_and_searches_by_time_choose(client):
    env = position(NAME, 4)
    for agent in ("easy", "go_dig/hard", "heuristic:style=greedy", "heuristic:careless=0.5"):
        said = client.call("choose", **asked(env), agent=agent)
        assert said["action"] in env.game.legal_actions(env.states, said["seat"])
        assert said["agent"].startswith("heuristic")
    said = client.call("choose", **asked(env), agent="search:c=0.7:sims=9", budget={"ms": 5})
    assert said["agent"] == "search:ms=5:guide=none:c=0.7"


@pytest.mark.parametrize(
    "agent",
    ["/etc/passwd", "policies/go_dig/policy", "../policies/go_dig/policy",
     "go_dig/../go_dig/policy",
     "exec:touch /tmp/x", "exec", "python:os:getcwd", "human", "", "\x00", "x" * 100_000,
     "cretaceous_creek/policy", "fossil_canyon_v0/heuristic",
     "heuristic:x", "heuristic:style=mean", "heuristic:careless=2", "easy:x", "easy+search:50ms",
     "random:x", "policy:x", "go_dig/policy:samples",
     "search:sims=0", "search:nonsense", "search:sims=9:ms=9",
     "search:guide=/tmp/policy", "search:guide=policies/go_dig/policy", "search:guide=exec",
     "heuristic+search:50ms", "random+search", "/etc/passwd+search", "nobody+search:50ms"],
)  # fmt: skip
def test_a_name_from_outside_is_neither_path_nor_program(client, agent, monkeypatch):
    loaded = []
    monkeypatch.setattr(
        "dig_envs.server.protocol.choosing.load_agent", lambda *args: loaded.append(args)
    )
    error = client.refusal("choose", **asked(position()), agent=agent)
    assert error.kind == "AgentError"
    assert len(error.message) < 1000
    assert not loaded


def test_thinking_is_bounded():
    client, position_asked = Client(Limits(sims=50, ms=20)), asked(position())
    for agent, budget, words in [
        ("search", {"sims": 51}, "at most sims=50 here"),
        ("search", {"ms": 21}, "at most ms=20 here"),
        ("search:sims=51", None, "at most sims=50 here"),
        ("search:2000ms", None, "at most ms=20 here"),
        ("search:ms=2000", None, "at most ms=20 here"),
    ]:
        error = client.refusal("choose", **position_asked, agent=agent, budget=budget)
        assert error.kind == "LimitError"
        assert words in error.message
    for agent, budget, words in [
        ("search", {"sims": 0}, "budget.sims is from 1 to 50, not 0"),
        ("search", {"ms": -5}, "budget.ms is from 1 to 20, not -5"),
        ("search:sims=0", None, "a search has at most sims=50, ms=20, threads=2 here"),
    ]:
        error = client.refusal("choose", **position_asked, agent=agent, budget=budget)
        assert error.kind == "AgentError"
        assert words in error.message
    # instead of the usual 1000
    for agent, budget, simulations in (("search", None, 50), ("search:sims=99", {"sims": 3}, 3)):
        said = client.call("choose", **position_asked, agent=agent, budget=budget)
        assert said["statistics"]["simulations"] == simulations
    for budget in (
        {},
        {"sims": 1, "ms": 1},
        {"sims": 0},
        {"ms": -5},
        {"sims": 1.5},
        {"sims": True},
        {"hours": 1},
        7,
    ):
        client.refusal("choose", **position_asked, agent="search", budget=budget)


def test_the_best_player_and_searches_that_policies_guide():
    shipped("fossil_canyon/policy")
    game = load_game("fossil_canyon_v0")
    assert permitted_agent("best", game, Limits()) == "best"
    assert (
        permitted_agent("fossil_canyon/best+search:sims=5", game, Limits()) == "best+search:sims=5"
    )
    assert (
        permitted_agent("fossil_canyon/policy+search:50ms", game, Limits())
        == "fossil_canyon/policy+search:50ms"
    )
    for spec, words in (
        ("best+search:threads=64", "threads=2"),
        ("best+search:60000ms", "ms=10000"),
    ):
        with pytest.raises(LimitError, match=words):
            permitted_agent(spec, game, Limits())


def test_nobody_chooses_for_a_seat_that_is_not_to_decide(client):
    error = client.refusal("choose", **asked(position()), agent="random", seat=1)
    assert error.message == "seat 1 has no decision to make now"
    over = position(NAME, 10_000)
    assert "the game is over" in client.refusal("choose", **asked(over), agent="random").message
    said = client.call("score", **asked(over))
    assert said["over"]
    assert said["winners"] == over.snapshot()["winners"]


# ---------------------------------------------------------------- limits


def test_the_number_of_games_is_limited():
    client = Client(Limits(games=2))
    first, _ = (client.call("new", environment=NAME)["game"] for _ in range(2))
    error = client.refusal("new", environment=NAME)
    assert (error.kind, error.message) == (
        "LimitError",
        "2 games are open already; close one of them",
    )
    assert client.call("close", game=first) == {"closed": first}
    assert client.refusal("view", game=first).kind == "NoGameError"
    client.call("new", environment=NAME)


def test_games_left_alone_make_room():
    client = Client(Limits(games=2, idle_seconds=0.0))
    games = [client.call("new", environment=NAME)["game"] for _ in range(3)]
    assert client.refusal("view", game=games[0]).kind == "NoGameError"
    assert client.call("view", game=games[2])


def test_shared_games_have_names_that_cannot_be_guessed():
    shared = Client(shared=True)
    names = {shared.call("new", environment=NAME)["game"] for _ in range(20)}
    assert len(names) == 20
    assert min(map(len, names)) >= 22  # 128 bits


def test_several_threads():
    client = Client(Limits(games=8))
    failures = []

    def play(seed: int) -> None:
        try:
            said = client.call("new", environment=NAME, seed=seed)
            while not said["over"]:
                legal = client.call("legal", game=said["game"])
                said = client.call(
                    "act", game=said["game"], action=legal[seed % len(legal)]["action"]
                )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---------------------------------------------------------------- events


def test_act_and_view_tell_what_has_happened_as_far_as_the_seat_may_know(client, game):
    legal = client.call("legal", game=game)
    assert legal[0]["label"].startswith("Ask Player 2 for a")
    seen = {}
    for _ in range(6):
        mover = client.call("view", game=game)["view"]["to_move"]
        said = client.call("act", game=game, action=client.call("legal", game=game)[0]["text"])
        assert set(said["events"][0]) == {"index", "kind", "seat", "other", "genus", "text"}
        assert said["events"][0]["text"].startswith("You ask")
        other = client.call("view", game=game, seat=1 - mover)["events"]
        public = client.call("view", game=game)["events"]
        assert [event["kind"] for event in public] == [event["kind"] for event in said["events"]]
        for event in (*other, *public):
            assert event["kind"] != "drew" or event["seat"] == 1 - mover or event["card"] is None
            seen.setdefault(event["kind"], event)
    assert {"asked", "drew"} <= seen.keys()


def test_what_is_taken_back_was_never_told(client, game):
    first = client.call("view", game=game, seat=0)["events"]
    client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
    client.call("undo", game=game)
    assert client.call("view", game=game, seat=0)["events"] == first == []


def test_taking_back_leaves_what_was_told_before(client, game):
    """Of both seats, since the decisions that they made before the one that is taken back."""
    for _ in range(6):
        seen = [client.call("view", game=game, seat=seat) for seat in (None, 0, 1)]
        client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
        client.call("undo", game=game)
        assert [client.call("view", game=game, seat=seat) for seat in (None, 0, 1)] == seen
        client.call("act", game=game, action=client.call("legal", game=game)[0]["action"])
    assert all(view["events"] for view in seen)


@pytest.mark.parametrize("name", ["dino_dig_v0", "go_dig_v0", "twenty_questions_v0"])
def test_agents_choose_after_events(client, name):
    """What a seat was told since its view gives the choice of the true position."""
    env = RawAEC(name)
    env.reset(seed=3)
    seat, rng = int(env.states["to_move"][0]), np.random.default_rng(3)
    view, log, told = env.view(env.agent_selection), EventLog(env.game, env.states), []
    given = {"environment": name, "agent": "heuristic", "seat": seat, "seed": 1}
    for action in play(env, rng, most=60):
        log.play(int(log.states["to_move"][0]), action)
        told = [event.to_json() for event in log.told(seat)]
        if told and log.states["owes"][0][seat]:
            break
    expected = client.call("choose", **given, snapshot=env.game.to_snapshot(log.states[0]))
    assert client.call("choose", **given, view=view, events=told) == expected
    for wrong, code in (
        ([{"kind": "nothing", "seat": 0}], -32602),
        ([*told[:1], *told[:1]], -32010),
    ):
        assert client.refusal("choose", **given, view=view, events=wrong).code == code
    snapshot = env.game.to_snapshot(log.states[0])
    assert client.refusal("choose", **given, snapshot=snapshot, events=told).code == -32003
