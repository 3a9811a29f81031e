"""Machine code that came with the package: shared libraries in ``dig_envs/native``, which ctypes
loads. Neither Numba nor llvmlite is needed for it.

A library has the kernels of all cache keys (``cache.py``) whose names begin with its name. Its
index is a file of JSON below a checksum. ``machine``, ``processor``: for which it is; ``library``,
``sha256``: its file; ``keys``: of each key the modules, the names and the hash of all sources, and
the kernels: name in the cache (``objects.py``) -> symbol. What does not fit is not used, and
kernels are compiled.

A library is run as code. So it is not used if somebody can write to it who cannot write to the
modules of the package.
"""

import ctypes
import json
import platform
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.engine.compiler.cache import CacheKey, check_trusted, file_name, numba_setting
from dig_envs.engine.compiler.notice import say
from dig_envs.engine.compiler.sources import PACKAGE, hash_of, located

FOLDER = PACKAGE / "native"
SYSTEMS = {"darwin": "macos", "win32": "windows"}


def machine_name() -> str:
    """The name of the machine at hand, as in ``export/machines.py``."""
    kind, system = platform.machine().lower(), sys.platform
    kind = {"amd64": "x86_64", "arm64": "aarch64"}.get(kind, kind)
    return f"{kind}-{SYSTEMS.get(system, system)}"


def library_of(name: str) -> str:
    """The name of the library with the kernels of a cache key, by the key's name."""
    return name.partition("-")[0]


def has(key: CacheKey) -> bool:
    """Whether there is machine code of these sources."""
    return bool(_kernels(FOLDER, key))


def find(kernel: Any, text: str) -> tuple[int, str] | None:
    """The address of a kernel for arguments of the kinds that a text names, and its symbol; None if
    it has to be compiled."""
    if numba_setting("BOUNDSCHECK") or kernel.py_func.__closure__ is not None:
        return None
    symbol = _kernels(FOLDER, kernel.key).get(file_name(kernel.py_func, text))
    return None if symbol is None else (address_of(kernel.key, symbol), symbol)


def address_of(key: CacheKey, symbol: str) -> int:
    """The address of a function in the library of a key, 0 if it is not there."""
    functions, _ = _library(FOLDER, library_of(key.name))
    function: Any = getattr(functions, symbol, None)
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


@cache
def _kernels(folder: Path, key: CacheKey) -> Mapping[str, str]:
    """The kernels of a key, as far as they are of these sources."""
    name = library_of(key.name)
    known = _library(folder, name)[1].get(key.name)
    if known is None:
        return {}
    files = located(known["files"]) if known["modules"] == list(key.modules) else None
    if files is None or hash_of(files, *key.facts) != known["sources"]:
        _refuse(folder, name, "it was made of other sources than those that are here")
        return {}
    return dict(known["kernels"])


@cache
def _library(folder: Path, name: str) -> tuple[Any, Mapping[str, Any]]:
    """The functions of a library and the keys in its index; none if it cannot be used."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return None, {}
    try:
        _check_trusted(folder)
        digest, _, body = _read(path).partition(b"\n")
        if digest.decode("ascii", "replace") != sha256(body).hexdigest():
            raise OSError(f"{path.name} is damaged: install the package again")
        index = json.loads(body)
        if index["machine"] != machine_name():
            raise OSError(f"it is for {index['machine']}, and this is {machine_name()}")
        library = folder / index["library"]
        if sha256(_read(library)).hexdigest() != index["sha256"]:
            raise OSError(f"{library.name} is damaged: install the package again")
        functions = ctypes.CDLL(str(library))
        if not functions.dig_fits():
            raise OSError(f"this processor is older than {index['processor']}")
    except OSError as error:
        _refuse(folder, name, str(error))
        return None, {}
    return functions, index["keys"]


@cache
def _refuse(folder: Path, name: str, reason: str) -> None:
    """Say once why a library is not used."""
    say(f"the machine code of {name} in {folder} is not used: {reason}")


def _read(path: Path) -> bytes:
    _check_trusted(path)
    return path.read_bytes()


def _check_trusted(path: Path) -> None:
    """Raise PermissionError if others can write to a file, but not to this module."""
    found, own = path.stat(), Path(__file__).stat()
    if found.st_uid != own.st_uid or found.st_mode & ~own.st_mode & 0o022:
        check_trusted(path)
