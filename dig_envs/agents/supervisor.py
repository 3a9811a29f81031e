"""The parent of a program that plays (:mod:`dig_envs.agents.external`): it ends all that the
program has started.

    python -I -S supervisor.py FILE COMMAND …

FILE is the number of an open file: the end of a pipe whose other end the process holds that asks
the program. When that process writes a byte, when its end closes, however the process ended, or
when the program ends, all of the program's processes are killed; then this process ends as the
program did.

On Linux these are all processes that descend from the program, also those in sessions of their own
and those whose parents have ended: such a process becomes a child of this one
(``PR_SET_CHILD_SUBREAPER`` of prctl(2)). On other systems they are those of its process group. A
program that kills this process ends with it (``PR_SET_PDEATHSIG``), but not what it has started.

It is started by its path and imports nothing of this package.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

SET_PDEATHSIG, SET_DUMPABLE, SET_CHILD_SUBREAPER = 1, 4, 36  # of prctl(2)
COULD_NOT_START = 127  # exit status, as that of a shell
LINUX = sys.platform == "linux"


def prctl(option: int, value: int) -> bool:
    """Set an attribute of this process, and return whether the system did (Linux only)."""
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError, TypeError):  # no such function: macOS, Windows
        return False


def descendants(ancestor: int) -> list[int]:
    """The ids of all processes that descend from one, from /proc."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(ancestor, []))
    for process in found:  # which grows
        found += children.get(process, [])
    return found


def end_program(program: int) -> None:
    """Kill the processes of a program until there are none."""
    while True:
        with suppress(OSError):
            os.killpg(program, signal.SIGKILL)
        for process in descendants(os.getpid()) if LINUX else ():
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def become(command: list[str]) -> NoReturn:
    """Turn this process into the program, in a session of its own."""
    os.setsid()
    prctl(SET_PDEATHSIG, signal.SIGKILL)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:
        os.write(2, f"could not be started: {error}".encode())
    os._exit(COULD_NOT_START)


def main() -> NoReturn:
    """Run a program, and end all of its processes when it is over."""
    pipe, command = int(sys.argv[1]), sys.argv[2:]
    prctl(SET_DUMPABLE, 0)  # no program of the same user can change what this process does
    prctl(SET_CHILD_SUBREAPER, 1)
    program = os.fork()
    if program == 0:
        os.close(pipe)
        become(command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):  # these are the program's: who reads them sees when it closes them
        os.dup2(nothing, number)

    def end_with_the_pipe() -> None:
        os.read(pipe, 1)
        with suppress(OSError):
            os.kill(program, signal.SIGKILL)

    threading.Thread(target=end_with_the_pipe, daemon=True).start()
    status = None
    while status is None:
        ended, how = os.wait()  # also children that it was given
        status = os.waitstatus_to_exitcode(how) if ended == program else None
    end_program(program)
    if status < 0:
        with suppress(OSError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
