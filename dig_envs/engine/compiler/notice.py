"""Lines on stderr: when compiling or something else takes a while, and when it is done in a slower
way."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import Any

from dig_envs.engine.core.texts import message_text

PATIENCE = 2.0  # seconds of compiling that need no explanation


class Notice:
    """Says once for each game, on stderr, that its functions are being compiled, when that has
    taken longer than ``PATIENCE``. ``DIG_ENVS_QUIET=1`` keeps it quiet."""

    def __init__(self) -> None:
        self._key: Any = None  # of the game that is being compiled, since …
        self._began = 0.0
        self._seconds: dict[str, float] = {}  # spent for each game
        self._said: set[str] = set()

    @contextmanager
    def compiling(self, key: Any) -> Iterator[None]:
        """While something is compiled whose :class:`~dig_envs.engine.compiler.cache.CacheKey` this
        is.

        Compiling a function compiles those that it calls; a lock lets one thread do it.
        """
        is_outermost = self._key is None and key.is_game
        if is_outermost:
            self._key, self._began = key, time.monotonic()
        self._tell()
        try:
            yield
        finally:
            if is_outermost:
                self._seconds[key.name] = self._spent()
                self._key = None

    def _tell(self) -> None:
        if self._key is None or self._key.name in self._said or self._spent() <= PATIENCE:
            return
        self._said.add(self._key.name)
        how_often = (
            "once: the code is kept in the cache (`dig-envs compile` does it at one go, for all "
            "games)"
            if self._key.kept_in is not None
            else "in each process: the code is not kept"
        )
        say(
            f"compiling {self._key.name} for this computer, which takes 5 to 30 seconds in all, "
            f"{how_often}"
        )

    def _spent(self) -> float:
        """Seconds for the game that is being compiled."""
        return self._seconds.get(self._key.name, 0.0) + time.monotonic() - self._began


compiling = Notice().compiling


def say(what: str) -> None:
    """Write a line to stderr, unless nothing is to be said."""
    if not is_quiet():
        print(f"dig_envs: {message_text(what)}", file=sys.stderr, flush=True)


def is_quiet() -> bool:
    """Whether nothing is to be said: it was asked for, or this is a worker process, of which there
    may be many."""
    return os.environ.get("DIG_ENVS_QUIET", "0") not in ("", "0") or parent_process() is not None
