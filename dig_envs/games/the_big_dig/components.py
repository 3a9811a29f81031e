"""The box of The Big Dig: the board, the pieces, and the living animals and decks of the two data
files."""

from typing import Any

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


def support_by_counts(most: int) -> np.ndarray[Any, Any]:
    """Support by the numbers of matching species and of those that have the output state (BD-7).

    Returns an int8 array (most + 1, most + 1), entry ``[n, k]`` with k <= n; 0 … 99, the scaled
    lower end of the Wilson interval (Wilson 1927) for the share of the majority, ``max(k, n - k)``,
    and 0 without matching species.
    """
    n = np.arange(most + 1, dtype=np.float64)[:, np.newaxis]
    k = np.minimum(np.arange(most + 1, dtype=np.float64)[np.newaxis, :], n)
    m = np.maximum(k, n - k)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = Z * np.sqrt(m * (n - m) / n + Z * Z / 4)
        lower = (m + Z * Z / 2 - spread) / (n + Z * Z)
    lower[0] = 0.0
    return np.maximum(0, np.rint(100 * (2 * lower - 1))).astype(np.int8)


SUPPORT = support_by_counts(NUM_SPECIES)

# BD-6: per space, how many species match it, and how many of these have each state.
_has_state = (FAUNA[:, ATTRIBUTE_OF] == np.arange(NUM_STATES)).astype(np.uint8)
# assertion, negation of each state
_matches = np.stack([_has_state, 1 - _has_state], axis=2).reshape(NUM_SPECIES, -1).T
MATCHING, MATCHING_WITH = (
    _matches.sum(axis=1).astype(np.uint8),
    (_matches @ _has_state).astype(np.uint8),
)
