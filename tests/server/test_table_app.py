"""The server of tables, spoken to as a browser does: who may do what, what is refused, what is
kept."""

import json
import os
import re
import sqlite3
import time
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import replace

import pytest
from starlette.websockets import WebSocketDisconnect

from dig_envs.engine.core.words import Names
from dig_envs.registry import load_game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.invitations import link_of
from dig_envs.server.table.lobby import moved_on
from dig_envs.server.table.players import check_player, offered_agents
from dig_envs.server.table.store import Store, hashed
from dig_envs.server.table.table import HUMAN
from tests.games import NEWEST, every_game
from tests.names import NO_NAMES, REFUSED, TAKEN
from tests.policies import shipped
from tests.server.tables import (
    ADDRESS,
    BOUNDS,
    ORIGIN,
    SOCKET,
    InThread,
    Player,
    opened,
    played,
    serving,
    table_of,
)

NAME = "go_dig_v0"
EVIL = {"origin": "http://evil.example"}
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def client():
    with serving() as one:
        yield one


@pytest.fixture(scope="module")
def two(client):
    """Two people at a table: seat -> secret."""
    return opened(client, NAME, [HUMAN, HUMAN])


@pytest.fixture
def three(client):
    """Yield the seat to move, the other, and a spectator, at a new table of two people."""
    tokens = opened(client, NAME, [HUMAN, HUMAN])
    with ExitStack() as there:
        people = [there.enter_context(Player(client, tokens[seat])) for seat in (0, 1, None)]
        for person in people:
            person.until("position")
        assert [person.position["seat"] for person in people] == [0, 1, None]
        first, second, watching = people
        yield *((first, second) if first.position["legal"] else (second, first)), watching


@pytest.fixture
def alone(client):
    """A person against the scripted player, who does not wait between moves."""
    with Player(client, opened(client, NAME, [HUMAN, "heuristic"])[0]) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position", lambda position: position["legal"])
        yield me


# ---------------------------------------------------------------- playing


def test_a_game_against_an_agent_to_its_end(client):
    """Everything is told: each action of both, the result; and then the game can be replayed."""
    with Player(
        client,
        opened(client, "twenty_questions_v0", [HUMAN, "heuristic"], options={"questions": 4})[0],
    ) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position")
        while not me.position["over"]:
            me.act()
        assert "The game is over" in me.position["result"]
        assert me.asked("replay", moves=1, seat=1)["moves"] == 1
        assert me.asked("save")["complete"]
        assert {line["seat"] for line in me.log} >= {0, 1}
        assert all(line["words"] for line in me.log)


def test_two_people_see_each_their_own(three):
    mover, other, watching = three
    assert not other.position["legal"]
    assert not watching.position["legal"]
    mover.act()
    for person in (other, watching):
        words = [line["words"] for line in person.until("log")["lines"]]
        assert words[0].startswith("Player 1 asks "), words


def test_nobody_acts_for_another(three):
    mover, other, watching = three
    act = {
        "type": "act",
        "action": mover.position["legal"][0]["action"],
        "at": mover.position["version"],
    }
    for message in (act, {"type": "hint"}):
        assert other.refused(message) == "not-your-turn"
    assert other.refused({**act, "seat": mover.position["seat"]}) == "bad-request"
    for message in (act, {"type": "hint"}, {"type": "back"}):
        assert watching.refused(message) == "no-seat"
    assert other.refused({"type": "back"}) == "not-back"
    assert other.refused({"type": "pace", "delay": 0}) == "not-yours"
    assert other.refused({"type": "replay", "moves": 0, "seat": None}) == "not-over"
    assert mover.refused({**act, "at": "0.9.0"}) == "changed"
    assert mover.refused({**act, "action": 10**6}) == "refused"


def test_saving_shows_what_the_seat_sees_only(client, two):
    """Unless somebody can show the secrets of all seats; those of other tables do not help."""
    elsewhere = opened(client, NAME, [HUMAN, HUMAN])
    with Player(client, two[0]) as me:
        for tokens in ([], [elsewhere[1]], [two[None]], [elsewhere[0], elsewhere[1]]):
            saved = me.asked("save", tokens=tokens)
            assert not saved["complete"]
            assert "rng" not in saved["position"]
        assert "rng" in me.asked("save", tokens=[two[1]])["position"]
        assert me.refused({"type": "save", "tokens": ["0" * 32]}) == "no-seat"


def test_a_saved_position_is_played_on(client, alone):
    saved = alone.asked("save")["position"]
    with Player(client, opened(client, NAME, [HUMAN, "random"], position=saved)[0]) as me:
        later = me.until("position")
        assert later["loaded"]
        assert later["text"] == alone.position["text"]


def test_a_hint(alone):
    legal = {one["action"] for one in alone.position["legal"]}
    alone.send({"type": "hint"})
    found = alone.until("advice")["moves"]
    assert {move["action"] for move in found} <= legal
    assert len(found) == min(3, len(legal))
    for move in found:
        assert 0 <= move["chance"] <= 100
        assert move["reason"]


