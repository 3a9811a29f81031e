"""The limits of a server of tables, and the error that says that something is not done."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from dig_envs.engine.core.errors import DigEnvsError


class TableError(DigEnvsError, ValueError):
    """Something that was asked of a table and is not done; nothing has changed.

    Attributes:
        code: for programs, such as ``"not-your-turn"``; the message is for people.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Bounds:
    """Limits of a server.

    Attributes:
        tables: games that are kept, finished or not. days: after which a game that nobody has
            touched may be deleted for another.
        names: under which results are kept; of more, those used last the longest time ago go.
        connections, per_table: WebSockets in all and at one table.
        spare: connections beside those of tables and programs, such as for the page.
        programs: connected to ``/rpc``, and requests there at a time.
        uploads: requests whose content is not all there yet.
        message_bytes: of a message. table_bytes: of a request for a table. upload_bytes: of any
            other.
        messages_per_second: of one connection. tables_per_minute: new ones in all; twice as many at
            once.
        think_ms: the most that an agent's name may ask for. think_seconds: after which a thinking
            process is ended.
        compile_seconds: the same where compiled code is made first.
        workers: processes that think; there is one more for players that do not search. queue:
            tasks that wait for one.
        artists: processes that draw.
        program_seconds, list_seconds: of thinking at ``/rpc``, in a minute for one address, and for
            one list of messages.
        program_idle_seconds: after which a program that asks nothing makes room for another.
        greeting_seconds: until the head of a request is there, until its content is, and until a
            new connection to a table has said whose it is.
        delay_seconds: the longest pause between the moves of agents.
        models: names of language models that may be seated, just as they stand here.

    Raises:
        ValueError: one of them is no finite number, or less than 0.
    """

    tables: int = 2000
    days: float = 30.0
    names: int = 500
    connections: int = 500
    spare: int = 200
    per_table: int = 32
    programs: int = 50
    uploads: int = 50
    message_bytes: int = 1 << 14
    table_bytes: int = 1 << 16
    upload_bytes: int = 1 << 20
    messages_per_second: float = 20.0
    tables_per_minute: float = 120.0
    think_ms: int = 5000
    think_seconds: float = 20.0
    compile_seconds: float = 600.0
    workers: int = 2
    queue: int = 200
    artists: int = 2
    program_seconds: float = 60.0
    list_seconds: float = 20.0
    program_idle_seconds: float = 30.0
    greeting_seconds: float = 10.0
    delay_seconds: float = 10.0
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "models" and not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a number, at least 0, not {value}")

    @property
    def sockets(self) -> int:
        """Connections of any kind in all, those that have asked for nothing, too."""
        return self.connections + self.programs + self.uploads + self.spare


class Rate:
    """So many things per second, and twice as many (or ``burst``) at once after a quiet time.
    ``clock``: seconds, for tests."""

    def __init__(
        self,
        per_second: float,
        burst: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_second, self._clock = per_second, clock
        self._most = 2 * per_second if burst is None else burst
        self._left, self._then = self._most, clock()

    def allows(self) -> bool:
        """Whether one more is in order now; if so, it counts."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._then) * self.per_second)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
