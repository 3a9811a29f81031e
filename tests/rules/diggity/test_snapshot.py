"""Snapshots: refusals that name the key."""

import pytest

from dig_envs.engine.core.errors import SnapshotError
from tests.positions import refusals
from tests.rules.diggity.positions import STUCK, Position, arrange, auction, base, theft


def in_every_phase():
    """Positions with each key filled."""
    yield base("start").play("card 2", "card 1")  # place
    yield base("ring").play("card 0", "place 0 W")  # take
    yield theft([[], ["shovel", "pulley"], ["pulley", "pulley"]])  # steal, revealed
    yield auction(["shovel"], ["shovel"])
    yield base("ring", STUCK).play("pass")
    changes = {"gold": [2], "nuggets": [[4], [5], [3]], "scores": [4, 5, 3]}
    yield base("jill", changes).play("card 0", "place 3 S", "stop", "stop")
    yield base("jill", {"options.max_turns": 31}).play("card 1", "place 0 N")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        *refusals("gold_aside", {"options.gold_cards": 5}),
        *refusals("gold", {"options.high_gold": False}, {"gold": [3]}, {"gold": []}),
        *refusals("gold", {"nuggets.0": [5]}, {"nuggets.0": [4, 4]}),
        *refusals("turn", {"phase": "over", "to_move": -1, "winners": [1], "truncated": True}),
        *refusals("to_move", {"to_move": 1}, {"player": 1}),
        *refusals("hands.0", {"phase": "take"}, {"phase": "over", "to_move": -1, "winners": [1]}),
        *refusals("scores.2", {"scores": [4, 5, 1]}),
        *refusals("passes", {"passes": 3}),
        *refusals("pile", {"hands.0": ["C-NESW", "C-N", "S-E"]}, {"pile": []}),
        *refusals("mine.0", {"mine.0.x": 1}, {"mine.0.r": 2}),
        *refusals("mine.1", {"mine.1.y": -13}, {"mine.1.y": -15}, {"mine.1.x": 2}, {"mine.1.r": 1}),
        *refusals("mine.2", {"mine.2.r": 3}),
        *refusals("piles.shovel", {"piles.shovel": 2}),
        *refusals("piles.cart", {"tools.0": ["shovel", "cart", "cart"]}),
        *refusals("choices", {"choices": ["miner", "shovel"]}),
        *refusals(
            "revealed",
            {"revealed": {"kind": "shovel", "thief": 1}},
            {"revealed": {"kind": "shovel"}},
        ),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(changes, key):
    Position.refused("jill", changes, key)


def test_overlapping_cards():
    """Two cards attached to the same passage; touching is fine."""
    first = [("S-NESW", 0, 0, 0), ("S-NESW", 0, -14, 0)]
    arrange([[], []], mine=[*first, ("T-NESW", 12, 0, 1), ("L-NESW", 0, 14, 0)])
    with pytest.raises(SnapshotError, match=r"'mine\.2': overlaps"):
        arrange([[], []], mine=[*first, ("T-NESW", 0, -12, 1)])


def test_a_loose_card():
    with pytest.raises(SnapshotError, match=r"'mine\.1': is not connected"):
        arrange([[], []], mine=[("S-NESW", 0, 0, 0), ("T-N", 0, -14, 0)])
    with pytest.raises(SnapshotError, match=r"'mine\.1': is not connected"):
        arrange([[], []], mine=[("S-NESW", 0, 0, 0), ("T-NESW", 40, 0, 0), ("T-NESW", 0, -14, 0)])


def test_a_closed_mine_would_be_gone():
    with pytest.raises(SnapshotError, match="'mine': has an open passage"):
        arrange([[], []], mine=[("S-N", 0, 0, 0), ("T-N", 0, -14, 2)])


def test_other_phases():
    """Snapshots of the other phases are refused if they lack what the phase needs, or have what it
    cannot have."""
    place, take, steal, bids, passed, gold, truncated = (
        position.snapshot for position in in_every_phase()
    )
    cases = [
        (place, {"mine": []}, "pile"),
        (place, {"chosen": None}, "chosen"),
        (take, {"choices": ["miner"]}, "choices"),
        (take, {"choices": ["miner", "shovel"]}, "choices"),
        (take, {"to_move": 0}, "to_move"),
        (take, {"passes": 1}, "passes"),
        (steal, {"steal": {"kind": "pulley", "from": [1]}}, "steal.from"),
        (steal, {"steal": {"kind": "pulley", "from": [2, 1]}}, "steal"),
        (steal, {"steal": {"kind": "shed", "from": [1, 2]}}, "piles.shed"),
        (steal, {"steal": None}, "steal"),
        (steal, {"revealed": None}, "revealed"),
        (bids, {"auction": None}, "auction"),
        (bids, {"auction": {**bids["auction"], "rank": 4}}, "auction.rank"),
        (bids, {"auction": {**bids["auction"], "rank": 1}}, "tools.0"),
        (bids, {"auction": {**bids["auction"], "leader": 1}}, "auction.leader"),
        (bids, {"auction": {**bids["auction"], "value": 6}}, "gold"),
        (passed, {"passes": 2}, "passes"),
        (gold, {"winners": [1]}, "winners"),
        (gold, {"truncated": True}, "hands.0"),
        (gold, {"phase": "play", "to_move": 0, "winners": []}, "hands.0"),
        (truncated, {"turn": 30}, "turn"),
        (truncated, {"truncated": False}, "hands.0"),
    ]
    for snapshot, changes, key in cases:
        Position.refuses(snapshot, changes, key)


def test_a_card_that_cannot_be_laid_is_not_chosen():
    """Somebody would have to place it, and could not."""
    snapshot = base("ring", STUCK).snapshot
    hand = [card for card in snapshot["hands"][1] if card != "C-EW"]
    Position.refuses(snapshot, {"hands.1": hand, "phase": "place", "chosen": "C-EW"}, "chosen")


def test_who_is_asked_with_hidden_tools():
    """Anybody with a tool; nobody without."""
    snapshot = auction(["cart"], ["shed"], options__hidden_tools=True).snapshot
    Position.refuses(snapshot, {"options.hidden_tools": False}, "tools.0")


def test_a_thief_in_the_own_turn():
    """Tools that lay open are hidden again when the thief's turn begins."""
    with pytest.raises(SnapshotError, match=r"'revealed\.thief'"):
        arrange([[], []], options__hidden_tools=True, revealed={"kind": "shovel", "thief": 0})