def test_agents_play_step_by_step(client):
    """Nothing happens before the person who opened the table asks for it; then a move at a time, or
    all of them."""
    with Player(client, opened(client, NAME, ["heuristic", "random"])[None]) as me:
        assert me.until("position")["pace"]["paused"]
        for count in (1, 2, 3):
            me.send({"type": "step"})
            me.until("log")
            assert sum(" asks " in line["words"] for line in me.log) == count
        me.send({"type": "pace", "paused": False, "delay": 0})
        me.until("position", lambda position: position["over"])


# ---------------------------------------------------------------- people


def test_names_are_told_to_all(three):
    """A player's name appears in the log, headline and list of players for all; names must differ,
    and spectators have none."""
    mover, other, watching = three
    mover.send({"type": "name", "name": "Ada"})
    for person in (mover, other, watching):
        position = person.until("position", lambda position: position["seats"][0]["name"] == "Ada")
        assert "Ada" in position["headline"] or person is mover
    mover.act()
    assert other.until("log")["lines"][0]["words"].startswith("Ada asks you ")
    for name in ("Ada", "", None):
        assert other.refused({"type": "name", "name": name}) == "bad-request", name
    assert watching.refused({"type": "name", "name": "Eve"}) == "no-seat"


def test_people_know_who_is_away_and_say_something_now_and_then(client):
    """Only people are told of, only where there are several; what they say is one of a list, heard
    by all, and not as often as somebody likes."""
    tokens = opened(client, NAME, [HUMAN, HUMAN])
    with Player(client, tokens[0]) as first:
        assert first.until("people")["away"] == [{"seat": 1, "seconds": None}]
        with Player(client, tokens[1]) as second, Player(client, tokens[None]) as watching:
            phrases = first.until("people", lambda people: not people["away"])["phrases"]
            assert second.until("people")["away"] == watching.until("people")["away"] == []
            second.send({"type": "say", "phrase": 1})
            for person in (first, second, watching):
                said = person.until("said")
                assert (said["seat"], said["words"]) == (1, phrases[1])
            assert second.refused({"type": "say", "phrase": 1}) == "too-many"
            for phrase in (-1, len(phrases), "Hello!", None):
                assert first.refused({"type": "say", "phrase": phrase}) == "bad-request"
            assert watching.refused({"type": "say", "phrase": 1}) == "no-seat"
        [away] = first.until("people", lambda people: people["away"])["away"]
        assert away["seat"] == 1
        assert 0 <= away["seconds"] < 60
    with Player(client, opened(client, NAME, [HUMAN, "heuristic"])[0]) as alone:
        alone.refused({"type": "back"})
        assert "people" not in {message["type"] for message in alone.heard}


@pytest.mark.parametrize(
    ("origin", "hosts", "link"),
    [
        ("http://127.0.0.1:8000", ("192.168.1.7",), "http://192.168.1.7:8000"),
        ("http://[::1]:8000", ("localhost", "table.example"), "http://table.example:8000"),
        ("http://localhost", ("localhost", "127.0.0.1"), "http://localhost"),
        ("https://table.example", ("127.0.0.1", "192.168.1.7"), "https://table.example"),
    ],
)
def test_links_name_this_machine_as_others_know_it(origin, hosts, link):
    assert link_of("0f", origin, hosts) == f"{link}/#0f"


def test_an_invitation_is_the_link_of_a_seat_and_its_code(client, two):
    """Of a seat that there is only: nobody makes codes of other texts here."""
    answer = client.post("/api/invitations", json={"token": two[1]}, headers=ORIGIN).json()
    assert answer["link"] == f"{ADDRESS}/#{two[1]}"
    pytest.importorskip("segno")
    assert answer["picture"].startswith("<svg ")
    for wrong in ({"token": "0" * 32}, {"token": two[1], "origin": "https://x"}, {"token": 1}, []):
        assert client.post("/api/invitations", json=wrong).status_code == 400


def test_names_that_every_door_takes(client, three):
    """By the form, and by the players themselves; what is refused changes no name."""
    mover, other, _ = three
    wanted = {"env": NAME, "players": [HUMAN, HUMAN]}
    for names in (*REFUSED, *NO_NAMES):
        answer = client.post("/api/tables", json={**wanted, "names": names})
        assert answer.status_code == 400, names
        assert "name" in answer.json()["error"]["message"]
    other.send({"type": "name", "name": "Bob"})
    for name, _ in [names for names in REFUSED if names[1] == "Bob"][::3]:
        assert mover.refused({"type": "name", "name": name}) == "bad-request", name
    for _, name in [names for names in REFUSED if names[0] == "Bob"]:
        assert mover.refused({"type": "name", "name": name}) == "bad-request", name
    for names in TAKEN:
        tokens = opened(client, NAME, [HUMAN, HUMAN], names=names)
        with Player(client, tokens[0]) as person:
            assert [seat["name"] for seat in person.until("position")["seats"]] == names
        assert moved_on(Names(tuple(names)), 2)


