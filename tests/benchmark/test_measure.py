"""Measuring agents with real games: who plays where, going on, users' own code, and what is
refused."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dig_envs.agents import sealed
from dig_envs.agents.sealed import load_player
from dig_envs.benchmark import SUITES, Report, measure, measuring
from dig_envs.benchmark.report import result_of
from dig_envs.benchmark.show import as_markdown
from dig_envs.commands import contests
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import ArenaError, BenchmarkError
from dig_envs.engine.core.files import check_file_name
from dig_envs.registry import load_game
from tests.arena.conftest import calls  # noqa: F401 (a fixture)
from tests.training.random_network import random_network
from training.export import write_policy

runner = CliRunner()
SMALL, FULL = ({task.name: task for task in SUITES[name].tasks} for name in ("small", "full"))
pytestmark = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)

CODE = """
import numpy as np

def first(environment, observation, action_mask):
    return action_mask.argmax(axis=1)

def wrong(environment, observation, action_mask):
    return (1 - action_mask).argmax(axis=1)
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch, no_populations):
    """A working folder with a module of a user, and tasks of few games."""
    (tmp_path / "a_players_code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("a_players_code", None)


@pytest.mark.parametrize(
    ("agent", "least", "most"), [("heuristic", 99.99, 100.01), ("random", -25, 25)]
)
def test_the_reference_has_100_and_random_about_0(agent, least, most):
    """The reference exactly: it plays among its likes, and whatever the deals are, they share every
    victory."""
    report = measure(agent, tasks="oak_island-2")
    (task,) = report.tasks
    assert least <= task.normalised.mean <= most
    assert report.aggregates["iqm"].mean == pytest.approx(task.normalised.mean)
    assert task.normalised.low < task.normalised.mean < task.normalised.high
    assert not report.complete


def test_alone_in_every_seat_on_every_deal(calls):  # noqa: F811
    report = measure("random", "full", tasks="oak_island-4")
    task = FULL["oak_island-4"]
    counts = Counter()
    for names, seating, seeds, options in calls:
        if names == ["heuristic"]:
            continue  # the fingerprint of the opponents
        assert names == ["random", "heuristic"]
        assert options["num_players"] == 4
        assert ((seating == 0).sum(axis=1) == 1).all()
        counts.update((seed, int(row.argmin())) for row, seed in zip(seating, seeds, strict=True))
    assert counts == Counter(
        {(task.seed + deal, seat): 1 for deal in range(task.deals) for seat in range(4)}
    )
    assert report.tasks[0].games == 4 * task.deals >= 1000


def test_goes_on_where_it_was(tmp_path, calls):  # noqa: F811
    """A continued measurement gives the same report, does not replay complete games, extends to a
    larger suite, and refuses other settings.
    """
    whole = measure("random", tasks="oak_island-2")
    first = measure("random", tasks="oak_island-2", results=tmp_path / "kept")
    assert first == whole
    path = tmp_path / "kept" / "random" / "oak_island-2.jsonl"
    path.write_bytes(path.read_bytes()[:-40])  # killed while it wrote
    calls.clear()
    assert measure("random", tasks="oak_island-2", results=tmp_path / "kept") == whole
    # the block that was cut off: 2 deals of 50
    assert sum(len(seeds) for names, _, seeds, _ in calls if len(names) == 2) == 2 * 2
    calls.clear()
    measure("random", "full", tasks="oak_island-2", results=tmp_path / "kept")
    assert (
        min(min(seeds) for names, _, seeds, _ in calls if len(names) == 2)
        >= SMALL["oak_island-2"].seed + 48
    )
    with pytest.raises(ArenaError, match="block"):
        measure("random", tasks="oak_island-2", results=tmp_path / "kept", block=7)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("link", ["kept/random", "kept/random/go_dig-2.jsonl"])
def test_games_are_not_appended_behind_a_link_in_the_folder(link):
    Path("outside").mkdir()
    Path("outside/go_dig-2.jsonl").write_text("")
    Path(link).parent.mkdir(parents=True)
    Path(link).symlink_to(Path("outside", *Path(link).parts[2:]).absolute())
    with pytest.raises(BenchmarkError, match="is or lies behind a link"):
        measure("random", tasks="go_dig-2", results=Path("kept"))
    assert Path("outside/go_dig-2.jsonl").read_text() == ""


def test_names_of_files_of_results():
    """Of every agent one that every system takes, also of a long one."""
    names = ["fossil_canyon/policy", "con", "..", "exec:a b.", "x" * 500, "x" * 499 + "y", "a/../b"]
    found = [measuring.file_name(name) for name in names]
    assert found[:4] == ["fossil_canyon_policy", "con_", ".._", "exec_a_b._"]
    assert len(set(found)) == len(names)
    assert all(check_file_name(name, "") == name and len(name) < 100 for name in found)


def test_workers_change_nothing():
    """The number of workers does not change the report. The command names the block size, which
    matters for agents that draw at random.
    """
    arguments = {"tasks": "oak_island-2", "block": 25}
    report = measure("random", **arguments)
    assert measure("random", **arguments, workers=2) == report
    assert (
        report.command == "dig-envs benchmark random --suite small --tasks oak_island-2 --block 25"
    )


def test_code_of_a_user():
    """It is sealed; the report says so, and names the hash of the file."""
    report = measure("python:a_players_code:first", tasks="oak_island-2")
    assert (report.agent["sealed"], report.agent["needs"], len(report.agent["source_sha256"])) == (
        True,
        [],
        64,
    )
    assert sealed._idle == {}, "its processes have ended"
    assert report.command == (
        "dig-envs benchmark python:a_players_code:first --suite small --tasks oak_island-2"
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("python:a_players_code:wrong", "not legal"),
        ("python:a_players_code:none", "has no none"),
        ("python::f", "write python:MODULE:NAME"),
        ("no_such_agent", "no agent"),
    ],
)
def test_what_cannot_play(spec, words):
    with pytest.raises(ValueError, match=words):
        measure(spec, tasks="oak_island-2")


