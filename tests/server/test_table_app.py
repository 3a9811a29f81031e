"""The server of tables, spoken to as a browser does: who may do what, what is refused, what is kept."""

import asyncio
import json
import re
import socket
import sqlite3
import time
from dataclasses import replace

import pytest
from starlette.websockets import WebSocketDisconnect

from dig_envs.registry import list_environments, load_game
from dig_envs.server.app import listener
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.players import agents_of, check_player
from dig_envs.server.store import Store
from dig_envs.server.table import HUMAN
from tests.server.tables import ADDRESS, BOUNDS, ORIGIN, SOCKET, Player, opened, played, serving, table_of

NAME = "go_dig_v0"


@pytest.fixture(scope="module")
def client():
    with serving() as one:
        yield one


@pytest.fixture
def two(client):
    """Two people at a table: seat -> secret."""
    return opened(client, NAME, [HUMAN, HUMAN])


def mover_and_other(players):
    return players if players[0].position["legal"] else players[::-1]


# ---------------------------------------------------------------- playing


def test_a_game_against_an_agent_to_its_end(client):
    """Everything is told: each action of both, the result; and then the game can be replayed."""
    tokens = opened(client, "twenty_questions_v0", [HUMAN, "heuristic"], options={"questions": 4})
    with Player(client, tokens[0]) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position")
        while not me.position["over"]:
            before = me.position["version"]
            if me.position["legal"]:
                me.act(me.position["legal"][0]["action"])
            me.until("position", lambda later, before=before: later["version"] != before)
        assert "The game is over" in me.position["result"]
        me.send({"type": "replay", "moves": 1, "seat": 1})
        assert me.until("replay")["moves"] == 1
        me.send({"type": "save"})
        saved = me.until("saved")
        assert saved["complete"]
        assert len(me.log) == saved["position"]["turn"] or me.log
        assert {line["seat"] for line in me.log} == {0, 1}
        assert all(line["words"] for line in me.log)


def test_two_people_see_each_their_own(client, two):
    with Player(client, two[0]) as first, Player(client, two[1]) as second, Player(client, two[None]) as watching:
        for player in (first, second, watching):
            player.until("position")
        assert [player.position["seat"] for player in (first, second, watching)] == [0, 1, None]
        mover, other = mover_and_other([first, second])
        assert not other.position["legal"]
        assert not watching.position["legal"]
        mover.act(mover.position["legal"][0]["action"])
        for player in (first, second, watching):
            assert player.until("log")["lines"][0]["words"].startswith("ask")


def test_nobody_acts_for_another(client, two):
    with Player(client, two[0]) as first, Player(client, two[1]) as second, Player(client, two[None]) as watching:
        for player in (first, second, watching):
            player.until("position")
        mover, other = mover_and_other([first, second])
        action, version = mover.position["legal"][0]["action"], mover.position["version"]
        assert other.refused({"type": "act", "action": action, "at": version})["code"] == "not-your-turn"
        assert (
            other.refused({"type": "act", "action": action, "at": version, "seat": mover.position["seat"]})["code"]
            == "not-your-turn"
        )
        assert watching.refused({"type": "act", "action": action, "at": version})["code"] == "no-seat"
        for kind in ("hint", "search"):
            assert other.refused({"type": kind})["code"] == "not-your-turn"
            assert watching.refused({"type": kind})["code"] == "no-seat"
        for kind in ("back", "act"):
            assert watching.refused({"type": kind})["code"] == "no-seat"
        assert other.refused({"type": "back"})["code"] == "not-back"
        assert other.refused({"type": "pace", "delay": 0})["code"] == "not-yours"
        assert other.refused({"type": "replay", "moves": 0, "seat": None})["code"] == "not-over"
        assert mover.refused({"type": "act", "action": action, "at": "0.9.0"})["code"] == "changed"
        assert mover.refused({"type": "act", "action": 10**6, "at": version})["code"] == "refused"


def test_saving_shows_what_the_seat_sees_only(client, two):
    """Unless somebody can show the secrets of all seats; those of other tables do not help."""
    elsewhere = opened(client, NAME, [HUMAN, HUMAN])
    with Player(client, two[0]) as me:
        me.until("position")
        for tokens in ([], [elsewhere[1]], [two[None]], [elsewhere[0], elsewhere[1]]):
            me.send({"type": "save", "tokens": tokens})
            saved = me.until("saved")
            assert not saved["complete"]
            assert "rng" not in saved["position"]
        me.send({"type": "save", "tokens": [two[1]]})
        assert "rng" in me.until("saved")["position"]
        assert me.refused({"type": "save", "tokens": ["0" * 32]})["code"] == "no-seat"


