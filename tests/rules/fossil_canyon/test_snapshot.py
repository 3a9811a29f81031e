"""Snapshots: round trips, and refusals that name the key."""

import pytest

from dig_envs.engine.core.errors import SnapshotError
from tests.rules.fossil_canyon.positions import GAME, arrange, refused
from tests.worked_examples import with_changes


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"options.num_players": 2}, "scores"),
        ({"options.hidden_limit": 2}, "hidden.0"),
        ({"options.research": False}, "buried"),
        ({"options.events": [3, 13, 2]}, "events"),
        ({"options.max_turns": 3}, "turn"),
        ({"to_move": 1}, "to_move"),
        ({"phase": "setup"}, "turn"),
        ({"phase": "keep"}, "dug"),
        ({"phase": "exchange"}, "digs"),
        ({"phase": "give", "digs": 0}, "exchange"),
        ({"phase": "pay"}, "claim"),
        ({"phase": "bonus", "digs": 0}, "bonus"),
        ({"phase": "over", "to_move": -1, "digs": 0}, "ended"),
        ({"turn": 0}, "turn"),
        ({"turn": 5}, "events_seen"),
        ({"turn": 7}, "events_seen"),
        ({"turn": 5, "events_seen": 5}, "player"),
        ({"scores": [1, 9, 8]}, "scores"),
        ({"ended": "passed"}, "ended"),
        ({"player": 1, "to_move": 1}, "player"),
        ({"ending": True}, "ending"),
        ({"exposed": ["DIL1", "ANK2", "MOS2"]}, "exposed"),
        ({"exposed": ["ANK2", "DIL1"]}, "buried"),
        ({"discarded": ["TRI2", "PAR3", "DEI2"], "exposed": ["ANK2", "DIL1", "MOS2", "ALA"]}, "discarded"),
        ({"spent": ["CAM"]}, "buried"),
        ({"events": [1] * 18}, "events"),
        ({"events": [3] + [1] * 17}, "events"),
        ({"events_seen": 3}, "events_seen"),
        ({"hidden.0": ["SAU", "ALL1", "MOS1"]}, "hidden"),
        ({"hidden.0": ["ALL1", "SAU"]}, "buried"),
        ({"hidden.1": ["QUE1", "ORN"], "hidden.0": ["BRA1", "ALL1", "MOS1"], "open.1": ["TYR2", "BRA2", "ALL3", "QUE2",
          "PAC1", "MOS1", "SAU"], "known.0.1": ["BRA1"]}, "known.0.1"),
        ({"hidden.2": ["QUE2", "STE1", "PAC2", "EDM"], "open.2": ["TYR3", "PAR1", "DEI1", "UTA"]}, "hidden.2"),
        ({"open.0": ["BRA3", "ALL2", "ANK1", "PAR1", "COE1"]}, "buried"),
        ({"known.0.0": ["MOS1"]}, "known.0.0"),
        ({"known.1.0": ["MOS1", "MOS1"]}, "known.1.0"),
        ({"known.1.0": ["TYR1"]}, "known.1.0"),
        ({"chosen.0": ["CAM"]}, "chosen.0"),
        ({"chosen.1": ["ORN"]}, "chosen.1"),
        ({"museums.0": ["COE"]}, "buried"),
        ({"museums.1": [], "scores": [0, 0, 8]}, "buried"),
        ({"awards.0": ["minor"]}, "spent"),
        ({"bonuses.0": ["small"]}, "scores"),
        ({"bonuses.0": ["small"], "scores": [8, 9, 8]}, "bonuses"),
        ({"digs": 0}, "digs"),
        ({"returned": True}, "returned"),
        ({"dug": "TYR1"}, "dug"),
        ({"bonus": True}, "scored"),
        ({"bonus": True, "scored": True}, "bonus"),
        ({"exchanges": 1}, "exchanges"),
        ({"exchange": {"with": 1, "left": 1, "barred": []}}, "exchange"),
        ({"claim": {"award": "minor", "paid": 0, "back": "dig"}}, "claim"),
        ({"passes": 1}, "passes"),
        ({"idle": 1}, "idle"),
        ({"committed": [0]}, "committed"),
    ],
)  # fmt: skip
def test_impossible_start(changes, key):
    """Every impossible change of `start` is refused, and the message names the key."""
    refused("start", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"player": 1, "to_move": 1, "hidden.0": ["TYR1", "TYR4", "TRI1", "ALL1", "ALL2", "ALL2", "QUE3", "PAC1", "PAC1"],
          "open.0": ["UTA"]}, "hidden.0"),
        ({"chosen.1": ["TRI2"]}, "chosen.1"),
        ({"chosen.0": ["TYR1", "TYR4", "TRI1"]}, "chosen.0"),
        ({"chosen.0": ["TYR3"]}, "chosen.0"),
        ({"chosen.0": ["UTA", "TYR1"]}, "chosen"),
        ({"digs": 2}, "digs"),
        ({"scored": True}, "scored"),
        ({"turn": 1}, "turn"),
        ({"events_seen": 1}, "events_seen"),
        ({"known.0.1": ["TRI2"]}, "known.0.1"),
        ({"player": 1}, "to_move"),
        ({"committed": [0]}, "committed"),
        ({"committed": [0, 1]}, "committed"),
        ({"committed": [2]}, "committed"),
    ],
)  # fmt: skip
def test_impossible_setup(changes, key):
    refused("deal", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"phase": "dig", "digs": 1}, "phase"),
        ({"phase": "adjust"}, "phase"),
        ({"passes": 3, "idle": 3}, "passes"),
        ({"idle": 6}, "idle"),
        ({"passes": 2}, "passes"),
        ({"hidden.0": ["PAC1"], "open.0": ["BRA1", "BRA2"]}, "hidden.0"),
        ({"bonus": True, "scored": True}, "bonus"),
        ({"spent": ["CAM", "UTA", "ORN"], "open.2": ["DEI1", "SAU"]}, "spent"),
        ({"open.0": ["BRA1", "BRA2"], "discarded": ["BRA3", "DEI2", "STE2", "PAC1"], "spent": ["CAM", "UTA", "ALA", "ORN", "SAU"]},
         "phase"),
        ({"phase": "over", "to_move": -1, "ended": "passed", "winners": [1]}, "ended"),
        ({"phase": "over", "to_move": -1, "ended": "passed", "passes": 3, "idle": 3, "winners": [1]}, "bonuses"),
        ({"phase": "over", "to_move": -1, "ended": "exhausted", "passes": 3, "idle": 3, "winners": [1]}, "ended"),
    ],
)  # fmt: skip
def test_impossible_end(changes, key):
    refused("end", changes, key)


