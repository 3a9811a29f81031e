"""The order in which clients are served where many wait for few places: each gets the same share,
however much it asks for."""

import asyncio
import heapq
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar

from dig_envs.server.bounds import TableError

QUICK = 1  # threads for what takes no time, which are there however much is thought
Result = TypeVar("Result")
Waiting = tuple[float, int, "asyncio.Future[None]"]


class Line:
    """Those who wait for places: the one with the earliest start by start-time fair queuing (Goyal,
    Vin and Cheng, 1996).

    A client's request starts, in a time of the line's own, when its last one is over, but not
    before the line is: who asks for little comes before who has asked for much, and who has not
    asked for long is next, without credit for the past.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._over: dict[Hashable, float] = {}  # client -> when its last request is over
        self._waiting: list[Waiting] = []
        self._numbers = count()

    def join(self, client: Hashable, cost: float) -> "asyncio.Future[None]":
        """Wait; the result is there when it is the client's turn. ``cost``: of what it asks for,
        such as seconds."""
        start = max(self._now, self._over.get(client, 0.0))
        self._over[client] = start + cost
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (start, next(self._numbers), future))
        return future

    def call(self) -> bool:
        """Let the next one go on who still waits; False if nobody does."""
        while self._waiting:
            start, _, future = heapq.heappop(self._waiting)
            self._now = max(self._now, start)
            if not future.done():
                future.set_result(None)
                return True
        self._now = max(self._over.values(), default=self._now)  # nobody waits: all begin anew
        self._over.clear()
        return False


class Turns:
    """Places for what is done at the same time, in two lines: what is short goes before what is
    long.

    Args:
        places: for both. long: of these, so many at most for what is long. waiting: so many may
            wait.
    """

    def __init__(self, places: int, long: int, waiting: int) -> None:
        self._free, self._long, self._most = places, long, waiting
        self._lines = {False: Line(), True: Line()}
        self._count = 0

    async def wait(self, client: Hashable, cost: float, long: bool) -> None:
        """Wait for a place, which :meth:`leave` gives back."""
        if self._count >= self._most:
            raise TableError("busy", f"{self._count} others wait already; try again later")
        turn = self._lines[long].join(client, cost)
        self._count += 1
        self._call()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was called in the same moment
                self.leave(long)
            turn.cancel()
            raise
        finally:
            self._count -= 1

    def leave(self, long: bool) -> None:
        """Give a place back."""
        self._free += 1
        self._long += long
        self._call()

    def _call(self) -> None:
        """Let those go on for whom there are places."""
        while self._free and self._lines[False].call():
            self._free -= 1
        while self._free and self._long and self._lines[True].call():
            self._free -= 1
            self._long -= 1


class Threads:
    """Threads in which what clients ask for is done when it is their turn.

    Args:
        long: so many for what is long, beside those for what is short. waiting: so many may wait.
        name: of the threads.
    """

    def __init__(self, long: int, waiting: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(long + QUICK, name)
        self._turns = Turns(long + QUICK, long, waiting)

    async def run(self, client: Hashable, long: bool, work: Callable[[], Result]) -> Result:
        """The result of the work; raises TableError if too many wait."""
        await self._turns.wait(client, 1.0, long)

        def free(done: asyncio.Future[Result]) -> None:
            if not done.cancelled():
                done.exception()  # seen, also if nobody waits for the answer any more
            self._turns.leave(long)

        answer = asyncio.get_running_loop().run_in_executor(self._pool, work)
        answer.add_done_callback(free)
        return await asyncio.shield(answer)

    def close(self) -> None:
        """Begin nothing any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
