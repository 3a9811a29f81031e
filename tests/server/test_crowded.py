"""One client does not slow down others: over real connections, at a server in a process of its own
with narrow limits."""

import asyncio
import json
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from types import SimpleNamespace

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from dig_envs.agents.loading import load_agent
from dig_envs.agents.names import ANY_GAME, LEVELS, searches
from dig_envs.registry import load_game
from dig_envs.server.bounds import Rate
from dig_envs.server.guard import Inbox
from dig_envs.server.listening import TakingTurns, web_sockets
from dig_envs.server.protocol.allowance import Allowance, GoneError, Minute
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.table.messages import log_messages
from dig_envs.server.thinking import draw
from tests.clock import search_clock
from tests.policies import shipped
from tests.server import asking
from tests.server.asking import Client
from tests.server.load import open_table
from tests.server.tables import (
    Player,
    at_once,
    connected,
    played,
    serving,
    session_of,
    table_of,
    until_decides,
)

NAME = "go_dig_v0"
LIMITS = {"workers": 1, "programs": 8, "uploads": 8, "connections": 12, "greeting_seconds": 2.0}
LIMITS |= {"program_idle_seconds": 0.0, "list_seconds": 1000.0, "program_seconds": 1000.0}
WAIT = 60  # seconds, after which a test has failed


class Server(asking.Server):
    """A server whose log is kept."""

    def __init__(self, log):
        self.log = log
        with log.open("w") as errors:
            super().__init__(asking.serve_command(None, **LIMITS), errors)
        host, port = self.host.split(":")
        self.address = host, int(port)

    def open(self, text):
        """A connection on which something was sent."""
        opened = socket.create_connection(self.address, timeout=WAIT)
        opened.sendall(text.encode())
        return opened

    def hello(self):
        with asking.post(self.host) as client:
            assert client.call("hello")["protocol"] == 1


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with closing(Server(tmp_path_factory.mktemp("server") / "log")) as one:
        yield one
        assert "Traceback" not in one.log.read_text()


@contextmanager
def crowd(make, count):
    """So many connections, held open."""
    with ExitStack() as held:
        yield [held.enter_context(make()) for _ in range(count)]


def answer_of(opened):
    """Return all that comes until the connection is closed."""
    parts = []
    while part := opened.recv(1 << 16):
        parts.append(part)
    return b"".join(parts).decode()


