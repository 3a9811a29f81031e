"""``dig-envs mcp``: the server over standard input and output, or over HTTP."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from dig_envs.server.guard import allowed_hosts
from dig_envs.server.listening import run_app
from dig_envs.server.mcp.tables import Tables
from dig_envs.server.mcp.tools import make_server

PATH = "/mcp"


def run_stdio(tables: Tables) -> None:
    """Serve standard input and output until it ends. Whatever else is printed, by whatever library,
    goes to standard error."""
    make_server(tables).run("stdio")


def make_app(tables: Tables, host: str, names: tuple[str, ...]) -> Starlette:
    """Return the application for HTTP.

    Requests must be addressed to a name of this server, and those from a browser come from its own
    pages (against DNS rebinding).

    Args:
        host: where it listens. names: by which other machines may address this one.
    """
    hosts = allowed_hosts(host, names)
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[each for name in hosts for each in (name, f"{name}:*")],
        allowed_origins=[
            each
            for name in hosts
            for each in (f"http://{name}:*", f"https://{name}", f"https://{name}:*")
        ],
    )
    return make_server(tables).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=tables.limits.message_bytes,
        transport_security=security,
        host=host,
    )


def run_http(tables: Tables, host: str, port: int, names: tuple[str, ...]) -> None:
    """Serve HTTP until somebody stops it; prints the address once it is reachable.

    Args:
        host, port: where to listen; port 0 for a free one. names: by which other machines may
            address this one.
    """
    run_app(make_app(tables, host, names), host, port, PATH)
