"""The results of single deals in a report, from which others can compute its values again."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from dig_envs.benchmark.report import MemberGames, TaskGames
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

ARRAYS = ("victories", "score", "length")  # of TaskGames, whose metric is one of the first two


def deals_as_json(games: TaskGames, members: Mapping[str, MemberGames]) -> dict[str, Any]:
    """The results of a task deal by deal: ``victories``, ``score`` and ``length``.

    Where a task has a population, ``population`` has the agent's points with each member by name.
    """
    found: dict[str, Any] = {name: _numbers(getattr(games, name)) for name in ARRAYS}
    points = {name: _numbers(one.points) for name, one in members.items()}
    return found | ({"population": points} if points else {})


def _numbers(values: Array) -> list[float]:
    """Numbers in a report's form: with five decimals, integers without a point."""
    return [int(value) if value == int(value) else round(value, 5) for value in values.tolist()]


def games_from_json(task: Task, plain: Any) -> tuple[TaskGames, dict[str, MemberGames]]:
    """The games of a task, and those with members of its population by name.

    Raises:
        BenchmarkError: it is not that of so many deals, or has numbers that no game gives.
    """
    keys = (*ARRAYS, *(["population"] if task.population else []))
    names = [member.agent for member in task.population]
    if not isinstance(plain, Mapping) or plain.keys() != set(keys):
        raise BenchmarkError(f"{task.name}: the results of its deals must be {', '.join(keys)}")
    points = plain.get("population", {})
    if not isinstance(points, Mapping) or points.keys() != set(names):
        raise BenchmarkError(f"{task.name}: the population must be {', '.join(names)}")
    found = {name: _array(task, name, plain[name], task.deals) for name in ARRAYS}
    members = {}
    for member in task.population:
        deals, seated = task.games_with(member)
        members[member.agent] = MemberGames(
            _array(task, "points", points[member.agent], deals), deals * seated
        )
    return TaskGames(
        found["victories"], found["score"], found[task.metric], found["length"]
    ), members


def _array(task: Task, name: str, values: Any, deals: int) -> Array:
    """One number for each deal, float64 (deals,)."""
    if not isinstance(values, list) or len(values) != deals:
        raise BenchmarkError(
            f"{task.name}: {name} must be a list of {deals} numbers, one for each deal"
        )
    share = name == "victories" or (name == "points" and not task.cooperative)
    if not all(
        type(value) in (int, float) and isfinite(value) and (not share or 0 <= value <= 1)
        for value in values
    ):
        raise BenchmarkError(
            f"{task.name}: {name} must be numbers{' from 0 to 1' if share else ''}"
        )
    return np.array(values, np.float64)