def test_a_rematch_moves_everybody_on_by_one_seat(client):
    """Each is told the secret of the next seat, and nobody that of another."""
    tokens = opened(
        client, "twenty_questions_v0", [HUMAN, HUMAN], options={"questions": 1}, names=["Ada", ""]
    )
    with (
        Player(client, tokens[0]) as ada,
        Player(client, tokens[1]) as other,
        Player(client, tokens[None]) as owner,
    ):
        for person in (ada, other, owner):
            person.until("position")
        assert ada.refused({"type": "rematch"}) == "not-over"
        assert ada.refused({"type": "analyse", "moves": 0}) == "not-over"
        assert ada.refused({"type": "mistakes"}) == "not-over"
        while not ada.position["over"]:
            (ada if ada.position["legal"] else other).act()
            for person in (ada, other):
                person.send({"type": "theme", "theme": ""})
                person.until("position")
        assert owner.refused({"type": "rematch"}) == "no-seat"
        other.send({"type": "rematch"})
        found = {person: person.until("rematch") for person in (ada, other, owner)}
        assert [
            [link["seat"] for link in found[person]["links"]] for person in (ada, other, owner)
        ] == [[1], [0], [None]]
        assert found[other]["asked"]
        assert not found[ada]["asked"]
    with Player(client, found[ada]["links"][0]["token"]) as again:
        position = again.until("position")
        assert (position["seat"], [seat["name"] for seat in position["seats"]]) == (
            1,
            ["Player 1", "Ada"],
        )


def test_pictures_have_the_layout_that_is_asked_for(client):
    """Wide, or a narrow column; it can be changed, and an unknown one is refused."""
    tokens = opened(client, "fossil_memory_v0", [HUMAN, HUMAN])

    def width(position):
        return re.search(r'<svg[^>]* width="(\d+)"', position["picture"])[1]

    with Player(client, tokens[0]) as person:
        person.until("position")
        for theme, layout, wide in (
            ("light", "column", "360"),
            ("dark", None, "360"),
            ("light", "wide", "960"),
        ):
            person.send({"type": "theme", "theme": theme} | ({"layout": layout} if layout else {}))
            assert width(person.until("position")) == wide
        assert (
            person.refused({"type": "theme", "theme": "light", "layout": "tall"}) == "bad-request"
        )


def test_a_public_table_gives_each_free_seat_once(client):
    """It is listed while somebody waits there; its owner gets the own seat and no other's
    secret."""
    answer = client.post(
        "/api/tables", json={"env": NAME, "players": [HUMAN, HUMAN, "heuristic"], "public": True}
    ).json()
    assert [link["seat"] for link in answer["links"]] == [0, None]
    assert client.get("/api/tables").json() == []
    with Player(client, answer["links"][0]["token"]) as owner:
        owner.until("position")
        (listed,) = client.get("/api/tables").json()
        assert [seat["free"] for seat in listed["seats"]] == [False, True, False]
        assert not any(link["token"] in json.dumps(listed) for link in answer["links"])
        for wrong in (
            {"game": listed["game"], "seat": 0},
            {"game": listed["game"], "seat": 2},
            {"game": "x", "seat": 1},
            [],
            None,
        ):
            assert client.post("/api/seats", json=wrong).status_code == 400
        found = client.post("/api/seats", json={"game": listed["game"], "seat": 1}).json()
        assert (
            client.post("/api/seats", json={"game": listed["game"], "seat": 1}).json()["error"][
                "code"
            ]
            == "taken"
        )
        assert client.get("/api/tables").json() == []
        with Player(client, found["links"][0]["token"]) as other:
            assert other.until("position")["seat"] == 1
    assert client.post("/api/seats", json={}, headers=EVIL).status_code == 403


def test_a_table_waits_until_somebody_starts_the_game(client, tmp_path):
    """Neither people nor agents move before, also if all have gone or the server was started anew
    meanwhile. A table waits only if that is wanted, there are several people, and the game is not
    over."""
    tokens = opened(client, NAME, ["heuristic", HUMAN, HUMAN], wait=True)
    act = {"type": "act", "action": 0, "at": ""}
    for last in (False, True):
        with (
            Player(client, tokens[1]) as first,
            Player(client, tokens[2]) as second,
            Player(client, tokens[None]) as watching,
        ):
            for person in (first, second, watching):
                position = person.until("position")
                assert position["waiting"]
                assert not position["legal"]
                assert not any(seat["asked"] for seat in position["seats"])
            for message in (act, {"type": "hint"}):
                assert second.refused(message) == "waiting"
            assert not first.log
            if last:
                watching.send({"type": "begin"})  # who has opened it
                for person in (first, second):
                    person.until("log")  # the agent has moved
                    assert not person.until("position")["waiting"]
                second.send({"type": "begin"})  # once more does nothing
        client.app.state.lobby.close_idle()
    over = played(table_of(NAME, max_turns=1, num_players=2), 100)
    for players, more in (
        (["heuristic", HUMAN], {"wait": True}),
        ([HUMAN, HUMAN], {"wait": False}),
        ([HUMAN, HUMAN], {"wait": True, "position": over.snapshot()}),
    ):
        with Player(client, opened(client, NAME, players, **more)[1]) as person:
            assert not person.until("position")["waiting"]
    store = Store(tmp_path / "games", BOUNDS)
    game_id, _ = store.add(over, waits=True)
    store.close()
    again = Store(tmp_path / "games", BOUNDS)
    assert again.waits(game_id)
    again.begin(game_id)
    assert not again.waits(game_id)
    again.close()