HEAD = "Host: localhost\r\n"
UNFINISHED = {
    "nothing": "",
    "headers": f"GET / HTTP/1.1\r\n{HEAD}",
    "content": f"POST /rpc HTTP/1.1\r\n{HEAD}Content-Length: 100\r\n\r\n[",
    "table": (
        f"POST /api/tables HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n["
    ),
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_unfinished_requests_lock_nobody_out(server, what):
    """More of them than there are places; unfinished content is told that it is too slow, and its
    connection ends."""
    with crowd(lambda: server.open(UNFINISHED[what]), 50) as held:
        server.hello()
        if "POST" in UNFINISHED[what]:
            said = answer_of(held[-1])
            assert said.startswith("HTTP/1.1 408"), said
            assert "must be there after 2 seconds" in said


def test_slow_content_after_an_answer_holds_no_connection(server):
    """A request that is refused before it is all there ends the connection."""
    with closing(
        server.open(
            f"POST /rpc HTTP/1.1\r\n{HEAD}Content-Length: 3000000\r\n\r\n" + "x" * 1_500_000
        )
    ) as opened:
        assert answer_of(opened).startswith("HTTP/1.1 413")


@pytest.mark.parametrize("rest", ["\xff\xff", "zz\r\n", "GET / HTTP/9\r\n\r\n"])
@pytest.mark.parametrize("path", ["/", "/rpc", "/api/tables"])
def test_what_is_no_http_after_a_request_does_no_harm(server, path, rest):
    """Also where the request before it is refused; the log is looked at when the server has
    ended."""
    for head in (HEAD, "Host: x\r\n"):
        with closing(server.open(f"POST {path} HTTP/1.1\r\n{head}\r\n{rest}")) as opened:
            assert opened.recv(1 << 16).startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize("path", ["rpc", "ws"])
def test_connections_that_say_nothing_lock_nobody_out(server, path):
    """More of them than there are places for WebSockets."""
    url = f"ws://{server.host}/{path}"

    def make():
        return connect(url, origin=server.url.rstrip("/"))

    with crowd(make, 20), make() as mine:
        if path == "rpc":
            mine.send('{"jsonrpc": "2.0", "id": 1, "method": "hello"}')
            assert "result" in json.loads(mine.recv(WAIT))
        else:
            mine.send(json.dumps({"token": "0" * 32}))
            assert json.loads(mine.recv(WAIT))["code"] == "no-seat"


def searching(count, ms=5000):
    """A list of searches."""
    params = {
        "environment": NAME,
        "snapshot": table_of(NAME).snapshot(),
        "agent": "search",
        "budget": {"ms": ms},
    }
    return json.dumps(
        [
            {"jsonrpc": "2.0", "id": number, "method": "choose", "params": params}
            for number in range(count)
        ]
    )


def test_nobody_waits_for_the_searches_of_who_is_gone(server):
    """Over both ways, a hundred searches of five seconds each; another one is asked for
    afterwards."""
    text = searching(100)
    with connect(f"ws://{server.host}/rpc") as gone:
        gone.send(text)
    posted = server.open(f"POST /rpc HTTP/1.1\r\n{HEAD}Content-Length: {len(text)}\r\n\r\n{text}")
    time.sleep(0.5)
    posted.close()
    with connect(f"ws://{server.host}/rpc") as mine:
        mine.send(searching(1, ms=10))
        (said,) = json.loads(mine.recv(WAIT))
        assert said["result"]["action"] >= 0


def test_a_list_of_searches_keeps_no_other_program_waiting(server):
    """Programs take turns, message by message; what does not search does not wait at all."""
    with connect(f"ws://{server.host}/rpc") as greedy, connect(f"ws://{server.host}/rpc") as modest:
        greedy.send(searching(60, ms=1000))
        server.hello()
        modest.send(searching(2, ms=10))
        assert len(json.loads(modest.recv(WAIT))) == 2
        with pytest.raises(TimeoutError):
            greedy.recv(0.01)


def refusal_of(socket):
    """The last message before the server closes a WebSocket, and how it does."""
    said = ""
    try:
        while True:
            said = socket.recv(WAIT)
    except ConnectionClosed as closed:
        return said, closed.rcvd


@pytest.mark.parametrize("path", ["rpc", "ws"])
def test_who_sends_far_ahead_of_the_answers_is_sent_away(server, path):
    """Its messages are forgotten, and others are answered."""
    token = open_table(server.url, NAME, ["human", "human"])
    messages = {
        "ws": [json.dumps({"token": token}), *["{}"] * 1000],
        "rpc": [searching(1, ms=5000), *['{"jsonrpc": "2.0", "method": "hello"}'] * 2000],
    }
    with connect(f"ws://{server.host}/{path}", origin=server.url.rstrip("/")) as mine:
        with suppress(ConnectionClosed):
            for message in messages[path]:
                mine.send(message)
        said, closed = refusal_of(mine)
    assert "messages may wait for an answer" in (said if path == "ws" else closed.reason)
    assert closed.code == {"ws": 4400, "rpc": 1013}[path]
    server.hello()


def test_the_end_of_a_connection_is_noticed_while_its_messages_wait():
    class Ending:
        """A WebSocket on which three messages come, and then the end."""

        def __init__(self):
            self.left = [{"type": "websocket.receive", "text": "{}"}] * 3
            self.left.append({"type": "websocket.disconnect"})

        async def receive(self):
            return self.left.pop(0)

    async def story():
        await asyncio.wait_for(Inbox(Ending(), 100, 100).fill(), WAIT)

    asyncio.run(story())


def test_what_takes_long_to_read_is_read_in_small_parts(monkeypatch):
    """A connection whose bytes take long to read gets a few at a time for a while; others are not
    concerned."""
    now = [1000.0]
    for clock in ("monotonic", "thread_time"):
        monkeypatch.setattr(f"dig_envs.server.listening.time.{clock}", lambda: now[0])

    class Slow(TakingTurns):
        """Reading takes a second."""

        def data_received(self, data):
            now[0] += 1.0

    one, other = Slow(), Slow()
    one.transport = SimpleNamespace(get_write_buffer_size=lambda: 0)
    usual = len(one.get_buffer(-1))
    one.buffer_updated(usual)
    assert len(one.get_buffer(-1)) < usual
    assert len(other.get_buffer(-1)) == usual
    now[0] += 1000.0
    assert len(one.get_buffer(-1)) == usual


def test_uvicorn_keeps_the_parts_of_a_message_that_is_not_finished():
    """Its documentation does not tell of the attribute by which they are counted."""

    async def app(scope, receive, send):
        pass

    async def frames():
        config = uvicorn.Config(app)
        return web_sockets()(config=config, server_state=ServerState(), app_state={}).frames

    assert asyncio.run(frames()) == []


def test_a_message_in_too_many_parts_ends_its_connection(server):
    """Also if they are empty, so that it never becomes too long."""
    with connect(f"ws://{server.host}/ws", origin=server.url.rstrip("/")) as mine:
        raw = mine.socket.dup()
        raw.settimeout(WAIT)
        with closing(raw), pytest.raises(ConnectionError):
            raw.sendall(b"\x01\x81\0\0\0\0{" + b"\0\x80\0\0\0\0" * 2_000_000)
    server.hello()


WRONG = {
    "binary": ({"token": "0" * 32}, "binary"),
    "surrogates": ('{"token": "\\ud800"}', "not JSON"),
    "surrogates in the theme": ('{"token": 1, "theme": "\\udfff"}', "not JSON"),
    "no object": ("[]", "object"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_greeting_that_is_none_is_answered_in_words(server, what):
    """A client whose greeting is wrong is sent an error message; the fixture checks the server's
    log for tracebacks."""
    greeting, words = WRONG[what]
    with connect(f"ws://{server.host}/ws", origin=server.url.rstrip("/")) as mine:
        mine.send(greeting if isinstance(greeting, str) else json.dumps(greeting).encode())
        said = json.loads(mine.recv(WAIT))
        assert said["code"] == "bad-request"
        assert words in said["message"]


def test_bytes_that_are_no_text_end_the_connection_without_a_traceback(server):
    with connect(f"ws://{server.host}/ws", origin=server.url.rstrip("/")) as mine:
        mine.protocol.send_text(b"\xed\xa0\x80")
        mine.socket.sendall(b"".join(mine.protocol.data_to_send()))
        with pytest.raises(ConnectionClosed) as closed:
            mine.recv(WAIT)
        assert closed.value.rcvd.code == 1007


def test_a_binary_frame_of_a_program_is_answered(server):
    with connect(f"ws://{server.host}/rpc") as mine:
        mine.send(b'{"jsonrpc": "2.0", "id": 1, "method": "hello"}')
        assert json.loads(mine.recv(WAIT))["id"] == 1
        mine.send(b"\xff")
        assert json.loads(mine.recv(WAIT))["error"]["code"] == -32700


# ---------------------------------------------------------------- at the tables


class Held:
    """Artists that replay nothing before they may."""

    def __init__(self, artists):
        self.artists, self.may, self.asked = artists, threading.Event(), []

    async def replay(self, task, client=None):
        self.asked.append(client)
        while not self.may.is_set():
            await asyncio.sleep(0.005)
        return await self.artists.replay(task, client)

    def __getattr__(self, name):
        return getattr(self.artists, name)


def test_others_are_answered_while_a_replay_is_computed(monkeypatch):
    """Nothing of a replay is computed in the server's own process. Meanwhile it answers everybody,
    including the client that asked; of later requests it shows the last; a table has one replay at
    a time, in the turn of the address that asks."""
    monkeypatch.setattr("dig_envs.server.thinking.replay", None)
    with serving() as client:
        lobby = client.app.state.lobby
        held = lobby.artists = Held(lobby.artists)
        table = played(table_of("twenty_questions_v0"), 10_000)
        game_id, tokens = lobby.store.add(table)
        lobby.store.rewrite(game_id, table)
        with Player(client, tokens[0]) as greedy, Player(client, tokens[1]) as modest:
            greedy.until("position")
            for moves in range(1, 15):
                greedy.send({"type": "replay", "moves": moves, "seat": None})
            modest.send({"type": "replay", "moves": 3, "seat": 1})
            assert greedy.asked("save")["complete"]
            assert modest.asked("save")["complete"]
            assert client.get("/").status_code == 200
            assert held.asked == ["testclient"]
            held.may.set()
            assert [greedy.until("replay")["moves"] for _ in range(2)] == [1, 14]
            assert modest.until("replay")["moves"] == 3
            assert len(held.asked) == 3
        assert not any(message["type"] == "error" for message in greedy.heard)


def test_positions_after_moves_are_drawn_first():
    """What somebody asks for again and again, such as another theme, keeps no move waiting; a move
    that comes meanwhile is told as one."""
    table = table_of(NAME)
    session, drawn = session_of(table), []

    async def drawing(task, client=None, again=False):
        drawn.append(again)
        return draw(task)

    session._artists = SimpleNamespace(draw=drawing, look=session._artists.look)
    seat = table.to_act()[0]
    connection = connected(session, seat)
    drawn.clear()

    def ask(**message):
        at_once(session.handle(connection, message))

    def act():
        ask(type="act", action=table.legal(seat)[0], at=table.version(seat))

    for asks in (
        [lambda: ask(type="theme", theme="")],
        [lambda: ask(type="name", name="Ada")],
        [act],
        [lambda: ask(type="theme", theme=""), act],
        [act, lambda: ask(type="theme", theme="")],
    ):
        until_decides(table, seat)
        at_once(session.due(connection))
        drawn.clear()
        for one in asks:
            one()
        at_once(session.due(connection))
        assert drawn == [act not in asks]


def test_who_sends_too_much_is_read_more_slowly():
    """The server delays reading from a client that sends too many messages and tells it so."""

    async def story():
        session = session_of(table_of(NAME))
        connection = connected(session, 0)
        connection.rate = Rate(1.0, burst=1)
        await asyncio.wait_for(session.handle(connection, {"type": "again"}), 10)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.handle(connection, {"type": "again"}), 0.01)
        assert connection.messages[-1]["code"] == "too-many"

    asyncio.run(story())


def test_a_long_log_is_told_in_parts(monkeypatch):
    monkeypatch.setattr("dig_envs.server.table.messages.LINES", 20)
    table = played(table_of("dino_dig_v0", max_turns=60), 10_000)
    messages = log_messages(table, 0, 3)
    assert len(messages) > 1
    told = [None] * 3
    for message in messages:
        assert message["from"] == len(told)
        assert len(message["lines"]) <= 20
        told += [line["words"] for line in message["lines"]]
    assert told[3:] == [line.words[0] for line in table.lines if 0 in line.words][3:]
    assert log_messages(table, 0, len(told)) == [{"type": "log", "from": len(told), "lines": []}]


# ---------------------------------------------------------------- thinking for programs


def choose(client, setting, **more):
    snapshot = table_of("diggity_v0").snapshot()
    return client.call(
        "choose",
        environment="diggity_v0",
        snapshot=snapshot,
        agent=f"search:{setting}",
        seed=1,
        **more,
    )


def test_simulations_are_bounded_by_time(monkeypatch):
    """A search by simulations stops when the time is up."""
    search_clock(monkeypatch)
    short, long = (
        choose(Client(Limits(ms=ms)), "sims=10000:depth=0")["statistics"]["simulations"]
        for ms in (20, 200)
    )
    assert 0 < short < long < 10_000


def test_every_name_keeps_the_limit_of_thinking(monkeypatch):
    """All that `describe` lists, alone and as the guide of a search; the answer says who played."""
    search_clock(monkeypatch)
    client = Client(Limits(ms=20))
    given = {"environment": NAME, "snapshot": table_of(NAME).snapshot(), "seed": 1}
    names = client.call("describe", environment=NAME)["agents"]
    no_guides = {*ANY_GAME, *load_game(NAME).players} - {"best"}
    guided = [f"{name}+search" for name in names if ":" not in name and name not in no_guides]
    for name in [*names, *guided]:
        if searches(name):
            answer = client.call("choose", **given, agent=name, budget={"sims": 10_000})
            assert 0 < answer["statistics"]["simulations"] < 1000, name
            assert answer["agent"].startswith("search:sims=10000"), name
        else:
            answer = client.call("choose", **given, agent=name)
            assert answer["statistics"] is None
            assert answer["agent"].rpartition("/")[2] not in ("best", *LEVELS), name
    assert "best+search" in guided
    for name in no_guides:
        refused = client.refusal("choose", **given, agent=f"{name}+search")
        assert "cannot guide a search" in str(refused)


@pytest.mark.parametrize(
    "setting",
    [
        "root=gumbel:sims=300",
        "threads=2:sims=301",
        "guide=go_dig/policy:sims=300",
        "reuse=1:sims=300",
    ],
)
def test_a_limit_of_time_that_is_not_reached_changes_nothing(setting):
    if "guide" in setting:
        shipped("go_dig/policy")
    table, found = played(table_of(NAME), 4), []
    for most in (None, 600.0):
        agent = load_agent(f"search:{setting}", NAME, 1)
        found.append(
            agent.search(table.world(table.deciding[0]), table.deciding[0], most_seconds=most)
        )
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].simulations == found[1].simulations


@pytest.mark.parametrize(
    "setting",
    ["400ms", "threads=2:400ms", "sims=100000000", "threads=2:sims=100000000", "root=gumbel:400ms"],
)
def test_a_search_ends_when_nobody_waits_for_it(setting):
    """All threads of a search end when the caller leaves, and the agent can search again."""

    class Left(Exception):
        pass

    def leave(share):
        raise Left

    table, agent = table_of(NAME), load_agent(f"search:{setting}", NAME, 1)
    position, seat = table.world(table.deciding[0]), table.deciding[0]
    with pytest.raises(Left):
        agent.search(position, seat, progress=leave, most_seconds=500.0)
    assert not agent._stopped
    assert agent.search(position, seat, most_seconds=0.01).action in table.legal(seat)


def test_a_list_has_a_limit_of_thinking():
    """Messages of a list that come after its limit of thinking are refused with an error; the next
    list has a new limit."""
    client = Client(Limits(list_ms=1))
    params = {"environment": NAME, "snapshot": table_of(NAME).snapshot(), "agent": "search:20ms"}
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": "choose", "params": params}
        for number in range(3)
    ]
    for _ in range(2):
        said = client.send([*messages, {"jsonrpc": "2.0", "id": 3, "method": "hello"}])
        assert ["result" in one for one in said] == [True, False, False, True]
        assert said[1]["error"]["data"]["type"] == "LimitError"
        assert "send the rest in another list" in said[1]["error"]["message"]


def test_programs_at_one_address_have_a_limit_of_thinking_a_minute():
    now = [0.0]
    minute = Minute(60.0, clock=lambda: now[0])
    minute.spend(65.0)
    with (
        pytest.raises(
            LimitError, match=r"60 s a minute for programs at one address; try again in 5 s"
        ),
        allowance(minute),
    ):
        pytest.fail("it may not think")
    now[0] = 5.1
    with allowance(minute):
        pass
    now[0] = 1000.0
    assert minute.left() == 60.0


def allowance(minute=None, gone=lambda: False):
    return Allowance(Limits(minute_ms=60_000), minute, gone).thinking()


def test_nothing_is_begun_for_who_is_gone():
    with pytest.raises(GoneError), allowance(gone=lambda: True):
        pytest.fail("nobody waits for it")
