"""Snapshots of Twenty Questions: positions that no game can reach are refused, and the key is
named."""

import pytest

from tests.rules.twenty_questions.positions import base, in_play, refused
from tests.rules.twenty_questions.printed import CARDS, GENERA

OVER = {"phase": "over", "to_move": -1, "answerer": -1, "card": None, "winners": [0, 1]}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"to_move": 1}, "answerer"),
        ({"turn": 2}, "turn"),
        ({"answerer": -1}, "answerer"),
        ({"deck.3": "TYR"}, "deck"),
        ({"left": [0, 20]}, "left.0"),
        ({"left": [21, 20]}, "left.0"),
        ({"asked": [["ask trace", False]]}, "asked"),
        ({"asked": [["ask trace", True]], "left": [19, 20]}, "asked.0.1"),
        ({"asked": [["ask trace"]], "left": [19, 20]}, "asked.0"),
        ({"asked": [["pass", False]], "left": [19, 20]}, "asked.0.0"),
        ({"asked": [["ask trace", False], ["ask trace", False]], "left": [18, 20]}, "asked"),
        ({"asked": [["guess COE", True]], "left": [19, 20]}, "asked"),
        ({"asked": [["guess COE", False]], "left": [19, 20]}, "asked.0.1"),
    ],
)
def test_impossible_starts(changes, key):
    refused("start", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"options.questions": 5}, "left"),
        ({"left": [39, 10]}, "left"),  # no pass without a question
        ({"left": [40, 40], "options.passing": "free"}, "left"),  # nor a card
        ({"taken.0": ["TYR", "BRA"]}, "deck"),
        ({"deck": ["PAR", "STE", "STE"]}, "deck"),
        ({"turn": 63}, "turn"),
        ({**OVER, "winners": [1]}, "deck"),  # the card in play is missing
        # cards and questions left
        ({**OVER, "winners": [1], "deck": ["PAR", "STE", "MOS"]}, "left"),
        ({**OVER, "winners": [0], "deck": ["PAR", "STE", "MOS"], "left": [0, 0]}, "winners"),
        (
            {**OVER, "answerer": 1, "winners": [1], "deck": ["PAR", "STE", "MOS"], "left": [0, 0]},
            "answerer",
        ),
        (
            {
                **OVER,
                "winners": [1],
                "deck": ["PAR", "STE", "MOS"],
                "left": [0, 0],
                "asked": [["ask trace", False]],
            },
            "asked",
        ),
        (
            {**OVER, "winners": [1], "deck": ["PAR", "STE", "MOS"], "left": [0, 0], "turn": 62},
            "turn",
        ),
    ],
)
def test_impossible_ends(changes, key):
    refused("end", changes, key)


def test_sound_positions_of_all_kinds_are_accepted():
    """The edges of the invariants: what is just possible."""
    changes = {**OVER, "winners": [1], "deck": ["PAR", "STE", "MOS"], "left": [0, 0], "turn": 61}
    assert base("end", changes).mover == -1
    assert base("end", {"turn": 62})["turn"] == 62
    assert base("end", {"left": [40, 36], "options.passing": "free"})["left"] == [40, 36]
    assert in_play("COE", asked=[["ask trace", False]], left=[19, 20]).legal
    assert in_play("COE", asked=[["ask trace", False]], left=[1, 20])["left"] == [1, 20]


def test_one_seat_may_have_taken_everything():
    """No list is outgrown: a seat with most of the cards can take the rest."""
    cards = [genus for genus in GENERA for _ in range(CARDS[genus])]
    cards.remove("COE")
    cards.remove("DIL")
    changes = {
        "options.questions": 40,
        "left": [6, 10],
        "deck": ["DIL"],
        "taken": [cards, []],
        "scores": [62, 0],
    }
    position = base("start", changes).play("guess COE", "guess DIL")
    assert (position["scores"], position["winners"]) == ([63, 1], [0])
    assert len(position["taken.0"]) == 63