RESULT = {"game": "0" * 16, "env": NAME, "level": "easy", "won": True, "when": 5}


def kept(client, name, results=(), **more):
    """The answer to results under a name."""
    return client.post("/api/results", json={"name": name, "results": list(results), **more})


def test_results_are_kept_under_a_name(tmp_path):
    """So many, for so many names, and for another server with the same file; games that are kept
    twice count once. The name is found in other letters; others have none of them. A new one takes
    the place of the one that was used last the longest time ago."""
    many = [{**RESULT, "game": f"{n:016x}", "when": n} for n in range(150)]
    for again in (False, True):
        with serving(tmp_path / "games", Bounds(workers=1, names=2), InThread) as client:
            if not again:
                assert kept(client, "Ada").json() == []
                assert kept(client, "Ada", many[:80]).status_code == 200
                assert kept(client, "Ada", many[60:]).status_code == 200
                changed = kept(client, "ADA", [{**many[149], "won": False}]).json()
                assert not changed[-1]["won"]
                assert kept(client, "Bob", [RESULT]).json() == [{**RESULT, "title": "Go Dig"}]
            found = kept(client, "Ada").json()
            assert [one["when"] for one in found] == [*range(50, 150)]
            assert kept(client, "Cleo").json() == []
    bounds = Bounds(workers=1, names=2, tables_per_minute=5)
    with serving(tmp_path / "games", bounds, InThread) as client:
        old = {**RESULT, "game": "1" * 16, "env": "chess_v0"}  # of a game that is not there
        assert [one["game"] for one in kept(client, "Cleo", [old, RESULT]).json()] == ["0" * 16]
        assert kept(client, "Bob").json() == []
        assert len(kept(client, "Ada").json()) == 100
        assert kept(client, "Ada", anew=True).json() == kept(client, "Ada").json() == []
        for _ in range(10):  # as often as that in a minute
            refused = kept(client, "Cleo").json()
        assert refused["error"]["code"] == "too-many"
        assert "table" not in refused["error"]["message"]
        opened(client, NAME, [HUMAN, "random"])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("", {}),
        ("x" * 41, {}),
        ("a\u202eb", {}),
        ("\u200b", {}),
        (7, {}),
        (None, {}),
        ("Ada", {"game": "0" * 32}),  # as long as a secret
        ("Ada", {"game": "../../../../etc"}),
        ("Player 1", {}),
        ("player 2", {}),
        ("You", {}),
        ("Ada", {"game": "0" * 16 + "\n"}),
        ("Ada", {"level": "easy\n"}),
        ("Ada", {"level": "<b>" * 40}),
        ("Ada", {"level": "a\nb"}),
        ("Ada", {"won": 1}),
        ("Ada", {"when": -1}),
        ("Ada", {"when": 2**60}),
        ("Ada", {"more": 1}),
    ],
)
def test_results_that_are_none_are_refused(client, name, change):
    answer = kept(client, name, [{**RESULT, **change}])
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad-request"
    assert kept(client, "Ada").json() == []
    assert kept(client, "Ada", [RESULT] * 101).status_code == 400
    assert client.post("/api/results", json={"name": "Ada"}, headers=EVIL).status_code == 403


def test_open_hands_only_where_no_person_plays(client, three):
    """A spectator sees what is public; one who watches agents alone can ask for all."""
    for person in three:
        assert person.refused({"type": "open", "open": True}) == "not-yours"
    with Player(client, opened(client, NAME, ["heuristic", "random"])[None]) as me:
        hidden = me.until("position")["text"]
        me.send({"type": "open", "open": True})
        shown = me.until("position", lambda position: position["open"])["text"]
        assert shown != hidden
        me.send({"type": "open", "open": False})
        assert me.until("position", lambda position: not position["open"])["text"] == hidden


