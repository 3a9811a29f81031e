"""The suite is what it was when it was released, and its deals are no training deals."""

from dataclasses import replace

import pytest

from dig_envs.adapters.registration import add_game
from dig_envs.agents.loading import load_agent
from dig_envs.agents.zoo import zoo_policies
from dig_envs.benchmark.anchors import changes, member_print, read_anchors
from dig_envs.benchmark.measuring import check_suite
from dig_envs.benchmark.suite import DEALS_APART, FULL_1, FULL_2, SUITES_1, SUITES_2, VERSIONS, Member
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import list_environments
from tests.policies import shipped
from tests.training.tiny import purpose_of

RECORDED = {  # another definition needs another version
    1: {
        "full": "2b1306826d01f08e7566318d3c910b970bdd86dd531c1c87ed4bd6ea3591ac44",
        "small": "b26351bdb7f66480f12bd24f1a2c88f8e7592920ba1c7620c14d85e5049f2d47",
    },
    2: {
        "full": "93a65ea5dce631c1452254b98f5a74df9a62af024b32f28fafc6233f01fa583c",
        "small": "537d2a995e219368c6a910e084599af6d0fa14cc8d6fc26b25804cbc8e52f74d",
    },
}
ALL = (*FULL_1, *FULL_2)

by_name = pytest.mark.parametrize("task", ALL, ids=lambda task: f"{task.version}-{task.name}")


def test_every_change_shows_in_the_hash():
    """Of options, opponents, numbers of games and the order."""
    suite = SUITES_1["small"]
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


def test_every_change_of_version_2_shows_in_the_hash():
    """Of populations, optima, those who play against, splits, and the tasks that need a memory."""
    suite = SUITES_2["full"]
    *others, last = suite.tasks
    for changed in (
        replace(last, population=(Member("random", 20),)),
        replace(last, optimum=3.0),
        replace(last, against="random"),
        replace(last, metric="score"),
        replace(last, only_split=False),
    ):
        assert replace(suite, tasks=(*others, changed)).sha256 != suite.sha256
    assert replace(suite, splits=suite.splits[1:]).sha256 != suite.sha256
    assert replace(suite, memory=()).sha256 != suite.sha256


@pytest.mark.parametrize("suites", VERSIONS.values(), ids=VERSIONS)
def test_both_suites_play_the_same_games(suites):
    games = [{task.environment for task in suite.tasks} for suite in suites.values()]
    assert games[0] == games[1]
    assert all(len({task.name for task in suite.tasks}) == len(suite.tasks) for suite in suites.values())


def test_nothing_is_trained_on_what_it_is_tested_on():
    """Splits name tasks of one game in the suite, and no options are on both sides."""
    suite = SUITES_2["full"]
    tasks = {task.name: task for task in suite.tasks}
    assert {task.name for task in suite.tasks if task.only_split} <= {
        name for split in suite.splits for name in (*split.train, *split.test)
    }
    for split in suite.splits:
        train, test = ([tasks[name].all_options for name in names] for names in (split.train, split.test))
        assert not [options for options in train if options in test]
        assert len({tasks[name].environment for name in (*split.train, *split.test)}) == 1


def test_the_populations_have_the_reference():
    """Each population has the agent whose rating all others are compared with, unless the task is only for splits, and no agent
    twice.
    """
    for task in FULL_2:
        names = [member.agent for member in task.population]
        assert len(set(names)) == len(names)
        assert task.opponent in names or task.only_split


def test_a_search_keeps_its_settings_when_the_defaults_change():
    """Its name stays that of the definition; what loads it has the settings that the name left out."""
    task = next(task for task in FULL_2 if task.name == "dino_dig-2")
    member = task.population[-1]
    assert {"agent": "search:sims=100", "deals": task.deals_with(member)} == task.as_json()["population"][-1]
    settings = load_agent(task.player(member), task.environment).settings
    assert (settings.trust, settings.guide, settings.sims) == (0.5, "", 100)
    assert load_agent(member.agent, task.environment).settings.trust != 0.5


@pytest.mark.parametrize("task", FULL_2, ids=lambda task: task.name)
def test_policies_of_the_populations_are_those_of_the_release(task):
    """By the hashes of their weights; one that a better policy has replaced is there under another name."""
    anchor = read_anchors(2)[task.name]
    for member in (member for member in task.population if member.agent in zoo_policies()):
        player = task.player(member)
        assert member_print(task, shipped(player)) == anchor.population[member.agent].fingerprint
        assert player == member.agent or member_print(task, member.agent) != member_print(task, player), "a copy is not needed"


def test_a_game_that_joins_later_changes_nothing():
    """The suites are as they were released; they need not have a game of another package, nor a new one here."""
    assert add_game("tests.model.bone_bids") in list_environments()
    assert {version: {name: suite.sha256 for name, suite in suites.items()} for version, suites in VERSIONS.items()} == RECORDED
    assert "bone_bids_v0" not in {task.environment for task in check_suite("full", "*")[1]}


@by_name
def test_tasks_are_possible(task):
    assert task.game.env_name == task.environment
    assert task.all_options["num_players"] == task.num_seats
    assert task.game.cooperative == task.cooperative


def test_no_deal_twice_and_none_of_training():
    begin = sorted(task.seed for task in ALL)
    assert all(after - before >= DEALS_APART for before, after in zip(begin, begin[1:], strict=False))
    assert {purpose_of(task.seed + deal) for task in ALL for deal in (0, task.deals - 1)} == {"final evaluation"}
    assert max(task.deals for task in ALL) <= DEALS_APART // 2  # the populations have the other half


@pytest.mark.parametrize("suites", VERSIONS.values(), ids=VERSIONS)
def test_small_is_a_beginning_of_full(suites):
    """The tasks of the small suite are the first games of those of the full suite, so that games already played count for both."""
    full = {task.name: task for task in suites["full"].tasks}
    for task in suites["small"].tasks:
        whole = full[task.name]
        assert task.seed == whole.seed
        assert task.deals <= whole.deals
        assert [member.agent for member in task.population] == [member.agent for member in whole.population]
        assert all(one.games <= more.games for one, more in zip(task.population, whole.population, strict=True))
        assert replace(task, games=whole.games, population=whole.population) == whole


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
@by_name
def test_deals_and_opponents_are_as_recorded(task):
    anchor = read_anchors(task.version)[task.name]
    assert changes(replace(task, population=()), anchor) == []
    assert anchor.random < anchor.reference
    assert anchor.population.keys() == {member.agent for member in task.population}
    assert task.cooperative or all(rated.low <= rated.elo <= rated.high for rated in anchor.population.values())


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in FULL_2 if task.population], ids=lambda task: task.name)
def test_populations_play_as_recorded(task):
    assert changes(task, read_anchors()[task.name]) == []


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_other_deals_and_other_opponents_are_seen():
    task = next(task for task in FULL_1 if task.name == "go_dig-2")
    anchor = read_anchors(1)[task.name]
    assert "deal other games" in changes(replace(task, name="another"), anchor)[0]
    assert "random plays otherwise" in changes(replace(task, opponent="random"), anchor)[0]
    task = next(task for task in FULL_2 if task.name == "go_dig-4")
    anchor = read_anchors()[task.name]
    other = replace(anchor, population={**anchor.population, "heuristic": replace(anchor.population["heuristic"], fingerprint="")})
    assert "heuristic plays otherwise" in changes(task, other)[0]