def test_a_saved_position_is_played_on(client):
    with Player(client, opened(client, NAME, [HUMAN, "heuristic"])[0]) as me:
        position = me.until("position")
        me.send({"type": "save"})
        saved = me.until("saved")["position"]
    with Player(client, opened(client, NAME, [HUMAN, "random"], position=saved)[0]) as me:
        later = me.until("position")
        assert later["loaded"]
        assert later["text"] == position["text"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "fossil_canyon"}, "game"),
        ({"turn": "soon"}, "turn"),
        ({"unknown": 1}, "unknown"),
        ({"scores": [10**9, 0]}, "scores"),
    ],
)
def test_what_is_no_position_is_not_loaded(client, change, words):
    position = {**table_of(NAME).snapshot(), **change}
    answer = client.post("/api/tables", json={"env": NAME, "players": [HUMAN, HUMAN], "position": position})
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_hint_and_search(client):
    with Player(client, opened(client, NAME, [HUMAN, "heuristic"])[0]) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position", lambda position: position["legal"])
        legal = {one["action"] for one in me.position["legal"]}
        me.send({"type": "hint"})
        assert me.until("hint")["action"] in legal
        me.send({"type": "search", "ms": 300})
        found = me.until("search")
        assert {bar["action"] for bar in found["bars"]} <= legal
        assert sum(bar["visits"] for bar in found["bars"]) > 0
        assert any(message["type"] == "searching" and 0 <= message["share"] <= 1 for message in me.heard)
        for ms in (0, BOUNDS.think_ms + 1, "200", None, True, 1.5):
            assert me.refused({"type": "search", "ms": ms})["code"] == "bad-request"


def test_agents_play_step_by_step(client):
    """Nothing happens before who opened the table asks for it; then a move at a time, or all of them."""
    with Player(client, opened(client, NAME, ["heuristic", "random"])[None]) as me:
        assert me.until("position")["pace"]["paused"]
        for count in (1, 2, 3):
            me.send({"type": "step"})
            me.until("log")
            assert len(me.log) == count
        me.send({"type": "pace", "paused": False, "delay": 0})
        me.until("position", lambda position: position["over"])


# ---------------------------------------------------------------- from elsewhere


def test_other_names_and_other_pages_are_refused(client):
    """A name that only points here, and the pages of others."""
    for host in ("evil.example", "127.0.0.1.evil.example", "evil.example:8000", ""):
        assert client.get("/", headers={"host": host}).status_code == 403
    for origin in ("http://evil.example", "null", "http://127.0.0.1:81", "http://localhost"):
        assert client.post("/api/tables", json={}, headers={"origin": origin}).status_code == 403
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET, headers={"origin": origin}):
            pass
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET):
        pass
    assert client.post("/api/tables", json={}, headers={"origin": ADDRESS}).status_code == 400
    assert client.get("/", headers={"host": "localhost"}).status_code == 200


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
    texts = [client.get(f"/page/{name}").text for name in client.app.state.files if name.endswith((".js", ".css", ".html"))]
    for text in [page, *texts]:
        assert not re.search(r"https?://[^$]", text.replace(NAMESPACE, ""))
        assert ".innerHTML" not in text
        assert "eval(" not in text


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page/app.py", "/page//etc/passwd", "/etc/passwd", "/page/"]
)
def test_no_name_becomes_a_path(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "player",
    ["exec:sh", "../policies/x", "/etc", ".", "policies/fossil_canyon/ppo", "fossil_canyon/ppo", "search",
     "search:sims=10000000", "search:6000ms", "search:0ms", "search:١ms", "search:200ms:guide=/etc", "best+search",
     "best+search:sims=9", "best+search:6000ms",
     "heuristic+search:200ms", "heuristic:sample", "", None,
     7, ["heuristic"], "human "],
)  # fmt: skip
def test_only_players_of_the_list_are_seated(client, player):
    answer = client.post("/api/tables", json={"env": NAME, "players": [HUMAN, player]})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad-player"


def test_answers_are_sent_at_once():
    """Without waiting for more to send (Nagle's algorithm), which would add 40 ms to each answer over HTTP."""
    found = []

    async def greeted():
        def connected(reader, writer):
            found.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(connected, sock=listener("127.0.0.1", 0)) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            await reader.read()
            writer.close()

    asyncio.run(greeted())
    assert found == [1]


