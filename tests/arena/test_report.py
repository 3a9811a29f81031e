"""The report of a tournament: points, standings, comparisons, and its JSON."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from dig_envs.arena.machine import machine_now
from dig_envs.arena.report import Report, points_of, round_robin, teams
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import BLOCK, Form, Unit, seatings
from dig_envs.arena.show import command, notes, print_report, tables


def games_of(scores, winners):
    scores, winners = np.array(scores, float), np.array(winners, bool)
    return UnitResult(winners, scores, np.full(len(scores), 10), np.zeros(len(scores), bool))


def settings_for(*names, environment="fossil_canyon_v0", **options):
    return {
        "environment": environment,
        "options": {"num_players": 2, **options},
        "agents": [{"agent": name} for name in names],
        "seed": 7,
        "block": 4,
        "dig_envs": "0.1.0",
        "code": "0123",
    }


def skilled_games(skills, num_seats, deals, seed=0):
    """Round robins of agents whose score is their skill and noise; the highest score wins."""
    rng = np.random.default_rng(seed)
    seating = seatings(num_seats, Form.PAIRS)
    played = {}
    for i in range(len(skills)):
        for j in range(i + 1, len(skills)):
            rows = np.tile(seating, (deals, 1))
            scores = np.where(rows == 0, skills[i], skills[j]) + rng.integers(0, 20, rows.shape)
            played[Unit(0, (i, j), deals)] = games_of(
                scores, scores == scores.max(axis=1, keepdims=True)
            )
    return played


def test_points_with_two_seats():
    """Win, loss, tie; a winner is before the other also with equal scores (a tie-break of the
    rules); where nobody has won, both are level."""
    scores = [[5, 3], [5, 3], [4, 4], [4, 4], [5, 3], [5, 3]]
    played = games_of(scores, [[1, 0], [1, 0], [1, 1], [0, 1], [0, 0], [0, 0]])
    points = points_of(played, seatings(2, Form.PAIRS)).tolist()
    assert points == [[1.0, 0.0], [0.5, 1.0], [0.5, 0.5]]


def test_points_with_three_seats():
    """The mean over the seats that are compared: alone against two copies, and the other way
    round."""
    seating = seatings(3, Form.PAIRS)
    assert seating.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    scores = [[9, 5, 5], [5, 7, 9], [7, 7, 3], [9, 1, 5], [5, 5, 5], [2, 2, 1]]
    winners = [[1, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0]]
    points = points_of(games_of(scores, winners), seating)
    assert points.tolist() == [[1.0, 0.5, 0.0, 0.0, 0.5, 1.0]]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_standings_follow_the_skills(seats):
    played = skilled_games([4, 0, 9], seats, 60)
    report = round_robin(settings_for("random", "b", "c"), played, seats, 60)
    assert [entry.agent for entry in report.standings] == ["c", "random", "b"]
    assert [entry.rank for entry in report.standings] == [1, 2, 3]
    assert report.anchor == "random"
    assert {entry.agent: entry.elo.mean for entry in report.standings}["random"] == 0
    per_deal = len(seatings(seats, Form.PAIRS))
    for entry in report.standings:
        assert entry.games == 2 * 60 * per_deal
        for interval in (entry.elo, entry.wins, entry.score):
            assert interval.low <= interval.mean <= interval.high
    # three pairs, half each on average
    assert sum(entry.wins.mean for entry in report.standings) == pytest.approx(1.5)
    assert [comparison.agents for comparison in report.comparisons] == [
        ("c", "random"),
        ("c", "b"),
        ("random", "b"),
    ]
    first = report.comparisons[0]
    assert first.games == 60 * per_deal
    assert first.points.mean > 0.5
    assert first.elo.mean == pytest.approx(report.standings[0].elo.mean)
    assert first.score.low < 5 < first.score.high  # 9 - 4
    assert first.ahead > 0.99


def test_unbounded_ratings_are_noted():
    report = round_robin(settings_for("a", "b", "c"), skilled_games([0, 100, 2], 2, 20), 2, 20)
    assert [(entry.agent, entry.group) for entry in report.standings] == [
        ("b", 1),
        ("c", 2),
        ("a", 2),
    ]
    assert notes(report)[1].startswith(
        "Of {b} > {c, a} each group took every point from the next one"
    )


def test_blocks_are_put_together_in_order():
    """The order in which units were played changes nothing."""
    whole = skilled_games([1, 3], 2, 8)[Unit(0, (0, 1), 8)]
    parts = {}
    for start in (4, 0):
        half = slice(2 * start, 2 * start + 8)
        parts[Unit(start, (0, 1), start + 4)] = UnitResult(
            *(values[half] for values in vars(whole).values())
        )
    settings = settings_for("a", "b")
    assert round_robin(settings, parts, 2, 8) == round_robin(
        settings, {Unit(0, (0, 1), 8): whole}, 2, 8
    )


def team_games(deals=100):
    """Three agents on deals whose luck they share; the second is half a point better than the
    first."""
    rng = np.random.default_rng(3)
    luck = rng.normal(10, 5, deals)
    scores = [luck, luck + 0.5 + rng.normal(0, 0.3, deals), np.zeros(deals)]
    return {
        Unit(0, (k,), deals): games_of(
            np.stack([each, each], axis=1), np.stack([each > 12, each > 12], axis=1)
        )
        for k, each in enumerate(scores)
    }


def test_teams_are_compared_deal_by_deal():
    """The luck of the deal, which both have, does not widen the interval of the difference."""
    played = team_games()
    report = teams(settings_for("a", "b", "c", environment="cretaceous_creek_v0"), played, 100)
    assert [entry.agent for entry in report.standings] == ["b", "a", "c"]
    assert all(entry.elo is None and entry.points is None for entry in report.standings)
    difference = report.comparisons[0].score
    assert 0.4 < difference.low < 0.5 < difference.high < 0.7
    alone = report.standings[0].score
    assert alone.high - alone.low > 10 * (difference.high - difference.low)
    won = played[Unit(0, (1,), 100)].winners.any(axis=1).mean()
    assert report.standings[0].wins.mean == pytest.approx(won)
    assert report.standings[0].games == 100
    assert report.comparisons[0].ahead > 0.99


def both_reports():
    return [
        round_robin(settings_for("random", "b|c"), skilled_games([1, 3], 2, 20), 2, 20),
        teams(settings_for("a", "b", "c", environment="cretaceous_creek_v0"), team_games(), 100),
    ]


@pytest.mark.parametrize("report", both_reports(), ids=["round robin", "teams"])
def test_json_round_trip(report):
    """Plain JSON without NaN or Infinity, and what is read from it is the same report."""
    text = json.dumps(report.as_json(), allow_nan=False)
    again = Report.from_json(json.loads(text))
    assert again.as_json() == report.as_json()
    assert list(tables(again)) == list(tables(report))
    assert command(again) == command(report)
    assert report.standings[0].wins.low == pytest.approx(again.standings[0].wins.low, abs=1e-5)


def test_screen():
    """On a narrow screen, too, no name and no number is cut off."""
    for report in both_reports():
        screen = Console(file=io.StringIO(), width=60)
        print_report(report, screen)
        output = screen.file.getvalue()
        assert "…" not in output
        for entry in report.standings:
            assert entry.agent in output


def test_what_differs_from_the_defaults_is_in_the_command():
    """Options as they are typed; anchor, and block, for another one gives agents that draw at
    random other seeds."""
    report = both_reports()[0]
    said = (
        "dig-envs arena fossil_canyon_v0 --agents 'random,b|c' --games 40 --seed 7 -o "
        "num_players=2 --block 4"
    )
    assert command(report) == said
    report.settings["options"] = {"num_players": 3, "events": [3, 12, 3], "endgame_bonuses": False}
    assert "-o num_players=3 -o endgame_bonuses=False" in command(report)
    settings = {**settings_for("random", "b"), "block": BLOCK}
    played = skilled_games([1, 3], 2, 8)
    assert command(round_robin(settings, played, 2, 8)).endswith("-o num_players=2")
    assert command(round_robin(settings, played, 2, 8, "random")).endswith("-o num_players=2")
    assert command(round_robin(settings, played, 2, 8, "mean")).endswith("--anchor mean")
    assert command(round_robin({**settings, "block": 3}, played, 2, 8, "b")).endswith(
        "--block 3 --anchor b"
    )


def test_a_notebook_shows_the_tables():
    """All that is in them, and nothing that a name could make of the page."""
    for report in both_reports():
        named = replace(
            report,
            standings=(replace(report.standings[0], agent="<script>"), *report.standings[1:]),
        )
        html = named._repr_html_()
        assert html.count("<table>") == 2
        assert "&lt;script&gt;" in html
        assert "<script>" not in html
        assert all(entry.agent in html for entry in report.standings[1:])


def test_plot():
    """Means and intervals where they should be, on given axes or, as a notebook shows them, on new
    ones."""
    for report in both_reports():
        axes = Figure().subplots()
        assert report.plot(axes) is axes
        values = [
            entry.score if report.cooperative else entry.elo for entry in reversed(report.standings)
        ]
        assert axes.lines[0].get_xdata().tolist() == [value.mean for value in values]
        (bars,) = (found.get_segments() for found in axes.collections)
        assert [bar[:, 0].tolist() for bar in bars] == [
            pytest.approx([value.low, value.high]) for value in values
        ]
        assert [label.get_text() for label in axes.get_yticklabels()] == [
            entry.agent for entry in reversed(report.standings)
        ]


def test_machine_and_date():
    """They are told where they are known, and change no comparison; reports from before them can be
    read."""
    report = both_reports()[0]
    known = replace(report, machine={**machine_now(), "cpu": "Some CPU", "date": "2030-01-31"})
    assert known == report
    assert "Some CPU" in known._repr_html_()
    assert "2030-01-31" in known._repr_html_()
    assert Report.from_json(known.as_json()).machine == known.machine
    older = {key: value for key, value in known.as_json().items() if key != "machine"}
    assert "(dig_envs 0.1.0)" in Report.from_json(older)._repr_html_()
