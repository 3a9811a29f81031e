"""Serving an application at an address of this machine, until somebody stops it."""

import asyncio
import socket
import time
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

# seconds of processor time in which what is read at a time is handled, unless it is many tiny parts
USUAL = 0.0002
SHARE = 0.002  # of the time that may be used beyond that for one connection
SAVED = 0.004  # seconds of it that a connection has after a quiet time
FEW = 16  # bytes that are read at a time from who has used up its share
MOST_UNSENT = 1 << 22  # bytes that were not taken yet by who sends all the same
MOST_FRAGMENTS = 10_000  # of a message


class TakingTurns(asyncio.BufferedProtocol):
    """A connection from which a little is read at a time: who sends many tiny frames or chunks,
    which take long to read, keeps nobody waiting."""

    transport: asyncio.Transport
    _buffer = memoryview(bytearray(4096))  # of all connections: it is read at once
    _left, _then = SAVED, 0.0

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where to write what comes."""
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


class WebSockets(WebSocketsSansIOProtocol, TakingTurns):
    """A WebSocket."""

    def data_received(self, data: bytes) -> None:
        """Read frames, unless those of a message that is not finished are too many."""
        if len(self.frames) > MOST_FRAGMENTS:
            self.transport.abort()
            return
        super().data_received(data)


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
    config = uvicorn.Config(app, http=Http, ws=WebSockets, **quiet, **settings)
    with listener(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{listening.getsockname()[1]}{path}  (stop with Ctrl-C)", flush=True)
        if note:
            print(note, flush=True)
        uvicorn.Server(config).run(sockets=[listening])
