"""``dig-envs mcp``: the server over standard input and output, or over HTTP."""

from contextlib import closing

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import Guard, Uploads, address_of, allowed_hosts, refusal
from dig_envs.server.listening import run_app
from dig_envs.server.mcp.calls import Calls, client_address
from dig_envs.server.mcp.tables import Tables
from dig_envs.server.mcp.tools import make_server
from dig_envs.server.places import Guest, Places

PATH = "/mcp"
WIDER = 4  # times as many requests as those for which agents may think: others find room


def run_stdio(tables: Tables) -> None:
    """Serve standard input and output until it ends. Whatever else is printed, by whatever library,
    goes to standard error."""
    with closing(Calls(tables.limits, Bounds())) as calls:
        make_server(tables, calls).run("stdio")


class Requests:
    """Lets through so many requests at a time, half of them of one address at most, each when its
    content is there, and notes their address for :class:`~dig_envs.server.mcp.calls.Calls`.

    Each request is answered by itself: there are no sessions that clients could pile up, and no
    streams that the server would begin.

    Args:
        app: behind it. bounds: limits.
    """

    def __init__(self, app: ASGIApp, bounds: Bounds) -> None:
        self._app = app
        self._uploads = Uploads(bounds)
        self._places = Places(WIDER * bounds.programs, "requests", lambda guest: None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        guest = Guest(address_of(scope), lambda: None)
        try:
            content = await self._uploads.content(Request(scope, receive))
            self._places.enter(guest)
        except TableError as error:
            await refusal(error)(scope, receive, send)
            return
        parts: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

        async def receive_again() -> Message:
            return parts.pop() if parts else await receive()

        noted = client_address.set(guest.address)
        try:
            await self._app(scope, receive_again, send)
        finally:
            client_address.reset(noted)
            self._places.leave(guest)


def make_app(tables: Tables, hosts: tuple[str, ...], bounds: Bounds, calls: Calls) -> Starlette:
    """The application for HTTP.

    Args:
        tables: the games. hosts: the names by which the server may be addressed. bounds: limits.
        calls: carries out what is asked for.
    """
    app = make_server(tables, calls).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=bounds.upload_bytes,
        # Guard looks at hosts and origins
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.add_middleware(Requests, bounds=bounds)
    app.add_middleware(Guard, hosts=hosts)  # before it
    return app


def run_http(
    tables: Tables,
    host: str,
    port: int,
    names: tuple[str, ...],
    bounds: Bounds,
    proxies: tuple[str, ...] = (),
) -> None:
    """Serve HTTP until somebody stops it; prints the address once it is reachable.

    Args:
        tables: the games.
        host, port: where to listen; port 0 for a free one. names: by which other machines may
            address this one.
        bounds: limits. proxies: the addresses of proxies in front of it.

    Raises:
        OSError: the port is taken. ValueError: a wrong name or proxy.
    """
    with closing(Calls(tables.limits, bounds)) as calls:
        app = make_app(tables, allowed_hosts(host, names), bounds, calls)
        run_app(app, host, port, bounds, proxies, PATH)
