"""Threads that stay, and share the work of a batch."""

import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

LOOK = 0.2  # seconds after which a missed bell is made up for


class Job:
    """Functions that several threads call, each once. Whoever is free takes the next one."""

    def __init__(self, functions: Sequence[Callable[[], Any]]) -> None:
        self.left = deque(enumerate(functions))
        self.results: list[Any] = [None] * len(functions)
        self.errors: list[BaseException] = []
        self.begun: list[None] = []  # an entry for each other thread that has looked at it …
        self.ended: list[None] = []  # … and that has left it
        self.bell: SimpleQueue[None] = SimpleQueue()

    def work(self, take: Callable[[], tuple[int, Callable[[], Any]]]) -> None:
        """Take functions and call them until there are none, also after an error."""
        while True:
            try:
                place, function = take()
            except IndexError:
                return
            try:
                self.results[place] = function()
            except BaseException as error:
                self.errors.append(error)

    def help(self) -> None:
        """What another thread does."""
        self.begun.append(None)
        self.work(self.left.pop)
        self.ended.append(None)
        self.bell.put(None)

    def finish(self) -> None:
        """Do what is left, and wait for the threads that have begun."""
        self.work(self.left.popleft)
        while len(self.ended) < len(self.begun):
            try:
                self.bell.get(timeout=LOOK)
            except Empty:
                continue


class Threads:
    """A number of threads, of which the one that calls is one.

    A thread that wakes up late does less, and is not waited for. The thread that calls takes from
    the front and the others from the back, so that most games stay in the cache of the same core.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.process = os.getpid()  # threads do not survive a fork
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._started = 0
        self._end = weakref.finalize(self, _end, self._jobs, size)
        self._end.atexit = False

    def call(self, functions: Sequence[Callable[[], Any]]) -> list[Any]:
        """Call functions, each once, and return their results, in their order.

        After an error or an interrupt the others are called all the same, and no thread works on
        when it is raised.
        """
        job, others = Job(functions), min(self.size, len(functions)) - 1
        while True:
            try:
                for _ in range(self._started, others):
                    Thread(target=_listen, args=(self._jobs,), daemon=True).start()
                    self._started += 1
                while others > 0:
                    others -= 1
                    self._jobs.put(job)
                job.finish()
                break
            except BaseException as error:  # an interrupt, or no thread could be started
                job.errors.append(error)
                others = 0
        if job.errors:
            raise job.errors[0]
        return job.results

    def close(self) -> None:
        """End the threads."""
        self._end()


def _listen(jobs: "SimpleQueue[Job | None]") -> None:
    while (job := jobs.get()) is not None:
        job.help()
        del job  # and all that it holds, until the next one comes


def _end(jobs: "SimpleQueue[Job | None]", size: int) -> None:
    for _ in range(size):
        jobs.put(None)
