"""The schedule of a tournament: everybody in every seat, on the same deals."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from dig_envs.arena.schedule import Form, number_of_deals, pairings, seatings, units


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_both_have_every_seat_equally_often(seats):
    """On every deal, and at every table both take part; no table is played twice."""
    table = seatings(seats, Form.PAIRS)
    for seat in range(seats):
        counts = Counter(table[:, seat].tolist())
        assert counts[0] == counts[1] == len(table) / 2
    assert all(set(row) == {0, 1} for row in table.tolist())
    assert (
        len({tuple(row) for row in table.tolist()})
        == len(table)
        == (2 if seats == 2 else 2 * seats)
    )


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_tables_of_different_agents(seats):
    """Everybody sits at each table once, in every seat equally often, and no table is played
    twice."""
    table = seatings(seats, Form.TABLES)
    assert all(sorted(row) == list(range(seats)) for row in table.tolist())
    for seat in range(seats):
        assert set(Counter(table[:, seat].tolist()).values()) == {len(table) // seats}
    assert (
        len({tuple(row) for row in table.tolist()})
        == len(table)
        == (2 if seats == 2 else 2 * seats)
    )


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_the_first_alone(seats):
    """In the form ALONE the first agent sits once in each seat, and the second agent in all other
    seats."""
    assert [np.flatnonzero(row == 0).tolist() for row in seatings(seats, Form.ALONE)] == [
        [seat] for seat in range(seats)
    ]


def test_cooperative_agents_have_all_seats():
    assert seatings(3, Form.TEAMS).tolist() == [[0, 0, 0]]
    assert seatings(1, Form.TEAMS).tolist() == [[0]]


@pytest.mark.parametrize(
    ("form", "together"), [(Form.PAIRS, 2), (Form.TEAMS, 1), (Form.TABLES, 3), (Form.ALONE, 2)]
)
@pytest.mark.parametrize(("agents", "deals", "block"), [(3, 10, 3), (4, 64, 32), (5, 1, 8)])
def test_every_pairing_plays_every_deal_once(agents, deals, block, form, together):
    schedule = list(units(agents, deals, block, 3, form))
    played = Counter((unit.contestants, deal) for unit in schedule for deal in unit.deals)
    expected = list(combinations(range(agents), together))
    assert pairings(agents, 3, form) == expected
    assert played == Counter(
        {(contestants, deal): 1 for contestants in expected for deal in range(deals)}
    )
    assert max(len(unit.deals) for unit in schedule) <= block


@pytest.mark.parametrize(
    ("games", "seats", "form", "deals"),
    [
        (200, 2, Form.PAIRS, 100),
        (201, 2, Form.PAIRS, 101),
        (1, 4, Form.PAIRS, 1),
        (25, 4, Form.PAIRS, 4),
        (7, 4, Form.TEAMS, 7),
        (9, 4, Form.ALONE, 3),
        (17, 4, Form.TABLES, 3),
    ],
)
def test_whole_deals(games, seats, form, deals):
    """The number of deals gives at least as many games as asked for, rounded up to complete
    deals."""
    assert number_of_deals(games, seats, form) == deals
