"""Checking a report: do its values follow from the results of its deals, in a released suite?

What cannot be checked from a report alone is whether these deals were played as it says.
:func:`play_again` plays tasks anew for agents that are at hand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from dig_envs.agents.sealed import PYTHON
from dig_envs.agents.zoo import OWN_ZOOS, comes_with_package, is_measured, policy_cards
from dig_envs.arena.entrants import with_defaults
from dig_envs.arena.schedule import BLOCK
from dig_envs.benchmark.deals import games_from_json
from dig_envs.benchmark.held_out import read_commitments
from dig_envs.benchmark.measuring import measure
from dig_envs.benchmark.report import Report, TaskResult, result_of, summary_of
from dig_envs.benchmark.suite import SUITES, Suite, Task
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError

ROUNDING = 2e-5  # reports have five decimals
ELO_SCALE = 5_000  # a rating changes by at most so much more than the points it is found from
NOT_FROM_DEALS = ("source_hash", "usage", "forfeits")  # of the entries of a task
MOST_COMPLAINTS = 5
PROGRAM, LANGUAGE_MODEL = "exec:", "llm:"  # how names begin, besides python:
CHOICES = (None, "likeliest action", "sampled", "likeliest action, sampled")
LONGEST_NAME = 300


def check_report(report: Report) -> Suite:
    """The suite of a report that passes all checks.

    Checked are the suite's version and hash; that all of its tasks are there, as they are defined,
    with all of their deals; that all values follow from the results of the deals; and what the
    leaderboard shows of the agent and of held-out seeds.

    Raises:
        BenchmarkError: something is wrong; the message says what, at most five things.
    """
    suite = suite_of(report)
    wrong = [*_wrong_claims(report), *_wrong_list(suite, report)] or list(
        _wrong_values(suite, report)
    )
    if wrong:
        who = shown_in_message(report.agent.get("agent"))
        more = f"; and {len(wrong) - MOST_COMPLAINTS} more" if len(wrong) > MOST_COMPLAINTS else ""
        raise BenchmarkError(f"the report of {who}: {'; '.join(wrong[:MOST_COMPLAINTS])}{more}")
    return suite


def suite_of(report: Report) -> Suite:
    """The suite of a report; raises BenchmarkError unless it was released with this hash."""
    about = report.suite
    name = about.get("name")
    if not isinstance(name, str) or name not in SUITES:
        raise BenchmarkError(
            f"the report is of a suite {shown_in_message(name)}; there are {', '.join(SUITES)}"
        )
    suite = SUITES[name]
    wrong = list(different("suite", about, about | suite.about() | {"tasks": len(suite.tasks)}, 0))
    if wrong:
        raise BenchmarkError(f"the report's {'; '.join(wrong)}")
    return suite


def _wrong_claims(report: Report) -> Iterator[str]:
    """Yield what is wrong with what the leaderboard shows besides results."""
    name, choice = report.agent.get("agent"), report.agent.get("choice")
    for what, text in (("agent", name), ("versions, dig_envs", report.versions.get("dig_envs"))):
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NAME or not text.isprintable():
            yield f"{what} must be a line of text, not {shown_in_message(text)}"
    if choice not in CHOICES:
        yield f"agent, choice is {shown_in_message(choice)}"
    if str(name).startswith((PYTHON, PROGRAM)) and report.agent.get("sealed") is not True:
        yield f"agent: {shown_in_message(name)} must be sealed"
    hashes = report.agent.get("weights_sha256", {})
    if not isinstance(hashes, dict) or not all(isinstance(one, str) for one in hashes.values()):
        yield "agent, weights_sha256 must have a hash for each task"
    held_out = report.suite.get("held_out")
    known = read_commitments()
    if held_out is not None and held_out not in [
        {"name": name, "sha256": known[name]} for name in known
    ]:
        there = ", ".join(known) or "none"
        yield f"there is no commitment {shown_in_message(held_out)}; there are {there}"


def _wrong_list(suite: Suite, report: Report) -> Iterator[str]:
    names = [task.name for task in suite.tasks]
    found = [str(result.definition.get("task")) for result in report.tasks]
    yield from (f"{name} is missing" for name in names if name not in found)
    yield from (f"there is no task {name}" for name in dict.fromkeys(found) if name not in names)
    yield from (f"{name} is there more than once" for name in names if found.count(name) > 1)
    if not report.complete or report.refused:
        yield "it says that it is not complete"


def _wrong_values(suite: Suite, report: Report) -> Iterator[str]:
    """Yield which definitions and values are not those that follow from the suite and the deals."""
    given = {result.definition["task"]: result for result in report.tasks}
    held_out, wrong, played = report.suite.get("held_out"), False, []
    for task in (replace(task, held_out=held_out) for task in suite.tasks):
        try:
            games, members = games_from_json(task, report.deals.get(task.name))
        except BenchmarkError as error:
            wrong = True
            yield str(error)
            continue
        played.append((task, games))
        for line in _wrong_result(task, given[task.name], result_of(task, games, members)):
            wrong = True
            yield line
    if wrong:
        return
    summary = summary_of(suite, played, {one.split: one.trained for one in report.splits})
    said, computed = asdict(report), asdict(replace(report, **summary))
    scale = max(map(scale_of, suite.tasks))
    for key in summary:
        yield from different(key, said[key], computed[key], scale * ROUNDING)


def scale_of(task: Task) -> float:
    """The change of the normalised value if the metric changes by 1."""
    return 100 / abs(task.anchor.reference - task.anchor.random)


def _wrong_result(task: Task, given: TaskResult, computed: TaskResult) -> Iterator[str]:
    """Yield which entries of a task are not those that follow from its deals."""
    said = asdict(replace(given, options=with_defaults(task.environment, given.options)))
    scales = {"normalised": max(1.0, scale_of(task)), "elo": ELO_SCALE}
    for key, value in asdict(computed).items():
        if key not in NOT_FROM_DEALS:
            yield from different(
                f"{task.name}, {key}", said[key], value, scales.get(key, 1.0) * ROUNDING
            )


def different(what: str, said: Any, computed: Any, tolerance: float) -> Iterator[str]:
    """Yield where two values differ, numbers by more than a tolerance."""
    if isinstance(computed, Mapping):
        if not isinstance(said, Mapping):
            yield f"{what} must have {', '.join(computed)}"
            return
        yield from (
            f"{what} has {shown_in_message(key)}, which is unknown here"
            for key in said
            if key not in computed
        )
        for key in computed:
            if key in said:
                yield from different(f"{what}, {key}", said[key], computed[key], tolerance)
            else:
                yield f"{what} lacks {key}"
    elif isinstance(computed, list | tuple):
        if not isinstance(said, list | tuple) or len(said) != len(computed):
            yield f"{what} must have {len(computed)} entries"
        else:
            for k, pair in enumerate(zip(said, computed, strict=True)):
                yield from different(f"{what}[{k}]", *pair, tolerance)
    elif type(computed) is float:
        if type(said) not in (int, float) or not abs(said - computed) <= tolerance:
            yield f"{what} is {shown_in_message(said)}, but its deals give {computed:.5f}"
    elif type(said) is not type(computed) or said != computed:
        yield f"{what} is {shown_in_message(said)}, not {shown_in_message(computed)}"


def player_kind(report: Report) -> str:
    """The kind of player that a checked report is about, in the leaderboard's words."""
    name = report.agent["agent"]
    if name.startswith((PYTHON, PROGRAM)):
        return "sealed"
    if name.startswith(LANGUAGE_MODEL):
        return "language model"
    weights = set(report.agent.get("weights_sha256", {}).values())
    if comes_with_package(name):
        cards = policy_cards(zoos=OWN_ZOOS).values()
        own = all(any(is_measured(card, one) for card in cards) for one in weights)
        return "by this package" if own else "weights of another version"
    return "trained policy" if weights else "not said"


