"""QuickJS, in which the words of a game exported to C run: its sources, as PyPI has them, and what is
compiled of them."""

import tarfile
from importlib.resources import as_file, files
from pathlib import Path

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.export.machines import Machine, compile_c

ENGINE = "quickjs_ng-0.17.0.2"
PARTS = ("dtoa.c", "libregexp.c", "libunicode.c", "quickjs.c")
FLAGS = ("-std=gnu11", "-O2", "-g0", "-w", "-fvisibility=hidden", "-D_GNU_SOURCE")
ENGINE_KEY = CacheKey(ENGINE, (__name__, "dig_envs.export.machines"))


def unpack_engine(folder: Path) -> Path:
    """Return the folder of the sources, unpacked into another one."""
    with as_file(files("dig_envs.export") / f"{ENGINE}.tar.gz") as path, tarfile.open(path) as packed:
        packed.extractall(folder, filter="data")
    return folder / ENGINE / "upstream-quickjs"


def engine_object(machine: Machine, sources: Path) -> bytes:
    """An object file of all of it."""
    source = "".join(f'#include "{part}"\n' for part in PARTS)
    return compile_c(source, machine, sources, flags=FLAGS)
