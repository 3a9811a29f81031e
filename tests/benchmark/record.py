"""Measuring the anchors of a new version of the suites, whose file has everything else:

    python -m tests.benchmark.record --results FOLDER

Games are kept in the folder, with which it goes on; the file is written after each task.
"""

import json
import sys
from dataclasses import asdict
from fnmatch import fnmatch
from functools import partial
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import for_options
from dig_envs.arena.entrants import describe
from dig_envs.arena.play import ArenaSetup
from dig_envs.arena.ratings import Bootstrap
from dig_envs.arena.report import pair_of
from dig_envs.arena.results import agents_first
from dig_envs.arena.schedule import BLOCK, Form, Unit, seatings
from dig_envs.arena.tournament import play_all
from dig_envs.benchmark.anchors import deals_print, member_print, opponents_print
from dig_envs.benchmark.measuring import play_task
from dig_envs.benchmark.suite import DEALS_APART, FILE, SEEDS, Anchor, Task, read_suite

REFERENCE_ELO = 1000  # of the scripted player that is a task's reference
SPREAD = 2**38
# of each pair of a population; SEARCHED_GAMES where one of the two searches
GAMES, SEARCHED_GAMES = 400, 40


def rate(
    task: Task, results: Path, workers: int = 1, games: int = GAMES, searched: int = SEARCHED_GAMES
) -> dict[str, Any]:
    """Return the ratings of a task's population, by what loads them: games against each other, on
    deals of their own."""
    names = agents_first(results, [member.player for member in task.population])
    seed = task.seed + DEALS_APART // 2
    setup = ArenaSetup(task.environment, task.all_options, tuple(names), seed, Form.PAIRS)
    seating = seatings(task.num_seats, Form.PAIRS)
    block = 2 if any("search" in name for name in names) else BLOCK
    schedule = []
    for pair in combinations(range(len(names)), 2):
        searches, styles = (any(word in names[k] for k in pair) for word in ("search:", "style="))
        if searches and styles:  # the others tell enough of both
            continue
        wanted = searched if searches else games
        deals = -(-wanted // len(seating))
        schedule += [
            Unit(start, pair, min(start + block, deals)) for start in range(0, deals, block)
        ]
    agents = {
        name: for_options(load_agent(name, task.environment), task.all_options) for name in names
    }
    settings = describe(task.game, agents, task.all_options, seed, block)
    played = play_all(setup, schedule, settings, workers, results)
    points = np.zeros((max(unit.stop for unit in schedule), len(names), len(names)))
    met = np.zeros((len(names), len(names)), np.bool_)
    for unit, result in played.items():
        i, j = unit.contestants
        taken = pair_of([result], seating).points.mean(axis=1)
        points[unit.start : unit.stop, i, j], points[unit.start : unit.stop, j, i] = (
            taken,
            1 - taken,
        )
        met[i, j] = met[j, i] = True
    ratings = Bootstrap(len(points), len(seating)).rate(points, met, names.index(task.reference))
    columns = (ratings.elo, ratings.low, ratings.high)
    numbers = [
        [round(float(column[k]) + REFERENCE_ELO, 1) for column in columns]
        for k in range(len(names))
    ]
    return dict(zip(names, numbers, strict=True))


def record(task: Task, results: Path, workers: int = 1) -> dict[str, Any]:
    """Measure the anchor of a task, and of each member of its population, as the file holds
    them."""
    reference = task.optimum or 1 / task.num_seats  # copies of the opponent share every victory
    if task.opponent != task.reference and not task.optimum:
        reference = float(play_task(task.reference, task).metric.mean())
    anchor = {
        "random": round(float(play_task("random", task).metric.mean()), 6),
        "reference": round(reference, 6),
        "deals": deals_print(task),
        "opponents": opponents_print(task),
    }
    rated = {}
    if task.population and not task.cooperative:
        rated = rate(task, results / f"{task.name}.jsonl", workers)
    members = []
    for member in task.population:
        elo, *interval = rated.get(member.player, (None, None, None))
        found = {"elo": elo, "elo_interval": interval if elo is not None else None}
        members.append(found | {"fingerprint": member_print(task, member.player)})
    return {"anchor": anchor, "population": members}


def first_seed(version: int, name: str) -> int:
    """Return the seed of the first deal of a task, by its name."""
    digest = blake2b(f"dig_envs benchmark {version} {name}".encode(), digest_size=8).digest()
    return SEEDS + int.from_bytes(digest, "little") % SPREAD * DEALS_APART


def text_of(plain: dict[str, Any]) -> str:
    """Return the text of a file of suites: an entry of a task, a member or a split on each line."""
    dump = partial(json.dumps, ensure_ascii=False)
    parts = []
    for task in plain["tasks"]:
        lines = [f'"{key}": {dump(value)}' for key, value in task.items() if key != "population"]
        members = ",".join(f"\n    {dump(member)}" for member in task["population"])
        parts.append("  {" + ",\n   ".join([*lines, f'"population": [{members}]']) + "}")
    suites = []
    for name, about in plain["suites"].items():
        splits = ",".join(f"\n    {dump(split)}" for split in about["splits"])
        rest = f'"sha256": {dump(about["sha256"])},\n   "memory": {dump(about["memory"])}'
        suites.append(f'  "{name}": {{{rest},\n   "splits": [{splits}]}}')
    about = [f'"{key}": {dump(plain[key])}' for key in ("kind", "format", "version")]
    about.append('"suites": {\n' + ",\n".join(suites) + "\n }")
    about.append('"tasks": [\n' + ",\n".join(parts) + "\n ]")
    return "{" + ",\n ".join(about) + "}\n"


def main(
    results: Annotated[Path, typer.Option(help="folder for the games of the populations")],
    tasks: Annotated[str, typer.Option(help="only these tasks: a pattern")] = "*",
    workers: int = 1,
) -> None:
    """Record the anchors of a new version of the suites, and write them into its file."""
    plain = json.loads(FILE.read_text(encoding="utf-8"))
    results.mkdir(parents=True, exist_ok=True)
    for entry in plain["tasks"]:
        entry.setdefault("seed", first_seed(plain["version"], entry["name"]))
        entry.setdefault("anchor", asdict(Anchor(0.0, 1.0, "", "")))
        for member in entry["population"]:
            for key, value in (("elo", None), ("elo_interval", None), ("fingerprint", "")):
                member.setdefault(key, value)
    full = {task.name: task for task in read_suite(plain, "full").tasks}
    for entry in plain["tasks"]:
        if fnmatch(entry["name"], tasks):
            found = record(full[entry["name"]], results, workers)
            entry["anchor"] = found["anchor"]
            for member, rated in zip(entry["population"], found["population"], strict=True):
                member |= rated
            print(entry["name"], found, file=sys.stderr, flush=True)
            for name, about in plain["suites"].items():
                about["sha256"] = read_suite(plain, name).sha256
            FILE.write_text(text_of(plain), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
