"""The results of single deals as a report carries them, so that others can compute its values and intervals again."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from dig_envs.benchmark.report import TaskGames
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

LARGEST = 1e9  # of a number of a deal
ARRAYS = ("victories", "score", "length")  # of :class:`TaskGames`; its ``metric`` is one of the first two


def deals_as_json(games: TaskGames) -> dict[str, list[float]]:
    """Return the results of a task deal by deal: ``victories``, ``score`` and ``length``, as in :class:`TaskGames`."""
    return {name: numbers(getattr(games, name)) for name in ARRAYS}


def numbers(values: Array) -> list[float]:
    """Return numbers as a report has them: with five decimals, whole ones without a point."""
    return [int(value) if value == int(value) else round(value, 5) for value in values.tolist()]


def games_from_json(task: Task, plain: Any, usage: Mapping[str, float] | None = None) -> TaskGames:
    """Return the games of a task from what :func:`deals_as_json` gave.

    Raises:
        BenchmarkError: it is not that of so many deals, or has numbers that no game gives.
    """
    if not isinstance(plain, Mapping) or plain.keys() != set(ARRAYS):
        raise BenchmarkError(f"{task.name}: the results of its deals must be {', '.join(ARRAYS)}")
    found = {name: _array(task, name, plain[name]) for name in ARRAYS}
    metric = found["score" if task.as_json()["metric"] == "score" else "victories"]
    return TaskGames(**found, metric=metric, usage=dict(usage or {}))


def _array(task: Task, name: str, values: Any) -> Array:
    shares = name in ("victories", "points") and not (name == "points" and task.cooperative)
    least, most = (0.0, 1.0) if shares else (1.0, LARGEST) if name == "length" else (-LARGEST, LARGEST)
    if not isinstance(values, list) or len(values) != task.deals:
        raise BenchmarkError(f"{task.name}: {name} must be a list of {task.deals} numbers, one for each deal")
    if not all(type(value) in (int, float) and isfinite(value) and least <= value <= most for value in values):
        raise BenchmarkError(f"{task.name}: {name} must be numbers from {least:g} to {most:g}")
    return np.array(values, np.float64)
