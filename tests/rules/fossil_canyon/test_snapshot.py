"""Snapshots: round trips, and refusals that name the key."""

import pytest

from tests.rules.fossil_canyon.positions import Position, arrange, refused


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"options.hidden_limit": 2}, "hidden.0"),
        ({"options.events": [3, 13, 2]}, "events"),
        ({"options.max_turns": 3}, "turn"),
        ({"phase": "exchange"}, "digs"),
        ({"phase": "bonus", "digs": 0}, "bonus"),
        ({"phase": "over", "to_move": -1, "digs": 0}, "ended"),
        ({"ended": "passed"}, "ended"),
        ({"player": 1, "to_move": 1}, "player"),
        ({"ending": True}, "ending"),
        ({"discarded": ["TRI2", "PAR3", "DEI2"], "exposed": ["ANK2", "DIL1", "MOS2", "ALA"]},
            "discarded"),
        ({"events_seen": 3}, "events_seen"),
        ({"hidden.1": ["QUE1", "ORN"], "hidden.0": ["BRA1", "ALL1", "MOS1"],
            "open.1": ["TYR2", "BRA2", "ALL3", "QUE2",
          "PAC1", "MOS1", "SAU"], "known.0.1": ["BRA1"]}, "known.0.1"),
        ({"hidden.2": ["QUE2", "STE1", "PAC2", "EDM"], "open.2": ["TYR3", "PAR1", "DEI1", "UTA"]},
            "hidden.2"),
        ({"known.0.0": ["MOS1"]}, "known.0.0"),
        ({"known.1.0": ["MOS1", "MOS1"]}, "known.1.0"),
        ({"chosen.0": ["CAM"]}, "chosen.0"),
        ({"museums.1": [], "scores": [0, 0, 8]}, "buried"),
        ({"awards.0": ["minor"]}, "spent"),
        ({"bonuses.0": ["small"]}, "scores"),
        ({"bonuses.0": ["small"], "scores": [8, 9, 8]}, "bonuses"),
        ({"returned": True}, "returned"),
        ({"bonus": True}, "scored"),
        ({"bonus": True, "scored": True}, "bonus"),
        ({"exchanges": 1}, "exchanges"),
        ({"passes": 1}, "passes"),
        ({"idle": 1}, "idle"),
    ],
)  # fmt: skip
def test_impossible_start(changes, key):
    refused("start", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"player": 1, "to_move": 1,
          "hidden.0": ["TYR1", "TYR4", "TRI1", "ALL1", "ALL2", "ALL2", "QUE3", "PAC1", "PAC1"],
          "open.0": ["UTA"]}, "hidden.0"),
        ({"chosen.1": ["TRI2"]}, "chosen.1"),
        ({"chosen.0": ["TYR1", "TYR4", "TRI1"]}, "chosen.0"),
        ({"chosen.0": ["TYR3"]}, "chosen.0"),
        ({"digs": 2}, "digs"),
        ({"scored": True}, "scored"),
        ({"turn": 1}, "turn"),
        ({"events_seen": 1}, "events_seen"),
        ({"player": 1}, "to_move"),
    ],
)  # fmt: skip
def test_impossible_setup(changes, key):
    refused("deal", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"phase": "dig", "digs": 1}, "phase"),
        ({"passes": 3, "idle": 3}, "passes"),
        ({"idle": 6}, "idle"),
        ({"passes": 2}, "passes"),
        ({"hidden.0": ["PAC1"], "open.0": ["BRA1", "BRA2"]}, "hidden.0"),
        ({"bonus": True, "scored": True}, "bonus"),
        ({"spent": ["CAM", "UTA", "ORN"], "open.2": ["DEI1", "SAU"]}, "spent"),
        ({"open.0": ["BRA1", "BRA2"], "discarded": ["BRA3", "DEI2", "STE2", "PAC1"],
            "spent": ["CAM", "UTA", "ALA", "ORN", "SAU"]},
         "phase"),
        ({"phase": "over", "to_move": -1, "ended": "passed", "winners": [1]}, "ended"),
        ({"phase": "over", "to_move": -1, "ended": "passed", "passes": 3, "idle": 3,
            "winners": [1]}, "bonuses"),
        ({"phase": "over", "to_move": -1, "ended": "exhausted", "passes": 3, "idle": 3,
            "winners": [1]}, "ended"),
    ],
)  # fmt: skip
def test_impossible_end(changes, key):
    refused("end", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"exchange.with": 0}, "exchange.with"),
        ({"exchange.left": 2}, "exchange.left"),
        ({"exchange.barred": ["BRA1"]}, "exchange.barred"),
        ({"exchanges": 3}, "exchanges"),
    ],
)
def test_impossible_give(changes, key):
    position = arrange([["TYR1"], []], [["CAM"], ["BRA1"]], phase="exchange").play("exchange +1")
    Position.refuses(position.snapshot, changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"exchange.left": 1}, "exchange.left"),
        ({"exchange.barred": ["ALL1"]}, "exchange.barred"),
        ({"exchange.barred": ["BRA1", "CAM"]}, "exchange.barred"),
        ({"open": [["BRA1"], ["CAM"]]}, "exchange.barred"),  # nothing would be left to take
    ],
)
def test_impossible_take(changes, key):
    position = arrange([["TYR1"], []], [["CAM"], ["BRA1"]], phase="exchange").play(
        "exchange +1", "give open CAM"
    )
    Position.refuses(position.snapshot, changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"claim.paid": 2}, "spent"),
        ({"claim.award": "major"}, "claim.paid"),
        ({"claim.back": "exchange"}, "digs"),
    ],
)
def test_impossible_payment(changes, key):
    Position.refuses(
        arrange([["CAM", "SAU"], []], [[], ["TYR1"]]).play("claim minor", "pay SAU").snapshot,
        changes,
        key,
    )


def test_keep_needs_the_option():
    position = arrange([[], []], [["TYR1"], ["ALL1"]], options__return_dig=True).play("dig buried")
    Position.refuses(position.snapshot, {"options.return_dig": False}, "phase")
    Position.refuses(position.snapshot, {"returned": True}, "returned")


def test_complete_skeletons_are_refused():
    refused(
        "start",
        {"hidden.0": ["ALL1", "ALL3", "SAU"], "buried.5": "MOS1", "known.1.0": [], "known.2.0": []},
        "hidden.0",
    )
