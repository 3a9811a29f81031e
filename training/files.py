"""Files and folders of a run: written whole or not at all, held by one training at a time, swept, tried before they are needed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # where there is none (Windows), two trainings in one folder are not noticed
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
DRAFTS = (".*.tmp", ".*.old")  # what is written under another name first, and what is set aside to be removed


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old or the new one, never half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other trainings out of a run's folder, which is made if it does not exist.

    The lock goes with the process, however that ends: a file that a killed one has left locks nothing.

    Raises:
        ValueError: another training holds it; with its process id.
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise ValueError(
                    f"another training (process {file.read().strip() or 'unknown'}) is at work in {folder}; "
                    "wait for it or choose another folder with --run"
                ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def remove_drafts(folder: Path) -> None:
    """Remove what trainings that were killed have left in a run's folder, which must be held."""
    for pattern in DRAFTS:
        for path in sorted(folder.rglob(pattern)):
            _remove(path)


def remove_drafts_of(policy: Path) -> None:
    """Remove what killed trainings have left beside a policy's folder; what a living process writes there stays."""
    for pattern in DRAFTS:
        for path in policy.parent.glob(f".{policy.name}{pattern[1:]}"):
            process = path.name.split(".")[-2]
            if process.isdecimal() and not _is_alive(int(process)):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True


def check_can_write(folder: Path, size: int) -> None:
    """Try out that a folder can be made, or written to if it is there, and that so many bytes have room; nothing is left of it.

    Raises:
        ValueError: with what is in the way.
    """
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise ValueError(f"{folder} cannot be made: {there} is a file")
    try:
        with tempfile.TemporaryDirectory(prefix=".dig_envs-", dir=there):
            pass
    except OSError as error:
        raise ValueError(f"{folder} cannot be written to: {error.strerror or error}") from None
    free = shutil.disk_usage(there).free
    if free < size:
        raise ValueError(f"{folder}: about {size / 1e6:.0f} MB are needed, and the disk has {free / 1e6:.0f} MB left")
