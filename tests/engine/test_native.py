"""Machine code that came with the package is used only where it fits, and only where nobody else
can have put it there."""

import base64
import csv
import io
import json
import os
import tempfile
import zipfile
from hashlib import sha256

import numpy as np
import pytest

from dig_envs.engine.compiler import native
from dig_envs.engine.compiler.jit import JIT_DISABLED, Kernel, linker
from dig_envs.engine.core import seeds
from tests.engine import native_script

pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")

KERNEL = "_write_following"
RECORD = """
import json, sys
from pathlib import Path
from dig_envs.engine.core.seeds import following_seed
from dig_envs.export.recording import record
Path(sys.argv[1]).write_text(json.dumps(record(lambda: following_seed(1))))
"""


@pytest.fixture(scope="module")
def record():
    """What a library with one small kernel is made of."""
    from dig_envs.export.wheels import fresh

    return json.loads(fresh("it failed", "-c", RECORD))


@pytest.fixture(scope="module")
def files(record):
    """The files of that library, for this machine."""
    from dig_envs.export.wheels import libraries

    return libraries([record], native.machine_name())


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """A folder with the library, of which the package knows."""
    place = tmp_path / "native"
    place.mkdir(mode=0o755)
    for name, content in files.items():
        (place / name).write_bytes(content)
    monkeypatch.setattr(native, "FOLDER", place)
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    return place


def fresh_kernel():
    known = getattr(seeds, KERNEL)
    return Kernel(known.py_func, known.key)


def find():
    kernel, given = fresh_kernel(), np.zeros(1, np.uint64)
    return native.find(kernel, f"{given.dtype.str}[1],{given.dtype.str}[1]")


def change_index(folder, change):
    path = folder / "seeds.json"
    index = json.loads(path.read_bytes().partition(b"\n")[2])
    change(index)
    body = json.dumps(index).encode()
    path.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)


def replace_library(folder, content):
    """Put another library there, with the checksum that goes with it."""
    (path,) = folder.glob("seeds.[!j]*")
    path.unlink()  # the one that may be loaded stays as it is
    path.write_bytes(content)
    change_index(folder, lambda index: index.update(sha256=sha256(content).hexdigest()))


def test_a_library_that_fits_is_used_and_nothing_is_said(folder, capfd):
    kernel, given, following = fresh_kernel(), np.arange(9, dtype=np.uint64), np.zeros(9, np.uint64)
    address, symbol = find()
    assert address == native.address_of(kernel.key, symbol) != 0
    kernel(given, following)
    assert np.array_equal(following, seeds.following_seeds(given))
    assert next(iter(kernel._calls.values())).symbol == symbol
    assert native.has(kernel.key)
    assert capfd.readouterr().err == ""


def test_it_has_only_what_it_was_made_with(folder, monkeypatch):
    assert native.find(fresh_kernel(), "int64,int64") is None
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert find() is None


def library_cut(folder):
    (path,) = folder.glob("seeds.[!j]*")
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:-100])


def library_missing(folder):
    (path,) = folder.glob("seeds.[!j]*")
    path.unlink()


def no_library(folder):
    replace_library(folder, b"something else")


def index_cut(folder):
    path = folder / "seeds.json"
    path.write_bytes(path.read_bytes()[:-1])


def index_changed(folder):
    path = folder / "seeds.json"
    path.write_bytes(path.read_bytes().replace(b"dig_", b"dug_", 1))


def index_empty(folder):
    (folder / "seeds.json").write_bytes(b"")


def of_another_machine(folder):
    change_index(folder, lambda index: index.update(machine="m68k-amiga"))


def of_other_sources(folder):
    change_index(folder, lambda index: index["keys"]["seeds"].update(sources="0" * 16))


def of_more_sources(folder):
    change_index(folder, lambda index: index["keys"]["seeds"]["files"].append("dig_envs.gone"))


def of_a_newer_processor(folder):
    from dig_envs.export.machines import MACHINES, host, zig

    machine = MACHINES[host()]
    source, made = folder / "new.c", folder / "new.so"
    source.write_text("int dig_fits(void);\nint dig_fits(void) { return 0; }\n")
    # without libraries, and what Zig adds for debugging, which it would compile first
    zig("cc", "-target", machine.zig, "-O2", "-nostdlib", "-shared", source, "-o", made)
    replace_library(folder, made.read_bytes())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (library_cut, "is damaged: install the package again"),
        (library_missing, "No such file"),
        (no_library, "seeds"),
        (index_cut, "seeds.json is damaged"),
        (index_changed, "seeds.json is damaged"),
        (index_empty, "seeds.json is damaged"),
        (of_another_machine, "it is for m68k-amiga, and this is"),
        (of_other_sources, "other sources than those that are here"),
        (of_more_sources, "other sources than those that are here"),
        (of_a_newer_processor, "this processor is older than"),
    ],
)
def test_what_does_not_fit_is_refused_in_words_and_compiled(folder, capfd, change, words):
    change(folder)
    assert find() is None
    assert not native.has(fresh_kernel().key)
    said = capfd.readouterr().err
    assert said.count("is not used: ") == said.count("\n") == 1
    assert said.startswith(f"dig_envs: the machine code of seeds in {folder} is not used: ")
    assert words in said
    following = np.zeros(1, np.uint64)
    fresh_kernel()(np.ones(1, np.uint64), following)
    assert following[0] == seeds.following_seed(1)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system knows no users in this way")
