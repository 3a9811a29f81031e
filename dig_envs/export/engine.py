"""QuickJS, in which the words of a game in C run: its sources, as PyPI has them."""

import tarfile
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from dig_envs.engine.compiler.cache import CacheKey

ENGINE = "quickjs_ng-0.17.0.2"
PARTS = ("dtoa.c", "libregexp.c", "libunicode.c", "quickjs.c")
ENGINE_FLAGS = ("-std=gnu11", "-O2", "-g0", "-w", "-fvisibility=hidden", "-D_GNU_SOURCE")
ENGINE_KEY = CacheKey(ENGINE, (__name__, "dig_envs.export.machines"))


def engine_source(folder: Path) -> Path:
    """The path of a source in C that contains everything, beside its header, unpacked into a
    folder."""
    with as_file(files("dig_envs.export") / f"{ENGINE}.tar.gz") as path, tarfile.open(path) as file:
        own = [member for member in file if "/upstream-quickjs/" in member.name]
        file.extractall(folder, own, filter="data")
    source = folder / ENGINE / "upstream-quickjs" / "engine.c"
    source.write_text("".join(f'#include "{part}"\n' for part in PARTS))
    return source


def engine_license() -> str:
    """The licence of the engine, which goes with each copy."""
    with tempfile.TemporaryDirectory() as folder:
        text = engine_source(Path(folder)).with_name("quickjs.c").read_text(encoding="utf-8")
    return text.partition("*/")[0].replace("/*", "").replace("\n *", "\n").strip() + "\n"