def test_players_of_the_list():
    for name in list_environments():
        game = load_game(name)
        for agent in agents_of(game):
            assert check_player(agent, game, Bounds()) == agent
    for agent in ("go_dig/ppo:sample", "go_dig/ppo+search:50ms"):
        assert check_player(agent, load_game(NAME), Bounds()) == agent


def test_the_strongest_player_with_search_sits_at_a_table(client):
    pytest.importorskip("onnxruntime")
    tokens = opened(client, NAME, [HUMAN, "best+search:20ms"], seed=1)
    with Player(client, tokens[0]) as me:
        me.send({"type": "pace", "delay": 0})
        me.until("position")
        while {line["seat"] for line in me.log} < {0, 1}:
            before = me.position["version"]
            if me.position["legal"]:
                me.act(me.position["legal"][0]["action"])
            me.until("position", lambda later, before=before: later["version"] != before)
        assert not me.position["trouble"]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ([], "object"),
        ({"env": "chess_v0", "players": []}, "no environment"),
        ({"env": NAME}, "players"),
        ({"env": NAME, "players": [HUMAN]}, "num_players"),
        ({"env": NAME, "players": [HUMAN] * 100}, "at most"),
        ({"env": NAME, "players": [HUMAN] * 2, "options": {"jokers": 1}}, "no option"),
        ({"env": NAME, "players": [HUMAN] * 2, "options": []}, "object"),
        ({"env": NAME, "players": [HUMAN] * 2, "path": "/tmp"}, "some of"),
        ({"env": NAME, "players": [HUMAN] * 2, "seed": 1}, "knows the deal"),
        ({"env": NAME, "players": [HUMAN, "random"], "seed": "x"}, "seed"),
    ],
)
def test_tables_that_cannot_be(client, wanted, words):
    answer = client.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_what_is_no_request(client):
    assert client.post("/api/tables", content="{", headers={"content-type": "application/json"}).status_code == 400
    assert client.post("/api/tables", content="[" * 100_000, headers={"content-type": "application/json"}).status_code == 400
    assert client.post("/api/tables", content='{"env": "x"}', headers={"content-type": "text/plain"}).status_code == 400
    too_long = json.dumps({"env": "x" * (BOUNDS.upload_bytes + 1)})
    assert (
        "bytes"
        in client.post("/api/tables", content=too_long, headers={"content-type": "application/json"}).json()["error"]["message"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[]",
        "1",
        "null",
        '{"type": "fly"}',
        '{"type": ["act"]}',
        '{"type": "theme", "theme": "x"}',
        "[" * 9000,
        "x" * 20_000,
    ],
)
def test_what_is_no_message(client, two, text):
    """It is answered with an error, and the connection goes on."""
    with Player(client, two[0]) as me:
        me.until("position")
        me.socket.send_text(text)
        assert me.until("error")["code"] == "bad-request"
        me.send({"type": "save"})
        me.until("saved")


@pytest.mark.parametrize("token", [None, 7, "", "0" * 32, "x" * 32, ["0" * 32], "0" * 5000])
def test_wrong_secrets_open_nothing(client, token):
    with client.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        socket.send_text(json.dumps({"token": token}))
        assert socket.receive_json()["code"] == "no-seat"
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


# ---------------------------------------------------------------- limits


def test_limits():
    """New tables, connections at a table and in all, messages, games: each is refused in words."""
    bounds = replace(BOUNDS, per_table=2, connections=3, messages_per_second=5, tables=2, tables_per_minute=2, greeting_seconds=0.2)
    with serving(bounds=bounds) as client:
        tokens = opened(client, NAME, [HUMAN, HUMAN])
        other = opened(client, NAME, [HUMAN, HUMAN])
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
        with client.websocket_connect(SOCKET, headers=ORIGIN) as silent, pytest.raises(WebSocketDisconnect):
            silent.receive_json()


def test_a_rate_comes_back_with_time():
    now = [0.0]
    rate = Rate(2.0, clock=lambda: now[0])
    assert [rate.allows() for _ in range(5)] == [True] * 4 + [False]
    now[0] = 0.5
    assert [rate.allows() for _ in range(2)] == [True, False]


# ---------------------------------------------------------------- games on the disk


