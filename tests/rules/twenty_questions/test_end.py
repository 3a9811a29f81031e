"""The end of Twenty Questions: TQ-10 to TQ-12."""

import pytest

from tests.rules.twenty_questions.positions import base, in_play


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


@pytest.mark.parametrize(("text", "left", "taken"), [("guess COE", 9, ["COE"]), ("ask trace", 1, [])])
def test_an_empty_deck_ends_the_game_after_a_turn(text, left, taken):
    """TQ-10: also when the card is taken or discarded with the last question; the number of turns stays."""
    position = in_play("COE", [], left=[left, 9])
    before = position["discards"]
    position.play(text)
    assert (position["phase"], position["to_move"], position["answerer"], position["turn"]) == ("over", -1, -1, 1)
    assert (position["taken.0"], position["card"]) == (taken, None)
    assert len(position["discards"]) == len(before) + (not taken)


@pytest.mark.parametrize(("text", "winners"), [("guess COE", [0]), ("guess TYR", [0, 1])])
def test_no_questions_left_end_the_game(text, winners):
    """TQ-11: with cards in the deck, and the last card taken or not."""
    position = base("start", {"left": [1, 0]}).play(text)
    assert (position["phase"], position["winners"], position["turn"], position["left"]) == ("over", winners, 1, [0, 0])
    assert len(position["deck"]) == 63
    assert position["truncated"] is False


def test_the_whole_deck_can_be_passed_away():
    """TQ-7, TQ-10: with free passing; the same player goes on until the deck is empty, in one turn."""
    position = base("start", {"options.passing": "free"})
    deck = position["deck"]
    for count in range(63):
        position.play("pass")
        assert (position["to_move"], position["answerer"], position["turn"]) == (0, 1, 1)
        assert (position["left"], position["card"]) == ([20, 20], deck[-1 - count])
    position.play("pass")
    assert position["discards"] == ["COE", *reversed(deck)]
    assert (position["phase"], position["winners"], position["turn"]) == ("over", [0, 1], 1)
