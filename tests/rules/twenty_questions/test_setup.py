"""Components, options, TQ-1 and TQ-2 of Twenty Questions."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.errors import OptionError
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s
from tests.rules.twenty_questions.positions import GAME, deal, in_play
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS, TABLE, YES_CARDS


def test_the_table_of_genera():
    """Every number of the box, against the printed table."""
    assert list(box.GENERA) == GENERA
    for g, row in enumerate(TABLE.values()):
        name, cards, period, diet, dinosaur, length, weight, fossils, skeletons, value, research = row
        assert (box.GENUS_NAMES[g], box.CARDS[g], box.PERIOD[g], box.DINOSAUR[g]) == (name, cards, period, dinosaur)
        assert (box.CARNIVORE[g], box.LENGTH[g], box.WEIGHT[g]) == (diet == "carnivore", length, weight)
        assert (box.FOSSILS[g], box.SKELETONS[g], box.VALUE[g]) == (fossils or 0, skeletons or 0, value or 0)
        assert (box.RESEARCH[g], box.TRACE[g]) == (research or 0, research is not None)
    assert sum(CARDS.values()) == box.NUM_CARDS == 64
    assert sum(count for genus, count in CARDS.items() if TABLE[genus][10] is None) == 58


def test_the_table_of_questions():
    """TQ-2: for every question and genus the printed answer."""
    assert list(GAME.actions[:33]) == list(QUESTIONS)
    for action, (question, yes) in enumerate(QUESTIONS.items()):
        found = [genus for g, genus in enumerate(GENERA) if box.YES[action] >> g & 1]
        assert found == yes, question
        assert sum(CARDS[genus] for genus in found) == YES_CARDS[question]


def test_every_two_genera_differ_in_some_answer():
    patterns = {tuple(genus in yes for yes in QUESTIONS.values()) for genus in GENERA}
    assert len(patterns) == len(GENERA)


def test_actions():
    """53 actions: 33 questions, 19 guesses, pass."""
    assert len(GAME.actions) == 53
    assert list(GAME.actions[33:52]) == [f"guess {genus}" for genus in GENERA]
    assert GAME.actions[52] == "pass"
    firsts = {"ask carnivore": 3, "ask fossils 2": 6, "ask value>=10": 12, "ask research 1": 17, "ask length<4": 20}
    for text, index in {**firsts, "ask weight<50": 25, "ask name A-C": 30}.items():
        assert GAME.action_index[text] == index


def test_the_state_is_small():
    assert GAME.state.itemsize < 512
    assert s.ACTIONS.names == GAME.actions


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("questions", [1, 20, 40])
def test_deal(players, questions):
    """TQ-1: one card in play, the others face down; the last seat answers, seat 0 asks."""
    position = deal(5, num_players=players, questions=questions)
    snapshot = position.snapshot
    assert snapshot["options"] == {"num_players": players, "questions": questions, "passing": "asked"}
    assert Counter([*snapshot["deck"], snapshot["card"]]) == Counter(CARDS)
    assert (snapshot["to_move"], snapshot["answerer"], snapshot["turn"]) == (0, players - 1, 1)
    assert snapshot["left"] == [questions] * players
    assert snapshot["asked"] == snapshot["discards"] == snapshot["winners"] == []
    assert snapshot["taken"] == [[]] * players
    assert snapshot["phase"] == "question"


def test_defaults():
    assert GAME.complete_options({}) == {"num_players": 2, "questions": 20, "passing": "asked"}


@pytest.mark.parametrize("bad", [{"num_players": 1}, {"num_players": 5}, {"questions": 0}, {"questions": 41}, {"passing": "never"}])
def test_other_options_are_refused(bad):
    with pytest.raises(OptionError, match=next(iter(bad))):
        GAME.complete_options(bad)


def test_the_shuffle_is_uniform():
    """TQ-1: each card is in play first as often as any other, and so at the bottom of the deck."""
    first, last = Counter(), Counter()
    games = 1280
    for seed in range(games):
        snapshot = deal(seed).snapshot
        first[snapshot["card"]] += 1
        last[snapshot["deck"][0]] += 1
    for found in (first, last):
        expected = np.array([CARDS[genus] / 64 * games for genus in GENERA])
        chi_square = (((np.array([found[genus] for genus in GENERA]) - expected) ** 2) / expected).sum()
        assert chi_square < 42.3  # 18 degrees of freedom, 0.1 %


@pytest.mark.parametrize("genus", GENERA)
def test_the_answers_are_true(genus):
    """TQ-2, TQ-4: each question about each card."""
    position = in_play(genus, options__questions=40, left=[40, 40])
    position.play(*QUESTIONS)
    assert position["asked"] == [[question, genus in yes] for question, yes in QUESTIONS.items()]
