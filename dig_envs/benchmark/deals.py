"""The results of single deals as a report carries them, so that others can compute its values and intervals again."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from dig_envs.benchmark.report import MemberGames, TaskGames
from dig_envs.benchmark.suite import Member, Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

LARGEST = 1e9  # of a number of a deal
ARRAYS = ("victories", "score", "length")  # of :class:`TaskGames`; its ``metric`` is one of the first two


def deals_as_json(games: TaskGames, members: Mapping[str, MemberGames] | None = None) -> dict[str, Any]:
    """Return the results of a task deal by deal: ``victories``, ``score`` and ``length``, as in :class:`TaskGames`.

    Where a task has a population, ``population`` has the agent's points with each of its members by name.
    """
    found: dict[str, Any] = {name: numbers(getattr(games, name)) for name in ARRAYS}
    return found | ({"population": {name: numbers(one.points) for name, one in members.items()}} if members else {})


def numbers(values: Array) -> list[float]:
    """Return numbers as a report has them: with five decimals, integers without a point."""
    return [int(value) if value == int(value) else round(value, 5) for value in values.tolist()]


def games_from_json(task: Task, plain: Any, usage: Mapping[str, float] | None = None) -> tuple[TaskGames, dict[str, MemberGames]]:
    """Return the games of a task, and those with the members of its population by name, from what :func:`deals_as_json` gave.

    Raises:
        BenchmarkError: it is not that of so many deals, or has numbers that no game gives.
    """
    keys = (*ARRAYS, *(["population"] if task.population else []))
    if not isinstance(plain, Mapping) or plain.keys() != set(keys):
        raise BenchmarkError(f"{task.name}: the results of its deals must be {', '.join(keys)}")
    found = {name: _array(task, name, plain[name], task.deals) for name in ARRAYS}
    games = TaskGames(found["victories"], found["score"], found[task.counted], found["length"], dict(usage or {}))
    return games, {member.agent: member_games(task, member, plain["population"]) for member in task.population}


def member_games(task: Task, member: Member, plain: Any) -> MemberGames:
    """Return the games with a member of a population; raises BenchmarkError as :func:`games_from_json`."""
    names = {one.agent for one in task.population}
    if not isinstance(plain, Mapping) or plain.keys() != names:
        raise BenchmarkError(f"{task.name}: the population must be {', '.join(sorted(names))}")
    deals, seated = task.games_with(member)
    return MemberGames(_array(task, "points", plain[member.agent], deals), deals * seated)


def _array(task: Task, name: str, values: Any, deals: int) -> Array:
    shares = name == "victories" or (name == "points" and not task.cooperative)
    least, most = (0.0, 1.0) if shares else (1.0, LARGEST) if name == "length" else (-LARGEST, LARGEST)
    if not isinstance(values, list) or len(values) != deals:
        raise BenchmarkError(f"{task.name}: {name} must be a list of {deals} numbers, one for each deal")
    if not all(type(value) in (int, float) and isfinite(value) and least <= value <= most for value in values):
        raise BenchmarkError(f"{task.name}: {name} must be numbers from {least:g} to {most:g}")
    return np.array(values, np.float64)
