"""Matches: every game once, right intervals."""

import numpy as np
import pytest

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import mean_interval, play_games, wilson

NAME = "cretaceous_creek_v0"


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson(successes, trials, low, high):
    """Values of Wilson's score interval; 81 of 263 is the example of Newcombe (1998)."""
    interval = wilson(successes, trials)
    assert interval.mean == successes / trials
    assert interval.low == pytest.approx(low, abs=1e-4)
    assert interval.high == pytest.approx(high, abs=1e-4)


def test_wilson_without_games():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_mean_interval():
    interval = mean_interval(np.array([1.0, 2.0, 3.0, 4.0]))
    half = 1.96 * np.std([1, 2, 3, 4], ddof=1) / 2
    assert interval.mean == 2.5
    assert interval.high - interval.low == pytest.approx(2 * half, rel=1e-3)


def test_batch_size_does_not_matter():
    """Each of the games is played exactly once, whichever run side by side."""
    agent = load_agent("heuristic", NAME)
    whole = play_games(NAME, [agent, agent], 30, seed=5)
    parts = play_games(NAME, [agent, agent], 30, seed=5, batch_size=7)
    for field in ("winners", "scores", "lengths", "returns"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(parts, field))
    assert (whole.lengths > 0).all()
    again = play_games(NAME, [agent, agent], 1, seed=5 + 12)
    assert again.lengths[0] == whole.lengths[12]


def test_seats_rotate():
    agents = [
        load_agent("heuristic", NAME),
        load_agent("random", NAME, 1),
        load_agent("random", NAME, 2),
    ]
    results = play_games(NAME, agents, 4, options={"num_players": 3}, rotate=True)
    assert results.agents[:, :3].tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]
    assert (results.agents[:, 3] == -1).all()


def test_wrong_number_of_agents():
    agent = load_agent("random", NAME)
    with pytest.raises(ValueError, match="3 agents for 2 seats"):
        play_games(NAME, [agent] * 3, 2)
    with pytest.raises(ValueError, match="at least 1"):
        play_games(NAME, [agent] * 2, 0)
