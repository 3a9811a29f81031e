"""Who plays whom: everybody in every seat, on the same deals."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from dig_envs.arena.schedule import number_of_deals, pairings, seatings, units


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_both_have_every_seat_equally_often(seats):
    """On every deal, and at every table both take part; no table is played twice."""
    table = seatings(seats, cooperative=False)
    for seat in range(seats):
        counts = Counter(table[:, seat].tolist())
        assert counts[0] == counts[1] == len(table) / 2
    assert all(set(row) == {0, 1} for row in table.tolist())
    assert len({tuple(row) for row in table.tolist()}) == len(table) == (2 if seats == 2 else 2 * seats)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_one_against_copies(seats):
    """With more than two seats one of the two is always alone, each of them in every seat once."""
    table = seatings(seats, cooperative=False)
    alone = [(contestant, seat) for row in table for contestant in (0, 1) for seat in np.flatnonzero(row == contestant)
             if (row == contestant).sum() == 1]  # fmt: skip
    assert Counter(alone) == Counter({(contestant, seat): 1 for contestant in (0, 1) for seat in range(seats)})


def test_cooperative_agents_have_all_seats():
    assert seatings(3, cooperative=True).tolist() == [[0, 0, 0]]
    assert seatings(1, cooperative=True).tolist() == [[0]]


def test_nobody_to_play_against():
    with pytest.raises(ValueError, match="1 seat"):
        seatings(1, cooperative=False)


@pytest.mark.parametrize("cooperative", [False, True])
@pytest.mark.parametrize(("agents", "deals", "block"), [(2, 10, 3), (4, 64, 32), (5, 1, 8)])
def test_every_pairing_plays_every_deal_once(agents, deals, block, cooperative):
    schedule = list(units(agents, deals, block, cooperative))
    played = Counter((unit.contestants, deal) for unit in schedule for deal in unit.deals)
    expected = [(k,) for k in range(agents)] if cooperative else list(combinations(range(agents), 2))
    assert pairings(agents, cooperative) == expected
    assert played == Counter({(contestants, deal): 1 for contestants in expected for deal in range(deals)})
    assert max(len(unit.deals) for unit in schedule) <= block


@pytest.mark.parametrize(
    ("games", "seats", "cooperative", "deals"),
    [(200, 2, False, 100), (201, 2, False, 101), (1, 4, False, 1), (25, 4, False, 4), (7, 4, True, 7)],
)
def test_whole_deals(games, seats, cooperative, deals):
    """At least as many games as asked for, rounded up to whole deals."""
    assert number_of_deals(games, seats, cooperative) == deals
