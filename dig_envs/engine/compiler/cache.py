"""Machine code on disk, one file for each specialisation of a compiled function.

The folder is named after a game and the hash of all that its code is made from: other sources,
other folder, and an edit in one game leaves the others alone. A file that is damaged counts as
absent; where nothing can be written, nothing is kept. A line on stderr says so where
``$DIG_ENVS_CACHE_DIR`` cannot be used.

The files are run as code, and their checksum shows damage, not malice: who can write them can run
code as this user. So folders are made for this user alone, and a folder or a file that
others can write to, or that belongs to another user than this one and root, is not used.
"""

import os
import re
import shutil
import stat
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dig_envs.engine.compiler.notice import say
from dig_envs.engine.compiler.sources import source_hash

OWN_FOLDER = "DIG_ENVS_CACHE_DIR"  # the variable that names one
MARK = b"dig_envs machine code 3\n"
# of other versions of the sources of a game: several checkouts may be in use at once
KEPT_CACHES = 4
KEPT_SECONDS = 24 * 3600  # other processes may be writing to younger ones
PRIVATE = 0o700

COMPILERS = ("numba", "llvmlite")  # another version of one may make other code


def numba_setting(name: str) -> bool:
    """Whether a setting of Numba's is switched on, by its environment variable."""
    return os.environ.get(f"NUMBA_{name}", "0") not in ("", "0")


class CacheWarning(UserWarning):
    """Compiled code cannot be kept."""


@dataclass(frozen=True)
class CacheKey:
    """The key of compiled functions in the cache: what their machine code is made from. It names
    the folder of that code.

    Args:
        name: begins the folder's name, as a rule a game's.
        modules: whose sources, with all that they import, make the code.
        facts: what else does, such as a game's constants.
        is_game: whether there is so much to compile that people should be told.
    """

    name: str
    modules: tuple[str, ...]
    facts: tuple[object, ...] = ()
    is_game: bool = False

    @cached_property
    def sources(self) -> str | None:
        """Hash of the sources; None if they are not in files, as in an interactive session: then
        nothing is kept."""
        try:
            return source_hash(self.modules, *self.facts)
        except LookupError:
            return None

    @cached_property
    def folder(self) -> str:
        """Name of the folder: other sources, versions of the compiler or bounds checks have another
        one."""
        made_from = (self.sources, numba_setting("BOUNDSCHECK"), _versions())
        return f"{self.name}-{sha256(repr(made_from).encode()).hexdigest()[:16]}"

    @property
    def kept_in(self) -> Path | None:
        """Where the code is kept; None if it is not, or if something could not be kept before."""
        folder = None if self.sources is None else writable_folder(self.folder)
        return None if _warned else folder


@cache
def _versions() -> list[str]:
    """The versions of what compiles, as far as it is installed."""
    found = []
    for name in COMPILERS:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found


def file_name(function: Any, text: str) -> str:
    """The beginning of the name of a function's file, for arguments of the kinds that a text
    names."""
    key = (function.__module__, function.__qualname__, text)
    plain = re.sub(r"\W", "_", function.__qualname__)
    return f"{plain}-{sha256(repr(key).encode()).hexdigest()[:16]}"


@cache
def cache_roots() -> list[Path]:
    """The folders that may hold caches, in the order of trial: ``$DIG_ENVS_CACHE_DIR``, the user's
    cache.

    They stay where they are when the process changes its working folder.
    """
    own = os.environ.get(OWN_FOLDER)
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    found = [*([Path(own)] if own else []), Path(user_cache) / "dig_envs"]
    return [folder.absolute() for folder in found]


@cache
def writable_folder(name: str) -> Path | None:
    """The folder of that name in the first root that can be written to, made if need be; None (and
    a warning) without one."""
    reasons: list[str] = []
    for root in cache_roots():
        folder = root / name
        try:
            root.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            check_trusted(root)
            folder.mkdir(mode=PRIVATE, exist_ok=True)
            check_trusted(folder)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            reasons.append(str(error))
            continue
        with suppress(OSError):  # another process may be removing them, too
            _remove_old(folder)
        if reasons:  # once, since the next root serves all other games, too
            _tell_instead(root, reasons[0])
        return folder
    _warn("; ".join(reasons))
    return None


@cache
def _tell_instead(root: Path, reason: str) -> None:
    """Say that another folder serves than the one that was named."""
    given = os.environ.get(OWN_FOLDER)
    say(f"{OWN_FOLDER}={given} cannot be used ({reason}); compiled code is kept in {root} instead")


def check_trusted(path: Path) -> None:
    """Raise PermissionError if somebody else than this user and root can write to a folder or file,
    where a system knows users."""
    if not hasattr(os, "getuid"):
        return
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0):
        raise PermissionError(f"{path} belongs to another user, who could put other code there")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(
            f"others can write to {path} and could put other code there: remove it, or chmod -R "
            "go-w"
        )


def _remove_old(current: Path) -> None:
    """Remove folders of former sources of the same name, but for the latest."""
    os.utime(current)
    name = current.name.rpartition("-")[0]
    own = [p for p in current.parent.glob(f"{name}-*") if p.name.rpartition("-")[0] == name]
    own.sort(key=lambda p: (p == current, p.stat().st_mtime), reverse=True)
    for stale in own[1 + KEPT_CACHES :]:
        if time.time() - stale.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(stale, ignore_errors=True)


def read(folder: str, name: str) -> bytes | None:
    """A file's content, from where it would be written; None if there is none, or only a damaged
    one."""
    own = writable_folder(folder)
    for root in [own.parent] if own is not None else cache_roots():
        with suppress(OSError):
            path = root / folder / name
            for place in (root, root / folder, path):
                check_trusted(place)
            content = path.read_bytes()
            body = content[len(MARK) + 32 :]
            if content.startswith(MARK + checksum(folder, name, body)):
                return body
    return None


def checksum(folder: str, name: str, body: bytes) -> bytes:
    """The checksum of a file, of its place, too: a file under another name, or in another game's
    folder, counts as damaged."""
    return sha256(f"{folder}/{name}\n".encode() + body).digest()


def write(folder: str, name: str, body: bytes) -> None:
    """Keep a file, complete or not at all; where that is impossible, a warning says so once."""
    place = writable_folder(folder)
    if place is None:
        return
    draft = place / f"{name}.{os.getpid()}.{time.monotonic_ns()}.draft"
    try:
        draft.write_bytes(MARK + checksum(folder, name, body) + body)
        os.replace(draft, place / name)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        _warn(str(error))


_warned: list[str] = []  # the reason, once a warning was given


def _warn(reason: str) -> None:
    if not _warned:
        _warned.append(reason)
        warnings.warn(
            "dig_envs: compiled code cannot be kept and will be compiled again in each process "
            f"({reason}); {OWN_FOLDER} names a folder that can be written to",
            CacheWarning,
            stacklevel=2,
        )
