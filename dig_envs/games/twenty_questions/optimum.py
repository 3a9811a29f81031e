"""The most cards that can be expected of so many questions:

    python -m dig_envs.games.twenty_questions.optimum --questions 20

Computed exactly, by dynamic programming over all 2¹⁹ sets of genera that answers can leave and over the questions left, for cards
that are drawn with replacement from the deck of the box. In games cards that have been seen are gone from the deck, so that who
counts them may take slightly more.
"""

import argparse

import numpy as np

from dig_envs.engine.core.checks import check_integer
from dig_envs.games.twenty_questions import components as box

ASKS = [int(box.YES[action]) for action in range(len(box.YES) - box.NUM_GENERA)]


def best_cards(questions: int) -> float:
    """Return the mean number of cards that the best policy takes with so many questions, with passing.

    Args:
        questions: 1 to 40.

    Raises:
        TypeError, ValueError: a number that is none or out of range.
    """
    check_integer(questions, "questions", 1, box.MAX_QUESTIONS)
    every = np.arange(1 << box.NUM_GENERA)
    cards = sum(int(count) * (every >> genus & 1) for genus, count in enumerate(box.CARDS))
    expected = np.zeros(len(every))  # per set, times its cards: the cards still to be taken
    of_new_card = 0.0
    for _ in range(questions):
        most = np.full(len(every), -np.inf)
        for yes in ASKS:
            most = np.maximum(most, expected[every & yes] + expected[every & ~yes])
        for genus in range(box.NUM_GENERA):
            taken = int(box.CARDS[genus]) * (1 + of_new_card)
            most = np.maximum(most, np.where(every >> genus & 1, taken + expected[every & ~(1 << genus)], -np.inf))
        of_new_card = float(most[-1]) / box.NUM_CARDS
        expected = np.maximum(most, cards * of_new_card)  # or the card is passed
    return of_new_card


def main() -> None:
    """Print the most cards that can be expected."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.twenty_questions.optimum", description=main.__doc__)
    parser.add_argument("--questions", type=int, default=box.QUESTIONS, help="of a player")
    questions = parser.parse_args().questions
    print(f"{best_cards(questions):.6f} cards with {questions} questions")


if __name__ == "__main__":
    main()
