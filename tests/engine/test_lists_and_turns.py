"""List helpers, which never write outside an array, and the helpers for turns and ends."""

import numpy as np
import pytest

from dig_envs.engine import lists, turns
from dig_envs.engine.jit import kernel
from dig_envs.engine.state import new_records, state_dtype

OUTSIDE = 77


def inside(size):
    """An array of zeros between two guards."""
    memory = np.full(size + 2, OUTSIDE, np.int8)
    memory[1:-1] = 0
    return memory, memory[1:-1]


def guarded(memory):
    return memory[0] == OUTSIDE == memory[-1]


def python_of(function):
    """The Python function behind a compiled one, which is the same code."""
    return getattr(function, "py_func", function)


def test_append_stops_at_the_end(monkeypatch):
    monkeypatch.setattr(lists, "complain", lambda items: None)
    memory, items = inside(3)
    length = 0
    for value in range(1, 6):
        length = python_of(lists.append)(items, length, value)
    assert (length, items.tolist()) == (3, [1, 2, 3])
    assert python_of(lists.append)(items, -2, 9) == -2
    assert python_of(lists.append)(items, 90, 9) == 90
    assert guarded(memory)


def test_an_entry_too_many_is_an_error_where_mistakes_are_looked_for(monkeypatch):
    monkeypatch.setattr(lists, "STRICT", True)
    monkeypatch.setattr(lists, "complain", python_of(lists.complain))
    memory, items = inside(2)
    for call in (
        lambda: python_of(lists.append)(items, 2, 1),
        lambda: python_of(lists.insert_sorted)(items, 2, 1),
        lambda: python_of(lists.draw_counted)(None, items),
    ):
        with pytest.raises(IndexError):
            call()
    assert items.tolist() == [0, 0]
    assert guarded(memory)


def test_insert_keeps_a_list_sorted_and_stops_at_the_end(monkeypatch):
    monkeypatch.setattr(lists, "complain", lambda items: None)
    memory, items = inside(4)
    length = 0
    for value in (3, 1, 2, 3, 0):
        length = python_of(lists.insert_sorted)(items, length, value)
    assert (length, items.tolist()) == (4, [1, 2, 3, 3])
    assert guarded(memory)


def test_remove_takes_only_what_is_there():
    memory, items = inside(3)
    items[:] = (5, 6, 7)
    for index in (-1, 3, 50):
        assert python_of(lists.remove_at)(items, 3, index) == 3
    assert python_of(lists.remove_at)(items, 9, 0) == 9
    assert items.tolist() == [5, 6, 7]
    assert python_of(lists.remove_at)(items, 3, 0) == 2
    assert items.tolist() == [6, 7, 0]
    assert guarded(memory)


def test_contains_and_clear_stay_inside():
    memory, items = inside(2)
    items[:] = (5, 6)
    assert python_of(lists.contains)(items, 2, 6)
    assert not python_of(lists.contains)(items, 1, 6)
    assert not python_of(lists.contains)(items, 50, OUTSIDE)
    python_of(lists.clear)(items, 50)
    assert items.tolist() == [0, 0]
    assert guarded(memory)


# ---------------------------------------------------------------- turns

MAX_PLAYERS = 4
TurnState = state_dtype(MAX_PLAYERS, [])
OVER = 3


@kernel("turns")
def run(states, what, seat, answer):
    """One of the helpers, by number."""
    state = states[0]
    if what == 0:
        turns.ask(state, seat)
    elif what == 1:
        turns.ask_all(state)
    elif what == 2:
        answer[0] = turns.commit(state, seat)
    elif what == 3:
        turns.also_ask(state, seat)
    elif what == 4:
        turns.finish_by_score(state, OVER)


ASK, ASK_ALL, COMMIT, ALSO_ASK, FINISH = range(5)


class Turn:
    """The head of a state, and the helpers."""

    def __init__(self, num_players, scores=(0, 0, 0, 0)):
        self.states = new_records(1, TurnState)
        self.states["num_players"] = num_players
        self.states["scores"] = scores

    def run(self, what, seat=0):
        answer = np.zeros(1, np.int64)
        run(self.states, what, seat, answer)
        return bool(answer[0])

    @property
    def asked(self):
        return np.flatnonzero(self.states["owes"][0]).tolist(), int(self.states["to_move"][0])


def test_one_seat_is_asked():
    turn = Turn(3)
    turn.run(ASK, 2)
    assert turn.asked == ([2], 2)
    turn.run(ASK, turns.NOBODY)
    assert turn.asked == ([], -1)


def test_all_are_asked_and_commit_in_any_order():
    turn = Turn(3)
    turn.run(ASK_ALL)
    assert turn.asked == ([0, 1, 2], 0), "the seat that is not there is not asked"
    assert not turn.run(COMMIT, 1)
    assert turn.asked == ([0, 2], 0)
    assert not turn.run(COMMIT, 0)
    assert turn.asked == ([2], 2)
    assert turn.run(COMMIT, 2), "the last one resolves the decision"
    assert turn.asked == ([], -1)


def test_another_is_asked_too():
    turn = Turn(4)
    turn.run(ASK, 3)
    turn.run(ALSO_ASK, 1)
    assert turn.asked == ([1, 3], 1)


@pytest.mark.parametrize(
    ("num_players", "scores", "winners"),
    [(2, (3, 5, 9, 9), [1]), (3, (4, 1, 4, 9), [0, 2]), (4, (-3, -2, -9, -2), [1, 3]), (2, (0, 0, 0, 0), [0, 1])],
)
def test_the_highest_score_wins_ties_shared_and_absent_seats_never(num_players, scores, winners):
    turn = Turn(num_players, scores)
    turn.run(ASK_ALL)
    turn.run(FINISH)
    state = turn.states[0]
    assert (int(state["over"]), int(state["phase"]), turn.asked) == (1, OVER, ([], -1))
    assert np.flatnonzero(state["winners"]).tolist() == winners
