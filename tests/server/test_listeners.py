"""What every server of this package does with whoever reaches it: the tables with the protocol
(``dig-envs serve``), and the games for language models (``dig-envs mcp --http``)."""

import asyncio
import http.client
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
import uvicorn
from mcp import Client

from dig_envs.commands.main import app
from dig_envs.server.bounds import Bounds
from dig_envs.server.guard import allowed_hosts, network_address
from dig_envs.server.listening import Connections, Http, check_proxies, web_sockets
from dig_envs.server.listening import listener as listener_at
from tests.server.asking import Server, mcp_command, serve_command

LIMITS = {"workers": 1, "programs": 8, "uploads": 4, "connections": 12, "spare": 16}
LIMITS["greeting_seconds"] = 2.0
KINDS: dict[str, tuple[Callable[..., list[str]], str]] = {
    "serve": (lambda **more: serve_command(None, **more), "/rpc"),
    "mcp": (mcp_command, "/mcp"),
}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {}}
ACCEPTED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
WAIT = 60  # seconds, after which a test has failed


class Listener:
    """A server of one of the kinds."""

    def __init__(self, kind: str, **more: Any) -> None:
        command, self.path = KINDS[kind]
        self.server = Server(command(**{**LIMITS, **more}))
        host, port = self.server.host.split(":")
        self.address = host, int(port)

    def status(self, **headers: str) -> int:
        """The status of a POST with these headers."""
        with closing(http.client.HTTPConnection(*self.address, timeout=WAIT)) as connection:
            sent = {**ACCEPTED, **headers}
            connection.putrequest("POST", self.path, skip_host="Host" in sent)
            body = json.dumps(HELLO).encode()
            for name, value in {**sent, "Content-Length": str(len(body))}.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            return connection.getresponse().status

    def open(self, text: str) -> socket.socket:
        """A connection on which something was sent."""
        opened = socket.create_connection(self.address, timeout=WAIT)
        opened.sendall(text.encode())
        return opened

    def unfinished(self, address: str) -> socket.socket:
        """A request whose content is missing, and which says that it comes from an address."""
        head = f"POST {self.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
        return self.open(f"{head}X-Forwarded-For: {address}\r\n\r\n[")

    def close(self) -> None:
        self.server.close()


@pytest.fixture(scope="module", params=KINDS)
def listener(request: pytest.FixtureRequest) -> Iterator[Listener]:
    with closing(Listener(request.param)) as one:
        yield one


def has_ended(opened: socket.socket, seconds: float) -> bool:
    """Whether the server ends a connection, or answers on it, within some seconds."""
    opened.settimeout(seconds)
    try:
        opened.recv(1 << 16)
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "localhost:evil.com", "localhost.evil.com", "localhost:80:80", "localhost:",
        "evil.example:8000", "[::1", "user@localhost", "localhost:8000/", "", "127.0.0.1.evil.com",
    ],
)  # fmt: skip
def test_a_server_is_addressed_by_its_names_only(listener: Listener, host: str) -> None:
    assert listener.status(Host=host) in (400, 403)


def test_only_pages_of_its_own_may_ask(listener: Listener) -> None:
    """The port counts, too."""
    own = listener.server.host
    port = listener.address[1]
    assert listener.status() == listener.status(Origin=f"http://{own}")
    assert listener.status(Origin=f"http://{own}") not in (400, 403)
    for origin in (
        "http://localhost:9999",
        f"http://127.0.0.1:{port + 1}",
        f"http://localhost:{port}",  # another site than the one that was addressed
        "http://127.0.0.1",
        f"http://127.0.0.1:{port}.evil.com",
        "http://evil.example",
        "null",
        "",
    ):
        assert listener.status(Origin=origin) == 403, origin


