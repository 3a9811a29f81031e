"""Snapshots: round trips, and refusals that name the key."""

import copy

import pytest

from dig_envs.engine.core.errors import SnapshotError
from tests.positions import refusals
from tests.rules.diggity.positions import GAME, STUCK, arrange, auction, base, changed, theft


def refused(snapshot, key):
    with pytest.raises(SnapshotError, match=f"'{key}'"):
        GAME.from_snapshot(snapshot)


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


def test_round_trips_in_every_phase():
    seen = set()
    for position in in_every_phase():
        seen.add(position["phase"])
        position.check_snapshot()
    assert seen == {"play", "place", "take", "steal", "auction", "over"}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        *refusals("scores", {"options.num_players": 2}),
        *refusals("gold_aside", {"options.gold_cards": 5}, {"gold_aside": [1] * 17}),
        *refusals("gold", {"options.high_gold": False}, {"gold": [3]}, {"gold": [2, 2]}, {"gold": [7, 2]}, {"gold": []}),
        *refusals("gold", {"nuggets.0": [5]}, {"nuggets.0": [4, 4]}),
        *refusals("turn", {"options.max_turns": 30}, {"turn": 0}),
        *refusals("turn", {"phase": "over", "to_move": -1, "winners": [1], "truncated": True}),
        *refusals("to_move", {"to_move": 1}, {"player": 1}),
        *refusals("player", {"player": 3}),
        *refusals("chosen", {"phase": "place"}, {"chosen": "C-N"}),
        *refusals(r"hands\.0", {"phase": "take"}, {"phase": "over", "to_move": -1, "winners": [1]}),
        *refusals(r"hands\.0", {"hands.0": ["C-NESW", "S-E", "C-N", "L-NESW"]}, {"hands.0.0": "X-N"}),
        *refusals("steal", {"phase": "steal"}, {"steal": {"kind": "shovel", "from": [1]}}),
        *refusals("auction", {"phase": "auction"}, {"auction": {"value": 2, "rank": 0, "leader": 0}}),
        *refusals(r"scores\.2", {"scores": [4, 5, 1]}),
        *refusals("passes", {"passes": 3}),
        *refusals("pile", {"hands.0": ["C-NESW", "C-N", "S-E"]}, {"hands.0.0": "C-NE"}, {"pile": []}, {"pile": ["T-NW", "T-NW"]}),
        *refusals("pile", {"pile": ["T-NW"] * 65}, {"discard.0": "C-NES"}, {"mine.0.card": "S-NS"}, {"mine": []}),
        *refusals(
            "hands.2",
            {"hands": [["C-NESW", "C-N", "S-E"], ["C-NES", "T-NS", "S-NS", "L-EW"], ["C-ESW", "T-E", "S-EW", "L-N", "L-NESW"]]},
        ),
        *refusals("discard", {"discard.0": "C-E"}, {"discard": ["C-NESW"] * 3}),
        *refusals(r"mine\.0", {"mine.0.x": 1}, {"mine.0.r": 2}),
        *refusals(r"mine\.1", {"mine.1.y": -13}, {"mine.1.y": -15}, {"mine.1.x": 2}, {"mine.1.r": 1}),
        *refusals(r"mine\.1", {"mine.1": {"card": "T-NESW", "x": 0, "y": -14}}),
        *refusals(r"mine\.2", {"mine.2.r": 3}),
        *refusals(r"mine\.2\.x", {"mine.2.x": 10_000}),
        *refusals(r"mine\.2\.r", {"mine.2.r": 4}),
        *refusals(r"piles\.shovel", {"piles.shovel": 2}, {"piles.shovel": -1}),
        *refusals("piles", {"piles": {"shovel": 1}}),
        *refusals("tools", {"tools.0": ["cart", "shovel"]}),
        *refusals(r"piles\.cart", {"tools.0": ["shovel", "cart", "cart"]}),
        *refusals(r"tools\.0", {"tools.0": ["spade"]}, {"tools.0": ["shovel"] * 5}),
        *refusals("choices", {"choices": ["miner", "shovel"]}, {"choices": ["spade"]}),
        *refusals("revealed", {"revealed": {"kind": "shovel", "thief": 1}}, {"revealed": {"kind": "shovel"}}),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(changes, key):
    refused(changed("jill", changes), key)


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
    """Snapshots of the other phases are refused if they lack what the phase needs, or have what it cannot have."""
    place, take, steal, bids, passed, gold, truncated = (position.snapshot for position in in_every_phase())
    cases = [
        (place, {"mine": []}, "pile"),
        (place, {"chosen": None}, "chosen"),
        (take, {"choices": ["miner"]}, "choices"),
        (take, {"choices": ["miner", "shovel"]}, "choices"),
        (take, {"to_move": 0}, "to_move"),
        (take, {"passes": 1}, "passes"),
        (steal, {"steal": {"kind": "pulley", "from": [1]}}, r"steal\.from"),
        (steal, {"steal": {"kind": "pulley", "from": [2, 1]}}, "steal"),
        (steal, {"steal": {"kind": "shed", "from": [1, 2]}}, r"piles\.shed"),
        (steal, {"steal": None}, "steal"),
        (steal, {"revealed": None}, "revealed"),
        (bids, {"auction": None}, "auction"),
        (bids, {"auction": {**bids["auction"], "rank": 4}}, r"auction\.rank"),
        (bids, {"auction": {**bids["auction"], "rank": 1}}, r"tools\.0"),
        (bids, {"auction": {**bids["auction"], "leader": 1}}, r"auction\.leader"),
        (bids, {"auction": {**bids["auction"], "value": 6}}, "gold"),
        (passed, {"passes": 2}, "passes"),
        (gold, {"winners": [1]}, "winners"),
        (gold, {"truncated": True}, r"hands\.0"),
        (gold, {"phase": "play", "to_move": 0, "winners": []}, r"hands\.0"),
        (truncated, {"turn": 30}, "turn"),
        (truncated, {"truncated": False}, r"hands\.0"),
    ]
    for snapshot, changes, key in cases:
        GAME.from_snapshot(snapshot)
        refused({**copy.deepcopy(snapshot), **changes}, key)


def test_a_card_that_cannot_be_laid_is_not_chosen():
    """Somebody would have to place it, and could not."""
    snapshot = base("ring", STUCK).snapshot
    snapshot["hands"][1].remove("C-EW")
    snapshot.update(phase="place", chosen="C-EW")
    refused(snapshot, "chosen")


def test_who_is_asked_with_hidden_tools():
    """Anybody with a tool; nobody without."""
    snapshot = auction(["cart"], ["shed"], options__hidden_tools=True).snapshot
    GAME.from_snapshot(snapshot)
    snapshot["options"]["hidden_tools"] = False
    refused(snapshot, r"tools\.0")


def test_a_thief_in_the_own_turn():
    """Tools that lay open are hidden again when the thief's turn begins."""
    with pytest.raises(SnapshotError, match=r"'revealed\.thief'"):
        arrange([[], []], options__hidden_tools=True, revealed={"kind": "shovel", "thief": 0})