def tampered(position, changes, key):
    """A snapshot of a position with changes is refused."""
    position.check_snapshot()
    with pytest.raises(SnapshotError, match=f"'{key}"):
        GAME.from_snapshot(with_changes(position.snapshot, changes))


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"exchange": None}, "exchange"),
        ({"exchange.with": 0}, "exchange.with"),
        ({"exchange.left": 0}, "exchange.left"),
        ({"exchange.left": 2}, "exchange.left"),
        ({"exchange.barred": ["BRA1"]}, "exchange.barred"),
        ({"exchanges": 3}, "exchanges"),
    ],
)
def test_impossible_give(changes, key):
    position = arrange([["TYR1"], []], [["CAM"], ["BRA1"]], phase="exchange").play("exchange +1")
    tampered(position, changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"exchange.left": 1}, "exchange.left"),
        ({"exchange.barred": ["ALL1"]}, "exchange.barred"),
        ({"exchange.barred": ["BRA1", "CAM"]}, "exchange.barred"),
        ({"exchange.barred": ["CAM", "CAM"]}, "exchange.barred"),
        ({"open": [["BRA1"], ["CAM"]]}, "exchange.barred"),  # nothing would be left to take
    ],
)
def test_impossible_take(changes, key):
    position = arrange([["TYR1"], []], [["CAM"], ["BRA1"]], phase="exchange").play("exchange +1", "give open CAM")
    tampered(position, changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"claim.paid": 4}, "spent"),
        ({"claim.paid": 2}, "spent"),
        ({"claim.award": "major"}, "claim.paid"),
        ({"claim.back": "give"}, "claim.back"),
        ({"claim.back": "exchange"}, "digs"),
        ({"claim": None}, "claim"),
        ({"awards.1": ["minor"], "scores": [0, 10]}, "spent"),
    ],
)
def test_impossible_payment(changes, key):
    tampered(arrange([["CAM", "SAU"], []], [[], ["TYR1"]]).play("claim minor", "pay SAU"), changes, key)


def test_keep_needs_the_option():
    position = arrange([[], []], [["TYR1"], ["ALL1"]], options__return_dig=True).play("dig buried")
    tampered(position, {"options.return_dig": False}, "phase")
    tampered(position, {"returned": True}, "returned")


def test_complete_skeletons_are_refused():
    refused("start", {"hidden.0": ["ALL1", "ALL3", "SAU"], "buried.5": "MOS1", "known.1.0": [], "known.2.0": []}, "hidden.0")
