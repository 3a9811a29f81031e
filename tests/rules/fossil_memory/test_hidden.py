"""The knowledge of a seat, exactly (FM-11): re-deals, and the ways in which hidden cards could
leak."""

from collections import Counter

import pytest

from tests.games import needs_compiling
from tests.rules.fossil_memory.positions import EVERYTHING, PLACES, RECALLS, Position, start


@needs_compiling
@pytest.mark.parametrize("recall", RECALLS)
def test_every_redeal_is_equally_likely(recall):
    """Four hidden cards, the last ones: each of the 24 orders about as often."""
    position = start(recall, max_turns=20)
    for texts in EVERYTHING[:-2]:
        position.play(*texts)
    assert position["grid"][20:] == ["DIL1", "DIL2", "MOS1", "MOS2"]
    assert position.view(0)["grid"] == [""] * 20 + [None] * 4
    orders = Counter(tuple(position.redeal(0, seed)["grid"][20:]) for seed in range(4800))
    assert len(orders) == 24
    assert all(130 < count < 275 for count in orders.values()), (
        "200 on average, with a standard deviation of 14"
    )


@pytest.mark.parametrize(
    ("recall", "kept"),
    [
        ("perfect", [["1,1", "1,5", "2,2", "2,5"]] * 2),
        ("none", [["2,2", "2,5"]] * 2),
        ("recent", [["1,5", "2,2", "2,5"], ["2,2", "2,5"]]),
    ],
)
def test_a_redeal_by_hand(recall, kept):
    """Perfect: what was seen stays. None: only what is in sight stays. Recent: what this seat is
    shown stays."""
    position = start(recall).flip("1,1", "1,5", "2,2", "2,5")
    for seat in (0, 1):
        always = set(PLACES)
        for seed in range(60):
            grid = position.redeal(seat, seed)["grid"]
            always &= {
                place
                for place, card, before in zip(PLACES, grid, position["grid"], strict=True)
                if card == before
            }
        assert always == set(kept[seat])


def test_the_lists_of_the_others_and_orders_are_left_out_of_the_observation():
    """Seat 0 is told the same numbers, whatever seat 2 is shown, and in whatever order cards were
    flipped."""
    one = start("recent", 3).flip("1,1", "1,5", "4,5", "2,5", "2,2", "2,3", "4,3")
    two = start("recent", 3).flip("1,1", "1,5", "2,5", "4,5", "2,3", "2,2", "4,3")
    assert one["recent.0"] != two["recent.0"]
    assert one["shown"] != two["shown"]
    assert one.observation(0).tobytes() == two.observation(0).tobytes()
    snapshot = one.snapshot
    assert snapshot["recent"][1] == ["2,5", "2,2", "2,3", "4,3"]
    # as if seat 1 had ended its turn otherwise
    snapshot["recent"][1] = ["4,5", "2,2", "2,3", "4,3"]
    snapshot["recent"][0] = ["1,5", "2,5", "4,5", "2,2", "2,3", "4,3"]
    assert Position(snapshot).observation(0).tobytes() == one.observation(0).tobytes()
    assert Position(snapshot).observation(1).tobytes() != one.observation(1).tobytes()
