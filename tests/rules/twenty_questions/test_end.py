"""The winners of Twenty Questions: TQ-12."""

import pytest

from tests.rules.twenty_questions.positions import in_play


@pytest.mark.parametrize(
    ("taken", "winners"),
    [
        ("MOS MOS, CAM", [0]),  # most cards
        ("TYR, ORN", [1]),  # any research fossil before none
        ("ORN TYR, EDM MOS", [1]),  # the higher research value
        ("ORN SAU TYR, EDM MOS MOS", [1]),  # one fossil, not their sum
        ("ORN TYR, SAU BRA", [0]),  # then the higher skeletal value
        ("MOS MOS, DIL MOS", [1]),  # one skeletal fossil
        ("TYR MOS, BRA BRA", [0]),  # the best one, not the sum
        ("ALA EDM, CAM MOS", [1]),
        ("ORN, SAU", [0, 1]),  # shared
        ("COE, COE,", [0, 1]),
        ("COE, DIL, COE", [0, 2]),
        ("ORN, UTA, CAM, ALA", [1, 2]),
        (",,,", [0, 1, 2, 3]),
    ],
)
def test_winners(taken, winners):
    """TQ-12: cards, then the best research fossil, then the best skeletal fossil, then shared."""
    cards = [seat.split() for seat in taken.split(",")]
    left = [1] + [5] * (len(cards) - 1)
    scores = [len(seat) for seat in cards]
    changes = {"options__num_players": len(cards), "answerer": 1, "left": left, "taken": cards, "scores": scores}
    position = in_play("STE", [], **changes).play("ask trace")
    assert (position["phase"], position["winners"]) == ("over", winners)
