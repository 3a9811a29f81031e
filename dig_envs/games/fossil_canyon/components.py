"""The box of Fossil Canyon beyond the fossil deck: scoring pieces, event cards and numbers."""

import numpy as np

from dig_envs.games import fossil_deck as deck

MAX_PLAYERS = 6
# as in a sentence
FOSSIL_NAMES = (*deck.TYPE_NAMES[: deck.FIRST_TRACE], *(f"the {name}" for name in deck.TRACE_NAMES))
DISCARDED = 4  # unseen at set-up
STARTING_HAND = np.array([0, 0, 10, 8, 6, 5, 4], np.int8)  # by number of players
DIGS = 2  # in step 2
MAX_EXCHANGES = 3  # the prices are 1, 2 and 3
MAX_HIDDEN = 3
# fossils that a hand without a complete skeleton can hold: 35 skeletal ones and the trace fossils
MAX_HAND = 41
# by which a turn can enlarge a hidden hand: the bonus dig replaces what a skeleton took
MAX_GAIN = DIGS + MAX_EXCHANGES
MAX_IN_HIDDEN = MAX_HIDDEN + MAX_GAIN  # after set-up

AWARDS = ("minor", "major")
AWARD_NAMES = ("a minor award", "the major award")
MINOR, MAJOR = range(len(AWARDS))
AWARD_POINTS = np.array([10, 20], np.int8)
AWARD_PIECES = np.array([3, 1], np.int8)
AWARD_VALUE = np.array([4, 6], np.int8)  # research value that it takes

BONUSES = ("small", "medium", "large")
BONUS_NAMES = (
    "the small bonus for the most carnivore skeletons",
    "the medium bonus for the most Jurassic skeletons",
    "the large bonus for a skeleton of each Cretaceous herbivore",
)
SMALL, MEDIUM, LARGE = range(len(BONUSES))
BONUS_POINTS = np.array([8, 11, 14], np.int8)
HERBIVORES = deck.CRETACEOUS_HERBIVORES  # a skeleton of each earns the large bonus

_WORTH = deck.SKELETONS * deck.VALUE.astype(int)
MAX_CARNIVORES, MAX_CARNIVORE_SUM = (
    int(deck.SKELETONS[deck.CARNIVORE].sum()),
    int(_WORTH[deck.CARNIVORE].sum()),
)
MAX_JURASSIC, MAX_JURASSIC_SUM = (
    int(deck.SKELETONS[deck.JURASSIC].sum()),
    int(_WORTH[deck.JURASSIC].sum()),
)
# everything in one museum
MAX_SCORE = int(_WORTH.sum() + (AWARD_POINTS * AWARD_PIECES).sum() + BONUS_POINTS.sum())

# Event cards, written as the number of fossils that they expose. House: the text of the cards is
# lost.
NUM_EVENTS = 18
EVENT_KINDS = 3
STANDARD_EVENTS = (3, 12, 3)
EVENT_MIXES = tuple(
    (none, one, NUM_EVENTS - none - one)
    for none in range(NUM_EVENTS + 1)
    for one in range(NUM_EVENTS + 1 - none)
)  # every way to choose how many cards expose 0, 1 and 2 fossils
EVENT_MIX = np.array(EVENT_MIXES, np.int8)

MAX_STALEMATE_ROUNDS = 10
MAX_IDLE = MAX_STALEMATE_ROUNDS * MAX_PLAYERS
MOST_TURNS = 1000
MAX_ACTIONS = 24 + 30 * MOST_TURNS  # a turn has at most 30 actions, the set-up at most 24
