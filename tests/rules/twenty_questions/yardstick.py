"""How few questions a card can take: the entropy of the deck, the best policy, and the scripted
player.

    python -m tests.rules.twenty_questions.yardstick

The best policy for one card of a full deck is computed exactly, by dynamic programming over all
sets of genera that answers can leave. A set is written as a number with a bit per genus. The
answers are those of the printed table of questions (`printed.py`).
"""

from math import log2

import numpy as np

from tests.rules.twenty_questions.positions import Position
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS

EVERYTHING = (1 << len(GENERA)) - 1
COUNTS = [CARDS[genus] for genus in GENERA]
ASKS = [sum(1 << GENERA.index(genus) for genus in yes) for yes in QUESTIONS.values()]
GUESSES = [1 << genus for genus in range(len(GENERA))]
ALL_CARDS = sum(COUNTS)


def entropy() -> float:
    """Bits: no policy needs fewer questions on average, since the questions and answers to a card
    must tell it from all others."""
    return -sum(count / ALL_CARDS * log2(count / ALL_CARDS) for count in COUNTS)


def every_set() -> tuple[np.ndarray, np.ndarray]:
    """All sets of genera, and how many cards each has."""
    every = np.arange(EVERYTHING + 1)
    return every, sum(count * (every >> genus & 1) for genus, count in enumerate(COUNTS))


def best_gain(price: float, passing: bool) -> float:
    """The most that one card is worth on average, 1 if it is taken less ``price`` for each
    question, with the best policy.

    ``passing``: whether the card may be passed after the first question.
    """
    every, cards = every_set()
    size = np.bitwise_count(every)
    gain = np.zeros(len(every))  # per set, times its cards
    for number in range(1, len(GENERA) + 1):
        sets = every[size == number]
        most = np.full(len(sets), -np.inf)
        for yes in ASKS:
            useful = (sets & yes != 0) & (sets & ~yes != 0)
            most = np.maximum(most, np.where(useful, gain[sets & yes] + gain[sets & ~yes], -np.inf))
        for genus, guess in enumerate(GUESSES):
            most = np.maximum(
                most, np.where(sets & guess, COUNTS[genus] + gain[sets & ~guess], -np.inf)
            )
        gain[sets] = most - price * cards[sets]
        if passing and number < len(GENERA):
            gain[sets] = np.maximum(0, gain[sets])
    return float(gain[EVERYTHING]) / ALL_CARDS


def best_cost() -> float:
    """Least mean number of questions, the right guess among them, for one card that is not
    passed."""
    return 1 - best_gain(1.0, passing=False)


def best_cost_with_passing() -> float:
    """Least mean number of questions per card taken, from an endless deck of this composition: at
    that price nothing is gained."""
    low, high = 1 / (2 * entropy()), 1 / entropy()
    for _ in range(12):
        price = (low + high) / 2
        low, high = (price, high) if best_gain(price, passing=True) > 0 else (low, price)
    return 1 / low


def best_cards(questions: int) -> float:
    """The most cards that can be expected of so many questions, with passing, from an endless deck
    of this composition."""
    every, cards = every_set()
    expected = np.zeros(len(every))  # per set, times its cards
    of_new_card = 0.0
    for _ in range(questions):
        most = np.full(len(every), -np.inf)
        for yes in ASKS:
            most = np.maximum(most, expected[every & yes] + expected[every & ~yes])
        for genus, guess in enumerate(GUESSES):
            most = np.maximum(
                most,
                np.where(
                    every & guess,
                    COUNTS[genus] * (1 + of_new_card) + expected[every & ~guess],
                    -np.inf,
                ),
            )
        of_new_card = float(most[EVERYTHING]) / ALL_CARDS
        expected = np.maximum(most, cards * of_new_card)
    return of_new_card


def whole_deck(card: str) -> Position:
    """A card in play before all others of the box, with questions enough."""
    rest = [genus for genus in GENERA for _ in range(CARDS[genus] - (genus == card))]
    snapshot = Position.deal(0, questions=40).snapshot
    return Position({**snapshot, "deck": rest, "card": card})


def scripted_questions(card: str) -> int:
    """Questions that the scripted player needs for a card, which it must not pass."""
    position, count = whole_deck(card), 0
    while position["turn"] == 1:
        assert position.scripted != "pass"
        position.play(position.scripted)
        count += 1
    assert position["taken.0"] == [card]
    return count


def scripted_cost() -> float:
    """Mean number of questions of the scripted player for one card of a full deck."""
    return sum(CARDS[genus] * scripted_questions(genus) for genus in GENERA) / ALL_CARDS


def scripted_games(games: int) -> tuple[float, float]:
    """Cards per player in games of two scripted players, and questions spent per card."""
    spent = taken = 0
    for seed in range(games):
        position = Position.deal(seed)
        while position.mover >= 0:
            position.play(position.scripted)
        spent += 40 - sum(position["left"])
        taken += sum(position["scores"])
    return taken / games / 2, spent / taken


if __name__ == "__main__":
    cards, per_card = scripted_games(2000)
    print("questions for one card of a full deck")
    print(f"  entropy                 {entropy():.3f} (bits: no policy needs fewer)")
    print(f"  best policy             {best_cost():.3f}")
    print(f"  best policy, passing    {best_cost_with_passing():.3f}")
    print(f"  scripted player         {scripted_cost():.3f}")
    print("cards taken with 20 questions")
    print(
        f"  best policy             {best_cards(20):.3f} (endless deck), "
        f"{20 / best_cards(20):.3f} questions per card"
    )
    print(
        f"  scripted player         {cards:.3f} (2000 games for two), {per_card:.3f} questions "
        "per card"
    )
