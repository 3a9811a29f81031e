"""A connection of somebody who plays or watches."""

import asyncio
from collections import deque
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.words import Viewer
from dig_envs.engine.event_log import ALL
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.table.messages import Message, error_message

MOST_MESSAGES = 100  # waiting for a slow connection


class Connection:
    """A connection: whose it is, and what it has still to be told.

    Args:
        seat: None: who opened the table, or watches.
        theme: of pictures; empty: none are wanted.
        bounds: limits.
    """

    def __init__(self, seat: Viewer, theme: str, bounds: Bounds) -> None:
        self.seat, self.theme = seat, theme
        self.rate = Rate(bounds.messages_per_second)
        self.wake = asyncio.Event()
        self.open = False  # whether it is shown all hands
        self.stale = True  # the position has changed
        self.told = 0  # lines of the log
        self.messages: deque[Message] = deque(maxlen=MOST_MESSAGES)
        self.searching = False
        self.drawing = asyncio.Lock()  # of a replay: pictures come in the order in which they were asked for

    @property
    def viewer(self) -> Viewer:
        """What the connection may know: that of its seat, what is public, or all."""
        return ALL if self.open else self.seat

    def tell(self, message: Message) -> None:
        """Have a message sent to this connection alone."""
        self.messages.append(message)
        self.wake.set()

    def refuse(self, error: Exception) -> None:
        """Have an error sent."""
        self.tell(error_message(error))

    def tell_position(self) -> None:
        """Have the position sent as it will be then."""
        self.stale = True
        self.wake.set()


def check_theme(theme: Any) -> str:
    """The theme of pictures; raises TableError."""
    if theme not in ("light", "dark", ""):
        raise TableError("bad-request", f"theme is light, dark or empty (no pictures), not {shown_in_message(theme)}")
    return str(theme)
