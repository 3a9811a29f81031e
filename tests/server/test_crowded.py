"""What one client does not do to others: over real connections, at a server in a process of its own with narrow limits."""

import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from dig_envs.server import speed
from tests.server.tables import table_of

NAME = "go_dig_v0"
LIMITS = """
import sys
from dig_envs.server.app import serve
from dig_envs.server.bounds import Bounds
serve("127.0.0.1", 0, None, (), Bounds(workers=1, programs=8, uploads=8, sockets=40, connections=12, greeting_seconds=2.0,
                                       program_idle_seconds=0.0, list_seconds=1000.0, program_seconds=1000.0))
"""
WAIT = 60  # seconds, after which a test has failed


class Server(speed.Server):
    """A server whose log is kept."""

    def __init__(self, log):
        self.log = log
        with log.open("w") as errors, pytest.MonkeyPatch.context() as patch:
            popen = subprocess.Popen
            patch.setattr(subprocess, "Popen", lambda *args, **more: popen(*args, **more, stderr=errors))
            super().__init__([sys.executable, "-c", LIMITS])
        host, port = self.host.split(":")
        self.address = host, int(port)

    def open(self, text):
        """A connection on which something was sent."""
        opened = socket.create_connection(self.address, timeout=WAIT)
        opened.sendall(text.encode())
        return opened

    def hello(self):
        with speed.post(self.host) as client:
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
    """What comes until the connection is closed."""
    parts = []
    while part := opened.recv(1 << 16):
        parts.append(part)
    return b"".join(parts).decode()


HEAD = "Host: localhost\r\n"
UNFINISHED = {
    "nothing": "",
    "headers": f"GET / HTTP/1.1\r\n{HEAD}",
    "content": f"POST /rpc HTTP/1.1\r\n{HEAD}Content-Length: 100\r\n\r\n[",
    "table": f"POST /api/tables HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[",
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_unfinished_requests_lock_nobody_out(server, what):
    """More of them than there are places; each is told that it is too slow, and its connection ends."""
    with crowd(lambda: server.open(UNFINISHED[what]), 50) as held:
        server.hello()
        said = answer_of(held[-1])
    assert said.startswith("HTTP/1.1 408" if what != "table" else "HTTP/1.1 503"), said
    assert "must be there after 2 seconds" in said


def test_slow_content_after_an_answer_holds_no_connection(server):
    """A request that is refused before it is all there ends the connection."""
    with closing(server.open(f"POST /rpc HTTP/1.1\r\n{HEAD}Content-Length: 3000000\r\n\r\n" + "x" * 1_100_000)) as opened:
        assert answer_of(opened).startswith("HTTP/1.1 413")


def test_headers_one_by_one_are_too_slow(server):
    """The time is for all of them, and it begins anew with each request of a connection."""
    with closing(server.open(f"GET / HTTP/1.1\r\n{HEAD}\r\n")) as opened:
        opened.recv(1 << 16)
        opened.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            send_slowly(opened)


def send_slowly(opened):
    """Ten seconds of headers."""
    for number in range(200):
        opened.sendall(f"X-{number}: 1\r\n".encode())
        time.sleep(0.05)


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
    params = {"environment": NAME, "snapshot": table_of(NAME).snapshot(), "agent": "search", "budget": {"ms": ms}}
    return json.dumps([{"jsonrpc": "2.0", "id": number, "method": "choose", "params": params} for number in range(count)])


def test_nobody_waits_for_the_searches_of_who_is_gone(server):
    """Over both ways, a hundred searches of five seconds each; another one is asked for afterwards."""
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


WRONG = {
    "binary": ({"token": "0" * 32}, "binary"),
    "surrogates": ('{"token": "\\ud800"}', "no JSON"),
    "surrogates in the theme": ('{"token": 1, "theme": "\\udfff"}', "no JSON"),
    "no object": ("[]", "object"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_greeting_that_is_none_is_answered_in_words(server, what):
    """And it leaves no traceback in the log, which is looked at when the server has ended."""
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
