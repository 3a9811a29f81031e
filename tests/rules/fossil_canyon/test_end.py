"""FC-30 to FC-36: the end phase, why it stops, bonuses, winners, the turn limit."""

import pytest

from tests.rules.fossil_canyon.positions import base

LAST_DIG = {
    "turn": 18,
    "player": 2,
    "to_move": 2,
    "phase": "dig",
    "digs": 1,
    "ending": False,
    "buried": ["PAC2"],
    "hidden": [["BRA1", "PAC1"], ["EDM"], []],
    "open": [["BRA2"], ["STE1"], ["DEI1"]],
}


def test_fc9_fc30_the_end_phase_begins():
    """FC-30: with the player whose turn would have begun; everything face up, nothing known."""
    position = base("end", {**LAST_DIG, "known.2.0": ["PAC1"]}).play("dig buried", "finish")
    assert not position["ending"], "only when a turn would begin"
    position.play("done")
    assert (position["ending"], position.mover, position["turn"], position["events_seen"]) == (
        True,
        0,
        19,
        18,
    )
    assert position["hidden"] == [[], [], []]
    assert position["known"] == [[[]] * 3] * 3


def test_fc31_awards_in_the_end_phase():
    """FC-31, FC-21, FC-26: the player is asked if an award can be claimed, although no exchange can
    begin."""
    more = {
        "open": [["BRA1", "BRA2", "PAC1"], ["STE1", "PAC2"], ["CAM", "SAU"]],
        "discarded": ["BRA3", "DEI1", "DEI2", "STE2"],
    }
    hands = {
        **more,
        "spent": ["UTA", "ALA", "EDM", "ORN"],
        "awards": [[], [], ["minor"]],
        "scores": [80, 93, 85],
    }
    position = base("end", hands).play("exchange +1", "give open BRA1", "take PAC2")
    assert position["museums.0"] == ["TRI", "ANK", "PAR", "PAR", "PAC", "MOS", "MOS"]
    assert position.mover == 1, "one fossil is left, and it is not a trace fossil"
    assert position.play("finish").legal == {"claim minor", "exchange +1", "exchange +2", "finish"}
    position.play("claim minor", "pay CAM", "pay SAU")
    assert (position["ended"], position["awards.2"]) == ("exhausted", ["minor", "minor"])


def test_fc33_exhausted_at_once():
    """FC-33: when the end phase begins and nothing can be completed, the game is over without
    another turn."""
    hands = {"hidden": [["BRA1"], ["EDM"], []], "open": [["BRA2"], ["STE1"], ["DEI1", "PAC1"]]}
    position = base("end", {**LAST_DIG, **hands}).play("dig buried", "finish", "hide DEI1")
    assert (position["ended"], position["turn"], position["player"], position.mover) == (
        "exhausted",
        18,
        2,
        -1,
    )
    assert position["open.2"] == ["DEI1"], "all fossils lie face up"


def test_fc33_an_exchange_ends_the_passing():
    """FC-33: `passes` counts turns without exchange or claim, `idle` those without a piece."""
    position = base("end").play("finish")
    assert (position["passes"], position["idle"]) == (1, 1)
    position.play("exchange +1", "give open EDM", "take DEI1", "finish")
    assert (position["passes"], position["idle"], position.mover) == (1, 3, 0), (
        "0 after the exchange, then seat 2 was skipped"
    )


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_fc33_stalemate(rounds):
    """FC-33: `stalemate_rounds` rounds without a new piece."""
    position = base("end", {"options.stalemate_rounds": rounds})
    turns = 0
    while position.mover >= 0:
        for _ in range(3):  # exchange, give, take: anything but what would build something
            position.play(min(text for text in position.legal if "PAC" not in text))
        if position["phase"] == "exchange" and position["exchanges"]:
            position.play("finish")
        turns += 1
        assert turns <= 3 * rounds
    assert position["ended"] == "stalemate"
    assert position["idle"] == 3 * rounds


def test_fc33_a_piece_ends_the_idling():
    """FC-33: `idle` becomes 0 after a turn with a new piece for any player."""
    more = {
        "open": [["BRA1", "BRA2", "PAC1"], ["STE1", "PAC2", "EDM"], ["DEI1", "CAM", "ORN"]],
        "idle": 4,
        "passes": 1,
    }
    changes = {
        **more,
        "spent": ["UTA", "SAU"],
        "awards": [[], ["minor"], []],
        "scores": [80, 103, 75],
    }
    position = base("end", changes).play("exchange +1", "give open BRA1", "take PAC2")
    assert (position["idle"], position["passes"], position["ended"]) == (0, 0, None)


@pytest.mark.parametrize("option", [True, False])
def test_fc34_bonuses(option):
    """FC-34: small 8, medium 11, large 14, at the end only; the option leaves them out."""
    position = base("end", {"options.endgame_bonuses": option}).play(
        "exchange +1", "give open BRA1", "take PAC2"
    )
    if option:
        assert position["bonuses"] == [["large"], ["medium"], ["small"]]
        assert position["scores"] == [90 + 14, 103 + 11, 85 + 8]
    else:
        assert (position["bonuses"], position["scores"]) == ([[], [], []], [90, 103, 85])


def test_fc36_the_end_of_the_game_comes_first():
    """FC-36: FC-30 and FC-33 come first: a game that is over by itself is not truncated."""
    hands = {
        "hidden": [["BRA1"], ["EDM"], []],
        "open": [["BRA2"], ["STE1"], ["DEI1", "PAC1"]],
        "options.max_turns": 18,
    }
    position = base("end", {**LAST_DIG, **hands}).play("dig buried", "finish", "hide DEI1")
    assert (position["ended"], position["truncated"]) == ("exhausted", False)
    limit = base("end", {**LAST_DIG, "options.max_turns": 18}).play(
        "dig buried", "finish", "hide PAC2", "done"
    )
    assert (limit["ended"], limit["truncated"], limit["ending"], limit["bonuses"]) == (
        "turns",
        True,
        True,
        [[], [], []],
    )
