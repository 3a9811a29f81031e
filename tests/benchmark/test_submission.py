"""Reports that are submitted: what is checked, what tampering is found, and the leaderboard that is made of them."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dig_envs.benchmark.claims import player_kind, wrong_claims
from typer.testing import CliRunner

from dig_envs.adapters.registration import add_game
from dig_envs.agents.shipped import comes_with_package
from dig_envs.agents.zoo import policy_folder
from dig_envs.arena.json_form import to_text
from dig_envs.arena.schedule import seatings
from dig_envs.benchmark import Report
from dig_envs.benchmark import leaderboard as board
from dig_envs.benchmark import submission as checking
from dig_envs.benchmark.anchors import read_anchors
from dig_envs.benchmark.deals import deals_as_json
from dig_envs.benchmark.leaderboard import Submission
from dig_envs.benchmark.measuring import measure
from dig_envs.benchmark.report import MemberGames, TaskGames, aggregate, mean_of_tasks, normalised, result_of, split_result
from dig_envs.benchmark.submission import changed_rules, check_report
from dig_envs.benchmark.suite import VERSIONS
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.registry import list_environments

runner = CliRunner()
VERSION = 1
SUITE = VERSIONS[VERSION]["small"]


def made_up(agent="mine", seed=0, suite=SUITE):
    """A complete report of games that nobody has played."""
    rng, anchors, games, populations = np.random.default_rng(seed), read_anchors(suite.version), [], {}
    for task in suite.tasks:
        victories, score = rng.integers(0, 5, task.deals) / 4, rng.integers(0, 40, task.deals) / 3
        lengths = rng.integers(5, 99, task.deals) / 2
        metric = score if task.counted == "score" else victories
        games.append((task, TaskGames(victories, score, metric, lengths, points=score if task.cooperative else victories)))
        populations[task.name] = {}
        for member in task.population:
            same = member.agent == task.others and task.num_seats == 2 and not task.cooperative
            deals = task.deals if same else task.deals_with(member)
            count = deals * (task.num_seats if same else len(seatings(task.num_seats, task.form_with_members)))
            points = games[-1][1].points if same else rng.integers(0, 5, deals) / 4
            populations[task.name][member.agent] = MemberGames(points, count)
    values = {task.name: normalised(one.metric, anchors[task.name]) for task, one in games}
    return Report(
        suite={"name": suite.name, "version": suite.version, "sha256": suite.sha256, "tasks": len(suite.tasks)},
        agent={"agent": agent},
        command=f"dig-envs benchmark {agent} --suite small",
        versions={"dig_envs": "0.1.0"},
        complete=True,
        aggregates=aggregate([values[task.name] for task, _ in games if not task.only_split]),
        tasks=tuple(result_of(task, anchors[task.name], one, populations[task.name]) for task, one in games),
        refused={},
        splits=tuple(split_result(split, values, None) for split in suite.splits),
        memory=mean_of_tasks([values[name] for name in suite.memory]) if suite.memory else None,
        deals={task.name: deals_as_json(one, populations[task.name]) for task, one in games},
    )


@pytest.fixture(scope="module")
def plain():
    """The report as a file has it."""
    return json.loads(to_text(made_up().as_json()))


def test_a_report_that_is_right(plain):
    """Also in the other order of its tasks."""
    assert check_report(Report.from_json(plain)) is SUITE
    check_report(Report.from_json({**plain, "tasks": plain["tasks"][::-1]}))


def test_a_game_of_another_package_changes_nothing(plain):
    """A released suite names its games: its hash, its tasks and the check stay the same; a game more has no place in it."""
    before = {(version, name): suite.sha256 for version, suites in VERSIONS.items() for name, suite in suites.items()}
    assert add_game("tests.model.bone_bids") in list_environments()
    for version, suites in VERSIONS.items():
        assert {(version, name): suite.sha256 for name, suite in suites.items()}.items() <= before.items()
        assert read_anchors(version).keys() == {task.name for task in suites["full"].tasks}
    assert SUITE.sha256 == Report.from_json(plain).suite["sha256"]
    check_report(Report.from_json(plain))
    another = changed(plain, "tasks", 8, "definition", to=lambda old: {**old, "task": "bone_bids-2", "environment": "bone_bids_v0"})
    with pytest.raises(BenchmarkError, match="there is no task bone_bids-2"):
        check_report(Report.from_json(another))


ZERO = {"mean": 0.0, "low": 0.0, "high": 0.0}


@pytest.fixture(scope="module")
def plain_2():
    """A report of version 2."""
    return json.loads(to_text(made_up(suite=VERSIONS[2]["small"]).as_json()))


def test_a_report_of_version_2_that_is_right(plain_2):
    assert check_report(Report.from_json(plain_2)) is VERSIONS[2]["small"]


@pytest.mark.parametrize(
    ("keys", "to", "words"),
    [
        (["tasks", 3, "elo", "mean"], lambda value: value + 1, "elo, mean is"),
        (["tasks", 3, "elo"], None, "elo must have mean, low, high"),
        (["tasks", 3, "population"], lambda members: members[1:], "population must have"),
        (["tasks", 3, "population", 0, "elo"], 1500.0, r"population\[0\], elo is 1500"),
        (["tasks", 3, "population", 0, "agent"], "nobody", r"population\[0\], agent is 'nobody'"),
        (["memory", "mean"], lambda value: value + 1, "memory, mean is"),
        (["splits"], [{"split": "x", "varies": "y", "train": ZERO, "test": ZERO, "gap": ZERO, "trained": None}],
         "splits must have 0 entries"),
        (["deals", "go_dig-2", "population", "heuristic", 0], 7, "points must be numbers from 0 to 1"),
        (["deals", "go_dig-2", "population"], {}, "the population must be go_dig/ppo, heuristic, heuristic:style=careful"),
    ],
)  # fmt: skip
def test_what_is_changed_in_version_2_is_found(plain_2, keys, to, words):
    with pytest.raises(BenchmarkError, match=words):
        check_report(Report.from_json(changed(plain_2, *keys, to=to)))


def changed(plain, *keys, to):
    """A copy of a report in which one value is another one: ``to``, or what that makes of the value."""
    found = copy.deepcopy(plain)
    place = found
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = to(place[keys[-1]]) if callable(to) else to
    return found


more = lambda value: value + 0.001  # noqa: E731 (a word for many lines)


@pytest.mark.parametrize(
    ("keys", "to", "words"),
    [
        (["suite", "version"], 99, "version 99 of the suite; here there are 1, 2"),
        (["suite", "version"], True, "version true of the suite|version True of the suite"),
        (["suite", "name"], "large", "suite 'large'; there are"),
        (["suite", "sha256"], "0" * 64, "has the hash '0000"),
        (["suite", "tasks"], 8, "and 8 tasks"),
        (["complete"], False, "not complete"),
        (["refused"], {"go_dig-2": "no"}, "cannot play go_dig-2"),
        (["tasks"], lambda tasks: tasks[1:], "cretaceous_creek-2 is missing"),
        (["tasks"], lambda tasks: [*tasks, tasks[0]], "cretaceous_creek-2 is there more than once"),
        (["tasks", 3, "definition", "task"], "go_dig-3", "go_dig-2 is missing; there is no task go_dig-3"),
        (["tasks", 3, "definition", "opponent"], "random", "go_dig-2 is defined otherwise"),
        (["tasks", 3, "definition", "seed"], lambda seed: seed + 1, "go_dig-2 is defined otherwise"),
        (["tasks", 3, "options", "max_turns"], 10, "go_dig-2 is defined otherwise"),
        (["tasks", 3, "games"], 200, "go_dig-2 has 200 games"),
        (["tasks", 3, "random"], 0.1, "go_dig-2: random and reference are 0.1"),
        (["tasks", 3, "value", "mean"], more, "go_dig-2, value, mean is"),
        (["tasks", 0, "value", "low"], more, "cretaceous_creek-2, value, low is"),
        (["tasks", 3, "normalised", "high"], lambda value: value + 0.5, "go_dig-2, normalised, high is"),
        (["tasks", 3, "score", "mean"], more, "go_dig-2, score, mean is"),
        (["tasks", 3, "length"], "long", "go_dig-2, length is 'long'"),
        (["aggregates", "iqm", "mean"], lambda value: value + 0.5, "aggregates, iqm, mean is"),
        (["aggregates"], lambda found: {"iqm": found["iqm"]}, "aggregates must have iqm, mean"),
        (["deals", "go_dig-2", "victories", 0], lambda value: 1 - value if value != 0.5 else 0, "go_dig-2, value, mean is"),
        (["deals", "go_dig-2", "victories", 0], 1.5, "victories must be numbers from 0 to 1"),
        (["deals", "go_dig-2", "score", 0], float("nan"), "score must be numbers"),
        (["deals", "go_dig-2", "score", 0], True, "score must be numbers"),
        (["deals", "go_dig-2", "length"], lambda values: values[1:], "length must be a list of 50 numbers"),
        (["deals", "go_dig-2"], {}, "the results of its deals must be"),
        (["deals"], {}, "the results of its deals must be"),
    ],
)
def test_what_is_changed_is_found(plain, keys, to, words):
    with pytest.raises(BenchmarkError, match=words):
        check_report(Report.from_json(changed(plain, *keys, to=to)))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("date", "2026-13-45", "YYYY-MM-DD"),
        ("name", "", "name must be a line"),
        ("name", "two\nlines", "name must be a line"),
        ("authors", "x" * 201, "authors must be a line of at most 200"),
        ("link", "javascript:alert(1)", "begins with https://"),
        ("link", "https://x.org/) [evil](https://y.org", "begins with https://"),
        ("date", "yesterday", "YYYY-MM-DD"),
        ("report", {}, "no report of a benchmark"),
    ],
)
def test_what_is_wrong_with_a_submission(plain, key, value, words):
    right = Submission("mine", "somebody", "https://example.org/code", "2026-11-24", plain)
    right.check()
    with pytest.raises(BenchmarkError, match=words):
        replace(right, **{key: value}).check()


def test_the_leaderboard(tmp_path, plain):
    """Best first; of one that was tampered with the file is named; names from outside are no markup."""
    reports = {"<b>mine|": plain, "other": made_up("other", 1).as_json()}
    for name, report in reports.items():
        one = Submission(name, "somebody", "", "2026-11-24", report)
        (tmp_path / one.file_name).write_text(to_text(one.as_json()))
    rows = json.loads(board.leaderboard_text(board.make_rows(tmp_path)))["rows"]
    values = [row["aggregates"]["iqm"]["mean"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert {row["name"] for row in rows} == reports.keys()
    table = board.tables(rows)
    assert "**Version 1, suite `small`, public deals**" in table
    assert "&lt;b&gt;mine\\|" in table
    assert "<b>" not in table
    bad = Submission("bad", "somebody", "", "2026-11-24", changed(plain, "aggregates", "iqm", "mean", to=199.0))
    (tmp_path / bad.file_name).write_text(to_text(bad.as_json()))
    with pytest.raises(BenchmarkError, match=r"bad-small-1\.json: .*aggregates, iqm, mean is 199"):
        board.make_rows(tmp_path)


def test_command(tmp_path, plain, monkeypatch):
    """A report from a file of several goes to the leaderboard; a wrong one is refused and nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("reports.json").write_text(json.dumps([plain, changed(plain, "agent", "agent", to="other")]))
    words = ["benchmark", "submit", "reports.json", "--board", "sub/board", "--authors", "somebody"]
    several = runner.invoke(app, words)
    assert (several.exit_code, "choose one by --agent, of mine, other" in " ".join(several.output.split())) == (2, True)
    done = runner.invoke(app, [*words, "--agent", "other"])
    assert done.exit_code == 0, done.output
    assert [row["name"] for row in json.loads(Path("sub/leaderboard.json").read_text())["rows"]] == ["other"]
    submission = ["benchmark", "submit", "sub/board/other-small-1.json", "--board", "third/board"]
    assert runner.invoke(app, submission).exit_code == 0, "a submission can be submitted again"
    assert "has name, authors and link already" in " ".join(runner.invoke(app, [*submission, "--name", "new"]).output.split())
    Path("bad.json").write_text(json.dumps(changed(plain, "tasks", 2, "value", "mean", to=0.99)))
    refused = runner.invoke(app, ["benchmark", "submit", "bad.json", "--board", "fourth/board", "--authors", "somebody"])
    assert refused.exit_code == 2
    assert "the_big_dig-2, value, mean is 0.99" in " ".join(refused.output.split())
    assert not Path("fourth").exists()
    unnamed = runner.invoke(app, ["benchmark", "submit", "reports.json", "--agent", "mine", "--board", "fifth/board"])
    assert (unnamed.exit_code, "needs its authors" in unnamed.output, Path("fifth").exists()) == (2, True, False)
    Path("none.json").write_text("{")
    assert "cannot be read as JSON" in runner.invoke(app, ["benchmark", "submit", "none.json"]).output


