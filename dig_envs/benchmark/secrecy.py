"""Keeping what this process knows from other processes of the same user, as far as the operating
system can."""

import ctypes
from functools import cache

SET_DUMPABLE = 4  # of prctl(2), on Linux


@cache
def hide_memory() -> bool:
    """Forbid other processes of the same user to read this one's memory, and return whether the
    system did (Linux only).

    After that, debuggers and profilers of the same user cannot attach to this process either. The
    superuser still can.
    """
    try:
        return bool(ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0) == 0)
    except (OSError, AttributeError, TypeError):  # no such function: macOS, Windows
        return False
