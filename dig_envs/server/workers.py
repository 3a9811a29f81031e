"""Processes that think for agents and draw, so that nobody else waits: each task has a time
limit."""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from dig_envs.agents.advice import Advice
from dig_envs.agents.mistakes import Mistake
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.thinking import (
    Advise,
    Answer,
    Decision,
    Draw,
    Drawing,
    Look,
    LookBack,
    Prepare,
    Replay,
    Replayed,
    Task,
    Think,
    serve_tasks,
)
from dig_envs.server.turns import Turns

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
SHORT = 0.01  # seconds that something takes about that is not searched
BACK = 3.0  # seconds that looking for mistakes takes about
LOOK = 0.5  # seconds after which a waiting thread looks whether it shall stop


class Worker:
    """One process. It is started when it is first needed, and anew after it was ended.

    Args:
        patience: how much lower its priority is than that of the server, 0 to 19.
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._process: Any = None
        self._pipe: Any = None
        self.closed = False

    @property
    def pid(self) -> int | None:
        """The process's number, if there is one."""
        return self._process.pid if self._process is not None else None

    def ask(self, task: Task, seconds: float) -> Answer:
        """Have a task done, and wait for it; for a thread of its own.

        Raises:
            TableError: it took too long, the process ended, or the server ends; it was ended, and
                the next call starts another.
            ValueError: the agent cannot do that; the message says why.
        """
        self._start()
        until = time.monotonic() + seconds
        try:
            self._pipe.send(task)
            while True:
                left = until - time.monotonic()
                if self.closed:
                    self.end()
                    raise TableError("failed", "the server was told to end")
                if left <= 0:
                    self.end()
                    raise TableError("too-slow", f"no answer within {seconds:g} seconds")
                if not self._pipe.poll(min(left, LOOK)):
                    continue
                answer = self._pipe.recv()
                if isinstance(answer, Exception):
                    raise answer
                return answer  # type: ignore[no-any-return]
        except (EOFError, OSError):
            self.end()
            raise TableError("failed", "the process that was thinking ended") from None

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        self.end()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=serve_tasks, args=(theirs, self._patience), daemon=True, name="dig-envs-thinking"
        )
        self._process.start()
        theirs.close()  # so that our end reports the end of the process

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None


class Workers:
    """Several processes, for use in an event loop.

    Who asks for little comes before who asks for much, and no table has more of them than another
    that asks, too.

    Args:
        bounds: how long they may take, and how much may wait for one.
        processes: that there are. long: of these, so many at most do what takes long.
        patience: how much lower their priority is than that of the server, 0 to 19.
    """

    def __init__(self, bounds: Bounds, processes: int, long: int, patience: int = 0) -> None:
        for name in ONE_THREAD:  # the processes inherit it
            os.environ.setdefault(name, "1")
        self._bounds = bounds
        self._workers = [Worker(patience) for _ in range(processes)]
        # the last used one, whose code and agents are in memory
        self._free = list(reversed(self._workers))
        self._turns = Turns(processes, long, bounds.queue)
        self._threads = ThreadPoolExecutor(processes, "dig-envs-worker")
        self._prepared: dict[Prepare, None] = {}
        self._preparing: dict[Prepare, asyncio.Task[None]] = {}

    def pids(self) -> list[int]:
        return [worker.pid for worker in self._workers if worker.pid is not None]

    async def think(self, task: Think, client: Hashable = None, seconds: float = 0.0) -> Decision:
        """Let an agent decide.

        Args:
            task: what about. client: who asks, such as a table.
            seconds: that it will take; 0 for an agent that does not search.

        Raises:
            TableError: too slow, too many others wait, or the process ended. ValueError: the agent
                cannot decide.
        """
        decision = await self._ask(
            task, self._bounds.think_seconds, client, seconds or SHORT, bool(seconds)
        )
        assert isinstance(decision, Decision)
        return decision

    async def advise(
        self, task: Advise, client: Hashable = None, seconds: float = 0.0
    ) -> list[Advice]:
        """Let an agent advise, as :meth:`think`."""
        found = await self._ask(task, self._bounds.think_seconds, client, seconds or 1.0, True)
        assert isinstance(found, list)
        return cast("list[Advice]", found)

    async def look_back(self, task: LookBack, client: Hashable = None) -> list[Mistake]:
        """Find the largest mistakes of a seat; raises as :meth:`think`."""
        found = await self._ask(task, self._bounds.think_seconds, client, BACK, True)
        assert isinstance(found, list)
        return cast("list[Mistake]", found)

    async def draw(self, task: Draw, client: Hashable = None, again: bool = False) -> Drawing:
        """Have a position told and drawn; raises as :meth:`think`. ``again``: not after a move, so
        that others come first."""
        drawing = await self._ask(task, self._bounds.think_seconds, client, 1.0, again)
        assert isinstance(drawing, Drawing)
        return drawing

    async def look(self, task: Look, client: Hashable = None) -> bool:
        """Whether an action has shown something new; raises as :meth:`think`."""
        shows = await self._ask(task, self._bounds.think_seconds, client, 1.0, False)
        assert isinstance(shows, bool)
        return shows

    async def replay(self, task: Replay, client: Hashable = None) -> Replayed:
        """Play moves of a game that is over again; raises as :meth:`think`."""
        replayed = await self._ask(task, self._bounds.think_seconds, client, 1.0, True)
        assert isinstance(replayed, Replayed)
        return replayed

    async def prepare(self, task: Prepare) -> None:
        """Have everything compiled that a table needs, and its agents looked at; what was done
        before is not done again."""
        if task in self._prepared:
            return
        if task not in self._preparing:
            self._preparing[task] = asyncio.create_task(self._prepare(task))
        await asyncio.shield(self._preparing[task])

    async def _prepare(self, task: Prepare) -> None:
        try:
            await self._ask(task, self._bounds.compile_seconds, task, SHORT, True)
            self._prepared[task] = None
            while len(self._prepared) > self._bounds.tables:
                del self._prepared[next(iter(self._prepared))]
        finally:
            del self._preparing[task]

    async def _ask(
        self, task: Task, most: float, client: Hashable, cost: float, long: bool
    ) -> Answer:
        """The answer to a task, ``most`` seconds after its beginning; who is cancelled while others
        are served is forgotten."""
        await self._turns.wait(client, cost, long)
        loop, worker = asyncio.get_running_loop(), self._free.pop()

        def free(done: asyncio.Future[Answer]) -> None:
            if not done.cancelled():
                done.exception()  # seen, also if nobody waits for the answer any more
            self._free.append(worker)
            self._turns.leave(long)

        answer = loop.run_in_executor(self._threads, worker.ask, task, most)
        answer.add_done_callback(free)
        return await asyncio.shield(answer)

    def close(self) -> None:
        for worker in self._workers:
            worker.closed = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.end()
