"""Snapshots: round trips, and refusals that name the key."""

import pytest

from tests.rules.fossil_memory.positions import BASES, PLACES, Position, base, start
from tests.worked_examples import with_changes

CHOSEN = ["BRA", "TRI", "ALL", "PAR", "PAC", "COE", "DIL", "MOS"]  # those of the bases
SHOWN = start().flip("1,1", "1,2", "1,5").snapshot
UP = start().flip("1,5", "1,1", "1,1", "1,2").snapshot
OVER = start(max_turns=2).flip("4,5", "4,6", "1,1", "1,5").snapshot
RECENT = start("recent", 3).flip("4,5", "1,1", "1,5", "2,2", "1,5", "2,5", "1,2").snapshot
FINISHED = base("end").flip("4,5", "4,6").snapshot
MIDDLE = {"shown": SHOWN, "up": UP, "over": OVER, "recent": RECENT, "finished": FINISHED}


def seen(*places: str) -> list[bool]:
    return [place in places for place in PLACES]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"options.genera": CHOSEN[::-1]}, "options.genera"),
        ({"options.genera": ["BRA", "TRI", "ALL", "ANK", "PAC", "COE", "DIL", "MOS"]}, "genera"),
        ({"options.recall": "recent"}, "seen"),
        ({"options.recall": "none", "seen": None, "recent": [[], []]}, "recent"),
        ({"recent": [[], []]}, "recent"),
        ({"to_move": 1}, "to_move"),
        ({"turn": 3}, "shown"),
        ({"scores": [1, 0]}, "scores.0"),
        ({"genera": ["TYR", "BRA", "TRI", "ALL", "ANK", "PAC", "COE", "DIL", "MOS"]}, "grid"),
        ({"genera": [*CHOSEN[:4], "DEI", *CHOSEN[4:]]}, "genera"),
        ({"genera": ["TYR", "BRA", "TRI", "ALL", "QUE", "PAR", "PAC", "COE", "DIL"]}, "genera"),
        ({"grid.0": "TYR2"}, "grid"),
        ({"up": ["1,1"]}, "seen"),
        ({"up": ["1,1", "1,1"]}, "up"),
        ({"up": ["1,1", "1,5"], "seen": seen("1,1", "1,5")}, "up"),
        ({"up": ["4,5", "4,6"], "seen": seen("4,5", "4,6")}, "up"),
        ({"up": ["1,1"], "seen": seen("1,1", "1,2")}, "seen"),
        ({"shown": ["1,1", "1,5"], "seen": seen("1,1", "1,5")}, "shown"),
        (
            {
                "museums": [["MOS"], []],
                "scores": [7, 0],
                "grid.22": "",
                "grid.23": "",
                "seen": seen("4,5", "4,6"),
            },
            "museums.0",
        ),
    ],
    ids=str,
)
def test_impossible_beginnings(changes, key):
    Position.refuses(BASES["start"], changes, key)


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        ("shown", {"shown": ["1,1", "1,2"]}, "shown"),
        ("shown", {"shown": ["1,1", "1,5", "1,2"]}, "shown"),
        ("shown", {"shown": ["4,5", "4,6", "1,5"]}, "shown"),
        ("shown", {"seen.0": False}, "seen"),
        ("shown", {"up": ["1,3"], "seen.2": True}, "shown"),
        ("shown", {"turn": 1, "to_move": 0}, "shown"),
        ("up", {"shown": ["1,1", "1,5"]}, "shown"),
        ("up", {"up": ["1,1", "1,2", "1,3", "1,4"]}, "up"),
        ("up", {"up": ["1,1", "1,2", "1,3"]}, "seen"),
        ("over", {"truncated": False}, "phase"),
        ("over", {"turn": 1}, "turn"),
        ("over", {"shown": [], "up": ["1,1"]}, "up"),
        ("over", {"seen.22": False}, "seen"),
        ("over", {"museums": [["MOS", "DIL"], []]}, "grid"),
        ("over", {"museums": [[], ["MOS"]]}, "scores"),
        ("over", {"shown.0": "4,5"}, "shown"),
        ("finished", {"truncated": True, "turn": 200}, "truncated"),
        ("finished", {"phase": "flip", "to_move": 0, "winners": []}, "phase"),
        ("finished", {"turn": 5}, "museums.0"),
        ("recent", {"recent.0": ["2,5"]}, "recent.0"),
        ("recent", {"recent.0": ["1,2", "1,5"]}, "recent.0"),
        ("recent", {"recent.2": ["2,5"]}, "recent.2"),
        ("recent", {"recent.2": ["1,2", "2,5"]}, "recent.2"),
        ("recent", {"recent.2": ["1,1", "2,5", "1,2"]}, "recent.2"),
        ("recent", {"recent.1": ["2,2", "2,2", "1,5", "2,5", "1,2"]}, "recent.1"),
        ("recent", {"recent.1": ["1,6", "2,1", "1,1", "2,2", "1,5", "2,5", "1,2"]}, "recent.1"),
    ],
    ids=str,
)
def test_impossible_middles(name, changes, key):
    Position.refuses(MIDDLE[name], changes, key)


def test_recent_before_the_first_flip():
    Position.refuses(start("recent").snapshot, {"recent": [["1,1"], ["1,1"]]}, "recent.0")


def test_recent_of_a_taken_card():
    snapshot = start("recent").flip("4,5", "4,6", "1,1", "1,5").snapshot
    Position.refuses(snapshot, {"recent.0": ["4,6", "1,1", "1,5"]}, "recent.0")


def test_recent_of_seats_that_have_not_decided_yet_is_the_same():
    snapshot = start("recent", 4).flip("1,1", "1,5").snapshot
    assert snapshot["recent"] == [["1,5"], *[["1,1", "1,5"]] * 3]
    for seat in (1, 2, 3):
        Position.refuses(snapshot, {f"recent.{seat}": ["2,2", "1,1", "1,5"]}, f"recent.{seat}")


def test_a_list_of_genera_is_kept():
    snapshot = with_changes(BASES["start"], {"options.genera": CHOSEN})
    assert Position(snapshot)["options.genera"] == CHOSEN
