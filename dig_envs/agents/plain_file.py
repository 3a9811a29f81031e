"""Reading files that came from somebody else, such as policies: nothing endless, nothing huge, and
nothing from elsewhere."""

import os
import stat
from pathlib import Path


def leads_outside(path: Path, folder: Path) -> bool:
    """Whether a path below a folder leads out of it through a symbolic link."""
    between = [path, *path.parents][: len(path.parts) - len(folder.parts)]
    if not any(one.is_symlink() for one in between):  # the usual case, checked fast
        return False
    inside = os.path.realpath(folder)
    return os.path.commonpath([inside, os.path.realpath(path)]) != inside


def read_plain_file(path: Path, most: int, folder: Path | None = None) -> bytes:
    """The content of a file.

    Args:
        path: the file. most: bytes that it may have.
        folder: out of which it must not lead; None: it may.

    Raises:
        OSError: it cannot be read, is a device or a pipe, which may have no end, has more bytes, or
            is a link to outside of the folder.
    """
    if folder is not None and leads_outside(path, folder):
        raise OSError(f"it is a link to outside of {folder}")
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a file")
    with path.open("rb") as file:  # a file may grow after it was looked at
        content = file.read(most + 1) if found.st_size <= most else b""
    if max(found.st_size, len(content)) > most:
        raise OSError(f"it has more than {most:,} bytes")
    return content
