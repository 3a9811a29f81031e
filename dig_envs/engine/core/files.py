"""Files that are written completely or not at all, and what is said where they cannot be."""

import errno
import os
import re
from contextlib import suppress
from pathlib import Path

from dig_envs.engine.core.checks import shown_in_message

# no room, a used quota, a limit of the process
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
WINDOWS = os.name == "nt"
# what Windows takes for a device or a stream, or shortens
NOT_ON_WINDOWS = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?"
    r'|.*[<>:"/\\|?*].*|.*[. ]',
    re.IGNORECASE | re.DOTALL,
)


def check_file_name(name: str, what: str) -> str:
    """Return a name that is to be that of a file or folder on every system; raises ValueError that
    says what would be right."""
    if not name or not name.isprintable() or NOT_ON_WINDOWS.fullmatch(name):
        raise ValueError(
            f"{what} {shown_in_message(name)} cannot be the name of a file on every system: write "
            "letters, digits, hyphens and underscores, and none of Windows' names, such as con"
        )
    return name


def draft_of(path: Path) -> Path:
    """Return another name for a file or folder, under which it is written before it takes its
    place."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new one, never half of it; text as UTF-8.

    A link is replaced, not what it leads to. What is no file, such as ``/dev/stdout``, is written
    to.

    Raises:
        OSError: it cannot be written; with its name. The old file stays, and nothing is left.
    """
    data = content.encode() if isinstance(content, str) else content
    draft = draft_of(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        draft.unlink(missing_ok=True)  # of a process of the same number, or a link
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise CannotWrite(path, error) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


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
        if path.exists() and not path.is_file():
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
