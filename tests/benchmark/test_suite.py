"""The suites are what they were when they were released, and their deals are no training deals."""

from dataclasses import replace

import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.registration import add_game
from dig_envs.agents.loading import load_agent
from dig_envs.agents.names import searches
from dig_envs.agents.search_settings import FIELDS
from dig_envs.agents.zoo import zoo_policies
from dig_envs.benchmark import anchors
from dig_envs.benchmark.anchors import changes, deals_print, member_print
from dig_envs.benchmark.suite import DEALS_APART, FILE, SUITES, read_suites
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import BenchmarkError
from tests.training.tiny import purpose_of

RECORDED = {  # another definition needs another version
    "full": "08bd13b3abf115d6d5d5367a23c4db59c2b5333db06a58c9842848c0c51ede8a",
    "small": "ac5a27ed7ed7b5f205ef70b2164d2cb1bbf1628886e23725c4fbeb19af7deca8",
}
ALL = SUITES["full"].tasks
slow_uncompiled = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)
by_name = pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)


def test_suites_do_not_change():
    """Not even by a game that joins later."""
    assert add_game("tests.model.bone_bids")
    assert {name: suite.sha256 for name, suite in read_suites(FILE).items()} == RECORDED


def test_every_change_shows_in_the_hash():
    """Of tasks, their order, populations, splits, and the tasks that need a memory."""
    suite = SUITES["full"]
    first, *others = suite.tasks
    changed = [
        {"options": {**first.options, "level": "expert"}},
        {"reference": "random"},
        {"opponent": "random"},
        {"deals": first.deals + 1},
        {"seed": first.seed + 1},
        {"population": first.population[1:]},
        {"optimum": 3.0},
        {"metric": "victories"},
        {"only_split": True},
    ]
    for one in changed:
        assert replace(suite, tasks=(replace(first, **one), *others)).sha256 != suite.sha256
    for one in ({"tasks": (*others, first)}, {"splits": suite.splits[1:]}, {"memory": ()}):
        assert replace(suite, **one).sha256 != suite.sha256


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[:-20], "JSONDecodeError"),
        (lambda text: "[]", "TypeError"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "format 1"),
        (
            lambda text: text.replace('"reference": "heuristic"', '"reference": 3', 1),
            "tasks reference is 3",
        ),
        (lambda text: text.replace('"metric"', '"colour"', 1), "colour"),
        (
            lambda text: text.replace('"reference": "heuristic"', '"reference": "random"', 1),
            "the suite full has the hash",
        ),
    ],
)
def test_a_damaged_file_is_one_error_in_words(tmp_path, damage, words):
    path = tmp_path / "suites.json"
    path.write_text(damage(FILE.read_text()))
    with pytest.raises(BenchmarkError, match=rf"suites\.json is damaged: .*{words}"):
        read_suites(path)


def test_nothing_is_trained_on_what_it_is_tested_on():
    """Splits name tasks of one game in the suite, and no options are on both sides."""
    suite = SUITES["full"]
    tasks = {task.name: task for task in suite.tasks}
    named = {name for split in suite.splits for name in (*split.train, *split.test)}
    assert {task.name for task in suite.tasks if task.only_split} <= named
    for split in suite.splits:
        train, test = (
            [tasks[name].all_options for name in names] for names in (split.train, split.test)
        )
        assert not [options for options in train if options in test]
        assert len({tasks[name].environment for name in (*split.train, *split.test)}) == 1


def test_searches_have_all_their_settings():
    """No default of a game or of the search can change how a member of a population plays."""
    found = [(task, member) for task in ALL for member in task.population if searches(member.agent)]
    assert len(found) == 10
    for task, member in found:
        given = {word.partition("=")[0] for word in member.player.split(":")[1:]}
        assert given == FIELDS.keys() - {"ms", "seed"}
        assert load_agent(member.player, task.environment).settings.guide == "", (
            "which guide there is may change"
        )


def test_policies_of_the_populations_are_those_that_were_recorded():
    members = [
        (task, member)
        for task in ALL
        for member in task.population
        if member.player in zoo_policies()
    ]
    assert [
        member.player
        for task, member in members
        if member_print(task, member.player) != member.fingerprint
    ] == []
    assert members


@by_name
def test_tasks_are_possible(task):
    assert task.game.env_name == task.environment
    assert task.all_options["num_players"] == task.num_seats
    assert task.game.cooperative == task.cooperative
    names = [member.agent for member in task.population]
    assert len(set(names)) == len(names)
    assert task.reference in names or not names
    assert task.anchor.random < task.anchor.reference


def test_no_deal_twice_and_none_of_training():
    begin = sorted(task.seed for task in ALL)
    assert all(
        after - before >= DEALS_APART for before, after in zip(begin, begin[1:], strict=False)
    )
    assert {purpose_of(task.seed + deal) for task in ALL for deal in (0, task.deals - 1)} == {
        "final evaluation"
    }
    # the populations have the other half
    assert max(task.deals for task in ALL) <= DEALS_APART // 2


def test_small_is_a_beginning_of_full():
    """So that games already played count for both."""
    full = {task.name: task for task in ALL}
    for task in SUITES["small"].tasks:
        whole = full[task.name]
        assert task.deals <= whole.deals
        assert all(
            one.deals <= more.deals
            for one, more in zip(task.population, whole.population, strict=True)
        )
        assert replace(task, deals=whole.deals, population=whole.population) == whole


@slow_uncompiled
@by_name
def test_deals_and_opponents_are_as_recorded(task):
    assert changes(replace(task, population=())) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [task for task in ALL if task.population], ids=lambda task: task.name
)
def test_populations_play_as_recorded(task):
    assert changes(task) == []


@slow_uncompiled
def test_what_plays_or_deals_otherwise_is_said():
    task = next(task for task in ALL if task.name == "go_dig-4")
    assert "rules of go_dig_v0 have changed" in changes(replace(task, seed=task.seed + 1))[0]
    assert "heuristic plays otherwise" in changes(replace(task, opponent="heuristic"))[0]
    assert (
        "no option 'jokers'" in changes(replace(task, options={**task.options, "jokers": True}))[0]
    )
    last = replace(task.population[-1], fingerprint="")
    assert f"{last.agent} plays otherwise" in changes(replace(task, population=(last,)))[0]


def test_a_new_option_at_its_default_changes_no_fingerprint(monkeypatch):
    """Nor do names of versions; another value of an option does, and another deal."""
    task = next(task for task in ALL if task.name == "oak_island-2-bag")
    before = deals_print(task)
    more = {}

    class Env(RawAEC):
        def snapshot(self):
            found = super().snapshot()
            return {
                "dig_envs": "9.0",
                "environment": "x_v9",
                **found,
                "options": {**found["options"], **more.get("options", {})},
            }

    monkeypatch.setattr(anchors, "RawAEC", Env)
    assert deals_print(task) == before
    complete = type(task.game).complete_options
    monkeypatch.setattr(
        type(task.game), "complete_options", lambda game, given: {**complete(game, given), "new": 1}
    )
    more["options"] = {"new": 1}
    assert deals_print(task) == before
    more["options"] = {"new": 2}
    assert deals_print(task) != before
