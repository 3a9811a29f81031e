"""The length of a run, by steps and by minutes."""

import json
import time

import pytest

from tests.training.tiny import LEG, changed, done, said, train
from training import reporter
from training.budget import FINAL_SHARE, LEG_SHARE, Budget
from training.checkpoints import list_checkpoints, read_progress
from training.metrics import read
from training.run import whole_legs
from training.settings import Settings


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_steps_with_minutes_as_the_limit():
    """With steps and minutes the budget's share is that of the limit that is nearer; only the end
    of the minutes cuts a leg."""
    clock = Clock()
    budget = Budget(steps=100, minutes=10, clock=clock)
    budget.start(0.0)
    clock.now += 2 * LEG_SHARE * 600
    assert budget.share(50) == 0.5
    assert budget.share(1) == pytest.approx(2 * LEG_SHARE / (1 - FINAL_SHARE))
    assert not budget.leg_is_over(1000.0)
    assert budget.is_over(100)
    assert not budget.is_over(99)
    clock.now = 1000 + 600 * (1 - FINAL_SHARE)
    assert budget.is_over(99)
    assert budget.leg_is_over(clock())


@pytest.mark.parametrize(
    ("steps", "changes", "whole"),
    [
        (None, {}, None),
        (12 * LEG, {}, 13 * LEG),  # of imitation one rollout, then PPO in legs of four
        (13 * LEG, {}, 13 * LEG),
        (4 * LEG, {"warm_start": ""}, 4 * LEG),
        (4 * LEG + 1, {"warm_start": ""}, 8 * LEG),
        (10 * LEG, {"warm_start_steps": 10**6, "warm_start_share": 0.15}, 10 * LEG),
        (11 * LEG, {"warm_start_steps": 10**6, "warm_start_share": 0.15}, 15 * LEG),
        (1, {"warm_start_share": 1.0}, LEG),
    ],
)
def test_steps_are_rounded_up_to_whole_legs(steps, changes, whole):
    tiny = {"num_envs": 8, "rollout_steps": 32, "warm_start_steps": LEG, "checkpoint_rollouts": 4}
    assert whole_legs(Settings.of(**tiny | changes), steps) == whole


def test_what_is_said_of_a_run_is_what_it_does(tmp_path, monkeypatch):
    """The first line has the decisions that are really made, and 100 % are all of them."""
    monkeypatch.setattr(reporter, "SECONDS_BETWEEN_LINES", 0.0)
    words = ["--steps", str(2 * LEG), *changed(checkpoint_rollouts=2)]
    told = said(done(train(tmp_path / "run", tmp_path / "zoo" / "x", *words)))
    assert read_progress(list_checkpoints(tmp_path / "run")[-1])["steps"] == 3 * LEG
    assert "training for 768 decisions; you can stop it" in told
    assert told.count("100%") == 1
    assert "100% less than a minute left ppo 768 steps" in told


def test_nothing_is_begun_that_has_no_room():
    """A rollout and its judging go into the minutes, as long as they took the last time."""
    clock = Clock()
    budget = Budget(steps=None, minutes=10, clock=clock)
    budget.start(0.0)
    assert not budget.is_over(0)
    for part, seconds in (("rollout", 30), ("judging", 50)):
        with budget.measuring(part):
            clock.now += seconds
        assert budget.taken(part) == seconds
    clock.now = 1000 + 600 * (1 - FINAL_SHARE) - 81
    assert not budget.is_over(0)
    clock.now += 2
    assert budget.is_over(0)
    assert budget.leg_is_over(clock()), "not even one more rollout of a leg that has just begun"


def test_a_run_that_goes_on_has_less_left():
    clock = Clock()
    budget = Budget(steps=None, minutes=10, clock=clock)
    budget.start(200.0)
    clock.now += 100
    assert budget.seconds == 300
    assert budget.seconds_left == 300
    assert budget.share(0) == pytest.approx(300 / (600 * (1 - FINAL_SHARE)))


def test_minutes_end_a_leg_that_would_go_on_for_hours(tmp_path):
    """Minutes end a leg that would last for hours, and the evaluation uses the time left; progress
    is printed into a pipe."""
    words = [
        "--minutes",
        "0.04",
        "--games",
        "1000000",
        *changed(checkpoint_rollouts=1000000, gate_games=120),
    ]
    began = time.monotonic()
    result = done(train(tmp_path / "run", tmp_path / "zoo" / "x", *words, env="fossil_canyon_v0"))
    assert time.monotonic() - began < 120, "2.4 seconds, and a very busy machine"
    rows = read(tmp_path / "run")
    assert "evaluation" in [row["phase"] for row in rows], (
        "a leg came to its end, though it was to go on for hours"
    )
    assert rows[-1]["steps"] > 0
    assert read_progress(list_checkpoints(tmp_path / "run")[-1])["seconds"] < 30
    assert any("steps/s" in line and "%" in line for line in result.output.splitlines())
    card = json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())
    games = {row["games"] for row in card["evaluation"]}
    assert len(games) == 1
    assert 25 <= games.pop() < 1_000_000


@pytest.mark.parametrize("minutes", [float("nan"), float("inf"), -1.0, 1e300])
def test_minutes_that_are_none(minutes):
    with pytest.raises(ValueError, match=r"minutes must be from 0 to 527,040 \(a year\)"):
        Budget(steps=None, minutes=minutes)
