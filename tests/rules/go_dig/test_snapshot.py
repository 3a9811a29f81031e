"""Snapshots: refusals that name the key."""

import pytest

from dig_envs.engine.core.errors import SnapshotError
from tests.rules.go_dig.positions import GAME, Position, base, changed, refused


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"scores": [1, 0]}, "scores.0"),
        ({"pile.0": "TYR2"}, "pile"),
        ({"museums.0": ["MOS"]}, "pile"),
        ({"museums.0": ["MOS"] * 24}, "museums.0"),
        ({"museums": [["MOS"] * 12, ["MOS"] * 12]}, "museums.1"),
        ({"known.0": ["TYR1"]}, "known.0"),
        ({"known.0": ["MOS1", "MOS1"]}, "known.0"),
        ({"known.0": ["TRI1"]}, "maybe.0.0"),
        ({"known.0": ["TRI1", "TRI2"], "maybe.0": [5] * 13, "asked.0": ["TRI"]}, "asked.0"),
        ({"asked.0": ["TYR"]}, "asked.0"),
        ({"maybe.0.2": 1}, "maybe.0.2"),
        ({"maybe.0.0": 8}, "maybe.0.0"),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(changes, key):
    refused("start", changes, key)


def test_a_complete_skeleton_in_a_hand():
    """A hand with a complete skeleton is refused, even if the multiset of all cards is right."""
    snapshot = changed(
        "start", {"hands.0": ["TRI1", "TRI2", "TRI3", "ALL1", "ALL2", "STE1", "COE1"]}
    )
    snapshot["hands"][1] = ["ALL1", "ALL3", "QUE1", "QUE2", "DIL1", "MOS1", "MOS1"]
    with pytest.raises(SnapshotError, match=r"'hands\.0': contains a complete skeleton"):
        GAME.from_snapshot(snapshot)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"hands": [[], ["ANK1", "COE1", "MOS1"], ["ANK2", "ANK3", "COE2", "MOS2"]],
            "maybe": [[0] * 13, [3] * 13, [4] * 13]},
         "to_move"),
        ({"hands": [["ANK1"], [], ["ANK3", "COE2", "MOS2"]], "pile": ["ANK2", "COE1", "MOS1"],
            "maybe.0": [1] * 13}, "hands.1"),
        ({"phase": "over", "to_move": -1, "winners": [0]}, "phase"),
        ({"phase": "over", "to_move": -1, "winners": [0], "truncated": True}, "turn"),
        ({"phase": "over", "to_move": -1, "winners": [1], "truncated": True, "turn": 200},
            "winners"),
    ],
)  # fmt: skip
def test_late_positions_that_cannot_be(changes, key):
    refused("late", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"phase": "ask", "to_move": 0, "winners": []}, "to_move"),
        ({"truncated": True, "turn": 200}, "truncated"),
    ],
)
def test_the_end_that_cannot_be(changes, key):
    over = base("late").play("ask +2 MOS", "ask +1 ANK", "ask +2 ANK", "ask +1 COE").snapshot
    Position.refuses(over, changes, key)


def test_truncated_positions_come_back():
    """GD-14: hands and pile stay as they are."""
    base("late", {"turn": 200}).play("ask +1 MOS").check_snapshot()
