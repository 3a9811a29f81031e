"""The report of a measurement: results per task and aggregates, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.arena.json_form import JsonReport
from dig_envs.arena.ratings import Bootstrap, around
from dig_envs.benchmark.suite import Anchor, Split, Suite, Task
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array

REPLICATES = 2000
LIMITS = (0.025, 0.975)


@dataclass(frozen=True)
class TaskGames:
    """The games of a task, one entry for each deal, which is the mean over its seatings.

    ``victories`` float64 (deals,): the agent's share of the victory (cooperative: whether it won).
    ``score`` float64 (deals,): of the agent's seat. ``metric``: that one of the two which counts.
    ``length`` float64 (deals,): actions. ``usage``: what the agent counted in all games (a language
    model), name -> number. ``points`` float64 (deals,): against the opponent, 0 to 1 a game
    (cooperative: the score). ``forfeits``: games that the agent gave up, which count as lost.
    """

    victories: Array
    score: Array
    metric: Array
    length: Array
    usage: Mapping[str, float] = field(default_factory=dict)
    points: Array = field(default_factory=lambda: np.zeros(0))
    forfeits: int = 0


@dataclass(frozen=True)
class MemberGames:
    """The games with a member of a task's population.

    ``points`` float64 (deals,): the agent's points (0 to 1) against it, mean over the games of a
    deal; in a cooperative game the mean score. ``games``: how many were played. ``forfeits``: those
    that the agent gave up and :class:`TaskGames` does not have.
    """

    points: Array
    games: int
    forfeits: int = 0


@dataclass(frozen=True)
class MemberResult:
    """The agent's result with a member of a population.

    ``agent``: the member. ``elo``: its recorded rating (None in a cooperative game). ``games``: how
    many were played. ``points``: of the agent against it, 0 to 1 a game; in a cooperative game the
    score that both had as partners.
    """

    agent: str
    elo: float | None
    games: int
    points: Interval


@dataclass(frozen=True)
class SplitResult:
    """The agent's results in tasks in which a policy may be trained and in tasks in which it may
    not.

    ``train``, ``test``: means of the tasks' normalised values. ``gap``: train less test.
    ``trained``: the tasks of the split that the policy was trained on by its card; None: it has no
    card that says so.
    """

    split: str
    varies: str
    train: Interval
    test: Interval
    gap: Interval
    trained: list[str] | None


@dataclass(frozen=True)
class TaskResult:
    """One task.

    ``definition``: as :meth:`Task.as_json`. ``options``: all of them. ``games``: how many were
    played. ``source_hash``: of the rules' sources. ``random``, ``reference``: the values that count
    as 0 and 100. ``value``: of the metric, ``normalised`` the same between these two.
    ``victories``, ``score``, ``length``: the agent's share of the victory, its mean score, a game's
    actions. ``usage``: what a language model counted in all games. ``elo``: the rating against the
    population (None: there is none), and ``population``: what it was found from. ``forfeits``:
    games that the agent gave up, those with the population included.
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
    elo: Interval | None = None
    population: tuple[MemberResult, ...] = ()
    forfeits: int = 0


@dataclass(frozen=True)
class Report(JsonReport):
    """A measurement of one agent, as :func:`~dig_envs.benchmark.measuring.measure` returns it;
    ``as_json()`` is its form in files.

    Attributes:
        suite: name, version, hash of the definition, number of tasks.
        agent: its name, and the hashes of its weights or its source.
        command: the command that makes the same measurement.
        versions: of dig_envs; those of Python and other libraries are in ``machine``.
        complete: whether all tasks were played; only then can its aggregates be compared with those
            of other reports.
        aggregates: of the tasks' normalised values: ``iqm`` (interquartile mean), ``mean``,
            ``median``, and ``gap`` (how much is lacking to 100, on average), each with its 95 %
            interval.
        tasks: the results, task by task.
        refused: the tasks that the agent cannot play, and why.
        splits: results on tasks that a policy may be trained on and on others.
        memory: the mean normalised value of the tasks that need a memory; None:
            not all of them were played.
        deals: by task the results of its deals (:func:`dig_envs.benchmark.deals.deals_as_json`),
            from which all values follow.
        machine: on which it was made, and when (:func:`~dig_envs.arena.machine.machine_now`).

    Older reports have neither ``deals`` nor ``machine``.
    """

    KIND, FORMAT, NAME, ERROR, SHOW = (
        "dig_envs benchmark",
        1,
        "a benchmark",
        BenchmarkError,
        "dig_envs.benchmark.show",
    )

    suite: dict[str, Any]
    agent: dict[str, Any]
    command: str
    versions: dict[str, str]
    complete: bool
    aggregates: dict[str, Interval]
    tasks: tuple[TaskResult, ...]
    refused: dict[str, str]
    splits: tuple[SplitResult, ...] = ()
    memory: Interval | None = None
    deals: dict[str, dict[str, Any]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict, compare=False)


def normalised(values: Array, anchor: Anchor) -> Array:
    """Values of a task's metric on a scale from the random player (0) to the reference (100)."""
    return np.asarray(100 * (values - anchor.random) / (anchor.reference - anchor.random))