def test_code_is_never_imported_where_agents_are_only_named():
    """``load_agent`` also serves names that come from elsewhere."""
    from dig_envs import load_agent

    with pytest.raises(ValueError, match="no agent"):
        load_agent("python:a_players_code:first", "oak_island_v1")
    assert "a_players_code" not in sys.modules
    assert load_player("heuristic", "oak_island_v1").name == "heuristic"


def test_a_policy_plays_its_own_game_only(tmp_path):
    game = load_game("oak_island_v1")
    policy = write_policy(
        tmp_path / "oak_island" / "small", game, random_network(game), {"num_players": [2]}
    )
    report = measure(str(policy), tasks="o*")
    assert [result.definition["task"] for result in report.tasks] == ["oak_island-2"]
    assert (
        report.agent["weights_sha256"]["oak_island-2"]
        == json.loads((policy / "card.json").read_text())["weights_sha256"]
    )
    assert report.agent["choice"] == "likeliest action"
    assert measure(f"{policy}:sample", tasks="oak_island-2").agent["choice"] == "sampled"
    full = measure(str(policy), "full", tasks="*a*-[24]")
    assert "oak_island-4" in full.refused
    assert "not for 4" in full.refused["oak_island-4"]
    assert "does not fit" in full.refused["fossil_canyon-2"]
    with pytest.raises(BenchmarkError, match="can play none of the tasks"):
        measure(str(policy), tasks="go_dig-2")


def test_other_rules_are_refused(monkeypatch):
    monkeypatch.setattr(
        measuring, "changes", lambda task: [f"{task.name}: the same seeds deal other games"]
    )
    with pytest.raises(BenchmarkError, match="could not be compared: oak_island-2: the same seeds"):
        measure("random", tasks="oak_island-2")


@pytest.mark.parametrize(
    ("arguments", "words"), [({"suite": "large"}, "small"), ({"tasks": "chess*"}, "go_dig-2")]
)
def test_unknown_suites_and_tasks(arguments, words):
    with pytest.raises(BenchmarkError, match=words):
        measure("random", **arguments)


def test_command():
    """The table, the reports and the Markdown; bad input in one line."""
    words = ["benchmark", "random", "heuristic", "--tasks", "oak_island-2", "--workers", "1"]
    result = runner.invoke(
        app, [*words, "--json", "reports.json", "--markdown", "table.md", "--results", "kept"]
    )
    assert result.exit_code == 0, result.output
    assert "interquartile mean" in result.output
    reports = [Report.from_json(plain) for plain in json.loads(Path("reports.json").read_text())]
    assert [report.agent["agent"] for report in reports] == ["random", "heuristic"]
    assert "| oak_island-2 |" in Path("table.md").read_text()
    assert np.isclose(reports[1].tasks[0].normalised.mean, 100, atol=0.01)
    bad = runner.invoke(app, ["benchmark", "random", "--suite", "large"])
    assert bad.exit_code == 2
    assert "no suite 'large'" in " ".join(bad.output.split())


def test_games_that_a_program_gives_up_are_counted():
    """They are lost, in the task and with its population; the report and its table say how many
    there were."""
    task = SMALL["go_dig-2"]
    few = replace(task, deals=2, population=task.population[:2])
    games = measuring.play_task("exec:false", few)
    members = measuring.play_population("exec:false", few, games)
    result = result_of(few, games, members)
    with_heuristic = members["heuristic"].games
    assert (games.forfeits, members["random"].forfeits, members["heuristic"].forfeits) == (
        4,
        0,
        with_heuristic,
    )
    assert (result.forfeits, result.victories.mean) == (4 + with_heuristic, 0.0)
    report = replace(measure("random", tasks="oak_island-2"), tasks=(result,))
    assert (
        f"random gave up games, which count as lost: go_dig-2 {4 + with_heuristic}."
        in as_markdown([report])
    )
    assert "gave up" not in as_markdown([replace(report, tasks=(replace(result, forfeits=0),))])


def test_agents_that_are_loaded_to_check_their_names_are_closed(monkeypatch):
    closed = []

    class Kept:
        def __init__(self, name):
            self.close = lambda: closed.append(name)

    def stop(agent, **_):
        raise BenchmarkError(f"measured {agent} after {closed} were closed")

    monkeypatch.setattr(contests, "load_everywhere", lambda name, _: ({"task": Kept(name)}, {}))
    monkeypatch.setattr(contests, "measure", stop)
    result = CliRunner().invoke(app, ["benchmark", "random", "heuristic"])
    assert result.exit_code == 2
    assert "measured random after ['heuristic'] were closed" in " ".join(result.output.split())