def test_unfinished_heads_end_and_lock_nobody_out(listener: Listener) -> None:
    """On new connections, and after a request."""
    with ExitStack() as held:
        made = [
            held.enter_context(closing(listener.open("POST /r HTTP/1.1\r\nHo"))) for _ in range(100)
        ]
        assert listener.status() not in (503, 400)
        # one address has half of the places; the others made room
        assert sum(has_ended(one, 0.05) for one in made) >= 100 - Bounds(**LIMITS).sockets // 2
        assert has_ended(made[-1], LIMITS["greeting_seconds"] + 10)
    with closing(listener.open("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")) as opened:
        assert opened.recv(1 << 16)
        start = time.monotonic()
        opened.sendall(b"GET / HTTP/1.1\r\n")
        assert has_ended(opened, LIMITS["greeting_seconds"] + 10)
        assert time.monotonic() - start < LIMITS["greeting_seconds"] + 5


def test_connections_that_have_ended_are_forgotten() -> None:
    """Also those that asked for a WebSocket and never got one, and those that made room."""
    head = "GET / HTTP/1.1\r\nHost: localhost\r\n"
    upgrade = f"{head}Connection: Upgrade\r\nUpgrade: websocket\r\n"
    key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    asked = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal asked
        asked += 1
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body"})

    async def story() -> None:
        bounds = Bounds(**{**LIMITS, "greeting_seconds": WAIT})
        connections = Connections(app, bounds)
        config = uvicorn.Config(
            connections,
            http=connections.counted(Http, begins=True),
            ws=connections.counted(web_sockets(), begins=False),
            lifespan="off",
            log_level="critical",
        )
        server = uvicorn.Server(config)
        with listener_at("127.0.0.1", 0) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            for sent in (head, upgrade, f"{upgrade}{key}"):
                reader, writer = await asyncio.open_connection(*listening.getsockname())
                writer.write(f"{sent}\r\n".encode())
                assert await reader.read(1)
                writer.close()
            while server.server_state.connections:
                await asyncio.sleep(0.01)
            assert not len(connections)
            writers = []
            for _ in range(bounds.sockets):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                writers.append(writer)
            while len(server.server_state.connections) > bounds.sockets // 2:
                await asyncio.sleep(0.01)
            assert 0 < len(connections) <= bounds.sockets // 2
            for writer in writers:
                writer.close()
            while server.server_state.connections:
                await asyncio.sleep(0.01)
            assert not len(connections)
            server.should_exit = True
            await serving

    asyncio.run(asyncio.wait_for(story(), WAIT))
    assert asked == 2


@pytest.mark.parametrize(
    ("kind", "proxies"),
    [("serve", ()), ("serve", ("127.0.0.1",)), ("mcp", ("127.0.0.1",)), ("mcp", ("203.0.113.7",))],
)
def test_only_a_proxy_that_was_declared_is_believed(kind: str, proxies: tuple[str, ...]) -> None:
    """One address has half of the places for unfinished requests; further ones end its oldest."""
    with (
        closing(Listener(kind, proxies=proxies, greeting_seconds=30.0)) as one,
        ExitStack() as held,
    ):
        made = [
            held.enter_context(closing(one.unfinished(f"198.51.100.{number}")))
            for number in range(3)
        ]
        assert has_ended(made[0], 1.0) == (proxies != ("127.0.0.1",))
        assert not has_ended(made[2], 0.1)


def test_names_and_proxies_of_another_form_are_refused() -> None:
    for name in ("localhost:8000", "http://x", "a b", "x/y", ""):
        with pytest.raises(ValueError, match="the name of a server"):
            allowed_hosts("127.0.0.1", (name,))
    everywhere = allowed_hosts("0.0.0.0", ("Table.example",))
    assert "table.example" in everywhere
    assert network_address() in (*everywhere, "")
    assert "0.0.0.0" not in everywhere
    for proxy in ("*", "localhost", "10.0.0.0/8", "", "127.0.0.1:80"):
        with pytest.raises(ValueError, match="named by its IP address"):
            check_proxies((proxy,))
    assert check_proxies(("127.0.0.1", "::1")) == ("127.0.0.1", "::1")


