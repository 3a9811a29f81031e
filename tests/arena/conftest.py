"""Fixtures that tests of arenas share."""

import pytest

from dig_envs.arena import play


@pytest.fixture
def calls(monkeypatch):
    """The arguments of each call of play_seated: names of the agents, seating, seeds and
    options."""
    found = []
    real = play.play_seated

    def spy(name, agents, seating, seeds, options, num_threads):
        found.append(([agent.name for agent in agents], seating, list(seeds), options))
        return real(name, agents, seating, seeds, options, num_threads=num_threads)

    monkeypatch.setattr(play, "play_seated", spy)
    return found
