"""Reports that are submitted: what is checked, what tampering is found, and the leaderboard that is
made of them."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dig_envs
from dig_envs.agents.onnx import read_card, weights_hashes
from dig_envs.agents.zoo import comes_with_package, policy_folder
from dig_envs.arena.entrants import with_defaults
from dig_envs.arena.json_form import to_text
from dig_envs.benchmark import Report, measure
from dig_envs.benchmark import leaderboard as board
from dig_envs.benchmark.deals import deals_as_json
from dig_envs.benchmark.leaderboard import Submission
from dig_envs.benchmark.report import MemberGames, TaskGames, result_of, summary_of
from dig_envs.benchmark.submission import changed_rules, check_report, play_again, player_kind
from dig_envs.benchmark.suite import SUITES
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.registry import load_game

runner = CliRunner()
SUITE = SUITES["small"]
GO, BIG = (
    [task.name for task in SUITE.tasks].index(name) for name in ("go_dig-2", "the_big_dig-2")
)
HASH = "0" * 64


def made_up(agent="mine", seed=0, suite=SUITE):
    """A complete report of games that nobody has played."""
    rng, played, populations = np.random.default_rng(seed), [], {}
    for task in suite.tasks:
        victories, score = rng.integers(0, 5, task.deals) / 4, rng.integers(0, 40, task.deals) / 3
        metric = score if task.metric == "score" else victories
        games = TaskGames(victories, score, metric, rng.integers(5, 99, task.deals) / 2)
        played.append((task, games))
        members = populations[task.name] = {}
        for member in task.population:
            deals, seated = task.games_with(member)
            points = victories if task.plays_already(member) else rng.integers(0, 5, deals) / 4
            members[member.agent] = MemberGames(points, deals * seated)
    return Report(
        suite={
            "name": suite.name,
            "version": suite.version,
            "sha256": suite.sha256,
            "tasks": len(suite.tasks),
        },
        agent={"agent": agent},
        command=f"dig-envs benchmark {agent} --suite small",
        versions={"dig_envs": "0.1.0"},
        complete=True,
        tasks=tuple(result_of(task, games, populations[task.name]) for task, games in played),
        refused={},
        deals={task.name: deals_as_json(games, populations[task.name]) for task, games in played},
        **summary_of(suite, played, {}),
    )


@pytest.fixture(scope="module")
def plain():
    """The report as a file has it."""
    return json.loads(to_text(made_up().as_json()))


def changed(plain, *keys, to):
    """A copy of a report in which one value is another one: ``to``, or what that makes of the
    value."""
    found = copy.deepcopy(plain)
    place = found
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = to(place[keys[-1]]) if callable(to) else to
    return found


def test_reports_that_are_right(plain):
    """Also in the other order of its tasks, or from before an option was added."""
    assert check_report(Report.from_json(plain)) is SUITE
    check_report(Report.from_json({**plain, "tasks": plain["tasks"][::-1]}))
    assert {"num_players": 2, "max_turns": 200}.items() <= plain["tasks"][GO]["options"].items()
    check_report(Report.from_json(changed(plain, "tasks", GO, "options", to={"num_players": 2})))


def test_options_are_compared_with_their_defaults():
    """Those of a game that is not there, and options that it does not know, stay as they are."""
    complete = load_game("go_dig_v0").complete_options({"num_players": 3})
    assert complete["max_turns"] == 200
    assert with_defaults("go_dig_v0", {"num_players": 3, "new": 1}) == {**complete, "new": 1}
    assert with_defaults("chess_v0", {"board": 8}) == {"board": 8}


BOARD = Path(dig_envs.__file__).parent / "documentation" / "results" / "leaderboard"


def test_a_published_report_is_right():
    """As it was before it had deals it can still be shown."""
    report = board.read_submission(BOARD / "random-small-1.json").check()
    assert report.versions["dig_envs"] == "0.1.0"
    older = Report.from_json(
        {key: value for key, value in report.as_json().items() if key not in ("deals", "machine")}
    )
    assert "go_dig-2" in older._repr_html_()


@pytest.mark.slow
def test_a_published_report_can_be_played_again():
    """Deal by deal: members that search have their settings spelled out since, and draw as
    before."""
    report = Report.from_json(board.read_submission(BOARD / "heuristic-small-1.json").report)
    assert play_again(report, "dino_dig-2,diggity-2") == []


more = lambda value: value + 0.001  # noqa: E731 (a word for many lines)
ZERO = {"mean": 0.0, "low": 0.0, "high": 0.0}
SPLIT = {"split": "x", "varies": "y", "train": ZERO, "test": ZERO, "gap": ZERO, "trained": None}


@pytest.mark.parametrize(
    ("keys", "to", "words"),
    [
        (["suite", "version"], 99, "suite, version is 99, not 1"),
        (["suite", "version"], True, "suite, version is true|suite, version is True"),
        (["suite", "name"], "large", "suite 'large'; there are"),
        (["suite", "sha256"], HASH, "suite, sha256 is '0000"),
        (["suite", "tasks"], 8, "suite, tasks is 8"),
        (["complete"], False, "not complete"),
        (["tasks"], lambda tasks: tasks[1:], "cretaceous_creek-2 is missing"),
        (["tasks"], lambda tasks: [*tasks, tasks[0]], "cretaceous_creek-2 is there more than once"),
        (["tasks", GO, "definition", "task"], "go_dig-3",
            "go_dig-2 is missing; there is no task go_dig-3"),
        (["tasks", GO, "definition", "seed"], lambda seed: seed + 1,
            "go_dig-2, definition, seed is"),
        (["tasks", GO, "options", "max_turns"], 10, "go_dig-2, options, max_turns is 10, not 200"),
        (["tasks", GO, "options", "jokers"], True,
            "go_dig-2, options has 'jokers', which is unknown here"),
        (["tasks", GO, "games"], 200, "go_dig-2, games is 200"),
        (["tasks", GO, "random"], 0.1, "go_dig-2, random is 0.1"),
        (["tasks", GO, "value", "mean"], more, "go_dig-2, value, mean is"),
        (["tasks", GO, "normalised", "high"], lambda value: value + 0.5,
            "go_dig-2, normalised, high is"),
        (["tasks", GO, "elo", "mean"], lambda value: value + 1, "elo, mean is"),
        (["tasks", GO, "elo"], None, "elo must have mean, low, high"),
        (["tasks", GO, "population"], lambda members: members[1:], "population must have"),
        (["tasks", GO, "population", 0, "agent"], "nobody", r"population\[0\], agent is 'nobody'"),
        (["aggregates", "iqm", "mean"], lambda value: value + 0.5, "aggregates, iqm, mean is"),
        (["aggregates"], lambda found: {"iqm": found["iqm"]},
            "aggregates lacks mean; aggregates lacks median"),
        (["memory", "mean"], lambda value: value + 1, "memory, mean is"),
        (["splits"], [SPLIT], "splits must have 0 entries"),
        (["deals", "go_dig-2", "victories", 0], lambda value: 1 - value if value != 0.5 else 0,
            "go_dig-2, value, mean is"),
        (["deals", "go_dig-2", "victories", 0], 1.5, "victories must be numbers from 0 to 1"),
        (["deals", "go_dig-2", "score", 0], float("nan"), "score must be numbers"),
        (["deals", "go_dig-2", "score", 0], True, "score must be numbers"),
        (["deals", "go_dig-2", "length"], lambda values: values[1:],
            "length must be a list of 50 numbers"),
        (["deals", "go_dig-2", "population"], {}, "the population must be random, heuristic"),
        (["deals"], {}, "the results of its deals must be"),
        (["agent"], {}, "agent must be a line of text"),
        (["agent"], {"agent": "two\nlines"}, "agent must be a line of text"),
        (["agent"], {"agent": "mine", "choice": "<b>|"}, "agent, choice is '<b>|'"),
        (["agent"], {"agent": "mine", "weights_sha256": {"go_dig-2": []}},
            "weights_sha256 must have"),
        (["agent"], {"agent": "python:x:X", "sealed": False}, "must be sealed"),
        (["versions"], {}, "versions, dig_envs must be a line"),
        (["suite", "held_out"], {"name": "2026-11", "sha256": HASH}, "no commitment"),
        (["tasks", GO, "length"], "long", "damaged: tasks length is 'long'"),
        (["tasks", GO, "value", "mean"], True, "damaged: tasks value mean is"),
        (["versions", "numpy"], {"a": 1}, "damaged: versions numpy is"),
    ],
)  # fmt: skip
def test_what_is_changed_is_found(plain, keys, to, words):
    """In words."""
    with pytest.raises(BenchmarkError, match=words):
        check_report(Report.from_json(changed(plain, *keys, to=to)))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("name", "", "name must be a line"),
        ("name", "/../", "name must be a line"),
        ("name", "two\nlines", "name must be a line"),
        ("authors", "x" * 201, "authors must be a line of at most 200"),
        ("link", "javascript:alert(1)", "begins with https://"),
        ("link", "https://x.org/) [evil](https://y.org", "begins with https://"),
        ("date", "yesterday", "YYYY-MM-DD"),
        ("report", {}, "not a report of a benchmark"),
    ],
)
def test_what_is_wrong_with_a_submission(plain, key, value, words):
    right = Submission("mine", "somebody", "https://example.org/code", "2026-11-24", plain)
    right.check()
    with pytest.raises(BenchmarkError, match=words):
        replace(right, **{key: value}).check()


def test_the_leaderboard(tmp_path, plain):
    """Best first; of one that was tampered with the file is named; names from outside are no
    markup."""
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
    bad = Submission(
        "bad", "somebody", "", "2026-11-24", changed(plain, "aggregates", "iqm", "mean", to=199.0)
    )
    (tmp_path / bad.file_name).write_text(to_text(bad.as_json()))
    with pytest.raises(BenchmarkError, match=r"bad-small-1\.json: .*aggregates, iqm, mean is 199"):
        board.make_rows(tmp_path)


def test_command(tmp_path, plain, monkeypatch):
    """What is right goes to the leaderboard, is replaced only if asked, and nothing is written if
    anything is wrong."""
    monkeypatch.chdir(tmp_path)

    def submit(file, *words, refused=""):
        done = runner.invoke(app, ["benchmark", "submit", file, "--board", "sub/board", *words])
        assert (done.exit_code, refused in " ".join(done.output.split())) == (
            2 if refused else 0,
            True,
        ), done.output

    def shown():
        return [
            row["agent"] for row in json.loads(Path("sub/leaderboard.json").read_text())["rows"]
        ]

    bad = changed(plain, "tasks", BIG, "value", "mean", to=0.99)
    reports = {
        "two": [plain, changed(plain, "agent", "agent", to="other")],
        "bad": bad,
        "third": made_up("third", 1).as_json(),
    }
    for name, report in reports.items():
        Path(f"{name}.json").write_text(json.dumps(report))
    Path("none.json").write_text("{")
    by = ("--authors", "somebody")
    submit("none.json", *by, refused="cannot be read as JSON")
    submit("two.json", *by, refused="choose one by --agent, of mine, other")
    submit("two.json", "--agent", "mine", refused="needs its authors")
    submit("bad.json", *by, refused="the_big_dig-2, value, mean is 0.99")
    assert not Path("sub").exists()
    submit("two.json", *by, "--agent", "other", "--name", "a b")
    assert shown() == ["other"]
    file = "sub/board/a_b-small-1.json"
    submit(file)  # a submission can be submitted again
    submit(file, "--name", "new", refused="has name, authors and link already")
    # another name for the same file
    submit("third.json", *by, "--name", "a/b", refused="is there already")
    assert shown() == ["other"]
    submit("third.json", *by, "--name", "a/b", "--replace")
    assert shown() == ["third"]
    Path("sub/board/zzz.json").write_text("{}")
    submit("third.json", *by, "--name", "third", refused="zzz.json")
    assert not Path("sub/board/third-small-1.json").exists()


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        ({"agent": "heuristic:style=greedy"}, "by this package"),
        ({"agent": "go_dig/policy", "weights_sha256": {"go_dig-2": HASH}},
            "weights of another version"),
        ({"agent": "my_runs/policy", "weights_sha256": {"go_dig-2": HASH}}, "trained policy"),
        ({"agent": "search:sims=9:guide=elsewhere/policy"}, "not said"),
        ({"agent": "python:x:X", "source_sha256": HASH, "sealed": True, "needs": ["games"]},
            "sealed"),
        ({"agent": "exec:bot", "sealed": True}, "sealed"),
        ({"agent": "llm:model"}, "language model"),
    ],
)  # fmt: skip
def test_who_comes_with_the_package(plain, agent, kind):
    """The board says so of no other player, whatever it is called."""
    assert player_kind(Report.from_json({**plain, "agent": agent})) == kind


@pytest.mark.parametrize("place", [0, 1])
def test_policies_of_the_package_are_known_by_their_weights(plain, place):
    """Also by those that they had before they were rounded."""
    weights = {"go_dig-2": weights_hashes(read_card(policy_folder("go_dig/policy", None)))[place]}
    ours = Report.from_json(
        {**plain, "agent": {"agent": "go_dig/policy", "weights_sha256": weights}}
    )
    assert player_kind(ours) == "by this package"
    theirs = {"agent": "go_dig/policy", "weights_sha256": {**weights, "oak_island-2": "f" * 64}}
    assert player_kind(Report.from_json({**plain, "agent": theirs})) == "weights of another version"


def test_folders_of_the_user_do_not_come_with_the_package(tmp_path, monkeypatch):
    """Not even if they are called like a player of the package."""
    assert comes_with_package("search:sims=20:others=go_dig/policy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "best").mkdir()
    assert comes_with_package("best"), "a bare name is a player, a folder is ./best"
    assert not comes_with_package("./best")
    assert not comes_with_package("search:guide=./best")
    for name in (
        "exec:rm",
        "python:a:b",
        "llm:x",
        "policy",
        "elsewhere/policy+search",
        "../policies/go_dig/policy",
    ):
        assert not comes_with_package(name)


def test_changed_rules_are_named(plain):
    assert changed_rules(Report.from_json(plain)) == []
    other = changed(plain, "tasks", GO, "source_hash", to="0" * 16)
    assert changed_rules(Report.from_json(other)) == ["go_dig-2"]


@pytest.mark.parametrize("agent", ["exec:touch started", "python:started:Player", "my_runs/policy"])
def test_a_strangers_player_is_not_played_again(plain, agent, tmp_path, monkeypatch):
    """A report names a command, code or a folder: none of them is run, loaded or imported unless
    the user names it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "started.py").write_text("open('started', 'w')")
    report = Report.from_json({**plain, "agent": {"agent": agent, "sealed": True}})
    check_report(report)
    with pytest.raises(BenchmarkError, match=re.escape("does not come with this package")):
        play_again(report, "go_dig-2")
    assert not (tmp_path / "started").exists()


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_playing_again_finds_deals_that_were_not_played(no_populations):
    report = measure("random", tasks="oak_island-2")
    assert play_again(report, "oak_island-2") == []
    deals = {"oak_island-2": {**report.deals["oak_island-2"], "victories": [1] * 50}}
    assert play_again(replace(report, deals=deals), "oak_island-2") == ["oak_island-2"]
    other = replace(report, agent={"agent": "exec:nobody"})
    assert play_again(other, "oak_island-2", play_as="random") == [], "the name that is given plays"
    with pytest.raises(BenchmarkError, match="held out"):
        play_again(replace(report, suite={**report.suite, "held_out": {}}), "oak_island-2")
