"""How long agents may think for a program, and whether it still waits for the answer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dig_envs.server.protocol.limits import LimitError, Limits

MINUTE = 60.0
# addresses of which it is known how much was thought for them, until the least are forgotten
MANY = 1000


class GoneError(Exception):
    """Nobody waits for the answer any more."""


class Minute:
    """Seconds of thinking in a minute on average, from any thread: so many at once after a quiet
    minute, and so on.

    Args:
        seconds: so many. clock: for tests.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = seconds, clock
        self._left, self._then = seconds, clock()
        self._lock = threading.Lock()

    def left(self) -> float:
        """The seconds that are left; less than 0 if the last thought took more than there were."""
        with self._lock:
            now = self._clock()
            self._left = min(self._most, self._left + (now - self._then) * self._most / MINUTE)
            self._then = now
            return self._left

    def spend(self, seconds: float) -> None:
        with self._lock:
            self._left -= seconds

    def wait(self) -> float:
        """The seconds until something is left again."""
        return max(0.0, -self.left()) * MINUTE / self._most


class Minutes:
    """The minutes of many addresses.

    Args:
        seconds: of thinking that each has.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._of: dict[str, Minute] = {}

    def of(self, address: str) -> Minute:
        if address not in self._of:
            while len(self._of) >= MANY:
                del self._of[max(self._of, key=lambda one: self._of[one].left())]
            self._of[address] = Minute(self._seconds)
        return self._of[address]


class Allowance:
    """The limit on how long agents may think for a list of messages, or a single one.

    Args:
        limits: of it. minute: of all that come from the same address; None: no limit. gone: whether
            nobody waits any more. address: where they come from.
    """

    def __init__(
        self,
        limits: Limits,
        minute: Minute | None = None,
        gone: Callable[[], bool] = lambda: False,
        address: str = "",
    ) -> None:
        self._limits, self._minute, self._gone, self.address = limits, minute, gone, address
        self._spent = 0.0

    def check(self, share: float = 0.0) -> None:
        """Raise GoneError if nobody waits any more; ``share``: how much is done, as searches tell
        it."""
        if self._gone():
            raise GoneError

    def clock(self, what: str) -> Callable[[], None]:
        """A check of a task that begins now. It raises LimitError after the time that a search may
        take, GoneError if nobody waits. ``what``: for its message."""
        most = self._limits.ms / 1000
        end = time.monotonic() + most

        def check() -> None:
            self.check()
            if time.monotonic() > end:
                raise LimitError(f"{what} took longer than {most:g} s")

        return check

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Let an agent think meanwhile; raises LimitError if that is not allowed any more,
        GoneError if nobody waits."""
        self.check()
        most = self._limits.list_ms / 1000
        if most and self._spent >= most:
            raise LimitError(
                f"agents may think for {most:g} s for one list, and have: send the rest in "
                "another list"
            )
        if self._minute is not None and self._minute.left() <= 0:
            seconds, later = self._limits.minute_ms / 1000, max(1, round(self._minute.wait()))
            raise LimitError(
                f"agents may think for {seconds:g} s a minute for programs at one address; try "
                f"again in {later} s"
            )
        began = time.monotonic()
        try:
            yield
        finally:
            took = time.monotonic() - began
            self._spent += took
            if self._minute is not None:
                self._minute.spend(took)
