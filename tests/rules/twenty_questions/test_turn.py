"""Turns of Twenty Questions: TQ-3 to TQ-9."""

import pytest

from tests.rules.twenty_questions.positions import GAME, base, in_play
from tests.rules.twenty_questions.printed import GENERA, QUESTIONS


def test_only_the_questioner_decides():
    """TQ-2, TQ-3, TQ-7: everything may be put but `pass`."""
    position = base("start")
    assert position.legal == set(GAME.actions) - {"pass"}
    assert position.legal_for(1) == set()
    assert position.play("ask trace").mover == 0


def test_what_follows_from_the_answers_is_legal():
    """TQ-4, TQ-5: a carnivore of the Triassic is neither trace fossil nor Tyrannosaurus; but nothing is put twice."""
    position = base("start").play("ask period T")
    assert position.legal == set(GAME.actions) - {"ask period T"}
    position.play("guess TYR")
    assert position["asked"] == [["ask period T", True], ["guess TYR", False]]
    assert (position.mover, position["left"]) == (0, [18, 20])
    assert position.legal == set(GAME.actions) - {"ask period T", "guess TYR"}


def test_a_question_may_be_put_again_about_the_next_card():
    """TQ-4: only what has been put about the card in play counts."""
    position = base("start").play("ask carnivore", "guess DIL", "guess COE")
    assert position.legal == set(GAME.actions) - {"pass"}
    position = base("start").play("ask carnivore", "guess DIL", "pass")
    assert {"ask carnivore", "guess DIL"} <= position.legal


@pytest.mark.parametrize("genus", GENERA)
def test_a_right_guess_takes_the_card(genus):
    """TQ-5, TQ-6: of each genus; every other guess is wrong."""
    position = in_play(genus, options__questions=40, left=[40, 40])
    position.play(*(f"guess {other}" for other in GENERA if other != genus))
    assert position["taken"] == [[], []]
    assert position.legal == set(QUESTIONS) | {f"guess {genus}", "pass"}
    top = position["deck"][-1]
    position.play(f"guess {genus}")
    assert (position["taken"], position["left"]) == ([[genus], []], [21, 40])
    assert (position["to_move"], position["answerer"], position["card"], position["turn"]) == (1, 0, top, 2)


def test_cards_taken_and_discards_keep_their_order():  # TQ-6, TQ-7
    position = base("start").play("guess COE", "guess TYR", "guess MOS", "ask trace", "pass", "ask trace", "pass", "guess SAU")
    assert position["taken"] == [["COE", "MOS"], ["TYR", "SAU"]]
    assert position["discards"] == ["CAM", "PAC"]


@pytest.mark.parametrize("text", ["guess TYR", "ask trace"])
def test_pass_after_a_wrong_guess_or_a_question(text):
    """TQ-7: a guess is a question, too; each card needs one of its own; a pass costs nothing, also with one question left."""
    position = base("start", {"left": [2, 20]}).play(text, "pass")
    assert (position["to_move"], position["card"], position["left"]) == (0, "TYR", [1, 20])
    assert "pass" not in position.legal
    assert "pass" not in base("start").play(text, "guess COE").legal


@pytest.mark.parametrize("text", ["ask trace", "guess TYR"])
def test_the_last_question_ends_the_turn(text):
    """TQ-8: the card is discarded, there is no pass after it."""
    position = base("start", {"left": [1, 20]}).play(text)
    assert position["discards"] == ["COE"]
    assert (position["to_move"], position["answerer"], position["asked"], position["left"]) == (1, 0, [], [0, 20])


@pytest.mark.parametrize(
    ("seat", "left", "questioner", "answerer"),
    [
        (1, [5, 5, 5, 5], 2, 1),
        (1, [5, 5, 0, 5], 3, 1),
        (1, [5, 5, 0, 0], 0, 1),
        (1, [0, 5, 0, 0], 1, 0),
        (1, [5, 1, 0, 0], 0, 1),
        (1, [0, 1, 0, 5], 3, 1),
        (0, [5, 0, 0], 0, 2),
    ],
)
def test_who_is_next(seat, left, questioner, answerer):
    """TQ-9: clockwise, those without questions passed over; alone, the right neighbour answers."""
    n = len(left)
    changes = {"options.num_players": n, "scores": [0] * n, "taken": [[]] * n, "left": left, "to_move": seat}
    position = base("start", {**changes, "answerer": (seat - 1) % n}).play("guess COE")
    assert (position["to_move"], position["answerer"], position["turn"]) == (questioner, answerer, 2)