def test_a_row_is_replaced_only_if_asked(tmp_path, plain, monkeypatch):
    """Also where another name makes the same file name; a file that is wrong stops the command before it writes."""
    monkeypatch.chdir(tmp_path)
    for name, seed in (("one", 0), ("two", 1)):
        Path(f"{name}.json").write_text(json.dumps([made_up(name, seed).as_json()]))
    words = ["--board", "b/board", "--authors", "somebody"]
    submit = lambda file, *more: runner.invoke(app, ["benchmark", "submit", file, *words, *more])  # noqa: E731 (a word for many lines)
    assert submit("one.json", "--name", "a b").exit_code == 0
    before = {path: path.read_bytes() for path in Path("b").rglob("*.json")}
    refused = submit("two.json", "--name", "a/b")
    assert (refused.exit_code, "is there already" in " ".join(refused.output.split())) == (2, True)
    assert {path: path.read_bytes() for path in Path("b").rglob("*.json")} == before
    assert submit("two.json", "--name", "a b", "--replace").exit_code == 0
    assert [row["agent"] for row in json.loads(Path("b/leaderboard.json").read_text())["rows"]] == ["two"]
    Path("b/board/zzz.json").write_text("{}")
    stopped = submit("one.json", "--name", "third")
    assert (stopped.exit_code, "zzz.json" in stopped.output, Path("b/board/third-small-1.json").exists()) == (2, True, False)


