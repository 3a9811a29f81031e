"""Statistics of play as Markdown tables."""

import numpy as np
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Results, play_games
from tests.statistics import app, as_markdown, table_row


def cells(line):
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def test_table():
    """One line per number of players and agent, with what the games gave."""
    result = CliRunner().invoke(
        app, ["cretaceous_creek_v0", "--games", "6", "--seed", "2", "--agents", "heuristic"]
    )
    assert result.exit_code == 0, result.output
    head, rule, *rows = result.output.splitlines()
    assert cells(head) == ["players", "played by", "games", "actions per game", "score", "won"]
    assert set(cells(rule)) == {"---"}
    assert [cells(row)[:3] for row in rows] == [[str(n), "heuristic", "6"] for n in (1, 2, 3, 4)]
    agent = load_agent("heuristic", "cretaceous_creek_v0")
    games = play_games("cretaceous_creek_v0", [agent] * 3, 6, 2, {"num_players": 3})
    row = cells(rows[2])
    assert row[3].startswith(f"{games.lengths.mean():.0f} (")
    assert row[4].startswith(f"{games.scores[:, 0].mean():.2f} (")
    assert row[5].startswith(f"{100 * games.winners.any(axis=1).mean():.1f} % [")


def test_one_number_of_players_and_an_option():
    words = [
        "cretaceous_creek",
        "--games",
        "2",
        "--option",
        "num_players=2",
        "--option",
        "level=expert",
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert [cells(row)[:2] for row in result.output.splitlines()[2:]] == [
        ["2", "random"],
        ["2", "heuristic"],
    ]


def test_competitive_games():
    """Shares of the victory by seat show what a seat is worth; shared wins and games that the turn
    limit ended are counted."""
    results = Results(
        names=("random",),
        agents=np.zeros((4, 3), np.int64),
        winners=np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], np.bool_),
        won=np.array([[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0], [0, 1, 0]]),
        scores=np.array([[9, 4, 0], [6, 6, 0], [7, 5, 0], [3, 8, 0]], float),
        returns=np.zeros((4, 3), np.float32),
        lengths=np.array([10, 20, 30, 40]),
        truncated=np.array([False, False, False, True]),
    )
    row = table_row(results, 2, "random", cooperative=False)
    assert row["score"] == "6.00 (3–9)"
    assert row["actions per game"].startswith("25 (")
    assert row["winning score"] == "7.50"
    assert row["won by seat"] == "62.5 %, 37.5 %"
    assert row["several winners"].startswith("25.0 % [")
    assert row["turn limit"].startswith("25.0 % [")
    assert as_markdown([row]).splitlines()[1].count("---") == len(row)
