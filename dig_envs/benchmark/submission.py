"""Checking a report: is it of a suite that was released, complete, and do its values follow from the results of its deals?

What cannot be checked from a report alone is whether these deals were played as it says. :func:`play_again` plays tasks anew for
agents that are at hand; the README of this folder says what then still has to be believed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from dig_envs.agents.zoo import comes_with_package
from dig_envs.arena.json_form import rounded
from dig_envs.arena.schedule import BLOCK
from dig_envs.benchmark.anchors import Anchor, read_anchors
from dig_envs.benchmark.claims import wrong_claims
from dig_envs.benchmark.deals import games_from_json
from dig_envs.benchmark.measuring import measure
from dig_envs.benchmark.report import Report, result_of, summary_of
from dig_envs.benchmark.suite import VERSIONS, Suite, Task
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError

ROUNDING = 2e-5  # reports have five decimals
ELO_SCALE = 5_000  # a rating changes by so much more than the points from which it is found, at most
FROM_DEALS = ("value", "normalised", "victories", "score", "length", "elo", "population")  # entries that follow from the deals
MOST_COMPLAINTS = 5


def check_report(report: Report) -> Suite:
    """Return the suite of a report, if nothing is wrong with the report.

    Checked are the suite's version and hash; that all of its tasks are there, as they are defined, with all of their deals; that
    random player and reference have the recorded values; that all values, intervals and aggregates are those that follow from
    the results of the deals; and that what is said of the player and of held-out seeds has the form that it must have.

    Raises:
        BenchmarkError: something is wrong; the message says what, at most five things.
    """
    suite = suite_of(report)
    anchors = read_anchors(suite.version)
    wrong = [
        *wrong_claims(report, suite),
        *_wrong_tasks(suite, report),
        *([] if report.complete else ["it says that it is not complete"]),
        *([f"it says that the agent cannot play {', '.join(report.refused)}"] if report.refused else []),
    ]
    if not wrong:
        wrong = _wrong_values(suite, report, anchors)
    if wrong:
        more = f"; and {len(wrong) - MOST_COMPLAINTS} more" if len(wrong) > MOST_COMPLAINTS else ""
        raise BenchmarkError(
            f"the report of {shown_in_message(report.agent.get('agent'))}: {'; '.join(wrong[:MOST_COMPLAINTS])}{more}"
        )
    return suite


def suite_of(report: Report) -> Suite:
    """Return the suite that a report names; raises BenchmarkError unless it is one that was released, with the hash that it has."""
    about = report.suite
    name, version = about.get("name"), about.get("version")
    if type(version) is not int or version not in VERSIONS:
        there = ", ".join(map(str, VERSIONS))
        raise BenchmarkError(f"the report is of version {shown_in_message(version)} of the suite; here there are {there}")
    if not isinstance(name, str) or name not in VERSIONS[version]:
        raise BenchmarkError(f"the report is of a suite {shown_in_message(name)}; there are {', '.join(VERSIONS[version])}")
    suite = VERSIONS[version][name]
    if about.get("sha256") != suite.sha256 or about.get("tasks") != len(suite.tasks):
        raise BenchmarkError(
            f"the report's suite {name} of version {version} has the hash {shown_in_message(about.get('sha256'))} and "
            f"{shown_in_message(about.get('tasks'))} tasks, not {suite.sha256} and {len(suite.tasks)}"
        )
    return suite


def _wrong_tasks(suite: Suite, report: Report) -> list[str]:
    """Return what is wrong with the list of tasks and their definitions."""
    names, found = [task.name for task in suite.tasks], [str(result.definition.get("task")) for result in report.tasks]
    wrong = [f"{name} is missing" for name in names if name not in found]
    wrong += [f"there is no task {name}" for name in dict.fromkeys(found) if name not in names]
    wrong += [f"{name} is there more than once" for name in names if found.count(name) > 1]
    tasks = {task.name: task for task in suite.tasks}
    for result in report.tasks:
        task = tasks.get(str(result.definition.get("task")))
        if task is None:
            continue
        if result.definition != definition_in(report, task) or result.options != rounded(task.all_options):
            wrong.append(f"{task.name} is defined otherwise than in version {report.suite['version']} of the suite")
        if result.games != task.deals * (1 if task.cooperative else task.num_seats):
            wrong.append(f"{task.name} has {result.games} games")
    return wrong


def definition_in(report: Report, task: Task) -> dict[str, Any]:
    """Return the definition of a task as a report has it: on held-out deals without the seed."""
    held_out = report.suite.get("held_out")
    found: dict[str, Any] = rounded(task.as_json() | ({} if held_out is None else {"seed": None}))
    return found


def _wrong_values(suite: Suite, report: Report, anchors: Mapping[str, Anchor]) -> list[str]:
    """Return which values do not follow from the results of the deals."""
    wrong, played = [], {}
    for task, given in zip(suite.tasks, sorted(report.tasks, key=_order(suite)), strict=True):
        anchor = anchors[task.name]
        if (given.random, given.reference) != (round(anchor.random, 5), round(anchor.reference, 5)):
            wrong.append(f"{task.name}: random and reference are {given.random} and {given.reference}")
            continue
        try:
            games, members = games_from_json(task, report.deals.get(task.name), given.usage)
        except BenchmarkError as error:
            wrong.append(str(error))
            continue
        played[task.name] = games
        scales = {"normalised": max(1.0, 100 / abs(anchor.reference - anchor.random)), "elo": ELO_SCALE}
        computed, said = asdict(result_of(task, anchor, games, members)), asdict(given)
        for key in FROM_DEALS:
            wrong += different(f"{task.name}, {key}", said[key], computed[key], scales.get(key, 1.0) * ROUNDING)
    if not wrong:
        said_of = {one.split: one.trained for one in report.splits}
        summary = summary_of(suite, anchors, played, lambda split: said_of.get(split.name))
        computed, said = asdict(replace(report, **summary)), asdict(report)
        scale = max(100 / abs(anchor.reference - anchor.random) for anchor in anchors.values())
        wrong = [line for name in summary for line in different(name, said[name], computed[name], scale * ROUNDING)]
    return wrong


def _order(suite: Suite) -> Any:
    names = [task.name for task in suite.tasks]
    return lambda result: names.index(result.definition["task"])


def different(what: str, said: Any, computed: Any, tolerance: float) -> list[str]:
    """Return where two values differ, numbers by more than a tolerance."""
    if isinstance(computed, Mapping):
        if not isinstance(said, Mapping) or said.keys() != computed.keys():
            return [f"{what} must have {', '.join(computed)}"]
        return [line for key in computed for line in different(f"{what}, {key}", said[key], computed[key], tolerance)]
    if isinstance(computed, list | tuple):
        if not isinstance(said, list | tuple) or len(said) != len(computed):
            return [f"{what} must have {len(computed)} entries"]
        pairs = zip(said, computed, strict=True)
        return [line for k, pair in enumerate(pairs) for line in different(f"{what}[{k}]", *pair, tolerance)]
    if computed is None or isinstance(computed, str):
        return [] if said == computed else [f"{what} is {shown_in_message(said)}, not {shown_in_message(computed)}"]
    if type(said) not in (int, float) or not abs(said - computed) <= tolerance:
        return [f"{what} is {shown_in_message(said)}, but its deals give {computed:.5f}"]
    return []


def changed_rules(report: Report) -> list[str]:
    """Return the tasks whose rules have other sources now than when the report was made."""
    suite = VERSIONS[report.suite["version"]][report.suite["name"]]
    now = {task.name: task.game.source_hash for task in suite.tasks}
    return [name for result in report.tasks if now[name := result.definition["task"]] != result.source_hash]


def play_again(report: Report, tasks: str, workers: int = 1, play_as: str = "") -> Sequence[str]:
    """Play tasks of a report anew, and return those whose deals have other results.

    The same agent gives the same results, unless time limits it.

    Args:
        report: checked. tasks: a pattern, as for :func:`measure`. workers: processes.
        play_as: the name of the agent that plays; "": the report's, which then must be a player of this package. A report comes
            from a stranger, and another name can mean a command or code that would be run here.

    Raises:
        BenchmarkError: the deals are held out, or the report's agent is no player of this package; and as :func:`measure`.
    """
    if report.suite.get("held_out") is not None:
        raise BenchmarkError("deals that are held out cannot be played again without their seeds")
    name = play_as or report.agent["agent"]
    if not play_as and not comes_with_package(name):
        raise BenchmarkError(
            f"{shown_in_message(name)} does not come with this package, and playing it may run a stranger's code: "
            "look at that code, then name the agent to play by --play-as"
        )
    said = re.search(r"--block (\d{1,6})(?!\d)", report.command)
    block = int(said[1]) if said else BLOCK
    about = {"suite": report.suite["name"], "version": report.suite["version"]}
    anew = measure(name, tasks=tasks, workers=workers, block=block, **about)
    return [name for name, deals in anew.deals.items() if deals != report.deals[name]]
