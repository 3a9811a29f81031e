"""Aggregates, and reports as JSON and as tables."""

import json
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from dig_envs.agents.matches import Interval
from dig_envs.arena.machine import machine_now
from dig_envs.benchmark.report import (
    Report,
    TaskGames,
    aggregate,
    interquartile_mean,
    normalised,
    result_of,
)
from dig_envs.benchmark.show import as_markdown
from dig_envs.benchmark.suite import SUITES, Anchor
from dig_envs.engine.core.errors import BenchmarkError

ANCHOR = Anchor(random=0.1, reference=0.5, deals="", opponents="")
TASK = replace(
    next(task for task in SUITES["small"].tasks if task.name == "go_dig-2"), anchor=ANCHOR
)


def report_of(agent="mine", refused=None, share=0.5):
    deals = np.full(TASK.deals, share)
    result = result_of(TASK, TaskGames(deals, 10 * deals, deals, 20 * deals), {})
    about = {"name": "small", "version": 1, "sha256": SUITES["small"].sha256, "tasks": 15}
    found = aggregate([normalised(deals, ANCHOR)])
    return Report(
        about,
        {"agent": agent},
        "dig-envs benchmark mine",
        {"dig_envs": "0"},
        False,
        found,
        (result,),
        refused or {},
    )


def test_interquartile_mean():
    """A quarter at each end counts nothing, whatever it is."""
    assert interquartile_mean(np.array([-1e9, 1.0, 3.0, 1e9])) == 2.0
    # a quarter of three, rounded down, is none
    assert interquartile_mean(np.array([5.0, 1.0, 2.0])) == pytest.approx(8 / 3)
    assert interquartile_mean(np.arange(9.0)[::-1]) == 4.0
    assert interquartile_mean(np.array([[0.0, 1.0, 2.0, 9.0], [4.0, 4.0, 4.0, 4.0]])).tolist() == [
        1.5,
        4.0,
    ]


def test_aggregates():
    """Known means; the intervals hold them, and have no width where every deal says the same."""
    rng = np.random.default_rng(0)
    deals = [rng.normal(mean, 30, 400) for mean in (0, 50, 100, 150)]
    means = [values.mean() for values in deals]
    found = aggregate(deals)
    assert found["mean"].mean == pytest.approx(np.mean(means))
    assert found["iqm"].mean == pytest.approx(np.mean(sorted(means)[1:3]))
    assert found["median"].mean == pytest.approx(np.median(means))
    for value in found.values():
        assert value.low < value.mean < value.high
    same = aggregate([np.full(20, 40.0), np.full(30, 60.0)])
    assert same["mean"] == Interval(50.0, 50.0, 50.0)


def test_interval_of_the_mean_is_that_of_independent_tasks():
    """Half the width of 1.96 standard errors, those of the tasks added up in squares: strata are
    drawn each by itself."""
    rng = np.random.default_rng(1)
    deals = [rng.normal(0, 10 * (k + 1), 500) for k in range(4)]
    error = np.sqrt(sum(values.var() / len(values) for values in deals)) / 4
    found = aggregate(deals)["mean"]
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_random_is_0_and_the_reference_100():
    for share, expected in ((0.1, 0.0), (0.5, 100.0), (0.9, 200.0)):
        deals = np.full(TASK.deals, share)
        result = result_of(TASK, TaskGames(deals, deals, deals, deals), {})
        assert result.normalised.mean == pytest.approx(expected)
        assert normalised(deals, ANCHOR) == pytest.approx(expected)
        assert result.normalised.low <= result.normalised.mean <= result.normalised.high


def test_json_there_and_back():
    report = report_of(refused={"fossil_canyon-2": "no"})
    plain = json.loads(json.dumps(report.as_json()))
    assert Report.from_json(plain).as_json() == plain
    assert plain["complete"] is False
    assert plain["suite"] == {
        "name": "small",
        "version": 1,
        "sha256": SUITES["small"].sha256,
        "tasks": len(SUITES["small"].tasks),
    }
    (task,) = plain["tasks"]
    assert task["definition"]["seed"] == TASK.seed
    assert (task["source_hash"], task["games"], task["options"]["max_turns"]) == (
        TASK.game.source_hash,
        100,
        200,
    )


@pytest.mark.parametrize("plain", [None, [], {"kind": "another"},
                                   {"kind": "dig_envs benchmark", "format": 2},
                                   {"kind": "dig_envs benchmark", "format": 1}])  # fmt: skip
def test_what_is_no_report(plain):
    with pytest.raises(BenchmarkError):
        Report.from_json(plain)
    with pytest.raises(BenchmarkError, match="damaged"):
        Report.from_json({**report_of().as_json(), "tasks": 3})


def test_table():
    """A column for each agent; an agent that did not play everything is marked."""
    text = as_markdown([report_of("a"), report_of("b", {"x": "no"}, 0.3)])
    assert "| go_dig-2 | 100.0 [" in text
    assert "| 50.0 [" in text
    assert text.count("* a played 1 of 15 tasks") == 1
    assert text.count("dig-envs benchmark mine") == 2


def test_a_notebook_shows_the_table_and_a_plot():
    report = replace(report_of(), machine={**machine_now(), "date": "2030-01-31"})
    html = report._repr_html_()
    assert "<td>go_dig-2</td>" in html
    assert "dig-envs benchmark mine (dig_envs 0; " in html
    assert "2030-01-31" in html
    axes = report.plot(Figure().subplots())
    assert axes.lines[0].get_xdata().tolist() == [100.0]  # half of the games won, as the reference
    assert Report.from_json(report.as_json()).machine == report.machine
    # a report from before machines were noted
    assert as_markdown([report_of()]).endswith("(dig_envs 0)")
