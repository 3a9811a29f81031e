"""Checking what a report says about its player, besides results: texts, hashes, and what the player was shown.

These entries come from outside and land on the leaderboard's page, so each has a form that it must have.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dig_envs.agents.zoo import OWN_ZOOS, comes_with_package, is_measured, policy_cards
from dig_envs.benchmark.held_out import read_commitments
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.sealed import MAY_NEED, PYTHON
from dig_envs.benchmark.suite import Suite
from dig_envs.engine.core.checks import shown_in_message

PROGRAM, LANGUAGE_MODEL = "exec:", "llm:"  # how names begin, besides python:
CHOICES = ("likeliest action", "sampled", "likeliest action, sampled")
LONGEST_NAME, LONGEST_COMMAND = 300, 2000  # characters

# What the leaderboard says of a player.
BY_PACKAGE, OTHER_WEIGHTS, POLICY, SEALED, OPEN, MODEL, OTHER = (
    "by this package",
    "weights of another version",
    "trained policy",
    "sealed",
    "complete positions",
    "language model",
    "not said",
)


def wrong_claims(report: Report, suite: Suite) -> list[str]:
    """Return what is wrong with what a report says besides results: seeds, agent, command, versions, machine, hashes of sources."""
    tasks = {task.name for task in suite.tasks}
    return [
        *_wrong_held_out(report.suite),
        *_wrong_agent(report.agent, tasks),
        *([] if _is_line(report.command, LONGEST_COMMAND) else [f"command is {shown_in_message(report.command)}"]),
        *_wrong_lines("versions", report.versions, needed=("dig_envs",)),
        *_wrong_lines("machine", _as_lines(report.machine)),
        *_wrong_tasks(report),
    ]


def player_kind(report: Report) -> str:
    """Return what kind of player a report is about, such as :data:`BY_PACKAGE`; the report has no :func:`wrong_claims`."""
    agent = report.agent
    if agent["agent"].startswith((PYTHON, PROGRAM)):
        return SEALED if agent.get("sealed") else OPEN
    if agent["agent"].startswith(LANGUAGE_MODEL):
        return MODEL
    weights = set(agent.get("weights_sha256", {}).values())
    if comes_with_package(agent["agent"]):
        cards = policy_cards(zoos=OWN_ZOOS).values()
        return BY_PACKAGE if all(any(is_measured(card, one) for card in cards) for one in weights) else OTHER_WEIGHTS
    return POLICY if weights else OTHER


# ---------------------------------------------------------------- forms


def _is_line(value: Any, most: int = LONGEST_NAME) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most and value.isprintable()


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _as_lines(value: Any) -> Any:
    """Return a dict with its numbers as text; other values as they are."""
    return (
        {key: str(one) if isinstance(one, int | float) else one for key, one in value.items()} if isinstance(value, dict) else value
    )


def _wrong_lines(what: str, value: Any, needed: tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with an entry that has a line of text for each name."""
    if not isinstance(value, dict) or not all(_is_line(key) and _is_line(text) for key, text in value.items()):
        return [f"{what} must have a line of text for each name, not {shown_in_message(value)}"]
    return [f"{what} must name {name}" for name in needed if name not in value]


def _by_task(tasks: set[str], fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and value.keys() <= tasks and all(fits(one) for one in value.values())


def _wrong_agent(agent: Any, tasks: set[str]) -> list[str]:
    """Return what is wrong with what a report says of its agent."""
    forms: dict[str, Callable[[Any], bool]] = {
        "agent": _is_line,
        "choice": lambda value: value in CHOICES,
        "plays": _by_task(tasks, _is_line),
        "weights_sha256": _by_task(tasks, _is_hash),
        "source_sha256": lambda value: value is None or _is_hash(value),
        "sealed": lambda value: isinstance(value, bool),
        "needs": lambda value: isinstance(value, list) and all(one in MAY_NEED for one in value),
    }
    if not isinstance(agent, dict) or "agent" not in agent:
        return [f"agent must say who was measured, not {shown_in_message(agent)}"]
    wrong = [f"agent has an entry {shown_in_message(key)}" for key in agent if key not in forms]
    wrong += [
        f"agent, {key} is {shown_in_message(agent[key])}" for key, fits in forms.items() if key in agent and not fits(agent[key])
    ]
    return wrong or list(_contradictions(agent))


def _contradictions(agent: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a player of this name has to say, or cannot say, of how it was shown the games."""
    name = agent["agent"]
    if name.startswith(PYTHON):
        allowed = {"sealed", "needs", "source_sha256"}
        if not {"sealed", "source_sha256"} <= agent.keys():
            yield f"agent: {shown_in_message(name)} must say sealed and source_sha256"
    elif name.startswith(PROGRAM):
        allowed = {"sealed"}
        if agent.get("sealed") is not True:
            yield f"agent: {shown_in_message(name)} is a program, which is always sealed"
    else:
        allowed = {"choice", "plays", "weights_sha256"}
    for key in agent:
        if key not in ("agent", *allowed):
            yield f"agent: {shown_in_message(name)} has no {key}"


def _wrong_held_out(about: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the seeds that a report names: the repository must be committed to them."""
    if about.get("held_out") is None:
        return []
    given, known = about["held_out"], {one.name: one.sha256 for one in read_commitments()}
    if not isinstance(given, dict) or given.keys() != {"name", "sha256"} or not isinstance(given["name"], str):
        return [f"held_out must have name and sha256, not {shown_in_message(given)}"]
    if given["name"] not in known:
        there = ", ".join(known) or "none"
        return [f"there is no commitment to the seeds {shown_in_message(given['name'])}; there are {there}"]
    if given["sha256"] != known[given["name"]]:
        return [f"the seeds {given['name']} have the hash {known[given['name']]}, not {shown_in_message(given['sha256'])}"]
    return []


def _wrong_tasks(report: Report) -> list[str]:
    """Return the tasks whose hash of the rules' sources is none, or whose number of games given up is none."""
    forfeits = [
        f"{shown_in_message(result.definition.get('task'))}, forfeits is {shown_in_message(result.forfeits)}"
        for result in report.tasks
        if type(result.forfeits) is not int or result.forfeits < 0
    ]
    return forfeits + [
        f"{shown_in_message(result.definition.get('task'))}, source_hash is {shown_in_message(result.source_hash)}"
        for result in report.tasks
        if not (
            result.source_hash is None
            or (isinstance(result.source_hash, str) and re.fullmatch("[0-9a-f]{8,64}", result.source_hash))
        )
    ]
