"""The choice of levels for people: points of trials."""

import numpy as np
import pytest

from dig_envs.agents.matches import Results
from dig_envs.arena import levels
from dig_envs.registry import load_game


def test_places_count_as_in_an_arena(monkeypatch):
    """One who never wins, and is before two of three others, has two thirds of the points."""

    def play_games(env, agents, *_, **more):
        seated = np.array([[int(agent is not agents[0]) for agent in agents]])
        scores = np.array([[5.0, 9.0, 3.0, 1.0]])
        winners, zeros = scores == 9, np.zeros(1)
        return Results((), seated, winners, 1.0 * winners, scores, scores, zeros, zeros)

    monkeypatch.setattr(levels, "play_games", play_games)
    points = levels.points_of(load_game("fossil_canyon_v0"), 1.0, 0.0, 4)
    assert points == pytest.approx(2 / 3)