def test_what_is_told_of_the_end(client):
    """The sources of the scores add up to them; a search tells what it would have done instead."""
    with Player(
        client,
        opened(client, "twenty_questions_v0", [HUMAN, "heuristic"], options={"questions": 3})[0],
    ) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position")
        while not me.position["over"]:
            me.act()
        rows = [row["points"] for row in me.position["scoring"]]
        assert [sum(points) for points in zip([0, 0], *rows, strict=True)] == [
            seat["score"] for seat in me.position["seats"]
        ]
        assert {line["decision"] for line in me.log} <= {
            int(number) for number in me.position["decisions"]
        }
        me.send({"type": "analyse", "moves": 0, "ms": 50})
        found = me.until("analysis")
        assert found["moves"] == 0
        assert found["same"] == (found["best"] == found["played"])
        assert 0 <= found["best_chance"] <= 100
        assert found["reason"] == "" or found["reason"].endswith(".")
        assert me.refused({"type": "analyse", "moves": 10**6}) == "bad-request"
        for ms in (0, BOUNDS.think_ms + 1, "200", None, True, 1.5):
            assert me.refused({"type": "analyse", "moves": 0, "ms": ms}) == "bad-request"
        me.send({"type": "mistakes"})
        mistakes = me.until("mistakes")["mistakes"]
        assert len(mistakes) <= 3
        for one in mistakes:
            assert any(one["played"][worth] < one["better"][worth] for worth in ("chance", "score"))
            me.send({"type": "replay", "moves": one["moves"] + 1, "open": True})
            assert one["played"]["label"] in me.until("replay")["done"]


def test_guides_and_pictures_of_games(client):
    for name in NEWEST:
        rules = client.get(f"/api/guides/{name}").json()
        assert rules["lines"][0] == f"# {rules['title']}"
        assert len(rules["short"]) < len("".join(rules["lines"])) / 4
        assert rules["all"][0] == "## Components"
    for wrong in ("[]", "{", '{"jokers": 1}', "x" * 3000):
        assert client.get(f"/api/guides/{NAME}", params={"options": wrong}).status_code == 400
    for path in ("/api/guides/chess_v0", "/games/chess_v0.svg", "/games/..%2fgo_dig_v0.svg"):
        assert client.get(path).status_code == 404
    assert client.get(f"/games/{NAME}.svg").headers["content-type"].startswith("image/svg+xml")


# ---------------------------------------------------------------- from elsewhere


NAMESPACE = "http://www.w3.org/2000/svg"  # a name, which nobody loads


def test_the_page_may_load_nothing_from_elsewhere(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "http" not in policy.replace("'", "")
    page = client.get("/").text
    for name in ("main.js", "style.css"):
        assert f"/page/{name}" in page
        assert client.get(f"/page/{name}").status_code == 200
    texts = [
        client.get(f"/page/{name}").text
        for name in client.app.state.files
        if name.endswith((".js", ".css", ".html"))
    ]
    for text in [page, *texts]:
        assert not re.search(r"https?://[^$]", text.replace(NAMESPACE, ""))
        assert ".innerHTML" not in text
        assert "eval(" not in text


def test_no_name_becomes_a_path(client):
    for path in (
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/app.py",
        "/page//etc/passwd",
        "/etc/passwd",
        "/page/",
    ):
        assert client.get(path).status_code == 404, path


@every_game
def test_players_of_the_list(name):
    game, bounds = load_game(name), Bounds()
    more = (
        []
        if name != NAME
        else [
            shipped("go_dig/policy:sample"),
            shipped("go_dig/policy+search:50ms"),
            "best+search:20ms",
        ]
    )
    for agent in (*offered_agents(game, bounds), *more):
        assert check_player(agent, game, bounds) == agent


def test_a_language_model_sits_down_only_if_the_owner_of_the_server_says_so():
    game, model = load_game(NAME), "llm:some/model:8b:fail=random"
    bounds = Bounds(models=(model,))
    assert check_player(model, game, bounds) == model
    assert offered_agents(game, bounds) == [*offered_agents(game, Bounds()), model]
    for other in (
        "llm:some/model:8b",
        f"{model}:base_url=http://127.0.0.1:9/v1",
        "llm:x",
        f"{model}:key_env=PATH",
    ):
        with pytest.raises(TableError):
            check_player(other, game, bounds)
    with pytest.raises(TableError):
        check_player(model, game, Bounds())


@pytest.mark.parametrize(
    "player",
    ["exec:sh", "python:os:getcwd", "../policies/x", "/etc", ".", "policies/fossil_canyon/policy",
     "fossil_canyon/policy",
     "search", "search:sims=10000000", "search:6000ms", "search:0ms", "search:١ms",
     "search:200ms:guide=/etc", "best+search", "best+search:sims=9", "best+search:6000ms",
     "heuristic+search:200ms", "heuristic:sample", "", None,
     7, ["heuristic"], "human "],
)  # fmt: skip
def test_only_players_of_the_list_are_seated(player):
    with pytest.raises(TableError) as refused:
        check_player(player, load_game(NAME), BOUNDS)
    assert refused.value.code == "bad-player"


SAVED = table_of(NAME).snapshot()
TWO = {"env": NAME, "players": [HUMAN] * 2}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ([], "object"),
        ({"env": "chess_v0", "players": []}, "no environment"),
        ({"env": NAME}, "players"),
        ({"env": NAME, "players": [HUMAN]}, "num_players"),
        ({"env": NAME, "players": [HUMAN] * 100}, "at most"),
        ({"env": NAME, "players": [HUMAN, "exec:sh"]}, "no agent 'exec:sh'"),
        ({**TWO, "options": {"jokers": 1}}, "no option"),
        ({**TWO, "options": {"num_players": 3}}, "options.num_players is 3, but players names 2"),
        ({**TWO, "options": {"num_players": None}}, "num_players is None"),
        ({**TWO, "options": []}, "object"),
        ({**TWO, "path": "/tmp"}, "table contains unknown field `path`"),
        ({**TWO, "names": 5}, "Expected `array | null`, got `int` - at `table.names`"),
        ({**TWO, "names": ["Ada", 5]}, "at `table.names[1]`"),
        ({**TWO, "public": 1}, "at `table.public`"),
        ({**TWO, "position": 5}, "at `table.position`"),
        ({**TWO, "seed": 1}, "tells what is hidden"),
        ({"env": NAME, "players": [HUMAN, "random"], "seed": "x"}, "seed"),
        ({**TWO, "position": SAVED, "seed": 1}, "needs no seed"),
        ({**TWO, "position": {**SAVED, "game": "fossil_canyon"}}, "game"),
        ({**TWO, "position": {**SAVED, "turn": "soon"}}, "turn"),
        ({**TWO, "position": {**SAVED, "unknown": 1}}, "unknown"),
        ({**TWO, "position": {**SAVED, "scores": [10**9, 0]}}, "scores"),
    ],
)
def test_tables_that_cannot_be(client, wanted, words):
    answer = client.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_what_is_no_request(client):
    for content, headers, words in (
        ("{", JSON, "not JSON"),
        ("[" * 50_000, JSON, "not JSON"),
        ('{"env": "x"}', {"content-type": "text/plain"}, "application/json"),
        ('{"env": "\\ud800"}', JSON, "not JSON"),
        ('{"seed": NaN}', JSON, "not JSON"),
        (json.dumps({"env": "x" * (BOUNDS.table_bytes + 1)}), JSON, "65536 bytes"),
    ):
        answer = client.post("/api/tables", content=content, headers=headers)
        assert answer.status_code == (413 if "bytes" in words else 400)
        assert words in answer.json()["error"]["message"]


