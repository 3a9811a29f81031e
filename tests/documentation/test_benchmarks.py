"""Pages about the benchmark: which reports they show, and that the commands under the tables are those of the reports."""

import json
from dataclasses import replace

import pytest

from dig_envs.arena.entrants import card_of
from dig_envs.benchmark.leaderboard import Submission
from dig_envs.benchmark.measuring import load_for
from dig_envs.benchmark.suite import VERSIONS
from dig_envs.documentation import benchmarks
from tests.benchmark.test_submission import made_up


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A folder of the leaderboard in the place of the published one; a function puts a report into it."""
    monkeypatch.setattr(benchmarks, "SUBMISSIONS", tmp_path)
    for found in (benchmarks.leaderboard_rows, benchmarks.strength_reports):
        found.cache_clear()

    def put(agent, version, suite, name=None):
        report = made_up(agent, suite=VERSIONS[version][suite])
        one = Submission(name or agent, "somebody", "", "2026-11-24", report.as_json())
        (tmp_path / one.file_name).write_text(json.dumps(one.as_json()))

    yield put
    for found in (benchmarks.leaderboard_rows, benchmarks.strength_reports):
        found.cache_clear()


def test_strength_is_that_of_the_newest_version_and_the_larger_suite(board):
    for agent in ("best", "random", "mine"):
        board(agent, 1, "full")
        board(agent, 2, "small")
    assert [(one.agent["agent"], one.suite["name"], one.suite["version"]) for one in benchmarks.strength_reports()] == [
        ("random", "small", 2),
        ("best", "small", 2),
    ]
    benchmarks.leaderboard_rows.cache_clear()
    benchmarks.strength_reports.cache_clear()
    board("best", 2, "full")
    (best,) = benchmarks.strength_reports()
    assert best.suite["name"] == "full"
    assert "version 2, suite `full`" in benchmarks.strength_words()
    bars = benchmarks.strength_chart().count("<rect") - 1
    assert bars == sum(not task.only_split for task in VERSIONS[2]["full"].tasks)


def test_the_best_player_of_the_board_is_the_one_of_today():
    """A policy that was trained anew, or a ladder with another order, needs a new report of `best`."""
    benchmarks.leaderboard_rows.cache_clear()
    benchmarks.strength_reports.cache_clear()
    report = benchmarks.best_report()
    suite = VERSIONS[report.suite["version"]][report.suite["name"]]
    players = {task.name: load_for("best", task) for task in suite.tasks}
    assert report.agent["plays"] == {task: player.name for task, player in players.items()}
    weights = {task: card_of(player)["weights_sha256"] for task, player in players.items() if card_of(player)}
    assert report.agent["weights_sha256"] == weights


def test_a_player_stands_once_in_each_task():
    """`best` may be a player that has a report of its own."""
    reports = benchmarks.exploit_reports()
    rows = [(player, one.definition["task"]) for player, one in benchmarks.exploited_players([*reports, *reports])]
    assert len(rows) == len(set(rows))
    for report in reports:
        for one in report.tasks:
            name = one.definition["task"]
            assert (benchmarks.player_of(report, name), name) in rows
    table = benchmarks.exploiters_table().splitlines()
    assert sum(line.startswith("| `") for line in table) == len(rows)
    assert {line.partition("`")[2].partition("`")[0] for line in table if line.startswith("- ")} == {one.command for one in reports}


def test_a_policy_has_the_name_that_its_weights_have_now():
    """Two reports name Diggity's policy: one is of the weights that it has, the other of those that have another name since."""
    reports = [one for one in benchmarks.exploit_reports() if one.agent.get("plays", {}).get("diggity-2") == "diggity/ppo"]
    assert sorted(benchmarks.player_of(report, "diggity-2") for report in reports) == ["diggity/ppo", "diggity/ppo-1"]
    unknown = replace(reports[0], agent={**reports[0].agent, "weights_sha256": {"diggity-2": "0" * 64}})
    assert benchmarks.player_of(unknown, "diggity-2") == "diggity/ppo", "weights that nobody has any more"


def test_the_matrix_is_of_all_partners():
    table = benchmarks.cross_play_table().splitlines()
    head = [cell.strip() for cell in table[0].split("|")[2:-1]]
    assert [line.split("|")[1].strip() for line in table[2 : 2 + len(head)]] == head
    assert any(line.startswith("- `dig-envs benchmark cooperation ") for line in table)
