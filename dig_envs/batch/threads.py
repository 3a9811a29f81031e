"""Threads that stay, and share the work of one call after another."""

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any


class _Shared:
    """What the threads of a team know: the shares that nobody has taken yet, and what came of the
    others."""

    def __init__(self) -> None:
        self.shares = deque[Callable[[], Any]]()
        self.results: list[Any] = []
        self.errors: list[BaseException] = []
        self.ended = False

    def work(self, take: Callable[[], Callable[[], Any]]) -> None:
        """Take shares until there are none, also after an error."""
        while True:
            try:
                share = take()
            except IndexError:
                return
            try:
                self.results.append(share())
            except BaseException as error:
                self.errors.append(error)


class Threads:
    """A number of threads, of which the caller's is one. The others wait between calls.

    Whoever is free takes the next share, so that a thread that wakes up late, or whose core is
    slow, does less. The caller takes from the front and the others from the back: from call to call
    most games stay in the cache of the same core.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._process = 0  # in which the threads are: they do not survive a fork
        self._started: list[tuple[threading.Thread, Any, Any]] = []
        self._shared = _Shared()

    def run(self, shares: Iterable[Callable[[], Any]]) -> list[Any]:
        """Call functions, each once, and return their results in any order; raises the first error
        or interrupt when all have been called.
        """
        if self._process != os.getpid():
            self._start()
        shared = self._shared
        shared.shares.extend(shares)
        for _, gate, _ in self._started:
            if gate.locked():  # else it has not woken up since the last time, but will
                gate.release()
        try:
            shared.work(shared.shares.popleft)
        finally:
            shared.work(shared.shares.popleft)  # after an interrupt there may be more
            for _, _, working in self._started:
                with working:
                    pass
            results, shared.results = shared.results, []
            errors, shared.errors = shared.errors, []
        if errors:
            raise errors[0]
        return results

    def _start(self) -> None:
        self._process, self._shared, self._started = os.getpid(), _Shared(), []
        for _ in range(self._number - 1):
            gate, working = threading.Lock(), threading.Lock()
            gate.acquire()
            thread = threading.Thread(
                target=_wait_and_work,
                args=(self._shared, gate, working),
                name="dig_envs",
                daemon=True,
            )
            thread.start()
            self._started.append((thread, gate, working))
        weakref.finalize(self, _end, self._shared, self._started, self._process)

    def close(self) -> None:
        """End the threads; :meth:`run` starts new ones."""
        _end(self._shared, self._started, self._process)
        for thread, _, _ in self._started:
            thread.join()
        self._process, self._started = 0, []


def _wait_and_work(shared: _Shared, gate: Any, working: Any) -> None:
    """What a thread does. ``gate`` is opened where there are shares; ``working`` is locked while it
    may be at one."""
    while True:
        gate.acquire()
        if shared.ended:
            return
        with working:
            shared.work(shared.shares.pop)


def _end(shared: _Shared, started: list[tuple[threading.Thread, Any, Any]], process: int) -> None:
    shared.ended = True
    for _, gate, _ in started if process == os.getpid() else ():
        if gate.locked():
            gate.release()
