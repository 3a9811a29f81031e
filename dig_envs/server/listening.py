"""Serving an application at an address of this machine, until somebody stops it: how many
connections there may be, and for how long they may ask for nothing."""

import asyncio
import ipaddress
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import host_in_network
from dig_envs.server.places import Guest, Places

SWITCH_SECONDS = 0.001  # for which a thread that answers a client may keep the event loop waiting
# seconds of processor time in which what is read at a time is handled, unless it is many tiny parts
USUAL = 0.0002
SHARE = 0.002  # of the time that may be used beyond that for one connection
SAVED = 0.004  # seconds of it that a connection has after a quiet time
FEW = 16  # bytes that are read at a time from who has used up its share
MOST_UNSENT = 1 << 22  # bytes that were not taken yet by who sends all the same
MOST_FRAGMENTS = 10_000  # of a message
ENDING_SECONDS = 3  # for which what is being answered goes on when somebody stops the server


class TakingTurns(asyncio.BufferedProtocol):
    """A connection from which a little is read at a time: who sends many tiny frames or chunks,
    which take long to read, keeps nobody waiting."""

    transport: asyncio.Transport
    _buffer = memoryview(bytearray(4096))  # of all connections: it is read at once
    _left, _then = SAVED, 0.0

    def get_buffer(self, sizehint: int) -> memoryview:
        now = time.monotonic()
        self._left = min(SAVED, self._left + SHARE * (now - self._then))
        self._then = now
        return self._buffer if self._left > 0 else self._buffer[:FEW]

    def buffer_updated(self, nbytes: int) -> None:
        """Read what came."""
        if self.transport.get_write_buffer_size() > MOST_UNSENT:
            self.transport.abort()
            return
        began = time.thread_time()
        self.data_received(bytes(self._buffer[:nbytes]))
        self._left -= max(0.0, time.thread_time() - began - USUAL)

    def data_received(self, data: bytes) -> None:
        """Read what came, as the protocol does that this is mixed into."""
        raise NotImplementedError


class Http(H11Protocol, TakingTurns):
    """HTTP."""


