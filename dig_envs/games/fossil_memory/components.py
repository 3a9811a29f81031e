"""The box of Fossil Memory: the grid, which genera can be in play together, and the cards as the
grid holds them."""

from itertools import combinations

import numpy as np

from dig_envs.games import fossil_deck as deck

MAX_PLAYERS = 4

# House: 4 rows of 6 cards; which way round does not matter to play.
ROWS, COLUMNS = 4, 6
NUM_PLACES = ROWS * COLUMNS
PLACES = tuple(f"{row},{column}" for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1))
PLACE_NAMES = tuple(
    f"row {row}, column {column}" for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1)
)

# A place holds 1 + the type of its card, or 0 when the card has been taken.
TAKEN = 0
CARDS = ("", *deck.TYPES[: deck.FIRST_TRACE])
# of the card; arbitrary for TAKEN
GENUS_OF = np.concatenate([[0], deck.GENUS_OF[: deck.FIRST_TRACE]]).astype(np.int8)
# from 0; arbitrary for TAKEN
PART_OF = np.array([0, *(part for parts in deck.PARTS for part in range(parts))], np.int8)
MAX_PARTS = int(deck.PARTS.max())

# Besides the one genus of four parts, four of three and four of two are in play.
ALWAYS = deck.GENERA[0]
EACH_KIND = 4
THREE_PARTS = tuple(
    genus for genus, parts in zip(deck.GENERA, deck.PARTS, strict=True) if parts == 3
)
TWO_PARTS = tuple(genus for genus, parts in zip(deck.GENERA, deck.PARTS, strict=True) if parts == 2)
CHOICES = tuple(
    (*a, *b)
    for a in combinations(THREE_PARTS, EACH_KIND)
    for b in combinations(TWO_PARTS, EACH_KIND)
)
NUM_CHOICES = len(CHOICES)
# per choice, genus
IN_PLAY = np.array(
    [[genus in (ALWAYS, *choice) for genus in deck.GENERA] for choice in CHOICES], np.int8
)
NUM_SKELETONS = 1 + 2 * EACH_KIND
MAX_SCORE = int((IN_PLAY @ deck.VALUE.astype(int)).max())

MOST_TURNS = 1000
MAX_ACTIONS = MAX_PARTS * MOST_TURNS
