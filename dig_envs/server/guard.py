"""The checks of every request (its address, the page it comes from, its length), and headers that say what a page may do."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dig_envs.server.bounds import TableError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
CHANGING = ("POST", "PUT", "PATCH", "DELETE")


def host_name(authority: str) -> str:
    """The host of ``host:port``, in small letters."""
    if authority.startswith("["):
        return authority.partition("]")[0].lower() + "]"
    return authority.partition(":")[0].lower()


class Guard:
    """Lets through what is addressed to this server by a name it has, and from its own pages where it comes from a browser.

    A name that only points here (DNS rebinding) is refused, and so are WebSockets and requests that change something from the pages
    of others. Programs send no ``Origin`` and are let through, but to ``strict`` paths, which are for the page.

    Args:
        app: behind it. hosts: the names of this server. strict: paths of WebSockets that need an ``Origin``.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], strict: tuple[str, ...] = ()) -> None:
        self._app, self._hosts, self._strict = app, hosts, strict

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
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> str:
        """Why this is not let through; empty if it is."""
        headers = Headers(scope=scope)
        authorities = headers.getlist("host")
        if len(authorities) != 1 or host_name(authorities[0]) not in self._hosts:
            return f"this server is reached as {', '.join(self._hosts)}; other names are given with --name"
        web_socket = scope["type"] == "websocket"
        if not web_socket and scope["method"] not in CHANGING:
            return ""
        origins = headers.getlist("origin")
        if not origins:
            return "a WebSocket from nowhere: the header Origin is missing" if web_socket and scope["path"] in self._strict else ""
        secure = scope["scheme"] in ("https", "wss")
        own = {f"{'https' if secure else 'http'}://{authorities[0]}", f"https://{authorities[0]}"}  # behind a proxy that ends TLS
        return "" if len(origins) == 1 and origins[0] in own else "this comes from the page of another site"

    async def _refuse(self, refusal: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": refusal[:100]})  # before accepting: HTTP 403
            return
        await PlainTextResponse(refusal, 403)(scope, receive, send)


async def body(request: Request, most: int) -> bytes:
    """The content of a request; raises TableError if it is too long, before it is all there."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise TableError("bad-request", f"a request has at most {most} bytes")
    return bytes(content)


def allowed_hosts(host: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names by which a server may be addressed that listens at ``host``: its own, those that were given, and this machine's."""
    own = () if host in ("0.0.0.0", "::", "") else ((f"[{host}]" if ":" in host else host).lower(),)
    return tuple(dict.fromkeys([*LOOPBACK, *own, *(name.lower() for name in names)]))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    return host in ("localhost", "::1") or host.startswith("127.")
