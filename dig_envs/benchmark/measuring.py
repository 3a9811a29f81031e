"""Plays the tasks of a suite with one agent as an arena does: the same deals, every seat, going on
after an interruption."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

import dig_envs
from dig_envs.agents.loading import check_num_players
from dig_envs.agents.matches import sum_usage
from dig_envs.agents.onnx import trained_for
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.agents.sealed import end_processes, ending_processes, load_player
from dig_envs.arena.entrants import card_of, describe_code
from dig_envs.arena.machine import machine_now
from dig_envs.arena.play import ArenaSetup
from dig_envs.arena.report import pair_of
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import BLOCK, MOST_GAMES, MOST_WORKERS, Form, seatings, units
from dig_envs.arena.tournament import play_all
from dig_envs.benchmark.anchors import changes
from dig_envs.benchmark.deals import deals_as_json
from dig_envs.benchmark.held_out import HeldOut
from dig_envs.benchmark.players import identity
from dig_envs.benchmark.report import MemberGames, Report, TaskGames, result_of, summary_of
from dig_envs.benchmark.secrecy import check_no_player_is_left, hide_memory
from dig_envs.benchmark.suite import SUITES, Split, Suite, Task
from dig_envs.engine.core.checks import check_integer, shown_in_message
from dig_envs.engine.core.errors import BenchmarkError, PolicyMismatchError
from dig_envs.engine.core.files import check_file_name, check_folder
from dig_envs.engine.game import Array

Progress = Callable[[str, int, int], None]
LONGEST_NAME = 200  # bytes of the name of a file
# of a task: its games on the same deals stay what they are
MAY_GROW = ("deals", "population", "only_split")


@dataclass(frozen=True)
class Playing:
    """How games are played.

    ``workers``: processes. ``results``: folder in which games are kept, and from which a later
    call resumes. ``block``: deals that are played at a time. ``progress``: is called with the task,
    the number of its finished games and of all its games.
    """

    workers: int = 1
    results: Path | None = None
    block: int = BLOCK
    progress: Progress | None = None


@ending_processes()
def measure(
    agent: str,
    suite: str = "small",
    *,
    tasks: str = "*",
    workers: int = 1,
    results: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
    seeds: HeldOut | None = None,
) -> Report:
    """Play the tasks of a suite with an agent and return the report; the README of
    ``dig_envs.benchmark`` explains the method.

    Example::

        report = dig_envs.benchmark.measure("heuristic", tasks="fossil_canyon-*", workers=2)
        print(report.aggregates["iqm"].mean)  # 0: a random player, 100: the scripted one

    With several workers, call it under ``if __name__ == "__main__":``, because each worker imports
    the main module.

    Args:
        agent: as :func:`dig_envs.load_agent` names it (without a game it plays all of them), or
            ``python:module:function``.
        suite: ``small`` or ``full``.
        tasks: only tasks that match this pattern, such as ``fossil_canyon-*``, or one of several
            patterns separated by commas.
        workers: number of processes; the report does not depend on it.
        results: folder in which games are kept, and from which a later call resumes.
        block: deals that are played at a time; an interruption loses at most one block for each
            worker.
        progress: called with the task, the number of its finished games and of all its games.
        seeds: held-out seeds of the deals; None for the public seeds of the suite.

    Raises:
        BenchmarkError: an unknown suite, no task of that pattern, an agent that can play none of
            them, or other rules or opponents than those that the suite was recorded with.
        ArenaError: ``results`` has games of other settings.
        ValueError, TypeError: an unknown agent, or a number that is not an integer or out of range.
        OSError: ``results`` cannot be written.
    """
    check_integer(workers, "workers", 1, MOST_WORKERS)
    check_integer(block, "block", 1, MOST_GAMES)
    check_results(results)
    if seeds is not None:
        hide_memory()
    about, chosen = check_suite(suite, tasks)
    loaded, refused = load_everywhere(agent, chosen)
    if not loaded:
        raise BenchmarkError(f"{agent} can play none of the tasks: {next(iter(refused.values()))}")
    playable = [task for task in chosen if task.name in loaded]
    check_unchanged(playable)
    if seeds is not None and results is not None:
        results = results / f"held-out-{seeds.name}"
    how = Playing(workers, results, block, progress)
    held_out = None if seeds is None else seeds.as_json()
    played, found, deals = [], [], {}
    for task in playable:
        dealt = task if seeds is None else seeds.task(task)
        games = play_task(agent, dealt, how)
        members = play_population(agent, dealt, games, how)
        found.append(result_of(replace(task, held_out=held_out), games, members))
        played.append((task, games))
        deals[task.name] = deals_as_json(games, members)
    return Report(
        suite=about.about()
        | {"tasks": len(about.tasks)}
        | ({"held_out": held_out} if held_out else {}),
        agent=identity(agent, loaded),
        command=command(agent, suite, tasks, block)
        + (f" --seeds {seeds.name}.json" if seeds else ""),
        versions={"dig_envs": dig_envs.__version__},
        complete=len(playable) == len(about.tasks),
        tasks=tuple(found),
        refused=refused,
        deals=deals,
        **summary_of(
            about, played, {split.name: trained_on(split, about, loaded) for split in about.splits}
        ),
        machine=machine_now(),
    )


def check_results(folder: Path | None) -> None:
    """Raise OSError or BenchmarkError if games cannot be kept in a folder."""
    if folder is None:
        return
    check_folder(folder)
    if folder.resolve() == Path.cwd():
        raise BenchmarkError(
            "games cannot be kept in the working folder, where a folder with the name of an agent "
            "would be taken for a policy: name another folder"
        )


def check_unchanged(tasks: Sequence[Task]) -> None:
    """Raise BenchmarkError if something is not as it was when the suite was recorded."""
    different = [line for task in tasks for line in changes(task)]
    if different:
        raise BenchmarkError(f"results could not be compared: {'; '.join(different)}")


def check_suite(name: str, patterns: str) -> tuple[Suite, list[Task]]:
    """A suite and those of its tasks that fit one of the patterns.

    Raises:
        BenchmarkError: there is no such suite, or no task for one of the patterns.
    """
    if name not in SUITES:
        raise BenchmarkError(f"no suite {shown_in_message(name)}; there are {', '.join(SUITES)}")
    suite = SUITES[name]
    chosen: set[str] = set()
    for pattern in patterns.split(","):
        fitting = {task.name for task in suite.tasks if fnmatch(task.name, pattern.strip())}
        if not fitting:
            there = ", ".join(task.name for task in suite.tasks)
            raise BenchmarkError(
                f"no task {shown_in_message(pattern)} in the suite {name}; there are {there}"
            )
        chosen |= fitting
    return suite, [task for task in suite.tasks if task.name in chosen]


def trained_on(split: Split, suite: Suite, agents: Mapping[str, Agent]) -> list[str] | None:
    """The tasks of a split that a policy was trained for, by its card; None for an agent without a
    card."""
    found, cards = [], 0
    for task in suite.tasks:
        if task.name in (*split.train, *split.test) and task.name in agents:
            cases = trained_for(card_of(agents[task.name]), task.game)
            cards += bool(cases)
            if task.all_options in cases:
                found.append(task.name)
    return found if cards else None


def load_everywhere(spec: str, tasks: Sequence[Task]) -> tuple[dict[str, Agent], dict[str, str]]:
    """The agent for each task that it can play, and the reason for each other task."""
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
    """The agent that plays a task."""
    return for_options(load_player(spec, task.environment, 0), task.all_options)


def play_task(agent: str, task: Task, how: Playing = Playing()) -> TaskGames:
    """Play a task, or what is not in the folder of results yet, and return its games; raises as
    :func:`measure`."""
    names = (agent,) if task.opponent is None else (agent, task.opponent)
    agents = (agent, *(task.reference_player or other for other in names[1:]))
    return games_of(task, play_blocks(agents, task, task.form, task.deals, how, seeded_as=names))


def play_population(
    agent: str, task: Task, own: TaskGames, how: Playing = Playing()
) -> dict[str, MemberGames]:
    """Play with each member of a task's population and return the games by its name; raises as
    :func:`measure`.

    ``own``: the games of the task itself. For two players they are those with the opponent, if it
    is a member, and are not played again.
    """
    found, form = {}, task.form_with_members
    for member in task.population:
        deals, seated = task.games_with(member)
        if task.plays_already(member):
            found[member.agent] = MemberGames(own.points, deals * seated)
            continue
        names = (agent, member.seeded_as)
        blocks = play_blocks((agent, member.player), task, form, deals, how, member.agent, names)
        seating = seatings(task.num_seats, form)
        if task.cooperative:
            points = np.concatenate([one.scores.mean(axis=1) for one in blocks]).reshape(deals, -1)
        else:
            points = pair_of(blocks, seating).points
        found[member.agent] = MemberGames(
            points.mean(axis=1), deals * seated, given_up(blocks, seating)
        )
    return found


def play_blocks(
    agents: tuple[str, ...],
    task: Task,
    form: Form,
    deals: int,
    how: Playing,
    beside: str = "",
    seeded_as: tuple[str, ...] = (),
) -> list[UnitResult]:
    """Play the first deals of a task and return the blocks in order.

    Args:
        agents: one or two, the first of which is measured.
        task, form, deals: what is played, and how the agents sit.
        how: the games are played.
        beside: with whom, in the name of the file of results, if it is not the task's opponent.
        seeded_as: the names from which the agents' seeds follow; empty: their names.
    """
    setup = ArenaSetup(
        task.environment,
        task.all_options,
        agents,
        task.seed,
        form,
        load_player,
        seeded_as,
        hide_memory if task.held_out else None,
    )
    schedule = list(units(len(agents), deals, how.block, task.num_seats, form))
    settings = {
        "suite": task.version,
        "task": {key: value for key, value in task.as_json().items() if key not in MAY_GROW},
        "agents": [
            identity(agents[0], {task.name: load_for(agents[0], task)}),
            *({"agent": name} for name in agents[1:]),
        ],
        "block": how.block,
        **({"held_out": task.held_out} if task.held_out else {}),
        **describe_code(task.game),
    }
    file = None
    if how.results is not None:
        file = (
            how.results
            / file_name(agents[0])
            / f"{file_name(f'{task.name} {beside}'.strip())}.jsonl"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_symlink() or file.parent.is_symlink():
            raise BenchmarkError(
                f"{file} is or lies behind a link, which may lead to a file of something else"
            )
    tell = partial(how.progress, task.name) if how.progress else None
    end_processes()
    if task.held_out:
        check_no_player_is_left()
    played = play_all(setup, schedule, settings, how.workers, file, tell)
    return [played[unit] for unit in sorted(played)]


def file_name(text: str) -> str:
    """A text as a file name that every system allows; a long one is cut and ends with a hash."""
    name = re.sub(r"[^\w.=+-]+", "_", text)
    if len(name.encode()) > LONGEST_NAME:
        return f"{name[: LONGEST_NAME // 5]}-{sha256(text.encode()).hexdigest()[:16]}"
    try:
        return check_file_name(name, "")
    except ValueError:  # such as con, and what ends with a full stop
        return f"{name}_"


def games_of(task: Task, blocks: Sequence[UnitResult]) -> TaskGames:
    """The games of a task, deal by deal, from the blocks in which they were played."""
    lengths = np.concatenate([block.lengths for block in blocks])
    # of the agent; its opponent is not measured
    usage = sum_usage(block.usage[0] for block in blocks if block.usage)
    if task.cooperative:
        score = np.concatenate([block.scores.mean(axis=1) for block in blocks])
        won = np.concatenate([block.winners.any(axis=1) for block in blocks]).astype(np.float64)
        given = sum(len(block.forfeits) for block in blocks)
        return TaskGames(won, score, score, lengths.astype(np.float64), usage, score, given)
    seating = seatings(task.num_seats, task.form)
    pair = pair_of(blocks, seating)
    victories = pair.wins[0].mean(axis=1)
    per_deal = lengths.reshape(-1, len(seating)).mean(axis=1)
    score = pair.scores[0].mean(axis=1)
    metric = score if task.metric == "score" else victories
    return TaskGames(
        victories,
        score,
        metric,
        per_deal,
        usage,
        pair.points.mean(axis=1),
        given_up(blocks, seating),
    )


def given_up(blocks: Sequence[UnitResult], seating: Array) -> int:
    """The number of games that the measured agent gave up; it is agent 0 in ``seating`` (games of a
    deal, seats)."""
    return sum(
        int(seating[game % len(seating)][seat] == 0)
        for block in blocks
        for game, seat, _ in block.forfeits
    )


def command(agent: str, suite: str, tasks: str, block: int) -> str:
    """The command that makes a report. Agents that draw at random have other seeds in blocks of
    another size."""
    words = ["dig-envs", "benchmark", agent, "--suite", suite]
    words += [] if tasks == "*" else ["--tasks", tasks]
    words += [] if block == BLOCK else ["--block", str(block)]
    return shlex.join(words)
