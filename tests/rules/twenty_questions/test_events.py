"""Sentences about what happens that tests/playthroughs do not record: who is told how much, and
what decided."""

import pytest

from dig_envs.engine.core.words import enumeration
from dig_envs.text.sentences import headline
from tests.rules.twenty_questions.positions import GAME, base, in_play

# ---------------------------------------------------------------- the end


def test_tq_10_the_deck_is_empty():
    """TQ-10: with an empty deck the game ends after a pass or a turn, and nobody is passed over."""
    position = in_play("COE", [], left=[9, 9]).play("ask trace")
    assert position.happens("pass")[-2:] == [
        "The card is discarded: Coelophysis.",
        "The game is over. The deck is empty. Equally many cards and equally valuable fossils: "
        "the win is shared. Player 1 and Player 2 won.",
    ]
    told = in_play("COE", [], left=[9, 0]).happens("guess COE", viewer=0)
    assert told[-2:] == [
        "You take the card: Coelophysis.",
        "The game is over. The deck is empty. You won.",
    ]


SHARED = " Equally many cards and equally valuable fossils: the win is shared."
RESEARCH, SKELETAL = (
    f" Equally many cards: the most valuable {what} fossil decides."
    for what in ("research", "skeletal")
)


@pytest.mark.parametrize(
    ("taken", "tie", "winners"),
    [
        ("MOS MOS, CAM", "", [1]),  # most cards
        ("TYR, ORN", RESEARCH, [2]),  # any research fossil before none
        ("ORN SAU TYR, EDM MOS MOS", RESEARCH, [2]),  # one fossil, not their sum
        ("ORN TYR, SAU BRA", SKELETAL, [1]),
        ("MOS MOS, DIL MOS", SKELETAL, [2]),
        ("TYR MOS, BRA BRA, CAM", SKELETAL, [1]),  # the best one, not the sum
        ("ORN, UTA, CAM, ALA", RESEARCH, [2, 3]),
        ("ORN TYR, SAU BRA, MOS TYR", SKELETAL, [1]),
        ("COE, DIL, COE", SKELETAL, [1, 3]),
        ("COE, COE,", SHARED, [1, 2]),
        (",,,", SHARED, [1, 2, 3, 4]),
    ],
)
def test_tq_12_what_decides_is_said(taken, tie, winners):
    """TQ-12: the end reports only what decided between players with the most cards."""
    cards = [seat.split() for seat in taken.split(",")]
    changes = {
        "options__num_players": len(cards),
        "answerer": 1,
        "taken": cards,
        "scores": [len(seat) for seat in cards],
    }
    position = in_play("STE", [], left=[1] + [5] * (len(cards) - 1), **changes)
    told = position.happens("ask trace")
    assert position["winners"] == [p - 1 for p in winners]
    assert told[-1] == (
        f"The game is over. The deck is empty.{tie} "
        f"{enumeration([f'Player {p}' for p in winners])} won."
    )


# ---------------------------------------------------------------- what is to be decided


def test_tq_3_tq_7_the_headline_names_a_pass_where_it_is_legal():
    position = base("start", {"left": [2, 20]})
    assert (
        headline(GAME, position.view(0), 0)
        == "You: ask a question or guess the genus; 2 questions left"
    )
    position.play("ask trace")
    assert (
        headline(GAME, position.view(1), 1)
        == "Player 1: ask a question, guess the genus or pass; 1 question left"
    )
    assert "or pass" in headline(GAME, base("start", {"options.passing": "free"}).view(0), 0)
