"""Measuring the anchors of the newest version of the suite anew, for a new version of it:

    python -m tests.benchmark.record --results FOLDER

Games are kept in the folder, with which it goes on; tasks are written to the file of the anchors one by one.
"""

import json
import sys
from fnmatch import fnmatch
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
from dig_envs.benchmark.anchors import FILES, FORMAT, deals_print, member_print, opponents_print
from dig_envs.benchmark.measuring import play_task
from dig_envs.benchmark.suite import DEALS_APART, REFERENCE_ELO, SUITES, VERSION, Task

GAMES, SEARCHED_GAMES = 400, 40  # of each pair of a population; SEARCHED_GAMES where one of the two searches


def rate(task: Task, results: Path | None, workers: int = 1, games: int = GAMES, searched: int = SEARCHED_GAMES) -> dict[str, Any]:
    """Return the ratings of a task's population, by what loads them: games against each other, on deals of their own."""
    names = agents_first(results, [task.player(member) for member in task.population])
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
        schedule += [Unit(start, pair, min(start + block, deals)) for start in range(0, deals, block)]
    agents = {name: for_options(load_agent(name, task.environment), task.all_options) for name in names}
    settings = describe(task.game, agents, task.all_options, seed, block)
    played = play_all(setup, schedule, settings, workers, results)
    points = np.zeros((max(unit.stop for unit in schedule), len(names), len(names)))
    met = np.zeros((len(names), len(names)), np.bool_)
    for unit, result in played.items():
        i, j = unit.contestants
        taken = pair_of([result], seating).points.mean(axis=1)
        points[unit.start : unit.stop, i, j], points[unit.start : unit.stop, j, i] = taken, 1 - taken
        met[i, j] = met[j, i] = True
    ratings = Bootstrap(len(points), len(seating)).rate(points, met, names.index(task.opponent))
    columns = (ratings.elo, ratings.low, ratings.high)
    numbers = [[round(float(column[k]) + REFERENCE_ELO, 1) for column in columns] for k in range(len(names))]
    return dict(zip(names, numbers, strict=True))


def record(task: Task, results: Path | None, workers: int = 1) -> dict[str, Any]:
    """Measure the anchors of a task, as the file of the anchors holds them."""
    reference = task.optimum or 1 / task.num_seats  # the opponent among its likes; they share every victory
    if task.cooperative or task.against:
        reference = float(play_task(task.opponent, task).metric.mean())
    found: dict[str, Any] = {
        "random": round(float(play_task("random", task).metric.mean()), 6),
        "reference": round(reference, 6),
        "deals": deals_print(task),
        "opponents": opponents_print(task),
    }
    if task.population:
        file = None if results is None else results / f"{task.name}.jsonl"
        players = {member.agent: task.player(member) for member in task.population}
        rated = dict.fromkeys(players.values(), [0.0] * 3) if task.cooperative else rate(task, file, workers)
        keys = ("elo", "low", "high", "fingerprint")
        found["population"] = {
            name: dict(zip(keys, [*rated[player], member_print(task, player)], strict=True)) for name, player in players.items()
        }
    return found


def main(
    results: Annotated[Path, typer.Option(help="folder for the games of the populations")],
    tasks: Annotated[str, typer.Option(help="only these tasks: a pattern")] = "*",
    workers: int = 1,
) -> None:
    """Record the anchors of the newest version."""
    path, suite = FILES[VERSION], SUITES["full"].tasks
    results.mkdir(parents=True, exist_ok=True)
    for task in suite:
        if fnmatch(task.name, tasks):
            found = record(task, results, workers)
            print(task.name, found, file=sys.stderr, flush=True)
            there = json.loads(path.read_text(encoding="utf-8"))["tasks"] if path.exists() else {}
            there[task.name] = found
            ordered = {one.name: there[one.name] for one in suite if one.name in there}
            path.write_text(json.dumps({"format": FORMAT, "version": VERSION, "tasks": ordered}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
