"""The final scoring step by step: each step is a function of its own, which does what its rule says and nothing else."""

from typing import Any

import numpy as np
import pytest

from dig_envs.engine.state import new_records
from dig_envs.engine.turns import finish_by_score
from dig_envs.games.the_big_dig import scoring
from dig_envs.games.the_big_dig.board import SPACES
from tests.rules.the_big_dig.positions import GAME, Position, argument, arrange

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
STEPS = [
    scoring.enforce_nullifications,
    scoring.invalidate_unfounded,
    scoring.reward_nullifications,
    scoring.punish_wild_guesses,
    scoring.keep_best_guesses,
    scoring.reward_confident_guesses,
    scoring.reward_contributions,
]


def before_scoring() -> Position:
    return arrange("placement", drawn=DRAWN, arguments=ARGUMENTS, tokens=TOKENS, scores=[9, 7], turn=6, rng="1")


def after(steps: int) -> Any:
    """The state record after the first so many steps."""
    states = before_scoring().states
    for step in STEPS[:steps]:
        step(states[0])
    return states[0]


def scores(state: Any) -> list[int]:
    return [int(score) for score in state["scores"]]


def valid(state: Any) -> list[int]:
    return [i for i in range(state["num_arguments"]) if state["argument_valid"][i]]


def conjectured(state: Any) -> list[str]:
    return [SPACES[space] for space in np.flatnonzero(state["conjectured"])]


def changes(before: Any, state: Any) -> set[str]:
    """The fields of the state that differ."""
    return {name for name in GAME.state.names or () if not np.array_equal(before[name], state[name])}


def test_bd26_invalidates_the_targets_of_certain_nullifications():
    state = after(1)
    assert valid(state) == [0, 2, 3, 4, 5]
    assert conjectured(state) == ["5-1-A", "5-1-N", "26-3-N"]
    assert changes(after(0), state) == {"argument_valid", "conjectured"}


def test_bd27_invalidates_what_stands_on_nothing():
    state = after(2)
    assert valid(state) == [0, 3, 4, 5]
    assert conjectured(state) == ["5-1-A", "5-1-N"]
    assert changes(after(1), state) == {"argument_valid", "conjectured"}


def test_bd28_rewards_nullifications():
    state = after(3)
    assert scores(state) == [9, 12]
    assert changes(after(2), state) == {"scores", "final"}


def test_bd29_punishes_wild_guesses():
    state = after(4)
    assert scores(state) == [7, 11]
    assert changes(after(3), state) == {"scores", "final"}


@pytest.mark.parametrize(("marker", "support"), [("5-1-A", 13), ("5-1-N", 22), ("18-1-A", 0)])
def test_bd30_support_times_tokens(marker, support):
    assert scoring.marker_support(after(4), SPACES.index(marker)) == support


def test_bd31_keeps_the_best_guess():
    state = after(5)
    assert conjectured(state) == ["5-1-N"]
    assert changes(after(4), state) == {"conjectured"}


def test_bd32_rewards_tokens_beside_markers():
    state = after(6)
    assert scores(state) == [7, 14]
    assert changes(after(5), state) == {"scores", "final"}


def test_bd33_rewards_conjectures():
    state = after(7)
    assert scores(state) == [12, 19]
    assert changes(after(6), state) == {"scores", "final"}


def test_bd34_names_the_winner():
    state = after(7)
    finish_by_score(state, GAME.phases.index("over"))
    assert list(state["winners"]) == [0, 1]


def test_all_steps_together():
    states = before_scoring().states
    scoring.score_finally(states[0])
    assert states.tobytes() == as_states(after(7)).tobytes()


def as_states(state: Any) -> Any:
    states = new_records(1, GAME.state)
    states[0] = state
    return states
