"""The scripted player of Twenty Questions knows what it is doing."""

import pytest

from tests.rules.twenty_questions.positions import base, consistent, in_play
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS


def cards_left(asked):
    return {genus: count for genus, count in CARDS.items() if consistent(genus, asked)}


def test_it_begins_with_a_question_that_halves_the_deck():
    text = base("start").scripted
    yes = sum(CARDS[genus] for genus in QUESTIONS[text])
    assert 24 <= yes <= 40


def test_it_guesses_what_is_certain():
    assert base("start").play("ask period T").scripted == "guess COE"


def test_it_guesses_the_likelier_of_two():
    """Of two genera left the scripted player guesses the likelier one: Brachiosaurus has three
    cards, Stegosaurus two."""
    position = in_play("STE").play("ask period J", "ask skeletons 1")
    assert set(cards_left(position["asked"])) == {"BRA", "STE"}
    assert position.scripted == "guess BRA"


@pytest.mark.parametrize("genus", GENERA)
def test_it_asks_nothing_whose_answer_it_knows(genus):
    """Every question and guess leaves fewer genera."""
    position = in_play(genus)
    while position["turn"] == 1:
        before = cards_left(position["asked"])
        text = position.scripted
        position.play(text)
        if position["turn"] == 1:
            assert cards_left(position["asked"]).keys() < before.keys()


def test_it_passes_when_a_new_card_is_better():
    """With one question left the scripted player passes if a new card is easier: the deck has
    little else than Mosasaurus."""
    discards = [
        genus
        for genus in GENERA
        if CARDS[genus] > 1 and genus != "MOS"
        for _ in range(CARDS[genus])
    ]
    traces = [genus for genus in GENERA if CARDS[genus] == 1]
    deck = [*traces[1:], *["MOS"] * 8]
    position = in_play(traces[0], deck, left=[2, 2]).play("ask trace")
    assert sorted(position["discards"]) == sorted(discards)
    assert position.scripted == "pass"


def test_it_does_not_pass_from_an_empty_deck():
    """The scripted player does not pass when the deck is empty, since that would end the game
    without a win."""
    position = in_play("CAM", [], left=[9, 9]).play("ask period T")
    assert position.scripted.removeprefix("guess ") in cards_left(position["asked"])


def test_it_ends_a_game_that_it_wins():
    """TQ-7, TQ-10: where passing is free, or the deck is empty, the better standing is a win; a
    shared one is not."""
    ahead = {"taken": [["TYR"], ["BRA"]], "scores": [1, 1], "left": [15, 15]}
    assert in_play("COE", options__passing="free", **ahead).scripted == "pass"
    level = {"taken": [["BRA"], ["BRA"]], "scores": [1, 1], "left": [15, 15]}
    assert in_play("COE", options__passing="free", **level).scripted != "pass"
    assert in_play("COE", **ahead).play("ask trace").scripted != "pass"
    last = in_play("COE", [], **ahead).play("ask trace")
    assert last.scripted == "pass"
    assert last.play("pass")["winners"] == [0]
