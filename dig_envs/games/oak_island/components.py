"""The box of The Treasure of Oak Island: what the data table says, as arrays, and the numbers of
the rulebook.

A set of characters is a number with a bit for each, in character order.
"""

import numpy as np

from dig_envs.games.oak_island.data import (
    BAG_LIMITS,
    BOX_FILE,
    DIGGING,
    DOLLARS,
    LOCATIONS,
    MOST_ROWS,
    read_box,
)

MIN_PLAYERS, MAX_PLAYERS = 2, 4
MOST_ROUNDS = 1000

BOXES = tuple(read_box(BOX_FILE, version) for version in range(2))  # by version
BOX = BOXES[-1]  # what the versions have in common is read from it
DATA_HASH, DATA_HASH_v1 = (box.hash for box in BOXES)

# ---------------------------------------------------------------- characters and locations

CHARACTERS = BOX.characters
NUM_CHARACTERS = len(CHARACTERS)
EVERYBODY = (1 << NUM_CHARACTERS) - 1
BIT = np.array([1 << c for c in range(NUM_CHARACTERS)], np.int64)

NUM_LOCATIONS, NUM_DIGGING = len(LOCATIONS), len(DIGGING)
LOTS, SWAMP = DIGGING.index("lots"), DIGGING.index("swamp")  # where a red cube brings Laird (OI-15)
CENTRE = NUM_LOCATIONS - 1
# Where a character is: on the compass, or 1 + the index of the location.
PLACES = ("compass", *LOCATIONS)
NUM_PLACES = len(PLACES)
COMPASS = 0

COST = np.array([place.cost for place in BOX.locations], np.int64)
CUBES = np.array([place.cubes for place in BOX.locations[:NUM_DIGGING]], np.int64)
EXTRA = np.array([place.extra for place in BOX.locations[:NUM_DIGGING]], np.int64)
MOST_PULLED = int((CUBES + EXTRA).max())  # in a turn


def _set(names: tuple[str, ...]) -> int:
    return sum(1 << CHARACTERS.index(name) for name in names)


# Per version, location and row: who fills it, and how many are needed; rows that a location has not
# need nobody.
ROWS = np.zeros((len(BOXES), NUM_LOCATIONS, MOST_ROWS), np.int64)
NEED = np.zeros((len(BOXES), NUM_LOCATIONS, MOST_ROWS), np.int8)
for _version, _box in enumerate(BOXES):
    for _place, _location in enumerate(_box.locations):
        for _row, _wanted in enumerate(_location.rows):
            ROWS[_version, _place, _row] = _set(_wanted.characters)
            NEED[_version, _place, _row] = _wanted.need
# Per set of characters: how many they are; per version, location and row how many are still missing
# if these are there; whether the location is then active.
SIZE = np.array([people.bit_count() for people in range(EVERYBODY + 1)], np.int8)
MISSING = np.maximum(NEED[..., None] - SIZE[ROWS[..., None] & np.arange(EVERYBODY + 1)], 0).astype(
    np.int8
)
ACTIVE = (MISSING.sum(axis=2) == 0).astype(np.int8)

# ---------------------------------------------------------------- cubes

CUBE_NAMES = ("brown", "green", "blue", "red", "yellow")
NUM_COLOURS = len(CUBE_NAMES)
BROWN, GREEN, BLUE, RED, YELLOW = range(NUM_COLOURS)
DIRT_NAMES = CUBE_NAMES[:YELLOW]
MOST_OF = np.array([BAG_LIMITS.get(name, 1) for name in CUBE_NAMES], np.int64)  # cubes of a colour
MOST_CUBES = int(MOST_OF.sum())
BAG_DEFAULTS = dict(BOX.bag)
IN_BOX = np.array([BAG_DEFAULTS.get(name, 1) for name in CUBE_NAMES], np.int64)  # per colour

# ---------------------------------------------------------------- money and tokens, by the rulebook

WAR_MONEY = 100  # OI-2
RELOCATION = 100  # OI-4
GREEN_MONEY = 100  # OI-11
IFSO_MONEY = 100  # OI-13
DAZZLER_MONEY = 200  # OI-14
LIMIT = 6  # of If so cubes and clue tokens together (OI-12)

# All that the cubes can bring in a game: each is turned into money once at most.
MOST_FROM_CUBES = int(
    GREEN_MONEY * MOST_OF[GREEN] + IFSO_MONEY * MOST_OF[BLUE] + DAZZLER_MONEY * MOST_OF[RED]
)
MOST_MONEY = WAR_MONEY * MOST_ROUNDS * MAX_PLAYERS + MOST_FROM_CUBES
# A position from outside may hold that much from cubes, and its cubes may bring it once more.
MOST_RELOCATIONS = (WAR_MONEY * MOST_ROUNDS * MAX_PLAYERS + 2 * MOST_FROM_CUBES) // RELOCATION
MOST_TURNS = MOST_ROUNDS * (NUM_CHARACTERS + 2 * MAX_PLAYERS) + MOST_RELOCATIONS
# in a turn of an Episode as many more as there may be extra cubes (OI-19)
MAX_ACTIONS = MOST_TURNS + MOST_ROUNDS * 2 * MAX_PLAYERS * int(EXTRA.max())
assert DOLLARS == RELOCATION  # so that who has any money can pay a relocation
assert MOST_TURNS < 2**15  # turns are counted in 16 bits