def result_of(task: Task, games: TaskGames, members: Mapping[str, MemberGames]) -> TaskResult:
    """The result of a task, from its games and those with its population, by name."""
    anchor, per_deal = task.anchor, task.games // task.deals
    share = Bootstrap(task.deals, per_deal, task.seed % 2**63).share(games.victories)
    value = mean_interval(games.metric) if task.metric == "score" else share
    bounds = normalised(np.array([value.mean, value.low, value.high]), anchor)
    return TaskResult(
        definition=task.as_json(),
        options=task.all_options,
        games=task.games,
        source_hash=task.game.source_hash,
        random=anchor.random,
        reference=anchor.reference,
        value=value,
        normalised=Interval(*bounds.tolist()),
        victories=share,
        score=mean_interval(games.score),
        length=float(games.length.mean()),
        usage=dict(games.usage),
        elo=None if task.cooperative or not members else rating_of(task, members),
        population=tuple(member_result(task, name, one) for name, one in members.items()),
        forfeits=games.forfeits + sum(one.forfeits for one in members.values()),
    )


def member_result(task: Task, name: str, games: MemberGames) -> MemberResult:
    """The result with one member of the population."""
    if task.cooperative:
        return MemberResult(name, None, games.games, mean_interval(games.points))
    deals = len(games.points)
    bootstrap = Bootstrap(deals, games.games // deals, task.seed % 2**63)
    elo = next(member.elo for member in task.population if member.agent == name)
    return MemberResult(name, elo, games.games, bootstrap.share(games.points))


def rating_of(task: Task, members: Mapping[str, MemberGames]) -> Interval:
    """The rating against a population."""
    most = max(members.values(), key=lambda one: len(one.points))
    deals = len(most.points)
    bootstrap = Bootstrap(deals, most.games // deals, task.seed % 2**63)
    elos = {member.agent: member.elo for member in task.population}
    against = np.array([elos[name] for name in members], np.float64)
    return bootstrap.rate_one([one.points for one in members.values()], against)


# ---------------------------------------------------------------- aggregates


def interquartile_mean(values: Array) -> Array:
    """The mean of the middle half along the last axis: a quarter is left out at each end, rounded
    down."""
    count = values.shape[-1]
    cut = count // 4
    return np.asarray(np.sort(values, axis=-1)[..., cut : count - cut].mean(axis=-1))


def gap(values: Array) -> Array:
    """The mean lack to 100. A task above 100 makes up for no other."""
    return np.asarray(np.maximum(100 - values, 0.0).mean(axis=-1))


AGGREGATES: Mapping[str, Callable[[Array], Any]] = {
    "iqm": interquartile_mean,
    "mean": partial(np.mean, axis=-1),
    "median": partial(np.median, axis=-1),
    "gap": gap,
}


def aggregate(deals: Sequence[Array], seed: int = 0) -> dict[str, Interval]:
    """Aggregates over tasks with 95 % intervals of the stratified bootstrap (Agarwal et al. 2021).

    In each replicate the deals of each task are drawn anew, with replacement and for each task by
    itself; the tasks are the strata, and stay as they are.

    Args:
        deals: of each task the normalised values, float64 (deals of the task,).
        seed: of the replicates.
    """
    means = np.array([values.mean() for values in deals])
    replicates = _replicates(deals, np.random.default_rng(seed))
    found = {}
    for name, summary in AGGREGATES.items():
        low, high = np.quantile(summary(replicates), LIMITS)
        found[name] = Interval(float(summary(means)), float(low), float(high))
    return found


def _replicates(deals: Sequence[Array], rng: np.random.Generator) -> Array:
    """The means of tasks over redrawn deals, float64 (REPLICATES, tasks)."""
    drawn = [
        values[rng.integers(len(values), size=(REPLICATES, len(values)))].mean(axis=1)
        for values in deals
    ]
    return np.stack(drawn, axis=1)


def split_result(
    split: Split, values: Mapping[str, Array], trained: list[str] | None, seed: int = 0
) -> SplitResult:
    """Train value, test value and gap of a split.

    Args:
        split: all of its tasks were played.
        values: by task the normalised value of each deal, float64 (deals,).
        trained: the tasks that the policy was trained on, as far as is known.
        seed: of the replicates.
    """
    rng = np.random.default_rng(seed)
    sides = [[values[name] for name in names] for names in (split.train, split.test)]
    means = [float(np.mean([one.mean() for one in side])) for side in sides]
    replicates = [_replicates(side, rng).mean(axis=1) for side in sides]
    train, test = (around(mean, samples) for mean, samples in zip(means, replicates, strict=True))
    gap = around(means[0] - means[1], replicates[0] - replicates[1])
    return SplitResult(split.name, split.varies, train, test, gap, trained)


def summary_of(
    suite: Suite, played: Sequence[tuple[Task, TaskGames]], trained: Mapping[str, list[str] | None]
) -> dict[str, Any]:
    """The summary of several tasks in a report: its ``aggregates``, ``splits`` and ``memory``.

    Args:
        suite: of which the tasks are.
        played: tasks with their games, in the suite's order.
        trained: by split the tasks of it that the policy was trained on, as far as is known.
    """
    values = {task.name: normalised(games.metric, task.anchor) for task, games in played}
    counted = [task.name for task, _ in played if not task.only_split]
    splits = [split for split in suite.splits if values.keys() >= {*split.train, *split.test}]
    remembered = suite.memory and values.keys() >= {*suite.memory}
    return {
        "aggregates": aggregate([values[name] for name in counted or values]),
        "splits": tuple(split_result(split, values, trained.get(split.name)) for split in splits),
        "memory": aggregate([values[name] for name in suite.memory])["mean"]
        if remembered
        else None,
    }
