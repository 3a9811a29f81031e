"""Serving an application at an address of this machine, until somebody stops it."""

import socket
from typing import Any

import uvicorn


def listener(host: str, port: int) -> socket.socket:
    """A socket on which connections wait; raises OSError if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or asyncio lets answers wait for more to send.
    listening = socket.socket(family, proto=socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen()
    return listening


def run_app(
    app: Any, host: str, port: int, path: str = "/", note: str = "", **settings: Any
) -> None:
    """Serve until somebody stops it; prints the address once it is reachable.

    Args:
        app: an ASGI application. host, port: where to listen; port 0 for a free one.
        path: of the address that is printed. note: a line printed after it.
        settings: of uvicorn.

    Raises:
        OSError: the port is taken.
    """
    quiet: dict[str, Any] = {"access_log": False, "server_header": False, "log_level": "warning"}
    config = uvicorn.Config(app, **quiet, **settings)
    with listener(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{listening.getsockname()[1]}{path}  (stop with Ctrl-C)", flush=True)
        if note:
            print(note, flush=True)
        uvicorn.Server(config).run(sockets=[listening])
