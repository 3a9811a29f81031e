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
        # compiling a function compiles those that it calls; a lock lets one thread do it
        self._depth = 0
        self._game, self._is_kept = "", True  # of the outermost function
        self._began = 0.0
        self._seconds: dict[str, float] = {}  # spent for each game
        self._said: set[str] = set()

    @contextmanager
    def compiling(self, key: Any) -> Iterator[None]:
        """While something is compiled whose :class:`~dig_envs.engine.compiler.cache.CacheKey` this
        is."""
        if self._depth == 0 and not key.is_game:
            yield
            return
        self._depth += 1
        if self._depth == 1:
            self._game, self._began = key.name, time.monotonic()
            self._is_kept = key.kept_in is not None
        if self._game not in self._said and self._spent() > PATIENCE:
            self._said.add(self._game)
            how_often = (
                "once: the code is kept in the cache (`dig-envs compile` does it at one go, for "
                "all games)"
                if self._is_kept
                else "in each process: the code is not kept"
            )
            say(
                f"compiling {self._game} for this computer, which takes 5 to 30 seconds in all, "
                f"{how_often}"
            )
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._seconds[self._game] = self._spent()

    def _spent(self) -> float:
        """Seconds for the game that is being compiled."""
        return self._seconds.get(self._game, 0.0) + time.monotonic() - self._began


compiling = Notice().compiling


def say(what: str) -> None:
    """Write a line to stderr, unless nothing is to be said."""
    if not is_quiet():
        print(f"dig_envs: {message_text(what)}", file=sys.stderr, flush=True)


def is_quiet() -> bool:
    """Whether nothing is to be said: it was asked for, or this is a worker process, of which there
    may be many."""
    return os.environ.get("DIG_ENVS_QUIET", "0") not in ("", "0") or parent_process() is not None
