"""The suite is what it was when it was released, and its deals are no training deals."""

from dataclasses import replace

import pytest

from dig_envs.adapters.registration import add_game
from dig_envs.benchmark.anchors import changes, read_anchors
from dig_envs.benchmark.measuring import check_suite
from dig_envs.benchmark.suite import DEALS_APART, FULL, SUITES, VERSION
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import list_environments
from tests.training.tiny import purpose_of

RECORDED = {  # of version 1; another definition needs another version
    "full": "2b1306826d01f08e7566318d3c910b970bdd86dd531c1c87ed4bd6ea3591ac44",
    "small": "b26351bdb7f66480f12bd24f1a2c88f8e7592920ba1c7620c14d85e5049f2d47",
}

by_name = pytest.mark.parametrize("task", FULL, ids=lambda task: task.name)


def test_every_change_shows_in_the_hash():
    """Of options, opponents, numbers of games and the order."""
    suite = SUITES["small"]
    first, *others = suite.tasks
    for changed in (
        (replace(first, options={**first.options, "level": "expert"}), *others),
        (replace(first, opponent="random"), *others),
        (replace(first, games=first.games + 1), *others),
        (replace(first, name="x"), *others),
        tuple(others),
        (*others, first),
    ):
        assert replace(suite, tasks=changed).sha256 != suite.sha256


def test_both_suites_play_the_same_games():
    games = [{task.environment for task in suite.tasks} for suite in SUITES.values()]
    assert games[0] == games[1]
    assert all(len({task.name for task in suite.tasks}) == len(suite.tasks) for suite in SUITES.values())


def test_a_game_that_joins_later_changes_nothing():
    """The suites are as they were released; they need not have a game of another package, nor a new one here."""
    assert add_game("tests.model.bone_bids") in list_environments()
    assert VERSION == 1
    assert {name: suite.sha256 for name, suite in SUITES.items()} == RECORDED
    assert "bone_bids_v0" not in {task.environment for task in check_suite("full", "*")}


@by_name
def test_tasks_are_possible(task):
    assert task.game.env_name == task.environment
    assert task.all_options["num_players"] == task.num_seats
    assert task.game.cooperative == task.cooperative


def test_no_deal_twice_and_none_of_training():
    begin = sorted(task.seed for task in FULL)
    assert all(after - before >= DEALS_APART for before, after in zip(begin, begin[1:], strict=False))
    assert {purpose_of(task.seed + deal) for task in FULL for deal in (0, task.deals - 1)} == {"final evaluation"}
    assert max(task.deals for task in FULL) <= DEALS_APART


def test_small_is_a_beginning_of_full():
    """So that what was played of the small suite is not played again."""
    full = {task.name: task for task in FULL}
    for task in SUITES["small"].tasks:
        assert task.seed == full[task.name].seed
        assert task.deals <= full[task.name].deals
        assert replace(task, games=full[task.name].games) == full[task.name]


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
@by_name
def test_deals_and_opponents_are_as_recorded(task):
    anchor = read_anchors()[task.name]
    assert changes(task, anchor) == []
    assert anchor.random < anchor.reference


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_other_deals_and_other_opponents_are_seen():
    task = next(task for task in FULL if task.name == "go_dig-2")
    anchor = read_anchors()[task.name]
    assert "deal other games" in changes(replace(task, name="another"), anchor)[0]
    assert "random plays otherwise" in changes(replace(task, opponent="random"), anchor)[0]
