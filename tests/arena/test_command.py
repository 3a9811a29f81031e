"""``dig-envs arena``: what it prints and writes, names of agents, bad input."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dig_envs.arena import Report, run, tournament
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.policies import shipped
from tests.training.random_network import random_network
from training.export import write_policy

NAME = "fossil_canyon_v0"
TEAM = "cretaceous_creek_v0"
QUICK = [
    "-o",
    "num_players=2",
    "-o",
    "max_turns=30",
    "--games",
    "8",
    "--block",
    "2",
    "--workers",
    "1",
]
runner = CliRunner()

pytestmark = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)


def arena(*words: str, code: int = 0) -> str:
    """Run the command; returns what it printed, line breaks as blanks."""
    result = runner.invoke(app, ["arena", *words], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_it_prints_and_writes(monkeypatch):
    """The tables, the report as run() gives it, and a picture; the same command goes on with the
    kept games and plays nothing."""
    words = [
        "--agents",
        "heuristic",
        "--agent",
        "random",
        *QUICK,
        "--json",
        "report.json",
        "--picture",
        "report.png",
    ]
    output = arena(NAME, *words, "--seed", "5", "--results", "results.jsonl")
    report = run(NAME, ["heuristic", "random"], 8, 5, {"num_players": 2, "max_turns": 30}, block=2)
    assert (
        Report.from_json(json.loads(Path("report.json").read_text())).as_json() == report.as_json()
    )
    assert "8 games of each pair on 4 deals (seeds 5 to 8)" in output
    assert "max_turns=30" in output
    assert f"{report.standings[0].elo.mean:.0f}" in output
    assert Path("report.png").read_bytes().startswith(b"\x89PNG")
    assert Path("results.jsonl").read_text().count("\n") == 3
    monkeypatch.setattr(tournament, "play_units", lambda setup, units, workers: (_ for _ in units))
    assert arena(NAME, *words, "--seed", "5", "--results", "results.jsonl") == output
    other = arena(NAME, *words, "--seed", "1", "--results", "results.jsonl", code=2)
    assert "results.jsonl has results of other settings: seed is 5 there, 1 here" in other


def test_a_name_with_a_comma(tmp_path):
    """``--agent`` takes it as it is, such as a path; ``--agents`` would take it apart."""
    folder = tmp_path / "a,b"
    write_policy(folder, load_game(TEAM), random_network(load_game(TEAM)), {})
    words = ["--games", "2", "--workers", "1", "--json", "report.json"]
    arena(TEAM, "--agents", "random", "--agent", "./a,b", "--agent", "heuristic", *words)
    names = [
        agent["agent"]
        for agent in json.loads(Path("report.json").read_text())["settings"]["agents"]
    ]
    assert names == ["random", "./a,b", "heuristic"]
    assert "no agent 'a'" in arena(TEAM, "--agents", "random,a,b", *words, code=2)


def test_cooperative_game():
    words = ["--games", "6", "--workers", "1", "--json", "report.json", "--picture", "a.svg"]
    output = arena(TEAM, "--agents", "random,heuristic", *words)
    assert "6 games of each agent on 6 deals" in output
    assert "Elo" not in output
    assert json.loads(Path("report.json").read_text())["standings"][0]["agent"] == "heuristic"
    assert "<svg" in Path("a.svg").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no_game_v0", "--agents", "random,heuristic"], NAME),
        ([NAME], "at least two agents, not 0"),
        ([NAME, "--agents", "random,,heuristic"], "an empty name"),
        ([NAME, "--agents", "random,cretaceous_creek/policy"], "does not fit fossil_canyon_v0"),
        (
            [TEAM, "--agents", "random,two-players", "-o", "num_players=4"],
            "was trained for 2 players, not for 4",
        ),
        (
            [TEAM, "--agents", "random,two-players", "-o", "num_players=2", "-o", "level=expert"],
            "trained for other options: level=intermediate (here expert)",
        ),
        ([NAME, "--agents", "random,heuristic", "-o", "num_players=9"], "9 is not one of"),
        (
            [NAME, "--agents", "random,heuristic", "--workers", "2", "--ray", "auto"],
            "either --workers or --ray",
        ),
        ([TEAM, "--agents", "random,heuristic", "--tables"], "is cooperative"),
        ([NAME, "--agents", "random,heuristic", "--results", "nowhere/x"], "nowhere/x"),
        ([NAME, "--agents", "random,heuristic", "--results", "."], "directory"),
        (
            [NAME, "--agents", "random,heuristic", "--json", "nowhere/x"],
            "nowhere/x cannot be written",
        ),
        (
            [NAME, "--agents", "random,heuristic", "--picture", "nowhere/x.png"],
            "nowhere/x.png cannot be written",
        ),
        ([NAME, "--agents", "random,heuristic", "--picture", "x.tiffany"], "x.tiffany"),
    ],
)
def test_bad_input(words, message, monkeypatch):
    """One line that says what is wrong, no traceback, before any game is played."""
    if "random,two-players" in words:
        shipped("cretaceous_creek/two-players")
    monkeypatch.setattr(tournament, "play_units", lambda *_: pytest.fail("it has begun to play"))
    output = arena(*words, code=2)
    assert message in output
    assert "Traceback" not in output


def test_picture_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = arena(NAME, "--agents", "random,heuristic", "--picture", "x.png", code=2)
    assert "a picture needs matplotlib" in output