HASH, OTHER_HASH = "0" * 64, "f" * 64


@pytest.mark.parametrize(
    ("keys", "to", "words"),
    [
        (["agent"], {}, "agent must say who was measured"),
        (["agent"], {"agent": "two\nlines"}, "agent, agent is"),
        (["agent"], {"agent": "mine", "choice": "<b>|"}, "agent, choice is '<b>|'"),
        (["agent"], {"agent": "mine", "colour": "red"}, "has an entry 'colour'"),
        (["agent"], {"agent": "mine", "weights_sha256": {"go_dig-2": "short"}}, "weights_sha256 is"),
        (["agent"], {"agent": "mine", "weights_sha256": {"chess": HASH}}, "weights_sha256 is"),
        (["agent"], {"agent": "mine", "plays": ["x"]}, "agent, plays is"),
        (["agent"], {"agent": "random", "sealed": True}, "'random' has no sealed"),
        (["agent"], {"agent": "python:x:X", "source_sha256": HASH}, "must say sealed and source_sha256"),
        (["agent"], {"agent": "python:x:X", "sealed": True, "source_sha256": HASH, "needs": ["states"]}, "agent, needs is"),
        (["agent"], {"agent": "exec:bot", "sealed": False}, "a program, which is always sealed"),
        (["command"], ["rm"], "command is"),
        (["versions"], {}, "versions must name dig_envs"),
        (["versions", "numpy"], {"a": 1}, "versions must have a line of text"),
        (["machine"], {"cpu": [1]}, "machine must have a line"),
        (["tasks", 3, "source_hash"], "<b>", "go_dig-2', source_hash is"),
        (["suite", "held_out"], {"name": "mine", "sha256": HASH}, "no commitment to the seeds 'mine'"),
        (["suite", "held_out"], {"name": "2026-11", "sha256": HASH}, "the seeds 2026-11 have the hash"),
        (["suite", "held_out"], "2026-11", "held_out must have name and sha256"),
    ],
)  # fmt: skip
def test_what_is_said_of_the_player_has_a_form(plain, keys, to, words):
    with pytest.raises(BenchmarkError, match=re.escape(words)):
        check_report(Report.from_json(changed(plain, *keys, to=to)))


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        ({"agent": "heuristic:style=greedy"}, "by this package"),
        ({"agent": "go_dig/ppo", "weights_sha256": {"go_dig-2": HASH}}, "weights of another version"),
        ({"agent": "my_runs/ppo", "weights_sha256": {"go_dig-2": HASH}}, "trained policy"),
        ({"agent": "search:sims=9:guide=elsewhere/ppo"}, "not said"),
        ({"agent": "python:x:X", "source_sha256": HASH, "sealed": True, "needs": ["games"]}, "sealed"),
        ({"agent": "python:x:X", "source_sha256": HASH, "sealed": False}, "complete positions"),
        ({"agent": "exec:bot", "sealed": True}, "sealed"),
        ({"agent": "llm:model"}, "language model"),
    ],
)  # fmt: skip
def test_who_comes_with_the_package(plain, agent, kind):
    """The board says so of no other player, whatever it is called."""
    report = Report.from_json({**plain, "agent": agent})
    assert (wrong_claims(report, SUITE), player_kind(report)) == ([], kind)


