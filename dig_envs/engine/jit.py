"""Compilation by Numba, with a disk cache that cannot serve stale code.

Numba's own cache looks only at the file of the function itself, so that a change in a callee in another file goes
unnoticed. Here the cache folder's name is a hash of every source file that can be compiled into a kernel, and of the
versions of Numba and NumPy: other sources, other folder.

With the environment variable ``NUMBA_DISABLE_JIT=1`` nothing is compiled, and the same functions run as plain Python.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent.parent
COMPILED_FOLDERS = ("engine", "games")
KEPT_CACHES = 4  # of other versions of the sources: several checkouts may be in use at once
KEPT_SECONDS = 24 * 3600  # other processes may be writing to younger ones

JIT_DISABLED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


@cache
def source_hash() -> str:
    """Hash (16 hex digits) of all that determines the compiled code."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__} {PACKAGE}".encode())
    for folder in COMPILED_FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*")):
            if path.suffix in (".py", ".csv"):
                digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_root() -> Path:
    """The folder under which compiled code is kept: ``$DIG_ENVS_CACHE_DIR``, the user's cache, or a temporary one."""
    candidates = [Path(os.environ["DIG_ENVS_CACHE_DIR"])] if "DIG_ENVS_CACHE_DIR" in os.environ else []
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    candidates.append(Path(user_cache) / "dig_envs")
    for candidate in candidates:
        try:
            folder = candidate / f"numba-{source_hash()}"
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                with suppress(OSError):  # another process may be removing them, too
                    _remove_old_caches(candidate, folder)
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="dig_envs-"))


def _remove_old_caches(parent: Path, current: Path) -> None:
    others = [p for p in parent.glob("numba-*") if p != current]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for stale in others[KEPT_CACHES:]:
        if time.time() - stale.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(stale, ignore_errors=True)
    os.utime(current)


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Numba takes the folder from its global setting when a function is decorated; other users' functions keep theirs."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def compiled(function: F) -> F:
    """Decorator for rules code: compiled into its callers, never called from Python in a loop."""
    return numba.njit(nogil=True)(function)  # type: ignore[return-value]


def kernel(game: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator for the entry points called from Python: compiled, kept on disk per game, and free of the GIL."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if JIT_DISABLED:
            return _without_overflow_warnings(function)
        with _cache_folder(cache_root() / game):
            return numba.njit(nogil=True, cache=True)(function)

    return decorate


def _without_overflow_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Unsigned arithmetic of the random generator wraps on purpose; as plain Python, NumPy would warn about it."""

    def wrapped(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    wrapped.__name__ = function.__name__
    wrapped.__doc__ = function.__doc__
    return wrapped
