"""All that can be checked and measured on a machine with a GPU only, in one call of less than eight
minutes, into one JSON file, which is written anew after each part.

``python -m tests.batch.cuda.device_check OUT.json`` compiles three games, compares 3,001 games of
each for 400 steps with the CPU, and 1,001 games of a learner against scripted players for 100,
measures batches and training, and trains with the first command of the README. ``--before FOLDER``
measures another checkout with the same calls. ``--seconds``: when no further part begins;
``--games``, ``--size``, ``--steps``, ``--compare-only``: to try the comparison on the simulated
device.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
GAMES = ("go_dig_v0", "oak_island_v0", "dino_dig_v0")
BATCH = 65536
MEASURED_SECONDS, TRAINED_SECONDS = 1.0, 90
# played on another checkout, too: so it uses only what was always there
MEASURE = """
import json, sys, time
from dig_envs.batch.batch_env import BatchEnv
name, kind, size, seconds = sys.argv[1], *map(json.loads, sys.argv[2:])
batch = BatchEnv(name, size, observation=kind).to("cuda")
def checked():
    batch.step(batch.sample_actions())
def unchecked():
    batch.step(batch.sample_actions(into=batch.actions), check=False)
found = {}
for play in (checked, unchecked)[: 2 if hasattr(batch, "check") else 1]:
    play()
    play()
    int(batch.mover[0])  # the device has finished
    steps, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for _ in range(20):
            play()
        int(batch.mover[0])
        steps += 20
    found[play.__name__] = round(size * steps / (time.perf_counter() - started))
print(json.dumps(found))
"""
TRAININGS = {
    "the first command": ("dino_dig", "--settings", "quick"),
    "Go Dig for half a minute": ("go_dig", "--minutes", "0.5"),
}


class Report:
    """The JSON file, and the parts that fill it."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.path, self.found = path, dict[str, Any]()
        self.started = time.perf_counter()
        self.seconds = seconds

    def part(self, name: str, work: Callable[[], Any]) -> None:
        """Do a part, unless it is too late, and write what has come of it; errors are kept."""
        begun = time.perf_counter()
        if begun - self.started > self.seconds:
            outcome: dict[str, Any] = {"left_out": "no time"}
        else:
            try:
                outcome = {"result": work()}
            except Exception:
                outcome = {"error": traceback.format_exc(limit=-4)}
        outcome["seconds"] = round(time.perf_counter() - begun, 1)
        self.found[name] = outcome
        self.path.write_text(json.dumps(self.found, indent=1) + "\n")
        print(name, json.dumps(outcome), flush=True)


def machine() -> dict[str, Any]:
    """The device, and the versions of what was used."""
    from importlib.metadata import version

    from dig_envs.batch.cuda import SIMULATED, device_name

    packages = ("numpy", "numba", "torch") + (() if SIMULATED else ("numba-cuda",))
    return {"device": device_name(), **{name: version(name) for name in packages}}


def compare(name: str, size: int, steps: int) -> dict[str, Any]:
    """The same random games on both; where they part, and by how much observations differ."""
    from dig_envs.batch.batch_env import BatchEnv
    from tests.batch.cuda.script import OUTPUTS, outputs

    batch = BatchEnv(name, size, seed=5)
    begun = time.perf_counter()
    on_gpu = batch.to("cuda")
    on_gpu.step(on_gpu.sample_actions(into=on_gpu.actions), check=False)
    on_gpu.check()
    compiled = time.perf_counter() - begun
    batch.step(batch.sample_actions())
    for _ in range(steps - 1):
        batch.step(batch.sample_actions())
        on_gpu.step(on_gpu.sample_actions(into=on_gpu.actions), check=False)
    on_gpu.check()
    seen, expected = outputs(on_gpu), outputs(batch)
    apart = [what for what in OUTPUTS if not np.array_equal(seen[what], expected[what])]
    off = float(np.abs(seen["observation"] - expected["observation"]).max())
    return {"compile_seconds": round(compiled, 1), "differ": apart, "observation_off_by": off}


