"""The final scoring step by step: each function does what its rule says and nothing else."""

from typing import Any

import numpy as np
import pytest

from dig_envs.games.the_big_dig.board import SPACES
from dig_envs.games.the_big_dig.rules import scoring
from tests.rules.the_big_dig.positions import GAME, argument, arrange

# From the rules' worked example of a final scoring: what stands before it, and what each step makes of it.
DRAWN = ["2-3", "3-3", "rock", "rock", "rock", "rock", "rock"]
ARGUMENTS = [
    argument(0, 1, ["2-3-A"], "3-1-N"),
    argument(0, 2, ["2-3-A"], "18-1-A"),
    argument(0, 3, ["2-3-A", "18-1-A"], "26-3-N"),
    argument(1, 3, ["2-3-A", "3-3-A"], "18-1", target="2-3-A"),
    argument(1, 4, ["3-3-A"], "5-1-N"),
    argument(0, 4, ["2-3-A"], "5-1-A"),
]
TOKENS = [{"5-1-A": 1, "18-1-A": 1, "26-3-N": 1}, {"5-1-N": 2, "5-2-N": 1}]


def before_scoring() -> Any:
    """The state record."""
    return arrange("placement", drawn=DRAWN, arguments=ARGUMENTS, tokens=TOKENS, scores=[9, 7], turn=6, rng="1").states[0]


def after(*steps: Any) -> Any:
    """The state record after steps of the scoring."""
    state = before_scoring()
    for step in steps:
        step(state)
    return state


CERTAIN = (scoring.enforce_nullifications, scoring.invalidate_unfounded)
KEPT = (*CERTAIN, scoring.keep_best_guesses)


def valid(state: Any) -> list[int]:
    return [i for i in range(state["num_arguments"]) if state["argument_valid"][i]]


def conjectured(state: Any) -> list[str]:
    return [SPACES[space] for space in np.flatnonzero(state["conjectured"])]


def changes(before: Any, state: Any) -> set[str]:
    """The fields of the state that differ."""
    return {name for name in GAME.state.names or () if not np.array_equal(before[name], state[name])}


def points(function: Any, state: Any) -> list[int]:
    """The points of both seats."""
    return [int(function(state, p)) for p in (0, 1)]


def test_bd26_invalidates_the_targets_of_certain_nullifications():
    state = after(scoring.enforce_nullifications)
    assert valid(state) == [0, 2, 3, 4, 5]
    assert conjectured(state) == ["5-1-A", "5-1-N", "26-3-N"]
    assert changes(before_scoring(), state) == {"argument_valid", "conjectured"}


def test_bd27_invalidates_what_stands_on_nothing():
    state = after(*CERTAIN)
    assert valid(state) == [0, 3, 4, 5]
    assert conjectured(state) == ["5-1-A", "5-1-N"]
    assert changes(before_scoring(), state) == {"argument_valid", "conjectured"}


def test_bd28_rewards_nullifications():
    assert points(scoring.points_of_nullifications, after(*CERTAIN)) == [0, 5]


def test_bd29_punishes_wild_guesses():
    state = after(*CERTAIN)
    for p in (0, 1):
        scoring.punish_wild_guesses(state, p)
    assert state["scores"].tolist() == [7, 6]
    assert changes(after(*CERTAIN), state) == {"scores", "final"}


@pytest.mark.parametrize(("marker", "support"), [("5-1-A", 13), ("5-1-N", 22), ("18-1-A", 0)])
def test_bd30_support_times_tokens(marker, support):
    assert scoring.marker_support(after(*CERTAIN), SPACES.index(marker)) == support


def test_bd31_keeps_the_best_guess():
    state = after(*KEPT)
    assert conjectured(state) == ["5-1-N"]
    assert changes(after(*CERTAIN), state) == {"conjectured"}


def test_bd32_rewards_tokens_beside_markers():
    assert points(scoring.points_of_tokens, after(*KEPT)) == [0, 3]


def test_bd33_rewards_conjectures():
    assert points(scoring.points_of_conjectures, after(*KEPT)) == [5, 5]


def test_all_steps_together():
    state = after(scoring.score_finally)
    assert state["scores"].tolist() == [9 - 2 + 5, 7 + 5 - 1 + 3 + 5]
    assert state["final"].tolist() == [[0, -2, 0, 5], [5, -1, 3, 5]]
    assert changes(after(*KEPT), state) == {"scores", "final"}
