"""SIGTERM, which ``timeout`` and clusters send to end a program, is as Ctrl-C."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def at_sigterm(handler: Callable[..., Any] = signal.default_int_handler) -> Iterator[None]:
    """Call this at SIGTERM during the body; else KeyboardInterrupt is raised, as at Ctrl-C."""
    before = signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def as_program(work: Callable[[], None]) -> None:
    """Run a program; one that is interrupted says so and ends with status 130."""
    try:
        with at_sigterm():
            work()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