def web_sockets() -> type[asyncio.BaseProtocol]:
    """The WebSocket protocol; it needs the package ``websockets``, which HTTP alone does not."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    class WebSockets(WebSocketsSansIOProtocol, TakingTurns):
        def data_received(self, data: bytes) -> None:
            """Read frames, unless those of a message that is not finished are too many."""
            if len(self.frames) > MOST_FRAGMENTS:
                self.transport.abort()
                return
            super().data_received(data)

    return WebSockets


def listener(host: str, port: int) -> socket.socket:
    """A socket on which connections wait; raises OSError if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or asyncio lets answers wait for more to send.
    listening = socket.socket(family, proto=socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen()
    return listening


@dataclass(eq=False)
class Connection(Guest):
    """A connection. ``since``: when it began to ask for nothing; None: it is being answered.
    ``ending``: ends it when that was too long."""

    since: float | None = None
    ending: asyncio.TimerHandle | None = None


class Connections:
    """The connections of a server, around its application: so many, half of them of one address at
    most, and each is ended that does not ask for something in time.

    Args:
        app: the application.
        bounds: limits.
        proxies: addresses at which many others may be behind one.
    """

    def __init__(self, app: ASGIApp, bounds: Bounds, proxies: tuple[str, ...] = ()) -> None:
        self._app, self._seconds, self._proxies = app, bounds.greeting_seconds, proxies
        self._places = Places(bounds.sockets, "connections", self._since)
        self._open: dict[tuple[str, int], Connection] = {}

    def __len__(self) -> int:
        return max(len(self._open), len(self._places))

    @staticmethod
    def _since(guest: Guest) -> float | None:
        return cast(Connection, guest).since

    def counted(self, protocol: Any, begins: bool) -> Any:
        """A protocol of uvicorn that tells this object when a connection ends, and with ``begins``
        also when one begins."""
        connections = self

        class Protocol(protocol):
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                if begins:
                    connections.begin(transport)

            def connection_lost(self, exc: Exception | None) -> None:
                connections.end(self.transport)
                super().connection_lost(exc)

        return Protocol

    def begin(self, transport: Any) -> None:
        """Give a new connection a place, or end it."""
        host, port = peer = peer_of(transport)
        address = f"{host}:{port}" if host in self._proxies else host

        def leave() -> None:
            self._forget(peer)
            transport.abort()

        connection = Connection(address, leave)
        self._wait(connection)
        try:
            self._places.enter(connection)
        except TableError:
            self._answer(connection)
            transport.abort()
        else:
            self._open[peer] = connection

    def end(self, transport: Any) -> None:
        """Take the place of a connection that has ended."""
        self._forget(peer_of(transport))

    def _forget(self, peer: tuple[str, int]) -> None:
        if (connection := self._open.pop(peer, None)) is not None:
            self._answer(connection)
            self._places.leave(connection)

    def _wait(self, connection: Connection) -> None:
        connection.since = time.monotonic()
        loop = asyncio.get_running_loop()
        connection.ending = loop.call_later(self._seconds, connection.leave)

    def _answer(self, connection: Connection) -> None:
        connection.since = None
        if connection.ending is not None:
            connection.ending.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, which does not wait any more until it is answered."""
        peer = tuple(scope.get("client") or ("", 0))
        connection = self._open.get(peer)
        if connection is None:
            await self._app(scope, receive, send)
            return
        self._answer(connection)
        try:
            await self._app(scope, receive, send)
        finally:
            if self._open.get(peer) is connection:
                self._wait(connection)


def peer_of(transport: Any) -> tuple[str, int]:
    """Address and port of the other end."""
    host, port, *_ = transport.get_extra_info("peername") or ("", 0)
    return str(host), int(port)


def check_proxies(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of proxies; raises ValueError for other texts than IP addresses."""
    for address in addresses:
        try:
            ipaddress.ip_address(address)
        except ValueError:
            raise ValueError(
                "a proxy is named by its IP address, such as 127.0.0.1, not "
                f"{shown_in_message(address)}"
            ) from None
    return addresses


def run_app(
    app: ASGIApp,
    host: str,
    port: int,
    bounds: Bounds,
    proxies: tuple[str, ...] = (),
    path: str = "/",
    note: str = "",
    with_web_sockets: bool = False,
    **settings: Any,
) -> None:
    """Serve until somebody stops it; prints the address once it is reachable.

    Args:
        app: an ASGI application. host, port: where to listen; port 0 for a free one.
        bounds: limits. proxies: the addresses of proxies, whose header X-Forwarded-For says where a
            request comes from; nobody else's is believed.
        path: of the address that is printed. note: a line printed after it.
        with_web_sockets: whether the application answers them.
        settings: of uvicorn.

    Raises:
        OSError: the port is taken. ValueError: a proxy is no IP address.
    """
    behind: Any = app
    if check_proxies(proxies):
        behind = ProxyHeadersMiddleware(behind, list(proxies))
    connections = Connections(behind, bounds, proxies)
    quiet: dict[str, Any] = {"access_log": False, "server_header": False, "log_level": "warning"}
    config = uvicorn.Config(
        connections,
        http=connections.counted(Http, begins=True),
        ws=connections.counted(web_sockets(), begins=False) if with_web_sockets else "none",
        proxy_headers=False,
        timeout_graceful_shutdown=ENDING_SECONDS,
        **quiet,
        **settings,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    with listener(host, port) as listening:
        shown = host_in_network(host) or "127.0.0.1"
        print(f"http://{shown}:{listening.getsockname()[1]}{path}  (stop with Ctrl-C)", flush=True)
        if note:
            print(note, flush=True)
        uvicorn.Server(config).run(sockets=[listening])
