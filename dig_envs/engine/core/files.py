"""Files and folders that are written completely or not at all, and what is said where they cannot
be."""

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.engine.core.checks import shown_in_message

# no room, a used quota, a limit of the process
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LONGEST_IN_DRAFT = 200  # bytes of a name that its draft's name has in it; a name may have 255
WINDOWS = os.name == "nt"
# what Windows takes for a device or a stream, or shortens
NOT_ON_WINDOWS = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?"
    r'|.*[<>:"/\\|?*].*|.*[. ]',
    re.IGNORECASE | re.DOTALL,
)


def check_file_name(name: str, what: str) -> str:
    """The name, which must be valid for a file or folder on every system; raises ValueError that
    says what would be right."""
    if not name or not name.isprintable() or NOT_ON_WINDOWS.fullmatch(name):
        raise ValueError(
            f"{what} {shown_in_message(name)} cannot be the name of a file on every system: write "
            "letters, digits, hyphens and underscores, and none of Windows' names, such as con"
        )
    return name


def draft_of(path: Path) -> Path:
    """The temporary name under which a file or folder is written before it takes its place."""
    name = os.fsencode(path.name)
    short = path.name if len(name) <= LONGEST_IN_DRAFT else sha256(name).hexdigest()
    return path.with_name(f".{short}.{os.getpid()}.tmp")


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new one, never half of it; text as UTF-8.

    A link is replaced, not what it leads to. What is no regular file, such as a pipe or a device,
    and what this process prints to, is written to and never replaced. The permissions of an old
    file stay.

    Raises:
        OSError: it cannot be written; with its name. The old file stays, and nothing is left.
    """
    data = content.encode() if isinstance(content, str) else content
    draft = draft_of(path)
    try:
        printed_to = own_output(path)
        if printed_to is not None:
            with os.fdopen(os.dup(printed_to), "wb") as output:
                output.write(data)
            return
        old = _found(path)
        if is_special(path):
            with path.open("wb") as pipe:
                pipe.write(data)
            return
        draft.unlink(missing_ok=True)  # of a process of the same number, or a link
        mode = 0o666 if old is None else 0o600
        with open(draft, "xb", opener=partial(os.open, mode=mode)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            draft.chmod(stat.S_IMODE(old.st_mode) & 0o777)
        os.replace(draft, path)
    except OSError as error:
        raise CannotWrite(path, error) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _found(path: Path) -> os.stat_result | None:
    """The status of a file, or of the target of a link; None if there is nothing."""
    try:
        return path.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def is_special(path: Path) -> bool:
    """Whether the path has something other than a regular file, which must not be replaced."""
    found = _found(path)
    return found is not None and not stat.S_ISREG(found.st_mode)


def own_output(path: Path) -> int | None:
    """The descriptor, 1 or 2, of this process's output if a path leads to the same, such as
    ``/dev/stdout``; else None."""
    found = _found(path)
    for number in (1, 2):
        with suppress(OSError):  # it is closed
            # Windows numbers files only
            if found and found.st_ino and os.path.samestat(found, os.fstat(number)):
                return number
    return None


class CannotWrite(OSError):
    """A file or folder cannot be written: which, and why, a full disk in the same words wherever it
    is met.

    Args:
        path: of it. error: that the system raised.
    """

    def __init__(self, path: Path, error: OSError) -> None:
        if isinstance(error, CannotWrite):
            self.reason: str = error.reason
        elif error.errno in FULL:
            self.reason = "the disk is full, or a quota or limit is reached"
        else:
            self.reason = error.strerror or str(error)
        super().__init__(f"{path} cannot be written: {self.reason}")
        self.errno, self.filename = error.errno, str(path)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return CannotWrite, (Path(self.filename), OSError(self.errno, self.reason))


def check_writable(path: Path) -> None:
    """Try out that :func:`write_file` can write a file, before a long run rather than after it;
    nothing is left of it.

    Raises:
        OSError: it cannot; with its name. ValueError: Windows, where this is, takes its name for
            something else.
    """
    if WINDOWS:
        check_file_name(path.name, "the name")
    try:
        if not path.parent.is_dir():
            raise OSError(f"there is no folder {path.parent}")
        if path.is_dir():
            raise OSError("it is a folder")
        if own_output(path) is not None:
            return
        if is_special(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            draft_of(path).touch()
            draft_of(path).unlink()
    except OSError as error:
        raise CannotWrite(path, error) from None


def check_folder(path: Path) -> None:
    """Raise OSError, with its name, unless a folder is there that can be written to, or can be made
    in one that is there; nothing is left of it."""
    try:
        if path.is_dir():
            check_writable(path / "trial")
        else:
            path.mkdir()
            path.rmdir()
    except OSError as error:
        raise CannotWrite(path, error) from None


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Give an empty folder to write to, which takes the place of another, or of none, when the
    block ends; if that fails, nothing is left of it.

    Raises:
        OSError: it cannot be written; with its name.
    """
    draft = draft_of(folder)
    try:
        remove(draft)
        draft.mkdir(parents=True)
        yield draft
        # rename() does not replace a folder that is not empty
        old = discard(folder) if folder.exists() else None
        try:
            os.rename(draft, folder)
        except OSError:
            if old is not None:
                os.rename(old, folder)
            raise
    except OSError as error:
        raise CannotWrite(folder, error) from None
    finally:
        remove(draft)
    if old is not None:
        remove(old)  # of a link, not what it leads to


def discard(folder: Path) -> Path:
    """Rename a folder that is to be removed, so that a kill leaves no half of it under its name;
    return the new name."""
    aside = draft_of(folder).with_suffix(".old")
    os.rename(folder, aside)
    return aside


def remove(path: Path) -> None:
    """Remove a file, a folder with all that is in it, or a link, not what it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
