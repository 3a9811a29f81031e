"""What a measurement says: results per task, aggregates with intervals, as JSON and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.arena.ratings import Bootstrap
from dig_envs.arena.report import fields_of, rounded
from dig_envs.benchmark.suite import Suite, Task
from dig_envs.engine.errors import BenchmarkError
from dig_envs.engine.game import Array
from dig_envs.registry import load_game

if TYPE_CHECKING:
    from dig_envs.benchmark.anchors import Anchor

FORMAT = 1
KIND = "dig_envs benchmark"
REPLICATES = 2000
LIMITS = (0.025, 0.975)
AGGREGATES = ("iqm", "mean", "median", "gap")


@dataclass(frozen=True)
class TaskResult:
    """One task.

    ``definition``: as :meth:`Task.as_json`. ``options``: all of them. ``games``: how many were played. ``source_hash``: of the
    rules' sources. ``random``, ``reference``: the values that count as 0 and 100. ``value``: of the metric, ``normalised`` the same
    between these two. ``victories``, ``score``, ``length``: the agent's share of the victory, its mean score, a game's actions.
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


@dataclass(frozen=True)
class Report:
    """A measurement of one agent.

    ``suite``: name, version, hash of the definition, number of tasks. ``agent``: its name and the hashes of its weights or source.
    ``complete``: whether all tasks were played; only then its aggregates can be compared with others'. ``aggregates``: over the
    normalised values of the tasks. ``refused``: the tasks that the agent cannot play, and why.
    """

    suite: dict[str, Any]
    agent: dict[str, Any]
    command: str
    versions: dict[str, str]
    complete: bool
    aggregates: dict[str, Interval]
    tasks: tuple[TaskResult, ...]
    refused: dict[str, str]

    @classmethod
    def of(
        cls,
        suite: Suite,
        version: int,
        agent: dict[str, Any],
        command: str,
        versions: Mapping[str, str],
        found: Sequence[tuple[TaskResult, Array]],
        refused: Mapping[str, str],
    ) -> "Report":
        """The report of the tasks that were played, each with its normalised values, deal by deal."""
        about = {"name": suite.name, "version": version, "sha256": suite.sha256, "tasks": len(suite.tasks)}
        values = aggregate([deals for _, deals in found])
        tasks = tuple(result for result, _ in found)
        return cls(about, agent, command, dict(versions), len(tasks) == len(suite.tasks), values, tasks, dict(refused))

    def as_json(self) -> dict[str, Any]:
        """As plain dicts and lists."""
        plain: dict[str, Any] = rounded({"kind": KIND, "format": FORMAT, **asdict(self)})
        return plain

    @classmethod
    def from_json(cls, plain: Any) -> "Report":
        """The reverse; raises BenchmarkError if it is none."""
        fields = fields_of(plain, KIND, FORMAT, "a benchmark", BenchmarkError)
        try:
            fields["aggregates"] = {key: Interval(**value) for key, value in plain["aggregates"].items()}
            fields["tasks"] = tuple(
                TaskResult(**{**row, **{key: Interval(**row[key]) for key in ("value", "normalised", "victories", "score")}})
                for row in plain["tasks"]
            )
            return cls(**fields)
        except (AttributeError, KeyError, TypeError) as error:
            raise BenchmarkError(f"the report is damaged: {error}") from None


def result_of(
    task: Task, anchor: "Anchor", metric: Array, victories: Array, score: Array, length: Array, source_hash: str | None
) -> tuple[TaskResult, Array]:
    """The result of a task from its deals (float64 (deals,) each), and the normalised metric of each deal."""
    bootstrap = Bootstrap(task.deals, 1 if task.cooperative else task.num_seats, task.seed % 2**63)
    share = bootstrap.share(victories)
    value = mean_interval(metric) if task.cooperative else share
    span = anchor.reference - anchor.random
    normal = Interval(*(100 * (part - anchor.random) / span for part in (value.mean, value.low, value.high)))
    result = TaskResult(
        definition=task.as_json(),
        options=load_game(task.environment).complete_options(task.options),
        games=task.deals * (1 if task.cooperative else task.num_seats),
        source_hash=source_hash,
        random=anchor.random,
        reference=anchor.reference,
        value=value,
        normalised=normal,
        victories=share,
        score=mean_interval(score),
        length=float(length.mean()),
    )
    return result, np.asarray(100 * (metric - anchor.random) / span)


# ---------------------------------------------------------------- aggregates


def interquartile_mean(values: Array) -> Array:
    """The mean of the middle half along the last axis: a quarter of the values is left out at each end, rounded down."""
    count = values.shape[-1]
    cut = count // 4
    return np.asarray(np.sort(values, axis=-1)[..., cut : count - cut].mean(axis=-1))


def gap(values: Array) -> Array:
    """How much is lacking to 100 on average, where a task that is done better than that makes up for none."""
    return np.asarray(np.maximum(100 - values, 0.0).mean(axis=-1))


def aggregate(deals: Sequence[Array], seed: int = 0) -> dict[str, Interval]:
    """Aggregates over tasks with 95 % intervals of the stratified bootstrap, as Agarwal et al. (2021) recommend.

    In each replicate the deals of each task are drawn anew, with replacement and for each task by itself; the tasks are the
    strata, and stay as they are.

    Args:
        deals: of each task the normalised values, float64 (deals of the task,).
        seed: of the replicates.
    """
    rng = np.random.default_rng(seed)
    means = np.array([[values.mean() for values in deals]])
    replicates = np.stack(
        [values[rng.integers(len(values), size=(REPLICATES, len(values)))].mean(axis=1) for values in deals], axis=1
    )
    found = {}
    for name, summary in zip(AGGREGATES, (interquartile_mean, _mean, _median, gap), strict=True):
        low, high = np.quantile(summary(replicates), LIMITS)
        found[name] = Interval(float(summary(means)[0]), float(low), float(high))
    return found


def _mean(values: Array) -> Array:
    return np.asarray(values.mean(axis=-1))


def _median(values: Array) -> Array:
    return np.asarray(np.median(values, axis=-1))
