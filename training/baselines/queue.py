"""The queue: all runs of ``settings/plan.toml``, one after the other, each in a process of its own.

    nice -n 10 python -m training.baselines queue results --until 02:00

A run whose result is there is skipped, so that the same command goes on where it was stopped. A run that fails leaves
``<algorithm>-<game>-seed<seed>.failed.json`` with the last lines that it printed, and is tried again only with ``--again``. A
run that is interrupted is lost and begins anew: runs take minutes.
"""

import argparse
import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from ..files import write_atomically
from .common import SETTINGS, path_of

PLAN = SETTINGS / "plan.toml"
LINES = 15  # of what a failed run printed
GAMES = ("curve_games", "final_games")  # that a line of the plan may have: options of the command


class Planned(NamedTuple):
    """A run of the plan; ``options``: further words of its command."""

    algorithm: str
    game: str
    seed: int
    decisions: int
    options: tuple[str, ...] = ()


def planned(file: Path = PLAN) -> Iterator[Planned]:
    """Yield the runs of a plan in the order in which they are made: all lines with seed 0, then all with seed 1, and so on.

    So a queue that is stopped leaves something of every algorithm.
    """
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    for seed in range(max(line.get("seeds", plan["seeds"]) for line in plan["runs"])):
        for line in plan["runs"]:
            for game in line["games"] if seed < line.get("seeds", plan["seeds"]) else ():
                options = [word for key in GAMES if key in line for word in (f"--{key.replace('_', '-')}", str(line[key]))]
                yield Planned(line["algorithm"], game, seed, line.get("decisions", plan["decisions"]), tuple(options))


def failure_of(folder: Path, run: Planned) -> Path:
    """Return the file that says how a run failed."""
    return path_of(folder, run.algorithm, run.game, run.seed).with_suffix(".failed.json")


def make(run: Planned, folder: Path, python: str, seconds: float) -> bool:
    """Make a run in a process of its own; returns whether it came to its end. Its failure is noted in the folder."""
    words = [run.algorithm, run.game, "--seed", str(run.seed), "--decisions", str(run.decisions), "--out", str(folder)]
    words += run.options
    log = path_of(folder, run.algorithm, run.game, run.seed).with_suffix(".log")
    with log.open("w") as output:
        try:
            done = subprocess.run(
                [python, "-m", str(__package__), *words], stdout=output, stderr=subprocess.STDOUT, timeout=seconds, check=False
            )
            ended = f"exit status {done.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"not at its end after {seconds:.0f} seconds"
    if path_of(folder, run.algorithm, run.game, run.seed).exists():
        failure_of(folder, run).unlink(missing_ok=True)
        return True
    said = log.read_text(errors="replace").splitlines()[-LINES:]
    failure = {**run._asdict(), "reason": ended, "said": said, "date": datetime.now(UTC).date().isoformat()}
    write_atomically(failure_of(folder, run), json.dumps(failure, indent=1) + "\n")
    return False


def run_queue(words: Sequence[str]) -> None:
    """Make the runs of the plan that are missing."""
    parser = argparse.ArgumentParser("python -m training.baselines queue", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder for the results")
    parser.add_argument("--plan", type=Path, default=PLAN, help="TOML file with the runs")
    parser.add_argument("--only", action="append", help="run only this algorithm (repeatable); default: all")
    parser.add_argument("--again", action="store_true", help="repeat the runs that have failed")
    parser.add_argument("--without", type=Path, metavar="SUMMARY", help="make only runs that this summary does not have")
    parser.add_argument("--python", default=sys.executable, help="Python interpreter of an environment that has the libraries")
    parser.add_argument("--until", help="begin no run after this time of day (UTC), such as 02:00")
    parser.add_argument("--most-minutes", type=float, default=30.0, help="a run that takes longer has failed")
    values = parser.parse_args(words)
    values.folder.mkdir(parents=True, exist_ok=True)
    end = deadline(values.until, datetime.now(UTC))
    try:
        there = set() if values.without is None else runs_of(values.without)
    except (OSError, ValueError, LookupError, TypeError) as error:
        parser.exit(2, f"error: {values.without} is no summary of runs: {type(error).__name__} {error}\n")
    for run in planned(values.plan):
        if run[:3] in there:
            continue
        if values.only and run.algorithm not in values.only:
            continue
        if path_of(values.folder, run.algorithm, run.game, run.seed).exists():
            continue
        if failure_of(values.folder, run).exists() and not values.again:
            continue
        if end is not None and datetime.now(UTC) >= end:
            break
        began = time.monotonic()
        done = make(run, values.folder, values.python, 60 * values.most_minutes)
        seconds = time.monotonic() - began
        print(f"{run.algorithm} {run.game} seed {run.seed}: {'done' if done else 'failed'} after {seconds:.0f} s", flush=True)


def runs_of(summary: Path) -> set[tuple[str, str, int]]:
    """Return algorithm, game and seed of the runs in a summary."""
    runs = json.loads(summary.read_text(encoding="utf-8"))["runs"]
    return {(run["algorithm"], run["game"], seed) for run in runs for seed in run["seeds"]}


def deadline(text: str | None, now: datetime) -> datetime | None:
    """Return the next moment at which it is that time of day; None without one."""
    if text is None:
        return None
    hour, minute = map(int, text.split(":"))
    end = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return end if end > now else end + timedelta(days=1)
