"""Cross-play: how agents cooperate with partners that they were not trained with.

Hu, Lerer, Peysakhovich, Foerster: "Other-Play" for Zero-Shot Coordination, ICML 2020; Bard et al.:
The Hanabi Challenge, Artificial Intelligence 280, 2020. Agents that trained with themselves may
have conventions that nobody else knows. So each agent plays with itself (self-play), with each of
the others (cross-play) and with the scripted player, on the same deals.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import dig_envs
from dig_envs.agents.best import SCRIPTED
from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.agents.sealed import ending_processes
from dig_envs.arena.json_form import JsonReport
from dig_envs.arena.machine import machine_now
from dig_envs.arena.schedule import MOST_WORKERS, Form
from dig_envs.benchmark.measuring import (
    Playing,
    Progress,
    check_results,
    check_suite,
    check_unchanged,
    load_everywhere,
    play_blocks,
)
from dig_envs.benchmark.players import identity
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.checks import check_integer, shown_in_message
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Array


@dataclass(frozen=True)
class CrossPlay(JsonReport):
    """The cross-play matrix of a cooperative task.

    ``agents``: those that are compared, then the scripted player. ``scores``: the mean score of row
    and column as partners, each in each seat. ``self_play``: the mean of the diagonal without the
    scripted player; ``cross_play``: of the pairs without it (None: one agent alone); ``gap``: the
    first less the second; ``with_scripted``: the mean of the pairs with it. ``machine``: on which
    it was made, and when.
    """

    KIND, FORMAT, NAME, ERROR = "dig_envs benchmark cooperation", 1, "cross-play", BenchmarkError

    suite: dict[str, Any]
    task: dict[str, Any]
    agents: tuple[dict[str, Any], ...]
    command: str
    versions: dict[str, str]
    deals: int
    scores: tuple[tuple[Interval, ...], ...]
    self_play: Interval
    cross_play: Interval | None
    gap: Interval | None
    with_scripted: Interval
    machine: dict[str, Any] = field(default_factory=dict, compare=False)


@ending_processes()
def cross_play(
    agents: Sequence[str],
    suite: str = "small",
    *,
    task: str = "cretaceous_creek-2",
    workers: int = 1,
    results: Path | None = None,
    progress: Progress | None = None,
) -> CrossPlay:
    """Play the cross-play matrix of agents in a cooperative task of a suite.

    Args:
        agents: as :func:`dig_envs.load_agent` names them, such as several seeds of one training.
            The scripted player joins them.
        suite: ``small`` or ``full``: its deals.
        task: its name.
        workers: processes; the report does not depend on it.
        results: a folder in which games are kept, and with whose games it goes on.
        progress: called with the task, the number of its games that are done and of all.

    Raises:
        BenchmarkError: an unknown suite or task, one that is not cooperative or has a single seat,
            an agent named twice or one that cannot play the task, or other rules than those that
            the suite was recorded with.
        ValueError, TypeError: an unknown agent, or a number that is not an integer or out of range.
    """
    check_integer(workers, "workers", 1, MOST_WORKERS)
    check_results(results)
    about, (chosen, *more) = check_suite(suite, task)
    if more or not chosen.cooperative or chosen.num_seats < 2:
        raise BenchmarkError(
            f"{shown_in_message(task)} is not one cooperative task for several players, such as "
            "cretaceous_creek-2"
        )
    names = [name for name in agents if name != SCRIPTED]
    if not names or len(set(names)) < len(names):
        raise BenchmarkError(
            "name one or more agents, each once; the scripted player always takes part"
        )
    names.append(SCRIPTED)
    found = []
    for name in names:
        loaded, refused = load_everywhere(name, [chosen])
        if refused:
            raise BenchmarkError(f"{name} cannot play {chosen.name}: {refused[chosen.name]}")
        found.append(identity(name, loaded))
    check_unchanged([replace(chosen, population=())])
    how = Playing(workers, results, progress=progress)
    scores = np.zeros((len(names), len(names), chosen.deals))
    for i in range(len(names)):
        for j in range(i, len(names)):
            scores[i, j] = scores[j, i] = play_pair(names[i], names[j], chosen, how)
    trained = range(len(names) - 1)
    own = np.mean([scores[i, i] for i in trained], axis=0)
    pairs = [scores[i, j] for i in trained for j in range(i)]
    others = np.mean(pairs, axis=0) if pairs else None
    words = ["dig-envs", "benchmark", "cooperation", *agents, "--suite", suite, "--task", task]
    return CrossPlay(
        suite=about.about(),
        task=chosen.as_json(),
        agents=tuple(found),
        command=shlex.join(words),
        versions={"dig_envs": dig_envs.__version__},
        deals=chosen.deals,
        scores=tuple(tuple(mean_interval(values) for values in row) for row in scores),
        self_play=mean_interval(own),
        cross_play=None if others is None else mean_interval(others),
        gap=None if others is None else mean_interval(own - others),
        with_scripted=mean_interval(scores[:-1, -1].mean(axis=0)),
        machine=machine_now(),
    )


def play_pair(first: str, second: str, task: Task, how: Playing) -> Array:
    """The mean score of two partners on each deal, float64 (deals,), over all seatings; of one
    agent in all seats if both are the same."""
    if first == second:
        blocks = play_blocks((first,), task, Form.TEAMS, task.deals, how)
    else:
        blocks = play_blocks((first, second), task, Form.PAIRS, task.deals, how, f"beside {second}")
    return np.asarray(
        np.concatenate([one.scores.mean(axis=1) for one in blocks])
        .reshape(task.deals, -1)
        .mean(axis=1)
    )
