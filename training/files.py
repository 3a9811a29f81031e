"""Folders of runs and policies: written completely or not at all, locked by one training, cleaned,
tried before they are needed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dig_envs.agents.saving import check_free
from dig_envs.agents.zoo import holds_policy
from dig_envs.engine.core.files import draft_of, remove

try:
    import fcntl
except ImportError:  # where there is none (Windows), two trainings in one folder are not noticed
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
POLICY_SIZE = 50_000_000  # more than the bytes of a policy with its card
# what is written under another name first, and what is set aside to be removed
DRAFTS = (".*.tmp", ".*.old")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other trainings out of a run's folder, which is made if it does not exist.

    The lock goes with the process, however that ends: a file that a killed one has left locks
    nothing.

    Raises:
        ValueError: another training has locked it; with its process id.
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # a link is not followed: what it leads to would be emptied
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(folder / LOCK, how, 0o666), "r+") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise ValueError(
                    f"another training (process {file.read().strip() or 'unknown'}) is at work in "
                    f"{folder}; wait for it or choose another folder with --run"
                ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def remove_drafts(folder: Path) -> None:
    """Remove what trainings that were killed have left in a run's folder, which must be locked."""
    for pattern in DRAFTS:
        for path in sorted(folder.rglob(pattern)):
            remove(path)


def remove_drafts_of(policy: Path) -> None:
    """Remove what killed trainings have left beside a policy's folder; what a living process writes
    there stays."""
    name = draft_of(policy).name.rsplit(".", 2)[0]
    for pattern in DRAFTS:
        for path in policy.parent.glob(f"{name}{pattern[1:]}"):
            process = path.name.split(".")[-2]
            if process.isdecimal() and not _is_alive(int(process)):
                remove(path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True


def check_link(folder: Path) -> None:
    """Raise ValueError if a folder is a link that leads to none."""
    if folder.is_symlink() and not folder.is_dir():
        raise ValueError(f"{folder} cannot be made: it is a link that leads to no folder")


def check_can_write(folder: Path, size: int) -> None:
    """Try out that a folder can be made, or written to if it is there, and that so many bytes have
    room; nothing is left of it.

    Raises:
        ValueError: with what is in the way.
    """
    there = folder.absolute()
    check_link(there)
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise ValueError(f"{folder} cannot be made: {there} is a file")
    try:
        with tempfile.TemporaryDirectory(prefix=".dig_envs-", dir=there) as trial:
            own = Path(trial, folder.name or "x")
            own.mkdir()
            draft_of(own).mkdir()
    except OSError as error:
        raise ValueError(f"{folder} cannot be written to: {error.strerror or error}") from None
    free = shutil.disk_usage(there).free
    if free < size:
        raise ValueError(
            f"{folder}: about {size / 1e6:.0f} MB are needed, and the disk has {free / 1e6:.0f} "
            "MB left"
        )


def check_new(folder: Path) -> None:
    """Raise ValueError if there is a policy already, or if one cannot be written there."""
    if holds_policy(folder):
        raise ValueError(
            f"{folder} is there already, the policy of another training: choose another folder "
            "with --out"
        )
    check_out(folder)


def check_out(folder: Path) -> None:
    """Raise ValueError if a policy cannot be written there, which is better found before the
    training than after it."""
    check_link(folder)
    check_free(folder)
    check_can_write(folder.parent, POLICY_SIZE)