@pytest.mark.parametrize("token", [None, 7, "", "0" * 32, "x" * 32, ["0" * 32], "0" * 5000])
def test_wrong_secrets_open_nothing(client, token):
    with client.websocket_connect(SOCKET, headers=ORIGIN) as connection:
        connection.send_text(json.dumps({"token": token}))
        wrong = "no-seat" if isinstance(token, str) else "bad-request"
        assert connection.receive_json()["code"] == wrong
        with pytest.raises(WebSocketDisconnect):
            connection.receive_json()


# ---------------------------------------------------------------- limits


def test_limits():
    """New tables, connections at a table and in all, messages, games: each is refused in words."""
    bounds = replace(
        BOUNDS,
        per_table=2,
        connections=6,
        messages_per_second=5,
        tables=2,
        tables_per_minute=2,
        greeting_seconds=0.2,
    )
    with serving(bounds=bounds, worker=InThread) as client:
        tokens, other = (opened(client, NAME, [HUMAN, HUMAN]) for _ in range(2))
        answer = client.post("/api/tables", json={"env": NAME, "players": [HUMAN, HUMAN]})
        assert answer.status_code == 503
        assert "2 games" in answer.json()["error"]["message"]
        answers = [client.post("/api/tables", json={"env": NAME, "players": []}) for _ in range(6)]
        assert answers[-1].status_code == 429
        with Player(client, tokens[0]) as me, Player(client, tokens[1]) as you:
            me.until("position")
            you.until("position")
            with Player(client, tokens[0]) as third:
                assert third.next()["code"] == "full"
            with Player(client, other[0]) as there, Player(client, other[1]) as too_many:
                there.until("position")
                assert too_many.next()["code"] == "full"
            for _ in range(40):
                me.send({"type": "theme", "theme": ""})
            assert me.until("error")["code"] == "too-many"
        with (
            client.websocket_connect(SOCKET, headers=ORIGIN) as silent,
            pytest.raises(WebSocketDisconnect),
        ):
            silent.receive_json()


# ---------------------------------------------------------------- games on the disk


def test_games_survive_the_server(tmp_path):
    """With all choices that are not carried out yet; the file can be read by its owner only, and
    has no secret in it."""
    path = tmp_path / "games.sqlite"
    with serving(path, worker=InThread) as client:
        tokens = opened(client, "the_big_dig_v0", [HUMAN, HUMAN])
        with Player(client, tokens[1]) as me:
            me.until("position")
            before = me.act()
    with (
        serving(path, worker=InThread) as client,
        Player(client, tokens[1]) as me,
        Player(client, tokens[0]) as other,
    ):
        later = me.until("position")
        assert (later["version"], later["legal"]) == (before["version"], before["legal"])
        assert other.until("position")["version"] == "0.0.0"
    content = path.read_bytes()
    assert all(token.encode() not in content for token in tokens.values())
    assert path.stat().st_mode & 0o077 == 0


