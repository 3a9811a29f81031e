"""The results of single deals as a report carries them, so that others can compute its values and intervals again."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from dig_envs.arena.schedule import seatings
from dig_envs.benchmark.report import MemberGames, TaskGames
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

MEMBERS = "members"
LARGEST = 1e9  # of a number of a deal
ARRAYS = ("victories", "score", "length")  # of :class:`TaskGames`; its ``metric`` is one of the first two


def deals_as_json(games: TaskGames, members: Mapping[str, MemberGames] | None = None) -> dict[str, Any]:
    """Return the results of a task deal by deal: ``victories``, ``score`` and ``length``, as in :class:`TaskGames`.

    With a population also ``members``: of each member by name the ``points`` deal by deal and the number of ``games``.
    """
    found: dict[str, Any] = {name: numbers(getattr(games, name)) for name in ARRAYS}
    if members:
        found[MEMBERS] = {name: {"points": numbers(one.points), "games": one.games} for name, one in members.items()}
    return found


def numbers(values: Array) -> list[float]:
    """Return numbers as a report has them: with five decimals, whole ones without a point."""
    return [int(value) if value == int(value) else round(value, 5) for value in values.tolist()]


def games_from_json(task: Task, plain: Any, usage: Mapping[str, float] | None = None) -> TaskGames:
    """Return the games of a task from what :func:`deals_as_json` gave.

    Raises:
        BenchmarkError: it is not that of so many deals, or has numbers that no game gives.
    """
    keys = (*ARRAYS, *([MEMBERS] if task.population else []))
    if not isinstance(plain, Mapping) or plain.keys() != set(keys):
        raise BenchmarkError(f"{task.name}: the results of its deals must be {', '.join(keys)}")
    found = {name: _array(task, name, plain[name], task.deals) for name in ARRAYS}
    metric = found["score" if task.as_json()["metric"] == "score" else "victories"]
    return TaskGames(**found, metric=metric, usage=dict(usage or {}))


def members_from_json(task: Task, plain: Mapping[str, Any]) -> dict[str, MemberGames]:
    """Return the games with the members of a task's population, from what :func:`deals_as_json` gave; raises as above."""
    given = plain.get(MEMBERS, {})
    if not isinstance(given, Mapping) or given.keys() != {member.agent for member in task.population}:
        raise BenchmarkError(f"{task.name}: there must be games with {', '.join(member.agent for member in task.population)}")
    found = {}
    for member in task.population:
        same = member.agent == task.others and task.num_seats == 2 and not task.cooperative  # the games with the opponent
        deals = task.deals if same else task.deals_with(member)
        games = deals * (task.num_seats if same else len(seatings(task.num_seats, task.form_with_members)))
        one = given[member.agent]
        if not isinstance(one, Mapping) or one.keys() != {"points", "games"} or one["games"] != games:
            raise BenchmarkError(f"{task.name}: with {member.agent} there must be points and {games} games")
        found[member.agent] = MemberGames(_array(task, "points", one["points"], deals), games)
    return found


def _array(task: Task, name: str, values: Any, deals: int) -> Array:
    shares = name in ("victories", "points") and not (name == "points" and task.cooperative)
    least, most = (0.0, 1.0) if shares else (1.0, LARGEST) if name == "length" else (-LARGEST, LARGEST)
    if not isinstance(values, list) or len(values) != deals:
        raise BenchmarkError(f"{task.name}: {name} must be a list of {deals} numbers, one for each deal")
    if not all(type(value) in (int, float) and isfinite(value) and least <= value <= most for value in values):
        raise BenchmarkError(f"{task.name}: {name} must be numbers from {least:g} to {most:g}")
    return np.array(values, np.float64)
