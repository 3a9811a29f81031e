"""Playing the tasks of a suite with one agent, by the arena's means: the same deals, every seat, going on after an interruption."""

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import numba
import numpy as np

import dig_envs
from dig_envs.agents.loading import check_num_players
from dig_envs.agents.protocol import Agent
from dig_envs.arena.play import Contest
from dig_envs.arena.report import pair_of
from dig_envs.arena.results import Played
from dig_envs.arena.schedule import BLOCK, seatings, units
from dig_envs.arena.tournament import code_hash, play_all, settled
from dig_envs.benchmark.anchors import changes, read_anchors
from dig_envs.benchmark.players import identity, load_player
from dig_envs.benchmark.report import Report, TaskResult, result_of
from dig_envs.benchmark.suite import SUITES, VERSION, Suite, Task
from dig_envs.engine.errors import BenchmarkError, PolicyMismatchError
from dig_envs.engine.game import Array
from dig_envs.registry import load_game

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Games:
    """The games of a task, one entry for each deal, which is the mean over its seatings.

    ``victories`` float64 (deals,): the agent's share of the victory (cooperative: whether it won). ``score`` float64 (deals,): of
    the agent's seat. ``metric``: that one of the two which counts. ``length`` float64 (deals,): actions.
    """

    victories: Array
    score: Array
    metric: Array
    length: Array


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
        tasks: a pattern such as ``fossil_canyon-*``: only these tasks.
        workers: processes; the report does not depend on it.
        results: a folder in which games are kept, and with whose games it goes on.
        block: deals that are played at a time; an interruption loses at most one block for each worker.
        progress: called with the task, the number of its games that are done and of all.

    Raises:
        BenchmarkError: an unknown suite, no task of that pattern, an agent that can play none of them, or other rules or opponents
            than those that the suite was recorded with.
        ArenaError: ``results`` has games of other settings.
        ValueError: an unknown agent.
        OSError: ``results`` cannot be written.
    """
    chosen = check_suite(suite, tasks)
    anchors = read_anchors()
    loaded, refused = load_everywhere(agent, chosen)
    if not loaded:
        raise BenchmarkError(f"{agent} can play none of the tasks: {next(iter(refused.values()))}")
    playable = [task for task in chosen if task.name in loaded]
    different = [line for task in playable for line in changes(task, anchors[task.name])]
    if different:
        raise BenchmarkError(f"results could not be compared: {'; '.join(different)}")
    found: list[tuple[TaskResult, Array]] = []
    for task in playable:
        games = play_task(agent, task, workers, results, block, progress)
        found.append(result_of(task, anchors[task.name], games.metric, games.victories, games.score, games.length, source_of(task)))
    return Report.of(
        SUITES[suite], VERSION, identity(agent, loaded), command(agent, suite, tasks, block), versions(), found, refused
    )


def check_suite(name: str, pattern: str) -> list[Task]:
    """The tasks of a suite that a pattern names; raises BenchmarkError."""
    if name not in SUITES:
        raise BenchmarkError(f"no suite {name!r}; there are {', '.join(SUITES)}")
    suite: Suite = SUITES[name]
    chosen = [task for task in suite.tasks if fnmatch(task.name, pattern)]
    if not chosen:
        raise BenchmarkError(f"no task {pattern!r} in the suite {name}; there are {', '.join(task.name for task in suite.tasks)}")
    return chosen


def load_everywhere(spec: str, tasks: Sequence[Task]) -> tuple[dict[str, Agent], dict[str, str]]:
    """The agent for each task that it can play, and for each other why it cannot."""
    loaded: dict[str, Agent] = {}
    refused = {}
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
    """The agent that plays a task."""
    return settled(load_player(spec, task.environment, 0), load_game(task.environment).complete_options(task.options))


def play_task(
    agent: str,
    task: Task,
    workers: int = 1,
    results: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Games:
    """Play a task, or what is not in the folder of results yet; raises as :func:`measure`."""
    game = load_game(task.environment)
    agents = (agent,) if task.cooperative else (agent, task.opponent)
    contest = Contest(task.environment, game.complete_options(task.options), agents, task.seed, task.form, load_player)
    schedule = list(units(len(agents), task.deals, block, task.num_seats, task.form))
    file = None if results is None else results_file(results, agent, task)
    settings = {
        "suite": VERSION,
        "task": {key: value for key, value in task.as_json().items() if key != "deals"},  # more may be played later
        "agents": [
            identity(agent, {task.name: load_for(agent, task)}),
            *({"agent": name} for name in agents[1:]),
        ],
        "block": block,
        "dig_envs": dig_envs.__version__,
        "code": code_hash(game),
    }
    report = None if progress is None else lambda done, total: progress(task.name, done, total)
    played = play_all(contest, schedule, settings, workers, file, report)
    return games_of(task, [played[unit] for unit in sorted(played)])


def results_file(folder: Path, agent: str, task: Task) -> Path:
    """Where the games of a task are kept."""
    place = folder / re.sub(r"[^\w.=+-]+", "_", agent)
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{task.name}.jsonl"


def games_of(task: Task, parts: Sequence[Played]) -> Games:
    """What the blocks of a task say, deal by deal."""
    lengths = np.concatenate([part.lengths for part in parts])
    if task.cooperative:
        score = np.concatenate([part.scores.mean(axis=1) for part in parts])
        won = np.concatenate([part.winners.any(axis=1) for part in parts]).astype(np.float64)
        return Games(won, score, score, lengths.astype(np.float64))
    seating = seatings(task.num_seats, task.form)
    pair = pair_of(parts, seating)
    victories = pair.wins[0].mean(axis=1)
    return Games(victories, pair.scores[0].mean(axis=1), victories, lengths.reshape(-1, len(seating)).mean(axis=1))


def source_of(task: Task) -> str | None:
    """The hash of the sources that make the rules of a task."""
    return load_game(task.environment).source_hash


def command(agent: str, suite: str, tasks: str, block: int) -> str:
    """The command that makes a report; agents that draw at random have other seeds in blocks of another size."""
    import shlex

    words = ["dig-envs", "benchmark", agent, "--suite", suite]
    words += [] if tasks == "*" else ["--tasks", tasks]
    words += [] if block == BLOCK else ["--block", str(block)]
    return shlex.join(words)


def versions() -> Mapping[str, str]:
    """Of all that the results may depend on."""
    return {
        "dig_envs": dig_envs.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
