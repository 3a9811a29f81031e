"""Lists dealt anew, and winners by their standing."""

import numpy as np
import pytest

from dig_envs.engine.core.reshuffling import reshuffle, reshuffle_together
from dig_envs.engine.core.state import new_records, state_dtype
from dig_envs.engine.core.winners import winners_by


@pytest.fixture
def state():
    """A record of four seats with a generator."""
    record = new_records(1, state_dtype(4, []))
    record["rng"], record["num_players"] = 5, 3
    return record.view(np.recarray)[0]


def plain(function):
    """The Python function behind a compiled one, which is the same code."""
    return getattr(function, "py_func", function)


def test_only_what_is_in_a_list_matters_to_its_new_order(state):
    orders = []
    for items in ([3, 1, 2, 2, 9], [2, 2, 1, 3, 9]):
        state.rng = 5
        entries = np.array(items, np.int8)
        plain(reshuffle)(state, entries, 4)
        orders.append(entries.tolist())
    assert orders[0] == orders[1]
    assert sorted(orders[0][:4]) == [1, 2, 2, 3]
    assert orders[0][4] == 9  # beyond the length


def test_two_lists_keep_their_lengths_and_together_their_entries(state):
    seen = set()
    for seed in range(60):
        state.rng = seed
        first, second = np.array([4, 1, 0, 0], np.int8), np.array([7, 2], np.int8)
        plain(reshuffle_together)(state, first, 2, second, 2)
        assert sorted([*first[:2], *second]) == [1, 2, 4, 7]
        assert not first[2:].any()
        seen.add(tuple(second.tolist()))
    assert len(seen) == 12  # every pair in every order


def test_all_with_the_greatest_standing_win_and_nobody_beyond_the_players(state):
    state.scores[:] = 4, 9, 9, 99
    winners = np.zeros(4, np.int8)
    plain(winners_by(lambda state, seat: state.scores[seat]))(state, winners)
    assert winners.tolist() == [0, 1, 1, 0]