@every_game
def test_a_table_comes_back_from_the_store_as_it_was(name):
    store, table = Store(None, BOUNDS), table_of(name)
    game_id, _ = store.add(table)
    for _ in range(20):
        if not table.over:
            seat = table.to_act()[-1]
            store.append(game_id, table, table.act(seat, table.legal(seat)[0]))
    again = store.read(game_id).table()
    assert (again.moves, again.lines, again.snapshot()) == (
        table.moves,
        table.lines,
        table.snapshot(),
    )
    if table.may_take_back(table.moves[-1].seat):
        table.take_back(table.moves[-1].seat)
        store.rewrite(game_id, table)
        assert store.read(game_id).table().moves == table.moves


def test_the_folder_of_the_store_is_made(tmp_path):
    path = tmp_path / "new" / "dig_envs" / "games.sqlite"
    Store(path, BOUNDS).close()
    assert path.is_file()
    with pytest.raises(OSError, match="cannot be written"):
        Store(path / "games.sqlite", BOUNDS)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_the_store_is_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe cannot be written: it is not a file"):
        Store(tmp_path / "pipe", BOUNDS)


def test_one_server_for_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr("dig_envs.server.table.store.BUSY_SECONDS", 0.1)
    store = Store(tmp_path / "games.sqlite", BOUNDS)
    store.add(table_of(NAME))
    (tmp_path / "text.sqlite").write_text("no games at all" * 100)
    base = sqlite3.connect(tmp_path / "new.sqlite")
    base.execute("pragma user_version = 99")
    base.close()
    for name, words in (
        ("games", "another server"),
        ("text", "not a file of games"),
        ("new", "form 99"),
    ):
        with pytest.raises(TableError, match=words):
            Store(tmp_path / f"{name}.sqlite", BOUNDS)
    store.close()


def contents(path):
    base = sqlite3.connect(path)
    try:
        return list(base.iterdump()), base.execute("pragma journal_mode").fetchone()
    finally:
        base.close()


@pytest.mark.parametrize(
    "made",
    [
        "create table bookmark (url text)",
        "pragma application_id = 7",
        "create table game (x)",
        "pragma user_version = 1",
    ],
)
def test_the_file_of_another_program_is_left_as_it_is(tmp_path, made):
    path = tmp_path / "other.sqlite"
    base = sqlite3.connect(path)
    base.executescript(
        f"{made}; create table if not exists other (x); insert into other values (1);"
    )
    base.close()
    before = contents(path), path.read_bytes()
    with pytest.raises(TableError, match="another program has made it"):
        Store(path, BOUNDS)
    assert (contents(path), path.read_bytes()) == before


DAMAGES = {
    "start": "update game set start = '{'",
    "start is a list": "update game set start = '[]'",
    "players": "update game set players = '7'",
    "a move": "update move set action = 'x' where number = 1",
    "a seat": "update move set seat = 99 where number = 1",
    "words": "update line set words = '[' where number = 0",
    "words are a number": "update line set words = '1' where number = 0",
    "words of nobody": """update line set words = '{"77": "x"}' where number = 0""",
}


def stored(path, count):
    """A file with so many games that have begun; the secret of a seat of each."""
    store, tokens = Store(path, BOUNDS), []
    for seed in range(count):
        table = played(table_of(NAME, seed=seed), 20)
        game_id, own = store.add(table)
        store.rewrite(game_id, table)
        tokens.append(own[0])
    store.close()
    return tokens


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_game_spoils_no_other(tmp_path, what):
    """A damaged game is reported with an error, and other games in the same file can still be
    read."""
    path, query = tmp_path / "games.sqlite", DAMAGES[what]
    hurt, well = stored(path, 2)
    base = sqlite3.connect(path)
    (game,) = base.execute("select game from place where hash = ?", (hashed(hurt),)).fetchone()
    base.execute(
        f"{query} {'and' if 'where' in query else 'where'} "
        f"{'id' if 'update game' in query else 'game'} = '{game}'"
    )
    base.commit()
    base.close()
    store = Store(path, BOUNDS)
    with pytest.raises(
        TableError, match=f"game {game} is damaged|begun with another version"
    ) as refused:
        store.read(store.find(hurt).game).table()
    assert refused.value.code == "store"
    assert store.read(store.find(well).game).table().moves
    store.close()


