"""Sentences about what happens that tests/playthroughs do not record: rare kinds, the order, and
who is told how much."""

from typing import Any

import pytest

from tests.rules.fossil_canyon.positions import Position, arrange, base

EXCHANGE = {"phase": "exchange", "digs": 0}
LAST_DIG = {
    "turn": 18,
    "player": 2,
    "to_move": 2,
    "phase": "dig",
    "digs": 1,
    "ending": False,
    "buried": ["PAC2"],
}
SMALL, MEDIUM, LARGE = (
    "small bonus for the most carnivore skeletons",
    "medium bonus for the most Jurassic skeletons",
    "large bonus for a skeleton of each Cretaceous herbivore",
)
DECIDES = "2 players have the most points, and the most valuable skeleton"


def exchange(hidden: list[list[str]], face_up: list[list[str]], **changes: Any) -> Position:
    """A position in the exchange step of seat 0."""
    return arrange(hidden, face_up, phase="exchange", **changes)


def told_to_each(position: Position, *actions: str) -> list[list[str]]:
    """Return what each seat is told of actions, and, last, what all may know."""
    return [
        position.copy().happens(*actions, viewer=viewer)
        for viewer in (*range(len(position["scores"])), None)
    ]


# ---------------------------------------------------------------- what is hidden


def test_fc24_turned_up_and_turned_down_are_the_difference():
    """FC-24, FC-29: what stays as it was is not told; of two of a type only the difference."""
    hands = {
        "hidden": [["TYR1", "MOS1"], []],
        "open": [["BRA1", "MOS1", "CAM"], ["ALL1"]],
        "phase": "adjust",
    }
    told = told_to_each(arrange(**hands), "hide MOS1", "hide MOS1", "hide CAM")
    seen = [
        "Player 1 keeps 3 fossils hidden.",
        "Player 1 turns Tyrannosaurus part 1 face up.",
        "Player 1 turns Mosasaurus part 1 face down.",
        "Player 1 turns the Camptosaurus nest face down.",
        "Player 2 has the turn.",
    ]
    assert told[2][:5] == seen
    assert told[1][:5] == [*seen[:-1], "You have the turn."]
    assert told[0][:4] == [
        *["You choose to hide Mosasaurus part 1."] * 2,
        "You choose to hide the Camptosaurus nest.",
        "You keep 3 fossils hidden.",
    ]
    same = told_to_each(arrange(**hands), "hide TYR1", "hide MOS1", "done")
    assert same[2][:2] == ["Player 1 keeps 2 fossils hidden.", "Player 2 has the turn."]


# ---------------------------------------------------------------- the dig site


# ---------------------------------------------------------------- skeletons


# ---------------------------------------------------------------- exchanges


def test_fc19_nothing_left_and_fc21_stopped_because_nothing_is_possible():
    told = exchange([["MOS2"], []], [["TYR1"], ["MOS1"]]).happens(
        "exchange +1", "give hidden MOS2", viewer=1
    )
    assert told[2:] == [
        "You build a Mosasaurus for 7 points.",
        "You have nothing left that Player 1 may take.",
        "Player 1 can make no more exchanges.",
    ]
    nobody_has_any = arrange([["CAM", "SAU"], []], [[], []], on_top=["TYR1", "TYR2"])
    assert nobody_has_any.happens("dig buried", "dig buried", viewer=0)[2:] == [
        "You can make no exchange."
    ]


def test_fc12_fc18_a_gift_is_told_before_what_it_completes():
    told = base("start", EXCHANGE).happens("exchange +1", "give open BRA3", "take TYR2", viewer=1)
    assert told == [
        "Player 1 begins an exchange with you: 1 fossil for one.",
        "Player 1 gives you Brachiosaurus part 3.",
        "You build a Brachiosaurus for 20 points, with part 1 from the hidden hand.",
        "Player 1 takes Tyrannosaurus part 2 from you.",
    ]


# ---------------------------------------------------------------- the end


