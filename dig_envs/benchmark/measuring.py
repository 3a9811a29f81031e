"""Plays the tasks of a suite with one agent as an arena does: the same deals, every seat, going on after an interruption."""

import platform
import re
import shlex
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

import numba
import numpy as np

import dig_envs
from dig_envs.agents.loading import check_num_players
from dig_envs.agents.matches import sum_usage
from dig_envs.agents.protocol import Agent
from dig_envs.arena.entrants import describe_code, for_options
from dig_envs.arena.machine import machine_now
from dig_envs.arena.play import ArenaSetup
from dig_envs.arena.report import pair_of
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import BLOCK, MOST_GAMES, MOST_WORKERS, seatings, units
from dig_envs.arena.tournament import play_all
from dig_envs.benchmark.anchors import changes, read_anchors
from dig_envs.benchmark.players import identity, load_player
from dig_envs.benchmark.report import Report, TaskGames, aggregate, normalised, result_of
from dig_envs.benchmark.suite import SUITES, VERSION, Task
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.errors import BenchmarkError, PolicyMismatchError

Progress = Callable[[str, int, int], None]


def measure(
    agent: str,
    suite: str = "small",
    *,
    tasks: str = "*",
    workers: int = 1,
    results: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Report:
    """Measure an agent by a suite; the README of ``dig_envs.benchmark`` says how.

    With several workers, call it under ``if __name__ == "__main__":``, for the workers import the main module anew.

    Args:
        agent: as :func:`dig_envs.load_agent` names it (without a game it plays all of them), or ``python:module:function``.
        suite: ``small`` or ``full``.
        tasks: a pattern such as ``fossil_canyon-*``, or several with commas between: only these tasks.
        workers: processes; the report does not depend on it.
        results: a folder in which games are kept, and with whose games it goes on.
        block: deals that are played at a time; an interruption loses at most one block for each worker.
        progress: called with the task, the number of its games that are done and of all.

    Raises:
        BenchmarkError: an unknown suite, no task of that pattern, an agent that can play none of them, or other rules or opponents
            than those that the suite was recorded with.
        ArenaError: ``results`` has games of other settings.
        ValueError, TypeError: an unknown agent, or a number that is none or out of range.
        OSError: ``results`` cannot be written.
    """
    check_integer(workers, "workers", 1, MOST_WORKERS)
    check_integer(block, "block", 1, MOST_GAMES)
    chosen = check_suite(suite, tasks)
    anchors = read_anchors()
    loaded, refused = load_everywhere(agent, chosen)
    if not loaded:
        raise BenchmarkError(f"{agent} can play none of the tasks: {next(iter(refused.values()))}")
    playable = [task for task in chosen if task.name in loaded]
    different = [line for task in playable for line in changes(task, anchors[task.name])]
    if different:
        raise BenchmarkError(f"results could not be compared: {'; '.join(different)}")
    played = [(task, anchors[task.name], play_task(agent, task, workers, results, block, progress)) for task in playable]
    about = SUITES[suite]
    return Report(
        suite={"name": about.name, "version": VERSION, "sha256": about.sha256, "tasks": len(about.tasks)},
        agent=identity(agent, loaded),
        command=command(agent, suite, tasks, block),
        versions=versions(),
        complete=len(playable) == len(about.tasks),
        aggregates=aggregate([normalised(games.metric, anchor) for _, anchor, games in played]),
        tasks=tuple(result_of(*one) for one in played),
        refused=refused,
        machine=machine_now(),
    )


def check_suite(name: str, patterns: str) -> list[Task]:
    """Return the tasks of a suite that fit one of the patterns; raises BenchmarkError if there are none for one of them."""
    if name not in SUITES:
        raise BenchmarkError(f"no suite {name!r}; there are {', '.join(SUITES)}")
    tasks = SUITES[name].tasks
    chosen: set[str] = set()
    for pattern in patterns.split(","):
        fitting = {task.name for task in tasks if fnmatch(task.name, pattern.strip())}
        if not fitting:
            raise BenchmarkError(f"no task {pattern!r} in the suite {name}; there are {', '.join(task.name for task in tasks)}")
        chosen |= fitting
    return [task for task in tasks if task.name in chosen]


def load_everywhere(spec: str, tasks: Sequence[Task]) -> tuple[dict[str, Agent], dict[str, str]]:
    """Return the agent for each task that it can play, and the reason why it cannot for each other task."""
    loaded, refused = {}, {}
    for task in tasks:
        try:
            agent = load_for(spec, task)
            check_num_players([agent], task.num_seats)
        except PolicyMismatchError as error:
            refused[task.name] = str(error)
        else:
            loaded[task.name] = agent
    return loaded, refused


def load_for(spec: str, task: Task) -> Agent:
    """Return the agent that plays a task."""
    return for_options(load_player(spec, task.environment, 0), task.all_options)


def play_task(
    agent: str,
    task: Task,
    workers: int = 1,
    results: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> TaskGames:
    """Play a task, or what is not in the folder of results yet, and return its games; raises as :func:`measure`."""
    agents = (agent,) if task.cooperative else (agent, task.opponent)
    setup = ArenaSetup(task.environment, task.all_options, agents, task.seed, task.form, load_player)
    schedule = list(units(len(agents), task.deals, block, task.num_seats, task.form))
    settings = {
        "suite": VERSION,
        "task": {key: value for key, value in task.as_json().items() if key != "deals"},  # more may be played later
        "agents": [identity(agent, {task.name: load_for(agent, task)}), *({"agent": name} for name in agents[1:])],
        "block": block,
        **describe_code(task.game),
    }
    file = None if results is None else results_file(results, agent, task)
    tell = None if progress is None else lambda done, total: progress(task.name, done, total)
    played = play_all(setup, schedule, settings, workers, file, tell)
    return games_of(task, [played[unit] for unit in sorted(played)])


def results_file(folder: Path, agent: str, task: Task) -> Path:
    """Return the file for the games of a task; its folder is made."""
    place = folder / re.sub(r"[^\w.=+-]+", "_", agent)
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{task.name}.jsonl"


def games_of(task: Task, blocks: Sequence[UnitResult]) -> TaskGames:
    """Return the games of a task, deal by deal, from the blocks in which they were played."""
    lengths = np.concatenate([block.lengths for block in blocks])
    usage = sum_usage(block.usage[0] for block in blocks if block.usage)  # of the agent; its opponent is not measured
    if task.cooperative:
        score = np.concatenate([block.scores.mean(axis=1) for block in blocks])
        won = np.concatenate([block.winners.any(axis=1) for block in blocks]).astype(np.float64)
        return TaskGames(won, score, score, lengths.astype(np.float64), usage)
    seating = seatings(task.num_seats, task.form)
    pair = pair_of(blocks, seating)
    victories = pair.wins[0].mean(axis=1)
    per_deal = lengths.reshape(-1, len(seating)).mean(axis=1)
    return TaskGames(victories, pair.scores[0].mean(axis=1), victories, per_deal, usage)


def command(agent: str, suite: str, tasks: str, block: int) -> str:
    """Return the command that makes a report; agents that draw at random have other seeds in blocks of another size."""
    words = ["dig-envs", "benchmark", agent, "--suite", suite]
    words += [] if tasks == "*" else ["--tasks", tasks]
    words += [] if block == BLOCK else ["--block", str(block)]
    return shlex.join(words)


def versions() -> dict[str, str]:
    """Return the versions of all that the results may depend on."""
    return {
        "dig_envs": dig_envs.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
