"""List helpers, which never write outside an array, and the helpers for seats, turns and ends."""

import numpy as np
import pytest

from dig_envs.engine.core import lists, seats, turns
from dig_envs.engine.core.state import new_records, state_dtype

OUTSIDE = 77


@pytest.fixture
def items():
    """An array of three between two guards, which stay as they are."""
    memory = np.full(5, OUTSIDE, np.int8)
    memory[1:-1] = 5, 6, 7
    yield memory[1:-1]
    assert memory[0] == OUTSIDE == memory[-1]


def plain(name):
    """The Python function behind a compiled one, which is the same code."""
    function = getattr(lists, name)
    return getattr(function, "py_func", function)


def test_lists_grow_to_the_end_of_their_array_and_no_further(items, monkeypatch):
    monkeypatch.setattr(lists, "complain", lambda items: None)
    for add, given, kept in (
        ("append", (1, 2, 3, 4), [1, 2, 3]),
        ("insert_sorted", (3, 1, 2, 3), [1, 2, 3]),
    ):
        length = plain("clear")(items, 3)
        for value in given:
            length = plain(add)(items, length, value)
        assert (length, items.tolist()) == (3, kept)
        assert plain(add)(items, -2, 9) == -2
        assert plain(add)(items, 90, 9) == 90
    assert items.tolist() == [1, 2, 3]


def test_an_entry_too_many_is_an_error_where_mistakes_are_looked_for(items, monkeypatch):
    monkeypatch.setattr(lists, "STRICT", True)
    monkeypatch.setattr(lists, "complain", plain("complain"))
    with pytest.raises(IndexError):
        plain("append")(items, 3, 1)
    with pytest.raises(IndexError):
        plain("insert_sorted")(items, 3, 1)
    assert items.tolist() == [5, 6, 7]
    items[:] = 0
    with pytest.raises(IndexError):
        plain("draw_counted")(None, items)


def test_only_what_is_there_is_removed(items, monkeypatch):
    monkeypatch.setattr(lists, "remove_at", plain("remove_at"))
    for index in (-1, 3, 50):
        assert plain("remove_at")(items, 3, index) == 3
    assert plain("remove_at")(items, 9, 0) == 9
    assert plain("remove_value")(items, 3, 4) == 3
    assert plain("remove_value")(items, 2, 7) == 2, "beyond the length there is nothing"
    assert plain("remove_value")(items, 50, OUTSIDE) == 50
    assert items.tolist() == [5, 6, 7]
    assert plain("remove_at")(items, 3, 0) == 2
    assert items.tolist() == [6, 7, 0]
    assert plain("remove_value")(items, 2, 7) == 1
    assert items.tolist() == [6, 0, 0]


def test_contains_and_clear_stay_inside(items):
    assert plain("contains")(items, 2, 6)
    assert not plain("contains")(items, 1, 6)
    assert not plain("contains")(items, 50, OUTSIDE)
    assert plain("clear")(items, 50) == 0
    assert items.tolist() == [0, 0, 0]


# ---------------------------------------------------------------- seats and turns

TurnState = state_dtype(4, [("max_turns", np.int16)])
OVER = 3


def table(num_players, scores=(0, 0, 0, 0)):
    """The head of a state."""
    states = new_records(1, TurnState)
    states["num_players"], states["scores"], states["max_turns"] = num_players, scores, 2
    return states[0]


def asked(state):
    """The seats that are asked, and the one to move."""
    return np.flatnonzero(state["owes"]).tolist(), int(state["to_move"])


def test_one_seat_is_asked():
    state = table(3)
    turns.ask(state, 2)
    assert asked(state) == ([2], 2)
    turns.ask(state, turns.NOBODY)
    assert asked(state) == ([], -1)


def test_all_are_asked_and_commit_in_any_order():
    state = table(3)
    turns.ask_all(state)
    assert asked(state) == ([0, 1, 2], 0), "the seat that is not there is not asked"
    assert not turns.commit(state, 1)
    assert asked(state) == ([0, 2], 0)
    assert not turns.commit(state, 0)
    assert turns.commit(state, 2), "the last one resolves the decision"
    assert asked(state) == ([], -1)


def test_another_is_asked_too():
    state = table(4)
    turns.ask(state, 3)
    turns.also_ask(state, 1)
    assert asked(state) == ([1, 3], 1)


def test_seats_go_round():
    state = table(3)
    assert [seats.seat_after(state, 1, k) for k in range(4)] == [1, 2, 0, 1]
    assert [seats.distance(state, 1, p) for p in range(3)] == [2, 0, 1]
    assert [seats.next_seat(state, p) for p in range(3)] == [1, 2, 0]


def test_turns_are_counted_up_to_the_limit():
    state = table(3)
    for seat in (1, 2):
        assert not turns.is_turn_limit_reached(state)
        turns.begin_turn(state, seat)
        assert asked(state) == ([seat], seat)
    assert int(state["turn"]) == 2
    assert turns.is_turn_limit_reached(state)


@pytest.mark.parametrize(
    ("num_players", "scores", "winners"),
    [
        (2, (3, 5, 9, 9), [1]),
        (3, (4, 1, 4, 9), [0, 2]),
        (4, (-3, -2, -9, -2), [1, 3]),
        (2, (0, 0, 0, 0), [0, 1]),
    ],
)
def test_the_highest_score_wins_ties_shared_and_absent_seats_never(num_players, scores, winners):
    for finish, truncated in ((turns.finish_by_score, 0), (turns.truncate_by_score, 1)):
        state = table(num_players, scores)
        turns.ask_all(state)
        finish(state, OVER)
        assert [int(state[field]) for field in ("over", "phase", "truncated")] == [
            1,
            OVER,
            truncated,
        ]
        assert asked(state) == ([], -1)
        assert np.flatnonzero(state["winners"]).tolist() == winners
