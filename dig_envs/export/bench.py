"""``python -m dig_envs.export.bench GAME …``: sizes and speeds of exported games beside those of this package.

For each game a line: bytes of the ``.wasm`` file and of the shared library; actions per second of processor time with one game
(mask and action) in C, in Node and in Node through ``State``; with a batch of games, masks and observations, in this package on one
core, in C and in Node. All are measured in turn, several times; the medians are shown.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.game import Game
from dig_envs.export.build import export_game, template
from dig_envs.export.machines import MACHINES, host, zig
from dig_envs.export.tables import filled_in
from dig_envs.registry import list_environments, load_game

GAMES = 1024
COLUMNS = ("wasm", "library", "one: C", "one: Node", "one: State", "batch: here", "batch: C", "batch: Node")


def measure(game: Game, seconds: float, repeats: int, processor: str) -> dict[str, float]:
    """Return the columns of a game; those of Node are missing where it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sizes = export_game(game, "wasm", place / "wasm").sizes | export_game(game, "c", place / "c", processor=processor).sizes
        machine = MACHINES[host()]
        program = _c_program(game, place / "c")
        script = place / "wasm" / "bench.mjs"
        script.write_text(filled_in(game, template("bench.mjs")), encoding="utf-8")
        node = shutil.which("node")
        batch = BatchEnv(game, GAMES, 0, 1)
        _batch_speed(batch, seconds / 4)
        runs: dict[tuple[str, ...], Callable[[], list[float]]] = {
            ("one: C", "batch: C"): lambda: _said(str(program), seconds),
            ("batch: here",): lambda: [_batch_speed(batch, seconds)],
        }
        if node is not None:
            runs["one: Node", "one: State", "batch: Node"] = lambda: _said(node, script, seconds)
        found: dict[str, list[float]] = {}
        for _ in range(repeats):
            for names, run in runs.items():
                for name, value in zip(names, run(), strict=True):
                    found.setdefault(name, []).append(value)
        first = {"wasm": float(sizes[f"{game.name}.wasm"]), "library": float(sizes[machine.shared.format(game.name)])}
        return first | {name: median(values) for name, values in found.items()}


def _c_program(game: Game, folder: Path) -> Path:
    source, program = folder / "bench.c", folder / "bench"
    source.write_text(filled_in(game, template("bench.c")), encoding="utf-8")
    machine = MACHINES[host()]
    zig("cc", "-target", machine.zig, "-O2", "-I", folder, source, folder / machine.static.format(game.name), "-lm", "-o", program)
    return program


def _said(*words: object) -> list[float]:
    """Return the numbers that a program prints."""
    said = subprocess.run([*map(str, words), str(GAMES)], capture_output=True, text=True, check=True).stdout
    return [float(word) for word in said.split()]


def _batch_speed(batch: BatchEnv, seconds: float) -> float:
    """Return actions per second of processor time."""
    count, started = 0, time.process_time()
    while (passed := time.process_time() - started) < seconds:
        batch.step(batch.sample_actions())
        count += batch.batch_size
    return count / passed


def main(words: list[str]) -> None:
    """Measure the games that are named, or all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", nargs="*", help="environments; default: all")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each measurement")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--processor", default="native", help="processor for the library in C, as in `dig-envs export`")
    given = parser.parse_args(words)
    print(" ".join(["game".ljust(20), *(f"{name:>12}" for name in COLUMNS)]))
    for name in given.env or list_environments():
        row = measure(load_game(name), given.seconds, given.repeats, given.processor)
        print(" ".join([name.ljust(20), *(f"{row[c]:>12,.0f}" if c in row else f"{'-':>12}" for c in COLUMNS)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
