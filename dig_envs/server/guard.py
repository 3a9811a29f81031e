"""The checks of every request (its address, the page it comes from, its length), and headers that
say what a page may do."""

import asyncio
import contextlib
import re
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.texts import message_text
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.places import Guest, Places

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
QUIET_SECONDS = 0.2  # after which who was told to stop has stopped sending
SLOW_SECONDS = 20.0  # after which a connection that takes no answer is closed
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
# a name or address, and perhaps a port
AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::[0-9]{1,5})?", re.ASCII)
USUAL_PORTS = {"http": ":80", "https": ":443"}  # which browsers leave out
STATUS = {
    "too-many": 429,
    "full": 503,
    "busy": 503,
    "store": 500,
    "too-slow": 408,
    "too-large": 413,
}
CHANGING = ("POST", "PUT", "PATCH", "DELETE")


def host_name(authority: str) -> str:
    """The host of ``host:port``, in small letters; empty if it has another form."""
    found = AUTHORITY.fullmatch(authority)
    return found[1].lower() if found else ""


def address_of(scope: Scope) -> str:
    """The origin of a request: the machine's address, or what a declared proxy says
    (:func:`dig_envs.server.listening.run_app`)."""
    return str((scope.get("client") or ("",))[0])


def refusal(error: TableError, status: int | None = None) -> Response:
    # whatever else was to be sent
    headers = {"Connection": "close"} if error.code in ("too-large", "too-slow") else {}
    return JSONResponse(
        {"error": {"code": error.code, "message": message_text(str(error))}},
        status or STATUS.get(error.code, 400),
        headers,
    )


class Guard:
    """Lets through what is addressed to this server by a name it has, and from its own pages where
    it comes from a browser.

    A name that only points here (DNS rebinding) is refused, and so are WebSockets and requests that
    change something from the pages of others. Programs send no ``Origin`` and are let through, but
    to ``strict`` paths, which are for the page.

    Args:
        app: behind it. hosts: the names of this server. strict: paths of WebSockets that need an
            ``Origin``.
        origins: of other pages that are let through as its own are.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: tuple[str, ...],
        strict: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
    ) -> None:
        self._app, self._hosts, self._strict, self._origins = app, hosts, strict, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal:
            await self._refuse(refusal, scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            async with asyncio.timeout(SLOW_SECONDS):  # of who does not take it
                await send(message)

        try:
            await self._app(scope, receive, send_guarded)
        except TimeoutError:
            if scope["type"] != "http":
                raise

    def _refusal(self, scope: Scope) -> str:
        """Why this is not let through; empty if it is."""
        headers = Headers(scope=scope)
        authorities = headers.getlist("host")
        if len(authorities) != 1 or host_name(authorities[0]) not in self._hosts:
            return (
                f"this server is reached as {', '.join(self._hosts)}; other names are given with "
                "--name"
            )
        web_socket = scope["type"] == "websocket"
        if not web_socket and scope["method"] not in CHANGING:
            return ""
        origins = headers.getlist("origin")
        if not origins:
            return (
                "a WebSocket from nowhere: the header Origin is missing"
                if web_socket and scope["path"] in self._strict
                else ""
            )
        secure = scope["scheme"] in ("https", "wss")
        # behind a proxy that ends TLS
        own = {f"{'https' if secure else 'http'}://{authorities[0]}", f"https://{authorities[0]}"}
        return (
            ""
            if len(origins) == 1 and origins[0] in {*own, *self._origins}
            else "this comes from the page of another site"
        )

    async def _refuse(self, refusal: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            # before accepting: HTTP 403
            await send({"type": "websocket.close", "code": 4403, "reason": refusal[:100]})
            return
        await PlainTextResponse(refusal, 403)(scope, receive, send)


class Uploads:
    """The requests whose content is not all there yet: so many, for so long; the oldest makes room
    for another.

    Args:
        bounds: limits.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._places = Places(bounds.uploads, "unfinished requests", self._since)

    def _since(self, guest: Guest) -> float:
        assert isinstance(guest, Upload)
        return guest.since

    async def content(self, request: Request, most: int | None = None) -> bytes:
        """The content of a request, of so many bytes at most (default: as many as the bounds say).

        Raises:
            TableError: it is too long, which is said before it is all there, it takes too long, or
                another needs its place.
        """
        most = self._bounds.upload_bytes if most is None else most
        reading = asyncio.create_task(self._read(request, most))
        upload = Upload(address_of(request.scope), reading.cancel, time.monotonic())
        try:
            self._places.enter(upload)
            async with asyncio.timeout(self._bounds.greeting_seconds):
                await asyncio.wait([reading])
            if reading.cancelled():
                raise TableError(
                    "too-slow",
                    "this request was the slowest of too many, and another needed its place",
                )
            return reading.result()
        except TimeoutError:
            seconds = self._bounds.greeting_seconds
            raise TableError(
                "too-slow", f"the content of a request must be there after {seconds:g} seconds"
            ) from None
        finally:
            self._places.leave(upload)
            reading.cancel()

    async def _read(self, request: Request, most: int) -> bytes:
        content, chunks = bytearray(), request.stream()
        try:
            async for chunk in chunks:
                content += chunk
                if len(content) > most:
                    await drained(chunks)
                    raise TableError("too-large", f"this request has at most {most} bytes")
        except ClientDisconnect:
            raise TableError("gone", "the connection ended before the request") from None
        return bytes(content)


