"""``export_game``: writes a game as a package of WebAssembly or as a library in C."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import dig_envs
from dig_envs.engine.core.checks import check_choice
from dig_envs.engine.game import Game
from dig_envs.export.machines import WASM, ExportError, Machine, compile_c, object_code, zig
from dig_envs.export.tables import description, filled_in, tables

FORMS = ("wasm", "c")
MOST_SAID = 2000  # characters of what a program says when it fails


@dataclass(frozen=True)
class Exported:
    """What was written: the folder, and the size of each file in bytes by its name."""

    folder: Path
    sizes: dict[str, int]


def template(name: str) -> str:
    """The text of one of the templates."""
    return (files("dig_envs.export") / "templates" / name).read_text(encoding="utf-8")


def portable_module(game: Game) -> str:
    """All the compiled code of a game, in LLVM's language, made in a process of its own; raises ExportError."""
    root = str(Path(dig_envs.__file__).parent.parent)  # the same package, wherever it was started
    path = os.pathsep.join([root, *sys.path])
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "module.ll"
        words = [sys.executable, "-m", "dig_envs.export.translating", game.package, str(result)]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
        if done.returncode:
            raise ExportError(f"{game.env_name} cannot be translated:\n{done.stderr.strip()[-MOST_SAID:]}")
        return result.read_text(encoding="utf-8")


def _objects(game: Game, module: str, machine: Machine, folder: Path, processor: str = "") -> list[Path]:
    """The two object files of a game: the compiled rules, and what checks before they are called."""
    (folder / f"{game.name}.h").write_text(filled_in(game, template("game.h")), encoding="utf-8")
    (folder / "tables.h").write_text(tables(game, machine is not WASM), encoding="utf-8")
    rules, checks = folder / f"{game.name}_rules.o", folder / f"{game.name}.o"
    rules.write_bytes(object_code(module, machine, processor))
    checks.write_bytes(compile_c(filled_in(game, template("game.c")), machine, folder))
    return [rules, checks]


def export_game(
    game: Game, to: str, folder: Path, targets: Sequence[str] = (), processor: str = "", policies: Sequence[str] = ()
) -> Exported:
    """Write a game so that other programs can play it without Python.

    Args:
        game: which.
        to: ``wasm`` or ``c``.
        folder: where to; it is made if need be.
        targets: of ``c``: names in ``MACHINES``; none: the machine at hand.
        processor: of ``c``: the oldest processor that runs it (:func:`~dig_envs.export.machines.object_code`).
        policies: names or folders of policies whose weights are written, too.

    Raises:
        ExportError: the machine, the policy or the tools are not right. ValueError: no such policy or form.
    """
    check_choice("to", to, FORMS)
    return export_wasm(game, folder)


def export_wasm(game: Game, folder: Path) -> Exported:
    """Write ``<name>.wasm`` with a JavaScript module around it, its types, and a ``package.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    module = portable_module(game)
    with tempfile.TemporaryDirectory() as drafts:
        objects = _objects(game, module, WASM, Path(drafts))
        wasm = folder / f"{game.name}.wasm"
        zig("cc", "-target", WASM.zig, "-mexec-model=reactor", "-s", "-Wl,--no-entry", "-Wl,--gc-sections", *objects, "-o", wasm)
        wasm.chmod(0o644)
    written = {
        f"{game.name}.js": _named(game, template("game.js")),
        f"{game.name}.d.ts": _named(game, template("game.d.ts")),
        "description.js": f"export default {json.dumps(description(game), ensure_ascii=False)};\n",
        "package.json": json.dumps(_package(game), indent=2) + "\n",
    }
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Exported(folder, {name: (folder / name).stat().st_size for name in [wasm.name, *written]})


def _named(game: Game, text: str) -> str:
    return text.replace("@NAME@", game.name).replace("@TITLE@", game.title).replace("@ENVIRONMENT@", game.env_name)


def _package(game: Game) -> dict[str, object]:
    from dig_envs import __version__

    return {
        "name": f"dig-envs-{game.name.replace('_', '-')}",
        "version": __version__,
        "description": f"{game.title}: rules, observations and players, compiled from dig_envs",
        "license": "MIT",
        "type": "module",
        "main": f"{game.name}.js",
        "types": f"{game.name}.d.ts",
        "exports": {
            ".": {"types": f"./{game.name}.d.ts", "default": f"./{game.name}.js"},
            f"./{game.name}.wasm": f"./{game.name}.wasm",
        },
        "files": ["*.js", "*.d.ts", "*.wasm", "*.weights"],
    }
