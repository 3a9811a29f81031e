"""A connection of somebody who plays or watches."""

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any, TypeVar

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.words import Viewer
from dig_envs.engine.event_log import ALL
from dig_envs.pictures.drawing import LAYOUTS
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.protocol.methods import converted
from dig_envs.server.table.messages import Message, error_message

Form = TypeVar("Form")
MOST_MESSAGES = 100  # waiting for a slow connection
SENT_SECONDS = 0.05  # between two looks whether they were sent


class Connection:
    """A connection: whose it is, and what it has still to be told.

    Args:
        seat: None: who opened the table, or watches.
        theme: of pictures; empty: none are wanted.
        bounds: limits.
        layout: of pictures.
        address: where it comes from; those at one address share their turns.
    """

    def __init__(
        self, seat: Viewer, theme: str, bounds: Bounds, layout: str = "wide", address: str = ""
    ) -> None:
        self.seat, self.theme, self.layout, self.address = seat, theme, layout, address
        self.rate = Rate(bounds.messages_per_second)
        self.wake = asyncio.Event()
        self.open = False  # whether it is shown all hands
        self.stale = True  # the position has changed
        self.asked = False  # but only what somebody has asked for, such as the theme: no move
        self.told = 0  # lines of the log, of those that this viewer is told of
        self.messages: deque[Message] = deque(maxlen=MOST_MESSAGES)
        # what it has asked for that takes time, by kind: one of each at a time
        self.jobs: dict[str, asyncio.Task[None]] = {}
        self.wanted: tuple[int, Viewer, bool] | None = (
            None  # of a replay, what was asked for last: moves, seat, whether all is shown
        )

    @property
    def viewer(self) -> Viewer:
        """The viewer as which the connection looks: its seat, None for what is public, or all."""
        return ALL if self.open else self.seat

    def tell(self, message: Message) -> None:
        """Have a message sent to this connection alone."""
        self.messages.append(message)
        self.wake.set()

    async def until_sent(self) -> None:
        """Wait until everything was taken to be sent that this connection alone is told."""
        while self.messages:
            await asyncio.sleep(SENT_SECONDS)

    def refuse(self, error: Exception) -> None:
        """Have an error sent."""
        self.tell(error_message(error))

    def works_on(self, kind: str) -> bool:
        """Whether it waits for something of a kind that it has asked for."""
        return kind in self.jobs and not self.jobs[kind].done()

    def begin(self, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin something that takes time, while other messages are answered."""
        self.jobs[kind] = asyncio.create_task(work)

    def end(self) -> None:
        """Stop what goes on for it, since nobody waits for the answers any more."""
        for job in self.jobs.values():
            job.cancel()

    def tell_position(self, asked: bool = False) -> None:
        """Have the position sent as it will be then. ``asked``: not because of a move, but because
        somebody has asked for something: positions after moves come first."""
        self.asked = asked and (self.asked or not self.stale)
        self.stale = True
        self.wake.set()


def checked(given: Any, form: type[Form], name: str) -> Form:
    """What came from outside, called by a name, in the form that it must have; raises
    TableError."""
    try:
        return converted(given, form, name)
    except ValueError as error:
        raise TableError("bad-request", str(error)) from None


def check_theme(theme: Any) -> str:
    """The theme of pictures; raises TableError."""
    if theme not in ("light", "dark", ""):
        raise TableError(
            "bad-request",
            f"theme is light, dark or empty (no pictures), not {shown_in_message(theme)}",
        )
    return str(theme)


def check_layout(layout: Any) -> str:
    """The layout of pictures; raises TableError."""
    if layout not in LAYOUTS:
        raise TableError(
            "bad-request", f"layout is {' or '.join(LAYOUTS)}, not {shown_in_message(layout)}"
        )
    return str(layout)
