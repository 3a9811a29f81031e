"""Machine code on disk, one file for each compiled function and its types.

The folder is named after a game and the hash of all that its code is made from: other sources, other folder, and an edit in one
game leaves the others alone. A file that is damaged counts as absent; where nothing can be written, nothing is kept.
"""

import os
import pickle
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from dig_envs.engine.sources import PACKAGE, source_hash

Reduce = Callable[[Any], Any]
Rebuild = Callable[[Any, Any], Any]

MARK = b"dig_envs machine code 1\n"
KEPT_CACHES = 4  # of other versions of the sources of a game: several checkouts may be in use at once
KEPT_SECONDS = 24 * 3600  # other processes may be writing to younger ones
SHIPPED = PACKAGE / "compiled"  # what a wheel made for one platform may bring along; only read

# Settings of Numba that change the machine code.
SETTINGS = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX")


class CacheWarning(UserWarning):
    """Compiled code cannot be kept."""


@dataclass(frozen=True)
class Owner:
    """What compiled functions belong to, a game as a rule.

    Args:
        name: of the game; it begins the folder's name.
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
        """Hash of the sources; None if they are not in files, as in an interactive session: then nothing is kept."""
        try:
            return source_hash(self.modules, *self.facts)
        except LookupError:
            return None

    @cached_property
    def folder(self) -> str:
        """Name of the folder: other sources, versions or settings of the compiler have another one."""
        settings = [str(getattr(numba.config, name, None)) for name in SETTINGS]
        versions = [sys.version, numba.__version__, llvmlite.__version__, np.__version__]
        return f"{self.name}-{sha256(repr((self.sources, versions, settings)).encode()).hexdigest()[:16]}"


def cache_roots() -> list[Path]:
    """Where folders may lie, in the order in which they are tried: ``$DIG_ENVS_CACHE_DIR``, or else the user's cache."""
    own = os.environ.get("DIG_ENVS_CACHE_DIR")
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [*([Path(own)] if own else []), Path(user_cache) / "dig_envs"]


@cache
def writable_folder(name: str) -> Path | None:
    """The folder of that name in the first root that can be written to, made if need be; None (and a warning) without one."""
    reason = "no folder"
    for root in cache_roots():
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            reason = str(error)
            continue
        with suppress(OSError):  # another process may be removing them, too
            _remove_old(folder)
        return folder
    _warn(reason)
    return None


def _remove_old(current: Path) -> None:
    """Folders of former sources of the same owner."""
    os.utime(current)
    owner = current.name.rpartition("-")[0]
    others = [p for p in current.parent.glob(f"{owner}-*") if p != current and p.name.rpartition("-")[0] == owner]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for stale in others[KEPT_CACHES:]:
        if time.time() - stale.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(stale, ignore_errors=True)


def read(folder: str, name: str) -> bytes | None:
    """A file's content; None if there is no whole one. Looked for where it would be written, and in what this package brings."""
    own = writable_folder(folder)
    for root in ([own.parent] if own is not None else cache_roots()) + [SHIPPED]:
        with suppress(OSError):
            content = (root / folder / name).read_bytes()
            mark, digest, body = content[: len(MARK)], content[len(MARK) : len(MARK) + 32], content[len(MARK) + 32 :]
            if mark == MARK and digest == sha256(body).digest():
                return body
    return None


def write(folder: str, name: str, body: bytes) -> None:
    """Keep a file, whole or not at all; where that is impossible, a warning says so once."""
    place = writable_folder(folder)
    if place is None:
        return
    draft = place / f"{name}.{os.getpid()}.{time.monotonic_ns()}.draft"
    try:
        draft.write_bytes(MARK + sha256(body).digest() + body)
        os.replace(draft, place / name)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        _warn(str(error))


@cache
def _warn_once() -> list[str]:
    return []


def _warn(reason: str) -> None:
    said = _warn_once()
    if not said:
        said.append(reason)
        warnings.warn(
            f"dig_envs: compiled code cannot be kept and will be compiled again in each process ({reason}); "
            "DIG_ENVS_CACHE_DIR names a folder that can be written to",
            CacheWarning,
            stacklevel=2,
        )


# ---------------------------------------------------------------- what Numba asks for


class FileCache:
    """What a Numba dispatcher loads compiled functions from and saves them to.

    Whatever goes wrong with a file, the function is compiled again and the file replaced.

    Args:
        owner: whose folder is used.
        function: the plain Python function.
        reduce: compile result -> something to pickle.
        rebuild: (target context, that) -> compile result, or None if it cannot be used here.
        form: a word for what ``reduce`` makes.
    """

    def __init__(
        self, owner: Owner, function: Any, reduce: Reduce | None = None, rebuild: Rebuild | None = None, form: str = "numba"
    ) -> None:
        self.owner = owner
        self.function = function
        self.form = form
        self._reduce = reduce or (lambda result: result._reduce())
        self._rebuild = rebuild or (lambda context, reduced: CompileResult._rebuild(context, *reduced))
        self._enabled = function.__closure__ is None  # what is in a closure is in no file

    @property
    def cache_path(self) -> str | None:
        """The folder (Numba's name for it)."""
        return self.owner.folder if self._enabled else None

    def enable(self) -> None:
        """Load and save."""
        self._enabled = True

    def disable(self) -> None:
        """Neither load nor save."""
        self._enabled = False

    def flush(self) -> None:
        """Nothing is held back."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for a signature; None if there is none."""
        context.refresh()
        if not self._enabled or self.owner.sources is None:
            return None
        body = read(self.owner.folder, self._name(signature, context.codegen()))
        if body is None:
            return None
        try:
            return self._rebuild(context, pickle.loads(body))
        except Exception:
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compile result; a warning says so if it cannot be kept because it refers to memory of this process."""
        if not self._enabled or self.owner.sources is None:
            return
        if result.library.has_dynamic_globals:
            warnings.warn(
                f"dig_envs: {self.function.__qualname__} of {self.owner.name} is compiled again in each process: "
                "something below it uses an array of the module that is not contiguous, or has more than a million bytes",
                CacheWarning,
                stacklevel=2,
            )
        else:
            write(self.owner.folder, self._name(signature, result.codegen), dumps(self._reduce(result)))

    def _name(self, signature: Any, codegen: Any) -> str:
        """The file's name: it tells types and processors apart."""
        types, _ = normalize_signature(signature)
        function = self.function
        key = (function.__module__, [str(kind) for kind in types], codegen.magic_tuple())
        return f"{function.__qualname__}-{sha256(repr(key).encode()).hexdigest()[:16]}.{self.form}"