def compare_learner(name: str, size: int, steps: int) -> dict[str, Any]:
    """A learner's games against the scripted player and the random one, seats drawn."""
    from dig_envs.adapters.learner_batch import LearnerBatch
    from dig_envs.adapters.learner_tensors import LearnerTensors
    from tests.batch.cuda.script import on_host

    def new(device: str) -> Any:
        games = LearnerBatch(name, size, opponents=["heuristic", "random"], seed=8)
        return LearnerTensors(games, device)

    begun = time.perf_counter()
    both = [new("cuda"), new("cpu")]
    for games in both:
        games.reset()
    compiled, ended, apart = time.perf_counter() - begun, 0, set()
    for _ in range(steps):
        found = [games.step(games.action_mask.argmax(1), check=False) for games in both]
        ended += int(found[1].done.sum())
        apart |= {
            what
            for what in vars(found[0])
            if not np.array_equal(*(getattr(step, what).cpu().numpy() for step in found))
        }
    both[0].check()
    states = [on_host(games.batch.states).view(np.ndarray).tobytes() for games in both]
    return {
        "compile_seconds": round(compiled, 1),
        "episodes": ended,
        "differ": sorted(apart) + (["states"] if states[0] != states[1] else []),
    }


def program(folder: Path, *words: str, seconds: float) -> tuple[str, float]:
    """What a Python program with the package of a folder prints, and its seconds; what it has
    printed so far where that is too long for it."""
    begun = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(folder), "DIG_ENVS_QUIET": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
        said = done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stdout}"
    except subprocess.TimeoutExpired as late:
        said = f"after {seconds} s: {(late.stdout or b'').decode(errors='replace')}"
    return said, time.perf_counter() - begun


def measure(folder: Path, name: str, kind: str | None, size: int) -> Any:
    """Actions per second of a batch in a checkout."""
    words = (name, json.dumps(kind), str(size), str(MEASURED_SECONDS))
    said, _ = program(folder, "-c", MEASURE, *words, seconds=120)
    return json.loads(said.strip().splitlines()[-1])


def train(folder: Path, what: str, out: Path) -> dict[str, Any]:
    """One of ``TRAININGS`` on the device, in a checkout; the end of what it says, with its
    speed."""
    words = ("-m", "dig_envs.commands.main", "train", *TRAININGS[what], "--device", "cuda")
    words = (*words, "--run", str(out / "run"), "--out", str(out / "policy"))
    said, seconds = program(folder, *words, seconds=TRAINED_SECONDS)
    return {"seconds": round(seconds, 1), "said": said.splitlines()[-25:]}


def main() -> None:
    """Do all parts, those first that nothing else can tell."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("out", type=Path)
    words.add_argument("--before", type=Path)
    words.add_argument("--seconds", type=float, default=380.0)
    words.add_argument("--size", type=int, default=3001)
    words.add_argument("--steps", type=int, default=400)
    words.add_argument("--games", nargs="*", default=GAMES)
    words.add_argument("--compare-only", action="store_true")
    given = words.parse_args()
    report = Report(given.out, given.seconds)
    report.part("machine", machine)
    few, short = -(-given.size // 3), -(-given.steps // 4)
    for name in given.games:
        report.part(f"compare {name}", lambda name=name: compare(name, given.size, given.steps))
    report.part(f"learner {given.games[0]}", lambda: compare_learner(given.games[0], few, short))
    if given.compare_only:
        return
    folders = {"now": ROOT, **({"before": given.before.resolve()} if given.before else {})}
    for name in given.games:
        for kind in (None, "float32"):
            for when, folder in folders.items():
                report.part(
                    f"batch {name} {kind} {when}",
                    lambda name=name, kind=kind, folder=folder: measure(folder, name, kind, BATCH),
                )
    with tempfile.TemporaryDirectory() as runs:
        for what in TRAININGS:
            for when, folder in folders.items():
                out = Path(runs) / f"{len(report.found)}"
                report.part(
                    f"train {what}, {when}",
                    lambda what=what, folder=folder, out=out: train(folder, what, out),
                )
    for name in given.games[1:]:
        report.part(f"learner {name}", lambda name=name: compare_learner(name, few, short))


if __name__ == "__main__":
    main()