@pytest.mark.parametrize("name", ["", "seeds.json", "library"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_can_write_to_is_refused(folder, capfd, name, mode):
    (library,) = folder.glob("seeds.[!j]*")
    path = library if name == "library" else folder / name
    path.chmod(path.stat().st_mode | mode)
    assert find() is None
    assert f"others can write to {path}" in capfd.readouterr().err


def test_a_library_may_be_as_open_as_the_modules(folder, tmp_path, monkeypatch):
    """Where a group may write to the whole package, as with umask 002."""
    module = tmp_path / "module.py"
    module.touch()
    module.chmod(0o664)
    monkeypatch.setattr(native, "__file__", str(module))
    for path in (folder, *folder.iterdir()):
        path.chmod(path.stat().st_mode | 0o020)
    assert find() is not None


def test_another_game_of_the_same_name_does_not_get_it(folder):
    from dig_envs.engine.compiler.cache import CacheKey

    key = fresh_kernel().key
    for other in (
        CacheKey("seeds", ("dig_envs.engine.core.random",)),
        CacheKey("seeds", key.modules, ("another version",)),
        CacheKey("seeds-grave", key.modules),
        CacheKey("other", key.modules),
    ):
        assert not native.has(other)


@pytest.mark.parametrize("name", ["aarch64-linux", "aarch64-macos", "x86_64-windows"])
def test_libraries_are_made_for_other_machines(record, name):
    """What this machine can look at: the format, and the names in them."""
    from dig_envs.export.wheels import libraries

    begins = {"linux": b"\x7fELF", "macos": b"\xcf\xfa\xed\xfe", "windows": b"MZ"}
    (symbol,) = record["keys"]["seeds"]["kernels"].values()
    made = libraries([record], name)
    (library,) = (one for one in made if not one.endswith(".json"))
    assert made[library].startswith(begins[name.partition("-")[2]])
    assert tempfile.gettempdir().encode() not in made[library]  # where it was made
    for function in (symbol, f"{symbol}_packed", "dig_fits"):
        assert function.encode() in made[library]


def test_a_platform_wheel_is_the_pure_one_with_libraries(files, tmp_path):
    from dig_envs.export.wheels import platform_wheel

    pure = tmp_path / "dig_envs-1.0-py3-none-any.whl"
    about = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(pure, "w") as written:
        written.writestr("dig_envs/version.py", "here")
        written.writestr("dig_envs-1.0.dist-info/WHEEL", about)
        written.writestr("dig_envs-1.0.dist-info/RECORD", "")
    path = platform_wheel(pure, "x86_64-linux", files)
    assert path.name == "dig_envs-1.0-py3-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path) as made:
        names = made.namelist()
        assert {f"dig_envs/native/{name}" for name in files} < set(names)
        about = made.read("dig_envs-1.0.dist-info/WHEEL").decode()
        assert about.splitlines()[1:] == [
            "Root-Is-Purelib: false",
            "Tag: py3-none-manylinux_2_17_x86_64",
        ]
        table = io.StringIO(made.read("dig_envs-1.0.dist-info/RECORD").decode())
        rows = {name: digest for name, digest, _ in csv.reader(table)}
        assert sorted(rows) == sorted(names)
        for name, digest in rows.items():
            content = sha256(made.read(name)).digest()
            expected = base64.urlsafe_b64encode(content).rstrip(b"=").decode()
            assert digest == ("" if name.endswith("RECORD") else f"sha256={expected}")


@pytest.mark.parametrize(
    "name", ["dig_envs/version.py", "dig_envs/policies/players.json", "dig_envs/gone.svg"]
)
def test_a_wheel_of_other_files_is_refused(name, tmp_path):
    from dig_envs.export.machines import ExportError
    from dig_envs.export.wheels import check_wheel

    pure = tmp_path / "dig_envs-1.0-py3-none-any.whl"
    with pytest.raises(ExportError, match="python -m build"):
        check_wheel(pure)
    with zipfile.ZipFile(pure, "w") as written:
        written.writestr(name, "another")
    with pytest.raises(ExportError, match=rf"{name} in .* build the wheel again"):
        check_wheel(pure)


@pytest.mark.slow
def test_the_same_comes_out_of_libraries_as_of_what_is_compiled_here(tmp_path):
    """All games: python -m tests.engine.native_script."""
    from dig_envs.export.wheels import libraries, recorded

    names = ["oak_island_v1", "fossil_canyon_v0"]
    for name, content in libraries(recorded(names), native.machine_name()).items():
        (tmp_path / name).write_bytes(content)
    found = native_script.play(str(tmp_path), names, 200)
    assert found["compiler"] == []
    assert found["hashes"] == native_script.play("", names, 200)["hashes"]