def test_games_survive_the_server(tmp_path):
    """With all choices that are not carried out yet."""
    path = tmp_path / "games.sqlite"
    with serving(path) as client:
        tokens = opened(client, "the_big_dig_v0", [HUMAN, HUMAN])
        with Player(client, tokens[1]) as me:
            me.until("position")
            me.act(me.position["legal"][0]["action"])
            before = me.until("position")
    with serving(path) as client, Player(client, tokens[1]) as me, Player(client, tokens[0]) as other:
        later = me.until("position")
        assert later["version"] == before["version"]
        assert later["legal"] == before["legal"]
        assert other.until("position")["version"] == "0.0.0"
    content = path.read_bytes()
    assert all(token.encode() not in content for token in tokens.values())
    assert path.stat().st_mode & 0o077 == 0


def test_a_table_comes_back_from_the_file_as_it_was(tmp_path):
    for name in list_environments():
        store = Store(tmp_path / f"{name}.sqlite", BOUNDS)
        table = table_of(name)
        number, _ = store.add(table)
        for _ in range(20):
            if table.over:
                break
            seat = table.owing()[-1]
            added = table.act(seat, table.legal(seat)[0])
            store.append(number, table, added)
        store.close()
        store = Store(tmp_path / f"{name}.sqlite", BOUNDS)
        again = store.read(number).table()
        assert (again.moves, again.lines, again.snapshot()) == (table.moves, table.lines, table.snapshot())
        if table.may_take_back(table.moves[-1].seat):
            table.take_back(table.moves[-1].seat)
            store.rewrite(number, table)
            assert store.read(number).table().moves == table.moves
        store.close()


def test_one_server_for_one_file(tmp_path):
    store = Store(tmp_path / "games.sqlite", BOUNDS)
    store.add(table_of(NAME))
    with pytest.raises(TableError, match="another server"):
        Store(tmp_path / "games.sqlite", BOUNDS)
    store.close()
    (tmp_path / "text.sqlite").write_text("no games at all" * 100)
    with pytest.raises(TableError, match="no file of games"):
        Store(tmp_path / "text.sqlite", BOUNDS)
    base = sqlite3.connect(tmp_path / "new.sqlite")
    base.execute("pragma user_version = 99")
    base.close()
    with pytest.raises(TableError, match="form 99"):
        Store(tmp_path / "new.sqlite", BOUNDS)


def test_old_games_make_room(tmp_path):
    bounds = replace(BOUNDS, tables=2, days=0.0)
    store = Store(None, bounds)
    tokens = [store.add(played(table_of(NAME), 3))[1] for _ in range(2)]
    time.sleep(0.01)
    _, new = store.add(table_of(NAME))
    assert store.count() == 1
    assert store.find(new[0]).seat == 0
    with pytest.raises(TableError, match="game is gone"):
        store.find(tokens[0][0])


def test_a_game_of_another_version_says_so():
    store = Store(None, BOUNDS)
    table = table_of(NAME)
    table.start = {**table.start, "turn": "early"}
    number, _ = store.add(table)
    with pytest.raises(TableError, match="another version"):
        store.read(number).table()


# ---------------------------------------------------------------- other programs


def call(method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_other_programs_play_over_a_web_socket(client):
    """Their games are theirs: no other connection knows them, nor does HTTP POST."""
    with client.websocket_connect("ws://127.0.0.1/rpc") as one, client.websocket_connect("ws://127.0.0.1/rpc") as other:
        one.send_text(call("new", environment=NAME))
        game = one.receive_json()["result"]["game"]
        one.send_text(call("view", game=game, seat=0))
        assert one.receive_json()["result"]
        other.send_text(call("view", game=game, seat=0))
        assert other.receive_json()["error"]["code"] == -32004
        answer = client.post("/rpc", content=call("view", game=game, seat=0))
        assert answer.json()["error"]["code"] == -32004
        one.send_text("{")
        assert one.receive_json()["error"]["code"] == -32700
        one.send_text(call("hello"))
        assert one.receive_json()["result"]["limits"]["ms"] == BOUNDS.think_ms


def test_other_programs_play_over_post(client):
    game = client.post("/rpc", content=call("new", environment=NAME)).json()["result"]["game"]
    assert client.post("/rpc", content=call("view", game=game, seat=0)).json()["result"]
    notification = json.dumps({"jsonrpc": "2.0", "method": "hello"})
    assert client.post("/rpc", content=notification).status_code == 204
    assert client.post("/rpc", content="x" * (BOUNDS.upload_bytes + 1)).status_code == 413
    assert client.post("/rpc", content=call("hello"), headers={"origin": "http://evil.example"}).status_code == 403
    elsewhere = client.websocket_connect("ws://127.0.0.1/rpc", headers={"origin": "http://evil.example"})
    with pytest.raises(WebSocketDisconnect), elsewhere:
        pass