def test_policies_of_the_package_are_known_by_their_weights(plain):
    weights = {"go_dig-2": json.loads((policy_folder("go_dig/ppo", None) / "card.json").read_text())["weights_sha256"]}
    ours = Report.from_json({**plain, "agent": {"agent": "go_dig/ppo", "weights_sha256": weights}})
    assert player_kind(ours) == "by this package"
    theirs = Report.from_json(
        {**plain, "agent": {"agent": "go_dig/ppo", "weights_sha256": {**weights, "oak_island-2": OTHER_HASH}}}
    )
    assert player_kind(theirs) == "weights of another version"


def test_folders_of_the_user_do_not_come_with_the_package(tmp_path, monkeypatch):
    """Not even if they are called like a player of the package."""
    assert comes_with_package("search:sims=20:others=go_dig/ppo")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "best").mkdir()
    assert not comes_with_package("best")
    assert not comes_with_package("search:guide=best")
    for name in ("exec:rm", "python:a:b", "llm:x", "policy", "elsewhere/ppo+search", "../policies/go_dig/ppo"):
        assert not comes_with_package(name)


def test_changed_rules_are_named(plain):
    assert changed_rules(Report.from_json(plain)) == []
    other = changed(plain, "tasks", 3, "source_hash", to="0" * 16)
    assert changed_rules(Report.from_json(other)) == ["go_dig-2"]


