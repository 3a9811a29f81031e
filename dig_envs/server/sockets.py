"""Connections that have not said yet what they want: how long they may take, and how many there may be."""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.places import Guest, Places

SPARE = 100  # files that a server has open besides connections


@dataclass(eq=False)
class Socket(Guest):
    """A connection. ``since``: when it began to send a request that is not all there yet; None where there is none."""

    since: float | None


class Doors:
    """Counts and limits all connections of a server.

    Args:
        bounds: limits.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.seconds = bounds.greeting_seconds
        self.places = Places(bounds.sockets, "connections", bounds, self._since)

    def _since(self, guest: Guest) -> float | None:
        assert isinstance(guest, Socket)
        return guest.since


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn does it; closes connections whose headers come too late, the slowest first where there are too many.

    Args:
        doors: all connections. given: what uvicorn gives to a protocol.
    """

    def __init__(self, doors: Doors, **given: Any) -> None:
        super().__init__(**given)
        self._doors = doors
        self._timer: asyncio.TimerHandle | None = None
        self._handed_over = False
        self._socket = Socket("", self._leave, None)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a connection in, if there is room."""
        super().connection_made(transport)
        self._socket.address = self.client[0] if self.client else ""
        try:
            self._doors.places.enter(self._socket)
        except TableError as error:
            self._send_away("503 Service Unavailable", str(error))
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection that has ended."""
        self._wait_no_more()
        self._doors.places.leave(self._socket)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and see whether the headers of a request are there."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._handed_over:
            return
        if self.cycle is None or self.cycle.response_complete:
            if self._timer is None:
                self._wait()
            return
        since = self._socket.since
        self._wait_no_more()
        if self.cycle.more_body:  # for which others have a clock
            self._socket.since = since

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand a WebSocket over, which is counted elsewhere."""
        self._wait_no_more()
        self._handed_over = True
        self._doors.places.leave(self._socket)
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Say that this is no HTTP, unless an answer has begun; the request before it gets none any more."""
        begun = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if begun:
            self.transport.close()
        else:
            super().send_400_response(msg)

    def _wait(self) -> None:
        self._socket.since = time.monotonic()
        self._timer = self.loop.call_later(self._doors.seconds, self._leave)

    def _wait_no_more(self) -> None:
        self._socket.since = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _leave(self) -> None:
        """Send away who has not said what it wants."""
        self._send_away("408 Request Timeout", f"the headers of a request must be there after {self._doors.seconds:g} seconds")

    def _send_away(self, status: str, words: str) -> None:
        self._wait_no_more()
        if self.transport.is_closing():
            return
        if self.cycle is None:  # otherwise there may be the end of an answer before it
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(words)}\r\nConnection: close\r\n\r\n"
            self.transport.write(f"{head}{words}".encode())
        self.transport.close()


def room_for(sockets: int) -> int:
    """Return how many connections there can be at a time, at most so many; allow this process the open files that they need."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return sockets
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = sockets + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, min(sockets, soft - SPARE))
    return sockets


def without_tracebacks(record: logging.LogRecord) -> bool:
    """A filter of the log: what comes from outside and is no text is told to who has sent it, and is no mistake of the server."""
    return not (record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError))