def test_fc30_end_phase_turns_all_fossils_up_before_the_next_turn():
    hands = {"hidden": [["BRA1", "PAC1"], ["EDM"], []], "open": [["BRA2"], ["STE1"], ["DEI1"]]}
    told = base("end", LAST_DIG | hands).happens("dig buried", "finish", "done", viewer=1)
    assert told[-6:] == [
        "Player 3 turns Pachycephalosaurus part 2 face up.",
        "The dig site is empty: the end phase begins, with all fossils face up.",
        "Player 1 turns Brachiosaurus part 1 face up.",
        "Player 1 turns Pachycephalosaurus part 1 face up.",
        "You turn the Edmontosaurus skin impression face up.",
        "Player 1 has the turn.",
    ]


def test_fc32_skipped_and_fc34_bonus_and_no_bonus():
    """FC-32, FC-33, FC-34: skipped players, bonuses, bonuses that go to nobody, and then the reason
    for the end are reported."""
    assert base("end").happens("finish", "finish", viewer=2) == [
        "Player 1 makes no exchange.",
        "Player 2 has the turn.",
        "Player 2 makes no exchange.",
        "You can neither exchange nor claim an award and are skipped.",
        f"You get the {SMALL}: 8 points.",
        f"Player 2 gets the {MEDIUM}: 11 points.",
        f"Nobody gets the {LARGE}.",
        (
            "The game is over. Nobody made an exchange or claimed an award for a whole round. "
            "Player 2 won."
        ),
    ]


def test_fc33_exhausted_and_stalemate():
    told = base("end").happens("exchange +1", "give open BRA1", "take PAC2", viewer=0)
    assert told[-2:] == [
        f"You get the {LARGE}: 14 points.",
        (
            "The game is over. No skeleton can be completed any more, and no award be claimed. "
            "Player 2 won."
        ),
    ]
    actions = ("exchange +2", "give open BRA1", "take DEI1", "finish")
    assert (
        base("end", {"idle": 5}).happens(*actions)[-1]
        == "The game is over. Nobody got a skeleton or an award for 2 rounds. Player 2 won."
    )
    assert base("end").happens(*actions)[-1] == "Player 2 has the turn."


@pytest.mark.parametrize(
    ("museums", "scores", "told"),
    [
        (
            {
                "museums.0": ["TRI", "ANK", "PAR", "PAR", "MOS"],
                "museums.1": ["TYR", "ALL", "ANK", "PAC", "DIL", "DIL", "MOS", "MOS"],
            },
            [73, 110, 85],
            f"Player 3 gets the {SMALL}, by their values after a tie: 8 points.",
        ),
        (
            {
                "museums.0": ["TRI", "ANK", "PAR", "PAR", "COE", "MOS", "MOS"],
                "museums.2": ["ALL", "QUE", "QUE", "COE", "MOS"],
            },
            [89, 103, 76],
            f"Nobody gets the {SMALL}: a tie in number and values.",
        ),
    ],
)
def test_fc34_tied_bonuses(museums, scores, told):
    assert base("end", {**museums, "scores": scores}).happens("finish", "finish")[4] == told


@pytest.mark.parametrize(
    ("museums", "scores", "told"),
    [
        (
            [["TRI", "ANK", "PAR", "PAR", "MOS", "MOS"], ["TYR", "ALL", "ANK", "COE", "DIL", "MOS"],
             ["ALL", "QUE", "QUE", "PAC", "COE", "DIL", "MOS"]],
            [80, 94, 94],
            f"{DECIDES} decides. Player 2 won.",
        ),
        (
            [["TYR", "TRI", "PAC"],
                *[["ALL", "ANK", "QUE", "PAR", "COE", "DIL", "MOS", "MOS"]] * 2],
            [54, 107, 107],
            f"{DECIDES} does not decide either. Player 2 and Player 3 won.",
        ),
    ],
)  # fmt: skip
def test_fc35_ties(museums, scores, told):
    """FC-35: the end reports what broke a tie; with the bonuses switched off no event mentions
    one."""
    plain = {"options.endgame_bonuses": False, "museums": museums, "scores": scores}
    events = base("end", plain).happens("finish", "finish")
    assert events[-1].endswith(told)
    assert not any("bonus" in text for text in events)