def changed_rules(report: Report) -> list[str]:
    """The tasks whose rules have changed their sources since the report was made."""
    suite = SUITES[report.suite["name"]]
    now = {task.name: task.game.source_hash for task in suite.tasks}
    return [
        name
        for result in report.tasks
        if now[name := result.definition["task"]] != result.source_hash
    ]


def play_again(report: Report, tasks: str, workers: int = 1, play_as: str = "") -> Sequence[str]:
    """Play tasks of a report anew, and return those whose deals have other results.

    The same agent gives the same results, unless time limits it.

    Args:
        report: checked. tasks: a pattern, as for :func:`measure`. workers: processes.
        play_as: the name of the agent that plays; "": the report's, which then must be a player of
            this package. A report comes from a stranger, and another name can mean a command or
            code that would be run here.

    Raises:
        BenchmarkError: the deals are held out, or the report's agent is not a player of this
            package; and as :func:`measure`.
    """
    if report.suite.get("held_out") is not None:
        raise BenchmarkError("deals that are held out cannot be played again without their seeds")
    name = play_as or report.agent["agent"]
    if not play_as and not comes_with_package(name):
        raise BenchmarkError(
            f"{shown_in_message(name)} does not come with this package, and playing it may run a "
            "stranger's code: look at that code, then name the agent to play by --play-as"
        )
    said = re.search(r"--block (\d{1,6})(?!\d)", report.command)
    block = int(said[1]) if said else BLOCK
    anew = measure(name, report.suite["name"], tasks=tasks, workers=workers, block=block)
    return [name for name, deals in anew.deals.items() if deals != report.deals[name]]