def test_the_same_options_at_both_commands() -> None:
    import typer

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name in ("serve", "mcp"):
        options = {option for parameter in commands[name].params for option in parameter.opts}
        assert {"--host", "--port", "--name", "--proxy"} <= options


# ---------------------------------------------------------------- thinking for others


def test_cheap_calls_do_not_wait_for_the_searches_of_others() -> None:
    """One client asks for eighty hints; those that are too many are refused, and another client is
    answered meanwhile."""

    async def story(address: str) -> None:
        async with Client(address, read_timeout_seconds=WAIT) as greedy, Client(address) as modest:
            keys = [
                (await client.call_tool("start_game", {"environment": "go_dig_v0"}))
                .structured_content["keys"][0]["key"]
                for client in (greedy, modest)
            ]  # fmt: skip
            asked = {"key": keys[0], "agent": "search:2000ms"}
            hints = [asyncio.create_task(greedy.call_tool("hint", asked)) for _ in range(80)]
            done, _ = await asyncio.wait(hints, return_when=asyncio.FIRST_COMPLETED)
            assert "one address has at most" in done.pop().result().content[0].text
            for _ in range(10):
                for tool, more in (("look", {"key": keys[1]}), ("list_games", {})):
                    answer = await modest.call_tool(tool, more)
                    assert not answer.is_error
            # the searches go on: nothing of this waited for them
            waiting = [hint for hint in hints if not hint.done()]
            assert waiting
            for hint in waiting:
                hint.cancel()
            await asyncio.gather(*hints, return_exceptions=True)
            # nobody waits for them any more, so that another search comes soon
            last = await modest.call_tool("hint", {"key": keys[1], "agent": "search:50ms"})
            assert not last.is_error, last.content

    with closing(Server(mcp_command(workers=1, uploads=200))) as server:
        asyncio.run(asyncio.wait_for(story(server.url.rstrip("/")), 2 * WAIT))


def test_a_server_that_is_stopped_does_not_wait_for_searches() -> None:
    ended = []

    async def story(server: Server) -> None:
        async with Client(server.url.rstrip("/"), read_timeout_seconds=WAIT) as client:
            game = await client.call_tool("start_game", {"environment": "go_dig_v0"})
            key = game.structured_content["keys"][0]["key"]
            asked = {"key": key, "agent": "search:30000ms"}
            hint = asyncio.create_task(client.call_tool("hint", asked))
            await asyncio.sleep(2.0)
            assert not hint.done()
            server.process.send_signal(signal.SIGINT)
            ended.append(await asyncio.to_thread(server.process.wait, 15))
            hint.cancel()

    with closing(Server(mcp_command(workers=1, ms=30_000))) as server:
        with suppress(Exception):  # of the client, whose server is no more
            asyncio.run(asyncio.wait_for(story(server), WAIT))
        assert ended


def test_an_address_has_a_limit_of_thinking_a_minute() -> None:
    """Then opponents wait, and the call says so; hints are refused."""

    async def story(address: str) -> None:
        async with Client(address, read_timeout_seconds=WAIT) as client:
            game = {"environment": "go_dig_v0", "opponents": "search:300ms", "seats": [1]}
            started = await client.call_tool("start_game", game)
            told = started.structured_content
            key = told["keys"][0]["key"]
            said = ""
            for _ in range(20):
                if "waiting" in told:
                    break
                action = told["actions"].split("\n")[1].split(":")[0]
                answer = await client.call_tool("play", {"key": key, "action": action})
                assert not answer.is_error, answer.content
                told = answer.structured_content
            assert "a minute for programs at one address" in told["waiting"]
            said = (await client.call_tool("hint", {"key": key})).content[0].text
            assert "no decision" in said or "a minute" in said

    with closing(Server(mcp_command(workers=1, minute_ms=100))) as server:
        asyncio.run(asyncio.wait_for(story(server.url.rstrip("/")), 2 * WAIT))
