"""Keeping what the processes of a measurement know from the players that they measure, as far as
the operating system can."""

import os
from functools import cache
from pathlib import Path

from dig_envs.agents.supervisor import LINUX, SET_CHILD_SUBREAPER, SET_DUMPABLE, descendants, prctl
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError


@cache
def hide_memory() -> frozenset[int]:
    """Forbid other processes of the same user to read this one's memory, and return the processes
    that this one has started until now (on Linux; elsewhere nothing is forbidden).

    After that, debuggers and profilers of the same user cannot attach to this process either. The
    superuser still can. A file of the memory that was opened before stays readable, so that this
    must come before any code of a player runs. What descends from this process and has lost its
    parent becomes its child.
    """
    prctl(SET_DUMPABLE, 0)
    prctl(SET_CHILD_SUBREAPER, 1)
    return frozenset(descendants(os.getpid())) if LINUX else frozenset()


def check_no_player_is_left() -> None:
    """Raise BenchmarkError if a process that a player has started is still there, before other
    processes begin that must be hidden from it.

    Such processes end with their player, unless it has killed its supervisor
    (:mod:`dig_envs.agents.supervisor`). They are in other sessions than this one, and none can join
    this one's.
    """
    before = hide_memory()
    if not LINUX:
        return
    for process in descendants(os.getpid()):
        if process not in before and _is_in_another_session(process):
            raise BenchmarkError(
                f"process {process} ({_command(process)}) is in another session, as if it was "
                "started by a player that was measured before, and may read the memory of those "
                "that begin now: end it"
            )


def _command(process: int) -> str:
    """The command of a process, which is not always a player's."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").strip()
    except OSError:
        words = b""
    return shown_in_message(words.decode(errors="replace"))


def _is_in_another_session(process: int) -> bool:
    try:
        is_dead = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
        return os.getsid(process) != os.getsid(0) and not is_dead
    except OSError:
        return False
