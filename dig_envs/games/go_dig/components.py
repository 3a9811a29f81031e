"""The box of Go Dig: the skeletal cards of the fossil deck (the trace fossils stay in the box), and
numbers."""

import numpy as np

from dig_envs.games import fossil_deck as deck

MAX_PLAYERS = 4
STARTING_HAND = 7
NUM_TYPES = deck.FIRST_TRACE
TYPES = deck.TYPES[:NUM_TYPES]
COPIES = deck.COPIES[:NUM_TYPES]  # per type
CARDS = deck.FOSSILS[: int(COPIES.sum())]  # in type order
NUM_CARDS = len(CARDS)
NUM_SKELETONS = int(deck.SKELETONS.sum())
MAX_SCORE = int(deck.SKELETONS.astype(int) @ deck.VALUE)  # everything in one museum
# cards that a hand without a complete skeleton can hold
MAX_HAND = int(deck.SKELETONS.astype(int) @ (deck.PARTS - 1))
# of a genus in a set of genera
BIT = np.array([1 << genus for genus in range(deck.NUM_GENERA)], np.int16)
BUILT_BITS = 4  # in which the skeletons of a genus in one museum are counted: at most 4
# one of a seat
ONE_BUILT = np.array([1 << BUILT_BITS * seat for seat in range(MAX_PLAYERS)], np.int16)
TYPE_BIT = BIT[deck.GENUS_OF[:NUM_TYPES]]  # of the genus of a type
# In table order come first the genera of four parts, then those of three, then those of two.
FIRST_OF_3_PARTS, FIRST_OF_2_PARTS = (int(np.argmax(parts == deck.PARTS)) for parts in (3, 2))

MOST_TURNS = 10_000
# In a turn each request but the last brings its maker a card, and nobody takes any from the player
# whose turn it is.
MAX_ACTIONS = MOST_TURNS * NUM_CARDS