def test_zeroed_pages_are_told_in_words(tmp_path):
    """With any page of the file zeroed, a game can either be read or is refused with an error
    message; nothing else happens."""
    path = tmp_path / "games.sqlite"
    tokens = stored(path, 8)
    whole, page, told = path.read_bytes(), 4096, set()
    for number in range(len(whole) // page):
        path.write_bytes(whole[: number * page] + bytes(page) + whole[(number + 1) * page :])
        try:
            store = Store(path, BOUNDS)
        except TableError as error:
            told.add(str(error)[-40:])
            continue
        readable = 0
        for token in tokens:
            try:
                store.read(store.find(token).game).table()
                readable += 1
            except TableError as error:
                told.add(error.code)
        assert readable or number < 12
        store.close()
    assert "store" in told


def test_a_full_disk_is_told_in_words(tmp_path):
    """If the disk is full, opening a table fails with an error message; once there is room again, a
    table can be opened."""
    with serving(tmp_path / "games.sqlite", worker=InThread) as client:
        store = client.app.state.lobby.store
        pages = store._base.execute("pragma page_count").fetchone()[0]
        store._base.execute(f"pragma max_page_count = {pages}")
        answers = [
            client.post("/api/tables", json={"env": NAME, "players": [HUMAN, HUMAN]})
            for _ in range(40)
        ]
        assert answers[-1].status_code == 500
        assert (
            "could not be kept: database or disk is full" in answers[-1].json()["error"]["message"]
        )
        store._base.execute("pragma max_page_count = 1000000")
        assert opened(client, NAME, [HUMAN, HUMAN])


def test_a_move_that_cannot_be_kept_is_not_played(client, alone):
    """If the store fails, neither an action nor taking one back changes the table."""
    base = client.app.state.lobby.store._base
    alone.act()
    while not alone.position["legal"]:
        alone.next()
    alone.asked("save")  # afterwards everything was told
    position, log = alone.position, list(alone.log)
    for message in (
        {"type": "act", "action": position["legal"][0]["action"], "at": position["version"]},
        {"type": "back"},
    ):
        base.execute("pragma query_only = 1")
        alone.heard.clear()
        assert alone.refused(message) == "store"
        base.execute("pragma query_only = 0")
        assert "could not be kept" in alone.heard[-1]["message"]
        again = alone.position  # which comes before the words
        assert (again["version"], again["text"], again["legal"]) == (
            position["version"],
            position["text"],
            position["legal"],
        )
        assert any(told["type"] == "log" and told["from"] == 0 for told in alone.heard)
        assert alone.log == log
    assert alone.act()["version"] != position["version"]


def test_old_games_make_room():
    store = Store(None, replace(BOUNDS, tables=2, days=0.0))
    tokens = [store.add(played(table_of(NAME), 3))[1] for _ in range(2)]
    time.sleep(0.01)
    _, new = store.add(table_of(NAME))
    assert store.count() == 1
    assert store.find(new[0]).seat == 0
    with pytest.raises(TableError, match="game is gone"):
        store.find(tokens[0][0])


@pytest.mark.parametrize("jump", [-3600.0, 86400.0])
def test_a_clock_that_jumps_deletes_no_game(monkeypatch, jump):
    store = Store(None, replace(BOUNDS, tables=1))
    _, tokens = store.add(table_of(NAME))
    now = time.time() + jump
    monkeypatch.setattr(time, "time", lambda: now)
    with pytest.raises(TableError, match="all of them are in use"):
        store.add(table_of(NAME))
    assert store.find(tokens[0]).seat == 0


def test_a_game_of_another_version_says_so():
    store = Store(None, BOUNDS)
    table = table_of(NAME)
    table.start = {**table.start, "turn": "early"}
    game_id, _ = store.add(table)
    with pytest.raises(TableError, match="another version"):
        store.read(game_id).table()


# ---------------------------------------------------------------- other programs


def call(method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_other_programs_play_over_a_web_socket(client):
    """A game opened over a WebSocket is unknown to other connections and to HTTP POST."""
    with (
        # the client does not wait until the server has noticed that it has left
        suppress(CancelledError),
        client.websocket_connect("ws://127.0.0.1/rpc") as one,
        client.websocket_connect("ws://127.0.0.1/rpc") as other,
    ):

        def answer(connection, text):
            connection.send_text(text)
            return connection.receive_json()

        view = call(
            "view", game=answer(one, call("new", environment=NAME))["result"]["game"], seat=0
        )
        assert answer(one, view)["result"]
        assert answer(other, view)["error"]["code"] == -32004
        assert client.post("/rpc", content=view).json()["error"]["code"] == -32004
        assert answer(one, "{")["error"]["code"] == -32700
        assert answer(one, call("hello"))["result"]["limits"]["ms"] == BOUNDS.think_ms


def test_other_programs_play_over_post(client):
    game = client.post("/rpc", content=call("new", environment=NAME)).json()["result"]["game"]
    assert client.post("/rpc", content=call("view", game=game, seat=0)).json()["result"]
    notification = json.dumps({"jsonrpc": "2.0", "method": "hello"})
    assert client.post("/rpc", content=notification).status_code == 204
    assert client.post("/rpc", content="x" * (BOUNDS.upload_bytes + 1)).status_code == 413
    assert client.post("/rpc", content=call("hello"), headers=EVIL).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1/rpc", headers=EVIL),
    ):
        pass
