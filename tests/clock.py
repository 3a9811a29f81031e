"""A clock for searches, so that what a test sees does not depend on the machine's speed."""

import pytest


class Clock:
    """Each look at it takes two milliseconds; a test may move it on."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        """Return the time in seconds."""
        self.now += 0.002
        return self.now


def search_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock that searches look at during a test."""
    clock = Clock()
    monkeypatch.setattr("dig_envs.agents.search.time", clock)
    return clock