@pytest.mark.parametrize("agent", ["exec:touch started", "python:started:Player", "my_runs/policy"])
def test_a_strangers_player_is_not_played_again(plain, agent, tmp_path, monkeypatch):
    """A report names a command, code or a folder: none of them is run, loaded or imported unless the user names it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "started.py").write_text("open('started', 'w')")
    facts = {"exec:": {"sealed": True}, "python": {"sealed": True, "source_sha256": HASH}}.get(
        agent[:5].replace("pytho", "python"), {}
    )
    report = Report.from_json({**plain, "agent": {"agent": agent, **facts}})
    assert wrong_claims(report, SUITE) == []
    with pytest.raises(BenchmarkError, match="does not come with this package"):
        checking.play_again(report, "go_dig-2")
    assert not (tmp_path / "started").exists()


def test_a_name_has_letters(plain):
    with pytest.raises(BenchmarkError, match="name must have letters or digits"):
        Submission("/../", "somebody", "", "2026-11-24", plain).check()


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_playing_again_finds_deals_that_were_not_played(monkeypatch):
    report = measure("random", tasks="oak_island-2", version=1)
    assert checking.play_again(report, "oak_island-2") == []
    deals = {"oak_island-2": {**report.deals["oak_island-2"], "victories": [1] * 50}}
    assert checking.play_again(replace(report, deals=deals), "oak_island-2") == ["oak_island-2"]
    other = replace(report, agent={"agent": "exec:nobody"})
    assert checking.play_again(other, "oak_island-2", play_as="random") == [], "the name that is given plays"
    with pytest.raises(BenchmarkError, match="held out"):
        checking.play_again(replace(report, suite={**report.suite, "held_out": {}}), "oak_island-2")
