"""``python -m dig_envs.export.wheels WHEEL [--platform NAME]…`` makes wheels with machine code
(``engine/compiler/native.py``) of the pure wheel that ``python -m build`` has made."""

import argparse
import base64
import csv
import io
import json
import os
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import dig_envs
from dig_envs.engine.compiler.cache import OWN_FOLDER, CacheKey
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.engine.compiler.native import library_of
from dig_envs.export.build import in_process, kept, template
from dig_envs.export.machines import MACHINES, ExportError, compile_c, object_code, zig
from dig_envs.registry import list_environments, load_game

# how installers call the machines
PLATFORMS = {
    "x86_64-linux": "manylinux_2_17_x86_64",
    "aarch64-linux": "manylinux_2_17_aarch64",
    "x86_64-macos": "macosx_11_0_x86_64",
    "aarch64-macos": "macosx_11_0_arm64",
    "x86_64-windows": "win_amd64",
    "aarch64-windows": "win_arm64",
}
# every x86 processor since 2013 to 2015, but for the cheapest ones; others compile
NEWER = {"x86-64-v2": "x86-64-v3"}
RECORDING = "dig_envs.export.recording"
KINDS = {".so": ("-Wl,-Bsymbolic",), ".dylib": (), ".dll": ()}
PURE = "-py3-none-any.whl"


# ---------------------------------------------------------------- libraries


def recorded(names: Iterable[str]) -> list[dict[str, Any]]:
    """What the libraries of some environments are made of (``recording.py``), from the cache or
    from as many processes as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(_recorded, names))


def _recorded(name: str) -> dict[str, Any]:
    key = cache_key(load_game(name))
    # with all that calls kernels: what there is to compile depends on it
    key = CacheKey(f"{name}-native", (*key.modules, RECORDING), key.facts)
    packed = kept(
        key,
        "record.json.zlib",
        lambda: zlib.compress(fresh(f"{name} cannot be compiled", "-m", RECORDING, name)),
    )
    found: dict[str, Any] = json.loads(zlib.decompress(packed))
    return found


def fresh(failure: str, *words: str) -> bytes:
    """What a program writes (:func:`~dig_envs.export.build.in_process`) that compiles all anew, for
    no special processor."""
    with tempfile.TemporaryDirectory() as cache:
        variables = {
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_BOUNDSCHECK": "0",
            OWN_FOLDER: cache,
        }
        return in_process(failure, variables, *words)


def libraries(records: Iterable[dict[str, Any]], name: str) -> dict[str, bytes]:
    """The files of the folder ``native`` for a machine, by their names."""
    keys: dict[str, dict[str, Any]] = {}
    modules: dict[str, Any] = {}
    for record in records:
        modules |= record["modules"]
        for key, found in record["keys"].items():
            keys.setdefault(key, found)["kernels"].update(found["kernels"])
    groups: dict[str, dict[str, Any]] = {}
    for key, found in keys.items():
        groups.setdefault(library_of(key), {})[key] = found
    written: dict[str, bytes] = {}
    for group, own in sorted(groups.items()):
        written |= _library(group, own, modules, name)
    return written


def _library(
    group: str, keys: dict[str, Any], modules: dict[str, Any], name: str
) -> dict[str, bytes]:
    """A library and its index."""
    machine = MACHINES[name]
    processor = NEWER.get(machine.processor, machine.processor)
    needed = [symbol for key in keys.values() for symbol in key["kernels"].values()]
    symbols = dict.fromkeys(needed)
    while needed:
        callees = modules[needed.pop()][2]
        needed.extend(symbol for symbol in callees if symbol not in symbols)
        symbols |= dict.fromkeys(callees)
    suffix = Path(machine.shared).suffix
    with tempfile.TemporaryDirectory() as drafts:
        folder = Path(drafts)
        (folder / "fits.c").write_text(template("fits.c"))
        (folder / "fits.o").write_bytes(compile_c(folder / "fits.c", machine))
        for symbol in symbols:
            text, vectors, _ = modules[symbol]
            if suffix == ".dll":
                text = re.sub(rf"^define (?=.*@{symbol})", "define dllexport ", text, flags=re.M)
            code = object_code(text, machine, processor, vectors=vectors)
            (folder / f"{symbol}.o").write_bytes(code)
        library = folder / f"{group}{suffix}"
        objects = sorted(folder.glob("*.o"))
        named = [option.format(group) for option in machine.options]
        options = ("-shared", "-s", *KINDS[suffix], *named, *machine.libraries)
        zig("cc", "-target", machine.zig, *options, *objects, "-o", library)
        content = library.read_bytes()
    index = {
        "library": library.name,
        "machine": name,
        "processor": processor,
        "sha256": sha256(content).hexdigest(),
        "keys": keys,
    }
    body = json.dumps(index).encode()
    checksum = sha256(body).hexdigest().encode()
    return {library.name: content, f"{group}.json": checksum + b"\n" + body}


# ---------------------------------------------------------------- wheels


def platform_wheel(pure: Path, name: str, native: dict[str, bytes]) -> Path:
    """Write the wheel for a machine beside the pure one, with these files in its folder ``native``;
    returns its path."""
    tag = f"py3-none-{PLATFORMS[name]}"
    path = pure.with_name(pure.name.removesuffix(PURE) + f"-{tag}.whl")
    table = io.StringIO()
    lines = csv.writer(table, lineterminator="\n")
    with zipfile.ZipFile(pure) as given, zipfile.ZipFile(path, "w") as written:
        members = {one.filename: one for one in given.infolist()}
        contents = {one: given.read(one) for one in members}
        record = next(one for one in contents if one.endswith(".dist-info/RECORD"))
        about = record.replace("RECORD", "WHEEL")
        contents[about] = (
            contents[about]
            .replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
            .replace(b"Tag: py3-none-any", f"Tag: {tag}".encode())
        )
        contents |= {f"dig_envs/native/{one}": content for one, content in native.items()}
        del contents[record]
        for one, content in contents.items():
            member = members.get(one) or zipfile.ZipInfo(one, (2020, 2, 2, 0, 0, 0))
            written.writestr(member, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            lines.writerow((one, f"sha256={digest}", len(content)))
        lines.writerow((record, "", ""))
        written.writestr(members[record], table.getvalue())
    return path


def check_wheel(pure: Path) -> None:
    """Raise ExportError unless a wheel is a pure one with the files that are here."""
    if not pure.is_file() or not pure.name.endswith(PURE):
        raise ExportError(f"{pure} is no wheel ...{PURE}: make it with python -m build")
    root = Path(dig_envs.__file__).parent.parent
    with zipfile.ZipFile(pure) as given:
        for name in given.namelist():
            # in a checkout, policies and training lie beside the package
            places = (root / name, root / name.partition("/")[2])
            here = next((place for place in places if place.is_file()), None)
            if ".dist-info/" not in name and (
                here is None or here.read_bytes() != given.read(name)
            ):
                raise ExportError(
                    f"{name} in {pure.name} is another file than here: build the wheel again"
                )


def main() -> None:
    """Make the wheels that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="the pure wheel, such as dist/dig_envs-*.whl")
    parser.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        help="repeat for several; default: all of them",
    )
    parser.add_argument(
        "--env",
        action="append",
        choices=list_environments(),
        help="repeat for several; default: all of them",
    )
    given = parser.parse_args()
    try:
        check_wheel(given.wheel)
        records = recorded(given.env or list_environments())
        for name in given.platform or PLATFORMS:
            path = platform_wheel(given.wheel, name, libraries(records, name))
            print(f"{path.stat().st_size:>12,}  {path}")
    except ExportError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
