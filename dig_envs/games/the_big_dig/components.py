"""The box of The Big Dig: the board, the pieces, and the living animals and decks of the two data
files."""

import math

import numpy as np

from dig_envs.games.the_big_dig.board import ATTRIBUTE_OF, NUM_REGIONS, NUM_STATES, REGIONS, STATES
from dig_envs.games.the_big_dig.data import (
    DECK_REQUESTS,
    DECK_STATES,
    DECKS_FILE,
    FAUNA_FILE,
    ROCKS,
    read_decks,
    read_fauna,
)

SEATS = 2
MOST_TURNS = 6
MAX_MODELS = 12  # per player: two a turn
MAX_ARGUMENTS = 12  # of both players: one each a turn
MAX_INPUTS = 2
NUM_TOKENS = 12  # per player
MAX_ACTIONS = 264  # of a game of six turns
MAX_SCORE = 300
MOST_ARGUMENT_POINTS = 2 * (1 + MAX_INPUTS)  # BD-18
# A turn gives a seat at most an argument, and two tokens that a discovery may pay (BD-24).
POINTS_PER_TURN = MOST_ARGUMENT_POINTS + 2 * 5

DECK_SIZE = DECK_STATES + DECK_REQUESTS + ROCKS

# Excavation cards: the index of a state, then the regions of special requests, then rocks.
REQUEST_CARD = NUM_STATES
ROCK_CARD = REQUEST_CARD + NUM_REGIONS
CARD_NAMES = (*STATES, *(f"request {region}" for region in REGIONS), "rock")

Z = 1.96  # normal quantile of a 95 % interval (BD-7)

# Argument points.
NULLIFICATION_POINTS = 5  # BD-28
CONTRIBUTION_POINTS = 5  # BD-33
DISCOVERED_ASSERTION, DISCOVERED_NEGATION, DISPROVED = 5, 2, 5  # BD-24, per token

# House: the living animals, as state indices (species, attribute), and the four decks (BD-8).
SPECIES, FAUNA = read_fauna(FAUNA_FILE)
NUM_SPECIES = len(SPECIES)
DECKS = read_decks(DECKS_FILE)
DECK_STATE_CARDS = np.array([deck.states for deck in DECKS], np.int8)  # in state order
DECK_REQUEST_CARDS = np.array([deck.requests for deck in DECKS], np.int8)  # regions
STARTER = 0  # the deck of the first game
_starter_discovery = DECKS[STARTER].starter_discovery
assert _starter_discovery is not None  # `read_decks` asks for it
STARTER_DISCOVERY: int = _starter_discovery


def support_by_counts(n: int, k: int) -> int:
    """Support by the numbers of matching species and of those that have the output state (BD-7): 0
    … 99, the scaled lower end of the Wilson interval (Wilson 1927) for the share of the majority,
    ``max(k, n - k)``, and 0 without matching species."""
    if n == 0:
        return 0
    m = max(k, n - k)
    spread = Z * math.sqrt(m * (n - m) / n + Z * Z / 4)
    lower = (m + Z * Z / 2 - spread) / (n + Z * Z)
    return max(0, round(100 * (2 * lower - 1)))


# by the numbers of the minority and of matching species; 0 where that would be the majority
SUPPORT = np.array(
    [
        [support_by_counts(n, few) if 2 * few <= n else 0 for n in range(NUM_SPECIES + 1)]
        for few in range(NUM_SPECIES // 2 + 1)
    ],
    np.int8,
)

# BD-6: the species that have a state, and all, as bits of two words (74, 2), (1, 2)
_has_state = (FAUNA[:, ATTRIBUTE_OF] == np.arange(NUM_STATES)).T
HAVING, EVERY = (
    np.packbits(np.pad(some, ((0, 0), (0, 128 - NUM_SPECIES))), axis=1).view(np.int64)
    for some in (_has_state, np.ones((1, NUM_SPECIES), np.bool_))
)
