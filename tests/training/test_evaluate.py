"""Evaluation: tables, JSON, line-ups, sweeps, errors."""

import io
import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from dig_envs.text.console import PlainConsole
from tests.training.random_network import random_network
from training import curve, evaluate, metrics
from training.evaluate import app, judge
from training.export import write_policy

GAME = load_game("cretaceous_creek")


def run(*words):
    return CliRunner().invoke(app, list(words))


def test_one_name_plays_all_seats(tmp_path):
    """The JSON file holds what the games gave; in a cooperative game the team is one row."""
    file = tmp_path / "result.json"
    words = [
        "--agents",
        "heuristic",
        "--games",
        "20",
        "--seed",
        "3",
        "--option",
        "num_players=3",
        "--json",
        str(file),
    ]
    result = run("--env", "cretaceous_creek_v0", *words)
    assert result.exit_code == 0, result.output
    written = json.loads(file.read_text())
    assert (written["environment"], written["seed"]) == ("cretaceous_creek_v0", 3)
    (row,) = written["results"]
    assert row["line_up"] == ["heuristic"] * 3
    assert row["options"] == {"num_players": 3}
    agent = load_agent("heuristic", "cretaceous_creek_v0")
    games = play_games("cretaceous_creek_v0", [agent] * 3, 20, 3, {"num_players": 3})
    assert row["score"]["mean"] == pytest.approx(games.scores[:, 0].mean())
    assert row["length"]["mean"] == pytest.approx(games.lengths.mean())
    assert row["won"]["mean"] == pytest.approx(games.winners.any(axis=1).mean())
    for key in ("won", "score", "length"):
        assert row[key]["low"] <= row[key]["mean"] <= row[key]["high"]
    assert "heuristic" in result.output


def test_names_stay_whole_in_a_terminal_of_80_columns(monkeypatch):
    screen = PlainConsole(file=io.StringIO(), width=80)
    monkeypatch.setattr(evaluate, "console", screen)
    agents = ("--agents", "go_dig/policy,heuristic", "--greedy")
    run("--env", "go_dig_v0", *agents, "--games", "10")
    lines = screen.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(re.match(r" go_dig/policy +│ heuristic +│ likeliest", line) for line in lines)


def test_sweep_and_several_line_ups(tmp_path):
    """One row per line-up and value; the table names both."""
    file = tmp_path / "result.json"
    sweep = [
        "--sweep",
        "level=beginner,expert",
        "--agents",
        "random",
        "--agents",
        "heuristic,random",
    ]
    result = run("--games", "4", "--json", str(file), *sweep)
    assert result.exit_code == 0, result.output
    rows = json.loads(file.read_text())["results"]
    assert [(row["options"]["level"], row["agent"]) for row in rows] == [
        ("beginner", "random"),
        ("beginner", "heuristic + random"),
        ("expert", "random"),
        ("expert", "heuristic + random"),
    ]
    assert "beginner" in result.output
    assert "heuristic + random" in result.output


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """A policy with random weights."""
    return write_policy(
        tmp_path_factory.mktemp("zoo") / "cretaceous_creek" / "new", GAME, random_network(GAME), {}
    )


def test_the_likeliest_action_and_sampled_ones(policy, tmp_path):
    """Evaluation plays a policy with its likeliest and with sampled actions unless one is asked
    for; other agents play once."""
    file, ours = tmp_path / "result.json", "cretaceous_creek/new"

    def rows(*words):
        result = run("--games", "4", "--json", str(file), *words)
        assert result.exit_code == 0, result.output
        found = json.loads(file.read_text())["results"]
        assert all((choice in result.output) for row in found for choice in row["choices"].values())
        return [(row["agent"], row["choices"]) for row in found]

    greedy = (ours, {ours: "likeliest action"})
    sampled = (f"{ours}:sample", {f"{ours}:sample": "sampled"})
    assert rows("--agents", str(policy), "--agents", "heuristic") == [
        greedy,
        sampled,
        ("heuristic", {}),
    ]
    assert rows("--agents", str(policy), "--greedy") == [greedy]
    assert rows("--agents", str(policy), "--sample") == [sampled]
    assert rows("--agents", f"{policy}:sample", "--greedy") == [sampled]
    likeliest, drawn = (
        judge(GAME, [str(policy)], 8, 2, {}),
        judge(GAME, [f"{policy}:sample"], 8, 2, {}),
    )
    assert likeliest[0]["length"] != drawn[0]["length"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "nothing_v0"], "there are cretaceous_creek_v0"),
        (["--agents", "nobody"], "no agent 'nobody'"),
        (["--option", "level=easy"], "'easy' is not one of 'beginner'"),
        (["--option", "level=beginner,expert"], "'beginner,expert' is not one of"),
        (["--curve", "nowhere"], "not a training run"),
    ],
)
def test_errors(words, message):
    result = run("--games", "1", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_curve(tmp_path):
    """The learning curve of a run as a picture, also of one that has just begun."""
    folder, picture = tmp_path / "run", tmp_path / "curve.png"
    folder.mkdir()
    for steps in (100, 200):
        metrics.append(
            folder, {"steps": steps, "phase": "ppo", "games": 3, "won": 0.1, "score": 1.5}
        )
        metrics.append(
            folder, {"steps": steps, "phase": "evaluation", "greedy_won": 0.2, "greedy_score": 1.0}
        )
    result = run("--curve", str(folder), "--out", str(picture))
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    above, below = axes = Figure().subplots(2)
    curve.draw_rows(metrics.read(folder), axes, "run")
    assert above.lines[0].get_xydata().tolist() == [[0.0001, 0.2], [0.0002, 0.2]]
    assert below.get_ylabel() == "mean score"
    (folder / "metrics.jsonl").write_text("")
    curve.draw_curve(folder, picture, "empty")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_cut_metrics(tmp_path):
    """Lines measured after a checkpoint are dropped, and so is a line that a kill cut off."""
    for steps in (10, 20, 30):
        metrics.append(tmp_path, {"steps": steps})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"steps": 4')
    metrics.cut(tmp_path, 20)
    assert metrics.read(tmp_path) == [{"steps": 10}, {"steps": 20}]
    assert (
        np.sum(
            [line.startswith("{") for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
        )
        == 2
    )
