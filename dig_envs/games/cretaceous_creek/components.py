"""The box of Cretaceous Creek: fossils, event cards, grid and numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.games import fossil_deck

GENERA = ("TYR", "TRI", "ANK", "PAC", "PAR", "QUE")
_IN_DECK = [fossil_deck.GENERA.index(genus) for genus in GENERA]
GENUS_NAMES = tuple(fossil_deck.GENUS_NAMES[g] for g in _IN_DECK)
PARTS = fossil_deck.PARTS[_IN_DECK]  # per genus
SKELETONS = fossil_deck.SKELETONS[_IN_DECK]  # per genus: copies of each part

TYPES = tuple(
    f"{genus}{part + 1}"
    for genus, parts in zip(GENERA, PARTS, strict=True)
    for part in range(parts)
) + ("EDM",)
TYPE_NAMES = tuple(fossil_deck.TYPE_NAMES[fossil_deck.TYPES.index(t)] for t in TYPES)
NUM_TYPES = len(TYPES)
NUM_GENERA = len(GENERA)
EDM = NUM_TYPES - 1  # the Edmontosaurus skin impression: no skeleton, but sandbags (CC-24)
NO_GENUS = NUM_GENERA

GENUS_OF = np.array([g for g in range(NUM_GENERA) for _ in range(PARTS[g])] + [NO_GENUS], np.int8)
# of each genus; the last entry is EDM
FIRST_TYPE = np.concatenate([[0], np.cumsum(PARTS)]).astype(np.int8)
COPIES = np.array([SKELETONS[g] for g in GENUS_OF[:-1]] + [1], np.int8)  # per type
MOST_COPIES = np.array([2] * EDM + [1], np.int8)  # per type, in any variant
FOSSILS = np.repeat(np.arange(NUM_TYPES, dtype=np.int8), COPIES)  # the cards
ALL_FOSSILS = [TYPES[t] for t in FOSSILS]
NUM_FOSSILS = 30


def fossils_of(position: Mapping[str, Any]) -> list[str]:
    """The fossil cards of a game, from a snapshot or a view: those of its variant, or of the
    box."""
    return list(position.get("fossils") or ALL_FOSSILS)


ROWS, COLUMNS = 3, 5
NUM_SPACES = ROWS * COLUMNS
SPACES = tuple(f"{row}{column}" for row in "ABC" for column in range(1, COLUMNS + 1))
CAMPS = np.array([0, 4, 10, 14], np.int8)
IS_CAMP = np.isin(np.arange(NUM_SPACES), CAMPS)
SPACE_NAMES = tuple(
    f"camp {space}" if is_camp else space for space, is_camp in zip(SPACES, IS_CAMP, strict=True)
)

DIRECTIONS = ("N", "E", "S", "W", "NE", "SE", "SW", "NW")
DIRECTION_NAMES = (
    "north",
    "east",
    "south",
    "west",
    "north-east",
    "south-east",
    "south-west",
    "north-west",
)
_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))
NOWHERE = -1


def _neighbours() -> np.ndarray:
    table = np.full((NUM_SPACES, len(DIRECTIONS)), NOWHERE, np.int8)
    for space in range(NUM_SPACES):
        for direction, (south, east) in enumerate(_STEPS):
            row, column = space // COLUMNS + south, space % COLUMNS + east
            if 0 <= row < ROWS and 0 <= column < COLUMNS:
                table[space, direction] = row * COLUMNS + column
    return table


NEIGHBOUR = _neighbours()  # (space, direction) -> space or NOWHERE
# here, N, E, S, W
REACH = np.concatenate([np.arange(NUM_SPACES, dtype=np.int8)[:, None], NEIGHBOUR[:, :4]], axis=1)
DISTANCE = np.array(
    [
        [
            abs(a // COLUMNS - b // COLUMNS) + abs(a % COLUMNS - b % COLUMNS)
            for b in range(NUM_SPACES)
        ]
        for a in range(NUM_SPACES)
    ],
    np.int8,
)

# Event cards: 0 to 14 name a space, NO_EROSION is a blank one. House: one card per space leaves
# three of the 18.
NO_EROSION = NUM_SPACES
NUM_EVENTS = 18
EVENTS = np.minimum(np.arange(NUM_EVENTS), NO_EROSION).astype(np.int8)
EVENT_NAMES = (*SPACES, "none")
EVENT_CALLED = (*SPACE_NAMES, "no erosion")  # the same in plain English
DECK_SIZE = np.array([0, 4, 8, 12, 16], np.int8)  # by Storm Phase
LAST_STORM = 4
MAX_STACKS = 4

ACTION_POINTS = 4
STORAGE, SOLO_STORAGE = 4, 6
TURNED_UP = np.array([0, 0, 10, 2], np.int8)  # event cards that turn up top fossils, by level
MAX_TURNS = 32  # CC-30
MAX_ACTIONS = 240  # CC-30
