"""The report of a measurement: results per task and aggregates, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.arena.json_form import JsonReport
from dig_envs.arena.ratings import Bootstrap
from dig_envs.benchmark.anchors import Anchor
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

REPLICATES = 2000
LIMITS = (0.025, 0.975)


@dataclass(frozen=True)
class TaskGames:
    """The games of a task, one entry for each deal, which is the mean over its seatings.

    ``victories`` float64 (deals,): the agent's share of the victory (cooperative: whether it won). ``score`` float64 (deals,): of
    the agent's seat. ``metric``: that one of the two which counts. ``length`` float64 (deals,): actions. ``usage``: what the agent
    counted in all games (a language model), name -> number.
    """

    victories: Array
    score: Array
    metric: Array
    length: Array
    usage: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TaskResult:
    """One task.

    ``definition``: as :meth:`Task.as_json`. ``options``: all of them. ``games``: how many were played. ``source_hash``: of the
    rules' sources. ``random``, ``reference``: the values that count as 0 and 100. ``value``: of the metric, ``normalised`` the same
    between these two. ``victories``, ``score``, ``length``: the agent's share of the victory, its mean score, a game's actions.
    ``usage``: what a language model counted in all games.
    """

    definition: dict[str, Any]
    options: dict[str, Any]
    games: int
    source_hash: str | None
    random: float
    reference: float
    value: Interval
    normalised: Interval
    victories: Interval
    score: Interval
    length: float
    usage: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Report(JsonReport):
    """A measurement of one agent.

    ``suite``: name, version, hash of the definition, number of tasks. ``agent``: its name and the hashes of its weights or source.
    ``complete``: whether all tasks were played; only then its aggregates can be compared with others'. ``aggregates``: over the
    normalised values of the tasks. ``refused``: the tasks that the agent cannot play, and why. ``machine``: on which it was made,
    and when (:func:`~dig_envs.arena.machine.machine_now`); empty in older reports.
    """

    KIND, FORMAT, NAME, ERROR, SHOW = "dig_envs benchmark", 1, "a benchmark", BenchmarkError, "dig_envs.benchmark.show"

    suite: dict[str, Any]
    agent: dict[str, Any]
    command: str
    versions: dict[str, str]
    complete: bool
    aggregates: dict[str, Interval]
    tasks: tuple[TaskResult, ...]
    refused: dict[str, str]
    machine: dict[str, Any] = field(default_factory=dict, compare=False)


def normalised(values: Array, anchor: Anchor) -> Array:
    """Return values of a task's metric between those of the random player (0) and of the reference (100)."""
    return np.asarray(100 * (values - anchor.random) / (anchor.reference - anchor.random))


def result_of(task: Task, anchor: Anchor, games: TaskGames) -> TaskResult:
    """Return the result of a task from its games."""
    bootstrap = Bootstrap(task.deals, 1 if task.cooperative else task.num_seats, task.seed % 2**63)
    share = bootstrap.share(games.victories)
    value = mean_interval(games.metric) if task.cooperative else share
    return TaskResult(
        definition=task.as_json(),
        options=task.all_options,
        games=task.deals * (1 if task.cooperative else task.num_seats),
        source_hash=task.game.source_hash,
        random=anchor.random,
        reference=anchor.reference,
        value=value,
        normalised=Interval(*normalised(np.array([value.mean, value.low, value.high]), anchor).tolist()),
        victories=share,
        score=mean_interval(games.score),
        length=float(games.length.mean()),
        usage=dict(games.usage),
    )


# ---------------------------------------------------------------- aggregates


def interquartile_mean(values: Array) -> Array:
    """Return the mean of the middle half along the last axis: a quarter is left out at each end, rounded down."""
    count = values.shape[-1]
    cut = count // 4
    return np.asarray(np.sort(values, axis=-1)[..., cut : count - cut].mean(axis=-1))


def gap(values: Array) -> Array:
    """Return how much is lacking to 100 on average, where a task that is done better than that makes up for none."""
    return np.asarray(np.maximum(100 - values, 0.0).mean(axis=-1))


AGGREGATES: Mapping[str, Callable[[Array], Any]] = {
    "iqm": interquartile_mean,
    "mean": partial(np.mean, axis=-1),
    "median": partial(np.median, axis=-1),
    "gap": gap,
}


def aggregate(deals: Sequence[Array], seed: int = 0) -> dict[str, Interval]:
    """Return aggregates over tasks with 95 % intervals of the stratified bootstrap, as Agarwal et al. (2021) recommend.

    In each replicate the deals of each task are drawn anew, with replacement and for each task by itself; the tasks are the
    strata, and stay as they are.

    Args:
        deals: of each task the normalised values, float64 (deals of the task,).
        seed: of the replicates.
    """
    rng = np.random.default_rng(seed)
    means = np.array([values.mean() for values in deals])
    drawn = [values[rng.integers(len(values), size=(REPLICATES, len(values)))].mean(axis=1) for values in deals]
    replicates = np.stack(drawn, axis=1)
    found = {}
    for name, summary in AGGREGATES.items():
        low, high = np.quantile(summary(replicates), LIMITS)
        found[name] = Interval(float(summary(means)), float(low), float(high))
    return found
