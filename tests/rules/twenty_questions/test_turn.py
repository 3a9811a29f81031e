"""Turns of Twenty Questions: TQ-3 to TQ-11."""

import pytest

from tests.rules.twenty_questions.positions import GAME, base, in_play
from tests.rules.twenty_questions.printed import GENERA, QUESTIONS


def test_only_the_questioner_decides():
    """TQ-2, TQ-3."""
    position = base("start")
    assert position.mover == 0
    assert position.states["owes"][0].tolist() == [1, 0, 0, 0]
    position.play("ask trace")
    assert position.mover == 0


def test_everything_is_legal_at_first_but_pass():
    """TQ-3, TQ-7."""
    assert base("start").legal == set(GAME.actions) - {"pass"}


def test_a_question_costs_one_and_cannot_be_repeated():
    """TQ-4."""
    position = base("start").play("ask carnivore")
    assert position["left"] == [19, 20]
    assert position.legal == set(GAME.actions) - {"ask carnivore"}


def test_a_question_whose_answer_follows_is_legal():
    """TQ-4: a carnivore of the Triassic is no trace fossil, and may be asked about nevertheless."""
    position = base("start").play("ask period T")
    assert {"ask period K", "ask period J", "ask trace", "ask fossils 4"} <= position.legal


def test_a_question_may_be_put_again_about_the_next_card():
    """TQ-4: only what has been put about the card in play counts."""
    position = base("start").play("ask carnivore", "guess DIL", "guess COE")
    assert position.legal == set(GAME.actions) - {"pass"}
    position = base("start").play("ask carnivore", "guess DIL", "pass")
    assert {"ask carnivore", "guess DIL"} <= position.legal


def test_a_wrong_guess_goes_on():
    """TQ-5: also one that the answers rule out is legal, but none twice."""
    position = base("start").play("ask period T", "guess TYR")
    assert position["asked"] == [["ask period T", True], ["guess TYR", False]]
    assert position.mover == 0
    assert position["left"] == [18, 20]
    assert "guess TYR" not in position.legal
    assert "guess BRA" in position.legal


@pytest.mark.parametrize("genus", GENERA)
def test_a_right_guess_takes_the_card(genus):
    """TQ-5, TQ-6: of each genus; every other guess is wrong."""
    position = in_play(genus, options__questions=40, left=[40, 40])
    position.play(*(f"guess {other}" for other in GENERA if other != genus))
    assert position["taken"] == [[], []]
    assert position.legal == set(QUESTIONS) | {f"guess {genus}", "pass"}
    top = position["deck"][-1]
    position.play(f"guess {genus}")
    assert position["taken"] == [[genus], []]
    assert position["left"] == [21, 40]
    assert (position["to_move"], position["answerer"], position["card"], position["turn"]) == (1, 0, top, 2)


def test_cards_taken_and_discards_keep_their_order():
    """TQ-6, TQ-7."""
    position = base("start").play("guess COE", "guess TYR", "guess MOS", "ask trace", "pass", "ask trace", "pass", "guess SAU")
    assert position["taken"] == [["COE", "MOS"], ["TYR", "SAU"]]
    assert position["discards"] == ["CAM", "PAC"]


def test_pass_after_a_wrong_guess_or_a_question():
    """TQ-7: a guess is a question, too; and each card needs one of its own."""
    for text in ("guess TYR", "ask trace"):
        position = base("start").play(text)
        assert "pass" in position.legal
        position.play("pass")
        assert position["left"] == [19, 20], "a pass costs nothing"
        assert "pass" not in position.legal
    assert "pass" not in base("start").play("ask trace", "guess COE").legal


def test_free_passing_without_limit():
    """TQ-7: the whole deck can be passed away; the same player goes on until it is empty (TQ-10)."""
    position = base("start", {"options.passing": "free"})
    deck = position["deck"]
    for count in range(63):
        position.play("pass")
        assert (position["to_move"], position["answerer"], position["turn"]) == (0, 1, 1)
        assert position["left"] == [20, 20]
        assert position["card"] == deck[-1 - count]
    position.play("pass")
    assert position["phase"] == "over"
    assert position["discards"] == ["COE", *reversed(deck)]
    assert (position["winners"], position["turn"]) == ([0, 1], 1)


@pytest.mark.parametrize("text", ["ask trace", "guess TYR"])
def test_the_last_question_ends_the_turn(text):
    """TQ-8: the card is discarded, there is no pass after it."""
    position = base("start", {"left": [1, 20]}).play(text)
    assert position["discards"] == ["COE"]
    assert (position["to_move"], position["answerer"], position["asked"], position["left"]) == (1, 0, [], [0, 20])


def test_a_player_may_pass_with_one_question_left():
    """TQ-7: the question left is for the next card."""
    position = base("start", {"left": [2, 20]}).play("ask trace", "pass")
    assert (position["to_move"], position["card"], position["left"]) == (0, "TYR", [1, 20])


@pytest.mark.parametrize(
    ("left", "questioner", "answerer"),
    [
        ([5, 5, 5, 5], 2, 1),
        ([5, 5, 0, 5], 3, 1),
        ([5, 5, 0, 0], 0, 1),
        ([0, 5, 0, 0], 1, 0),
        ([5, 1, 0, 0], 0, 1),
        ([0, 1, 0, 5], 3, 1),
    ],
)
def test_who_is_next(left, questioner, answerer):
    """TQ-9: clockwise, those without questions passed over; alone, the right neighbour answers."""
    changes = {"options.num_players": 4, "scores": [0] * 4, "taken": [[]] * 4, "left": left, "to_move": 1, "answerer": 0}
    position = base("start", changes).play("guess COE")
    assert (position["to_move"], position["answerer"]) == (questioner, answerer)
    assert position["turn"] == 2


def test_alone_seat_0_is_answered_by_the_last():
    """TQ-9: the right of seat 0 is the last seat."""
    changes = {"options.num_players": 3, "scores": [0] * 3, "taken": [[]] * 3, "left": [5, 0, 0], "answerer": 1}
    position = base("start", changes).play("guess COE")
    assert (position["to_move"], position["answerer"]) == (0, 2)


def test_an_empty_deck_ends_the_game_after_a_turn():
    """TQ-10: also when the card is taken or discarded with the last question; the number of turns stays."""
    for text, taken, discards in (("guess COE", ["COE"], 0), ("ask trace", [], 1)):
        position = in_play("COE", [], left=[1 if discards else 9, 9])
        before = len(position["discards"])
        position.play(text)
        assert (position["phase"], position["to_move"], position["answerer"], position["turn"]) == ("over", -1, -1, 1)
        assert position["taken.0"] == taken
        assert len(position["discards"]) == before + discards
        assert position["card"] is None


def test_no_questions_left_end_the_game():
    """TQ-11: with cards in the deck, and the last card taken or not."""
    for text, winners in (("guess COE", [0]), ("guess TYR", [0, 1])):
        position = base("start", {"left": [1, 0]}).play(text)
        assert position["phase"] == "over"
        assert len(position["deck"]) == 63
        assert (position["winners"], position["turn"], position["left"]) == (winners, 1, [0, 0])
        assert position.legal == set()
        assert position["truncated"] is False
