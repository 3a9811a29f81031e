"""The scripted player of Twenty Questions beside the best policy for one card and the entropy of
the deck."""

import pytest

from dig_envs.benchmark.suite import SUITES
from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.twenty_questions import yardstick
from tests.rules.twenty_questions.printed import CARDS


def test_the_best_policy_is_between_entropy_and_a_binary_code():
    """No policy is below the entropy; the best is less than a question above it."""
    assert yardstick.entropy() == pytest.approx(3.9445, abs=1e-4)
    assert yardstick.entropy() <= yardstick.best_cost() < yardstick.entropy() + 1
    # a whole number of questions for all 64 cards
    assert yardstick.best_cost() * 64 == pytest.approx(261)


def test_passing_gains_nothing():
    """At the price at which the best policy without passing gains nothing, it gains nothing with
    passing either."""
    assert yardstick.best_gain(1 / yardstick.best_cost(), passing=True) == pytest.approx(
        0, abs=1e-9
    )
    assert yardstick.best_gain(0.2, passing=True) > 0


def test_the_scripted_player_needs_no_more_questions_than_the_best_policy():
    """For one card of a full deck: the mean over all cards."""
    assert yardstick.scripted_cost() == pytest.approx(yardstick.best_cost())


def test_no_card_takes_it_long():
    assert max(yardstick.scripted_questions(genus) for genus in CARDS) <= 7


def test_the_most_cards_with_few_questions():
    """One question is best spent on Mosasaurus, two on two guesses: by hand."""
    assert yardstick.best_cards(1) == pytest.approx(8 / 64)
    assert yardstick.best_cards(2) == pytest.approx(16 / 64)  # the second on a new card in any case


@pytest.mark.slow
def test_the_benchmark_counts_by_the_optimum():
    found = {
        task.all_options["questions"]: task.optimum for task in SUITES["full"].tasks if task.optimum
    }
    assert found.keys() == {10, 20, 30}
    for questions, cards in found.items():
        assert yardstick.best_cards(questions) == pytest.approx(cards, abs=1e-6)


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_whole_games_of_the_scripted_player_are_near_the_best():
    """Cards taken with 20 questions."""
    cards, per_card = yardstick.scripted_games(400)
    assert cards > 0.97 * yardstick.best_cards(20)
    assert per_card * cards == pytest.approx(20)