async def drained(chunks: AsyncIterator[bytes]) -> None:
    """Read what still comes, until for a moment nothing does: with what is not read when the
    connection ends, the answer would be lost, too."""
    with contextlib.suppress(TimeoutError, StopAsyncIteration):
        while True:
            async with asyncio.timeout(QUIET_SECONDS):
                await anext(chunks)


@dataclass(eq=False)
class Upload(Guest):
    """A request that is not all there yet. ``since``: when it began."""

    since: float


class Inbox:
    """The messages of a WebSocket that wait to be answered. They are read as they come, so that the
    end of the connection is noticed whatever is done meanwhile.

    Args:
        websocket: which. messages, size: so many may wait, and so many characters or bytes in all.
    """

    def __init__(self, websocket: WebSocket, messages: int, size: int) -> None:
        self._websocket, self._messages, self._size = websocket, messages, size
        self._waiting: asyncio.Queue[str | bytes] = asyncio.Queue()
        self._length = 0  # of all that wait

    async def fill(self) -> None:
        """Read what comes until the connection ends; raises TableError if too much waits."""
        while (message := await self._websocket.receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            content = message["bytes"] if text is None else text
            self._length += len(content)
            self._waiting.put_nowait(content)
            if self._waiting.qsize() > self._messages or self._length > self._size:
                raise TableError(
                    "too-many",
                    f"at most {self._messages} messages may wait for an answer, of {self._size} "
                    "bytes in all",
                )

    async def next(self) -> str | bytes:
        """The next message, in the order in which they came; bytes if it is binary."""
        content = await self._waiting.get()
        self._length -= len(content)
        return content


def allowed_hosts(host: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names by which a server may be addressed that listens at ``host``: its own, those that
    were given, and this machine's; raises ValueError for an invalid name, or one with a port.

    A number is no name that could be made to point here."""
    for name in names:
        if not name or host_name(name) != name.lower():
            raise ValueError(
                "the name of a server is such as my-machine.example, without a port, not "
                f"{shown_in_message(name)}"
            )
    own = host_in_network(host)
    return tuple(
        dict.fromkeys([*LOOPBACK, *(name.lower() for name in names), *filter(None, [own])])
    )


def host_in_network(host: str) -> str:
    """A server's address in URLs: of one that listens at all addresses of this machine the one in
    its network, empty if there is none."""
    return network_address() if host in EVERYWHERE else f"[{host}]" if ":" in host else host.lower()


def network_address() -> str:
    """The IPv4 address of this machine in its network; empty if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # nothing is sent
        return str(probe.getsockname()[0])
    return ""


def allowed_origins(given: tuple[str, ...]) -> tuple[str, ...]:
    """The origins of other pages as browsers write them; raises ValueError for others."""
    origins = []
    for origin in given:
        scheme, mark, authority = origin.lower().partition("://")
        if origin == "*":
            raise ValueError(
                "with every origin, each page that somebody looks at could use this server: name "
                "those of your own pages"
            )
        if not mark or scheme not in USUAL_PORTS or not host_name(authority):
            raise ValueError(
                "an origin is such as https://my-site.example or http://localhost:5173, without a "
                f"path, not {shown_in_message(origin)}"
            )
        origins.append(f"{scheme}://{authority.removesuffix(USUAL_PORTS[scheme])}")
    return tuple(origins)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    return host in ("localhost", "::1") or host.startswith("127.")
