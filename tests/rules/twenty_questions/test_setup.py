"""Components, TQ-1 and TQ-2 of Twenty Questions."""

from collections import Counter

import pytest

from dig_envs.games.twenty_questions import components as box
from tests.rules.tables import number
from tests.rules.twenty_questions.positions import GAME, chi_square, deal
from tests.rules.twenty_questions.printed import ANSWERS, CARDS, GENERA, QUESTIONS, TABLE

NUMBERS = {
    "cards": box.CARDS,
    "length m": box.LENGTH,
    "weight kg": box.WEIGHT,
    "fossils": box.FOSSILS,
    "skeletons": box.SKELETONS,
    "value": box.VALUE,
    "research": box.RESEARCH,
}


def test_the_table_of_genera():
    """Every number of the box, against the printed table."""
    assert list(box.GENERA) == GENERA
    for g, row in enumerate(TABLE.values()):
        assert (box.GENUS_NAMES[g], box.PERIOD[g], box.TRACE[g]) == (
            row["name"],
            row["period"],
            row["research"] != "–",
        )
        assert (box.CARNIVORE[g], box.DINOSAUR[g]) == (
            row["diet"] == "carnivore",
            row["dinosaur"] == "yes",
        )
        assert {name: numbers[g] for name, numbers in NUMBERS.items()} == {
            name: number(row[name]) for name in NUMBERS
        }
    assert sum(CARDS.values()) == box.NUM_CARDS == 64
    assert box.MAX_ACTIONS == 4 * 40 + 64  # TQ-13


def test_the_table_of_questions():
    """TQ-2: for every question and genus the printed answer; every two genera differ in some
    answer."""
    assert list(GAME.actions[:33]) == list(QUESTIONS)
    for action, (question, yes) in enumerate(QUESTIONS.items()):
        assert [genus for g, genus in enumerate(GENERA) if box.YES[action] >> g & 1] == yes, (
            question
        )
        assert sum(CARDS[genus] for genus in yes) == number(ANSWERS[question]["cards"])
    assert len({tuple(genus in yes for yes in QUESTIONS.values()) for genus in GENERA}) == len(
        GENERA
    )


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("questions", [1, 20, 40])
def test_deal(players, questions):
    """TQ-1: one card in play, the others face down; the last seat answers, seat 0 asks."""
    snapshot = deal(5, num_players=players, questions=questions).snapshot
    assert snapshot["options"] == {
        "num_players": players,
        "questions": questions,
        "passing": "asked",
    }
    assert Counter([*snapshot["deck"], snapshot["card"]]) == Counter(CARDS)
    assert (snapshot["to_move"], snapshot["answerer"], snapshot["turn"]) == (0, players - 1, 1)
    assert snapshot["left"] == [questions] * players
    assert snapshot["asked"] == snapshot["discards"] == []
    assert snapshot["taken"] == [[]] * players


def test_the_shuffle_is_uniform():
    """TQ-1: each card is in play first as often as any other, and so at the bottom of the deck."""
    games = [deal(seed).snapshot for seed in range(1280)]
    for found in (
        Counter(game["card"] for game in games),
        Counter(game["deck"][0] for game in games),
    ):
        assert chi_square(found, CARDS) < 42.3  # 18 degrees of freedom, 0.1 %
