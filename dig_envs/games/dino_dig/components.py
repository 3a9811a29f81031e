"""The box of Dino Dig: cards, the dig site as numbers, and tables of both.

A card is held as a number from 1 on, a square, too; 0 stands for no card, and for the home base. A
set of cards or of squares is an int64 with a bit for each number.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MAX_PLAYERS = 4
PIECES = 3  # paleontologists of each player
NONE = 0  # no card; the home base, and places outside the site, among the squares

# ---------------------------------------------------------------- cards, in table order

RANKS = "23456789TJQKA"
NUM_VALUES = len(RANKS)
LOWEST_VALUE = 2  # of the rank at place 0
SUITS = "HDSC"
NUM_SUITS = len(SUITS)
RANK_NAMES = (*map(str, range(2, 11)), "jack", "queen", "king", "ace")
SUIT_NAMES = ("hearts", "diamonds", "spades", "clubs")
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2")
CARD_NAMES = (
    *(f"{rank} of {suit}" for suit in SUIT_NAMES for rank in RANK_NAMES),
    "joker 1",
    "joker 2",
)
CARD_TEXTS = (None, *CARDS)  # by number
NUM_CARDS = len(CARDS)
FIRST_JOKER = NUM_VALUES * NUM_SUITS + 1
LAST_JOKER = FIRST_JOKER + 1
JOKERS = (1 << FIRST_JOKER) | (1 << LAST_JOKER)
ALL_VALUES = (1 << NUM_VALUES) - 1  # a set of values: bit 0 is the 2
# the twos; times a set of values: the cards with these
EACH_SUIT = sum(1 << (1 + NUM_VALUES * suit) for suit in range(NUM_SUITS))
NO_ACES = (ALL_VALUES >> 1) * EACH_SUIT
NO_TWOS = NO_ACES << 1
ENOUGH_CARDS = 5  # in a museum, to end the game

# ---------------------------------------------------------------- squares, row by row

ROWS = COLUMNS = 7
NUM_SQUARES = ROWS * COLUMNS
HOME = NONE
SQUARES = tuple(f"{row},{column}" for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1))
PLACES = ("home", *SQUARES)  # of a piece, by number
DIRECTIONS = ("N", "E", "S", "W")
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
ROW_OF = np.array([0, *(row for row in range(ROWS) for _ in range(COLUMNS))], np.int8)  # from 0
COLUMN_OF = np.array([0, *(column for _ in range(ROWS) for column in range(COLUMNS))], np.int8)


def square_at(row: int, column: int) -> int:
    """The number of the square, rows and columns from 0; NONE outside the table of squares."""
    return 1 + row * COLUMNS + column if 0 <= row < ROWS and 0 <= column < COLUMNS else NONE


def square_set(texts: Iterable[str]) -> int:
    return sum(1 << PLACES.index(text) for text in texts)


# Per square and direction: the place beside it.
NEIGHBOUR = np.array(
    [[NONE] * 4]
    + [
        [square_at(row + dr, column + dc) for dr, dc in STEPS]
        for row in range(ROWS)
        for column in range(COLUMNS)
    ],
    np.int8,
)
# the same as sets
BESIDE = np.array([sum(1 << int(n) for n in around if n != NONE) for around in NEIGHBOUR], np.int64)
# Per square and direction: the place beside it is outside the table of squares.
OUTSIDE = np.array(
    [[False] * 4, *([n == NONE for n in around] for around in NEIGHBOUR[1:])], np.int8
)


def _on_side(square: int, direction: int, far: int) -> int:
    """The set of squares that lie on one side of a square and up to so many steps away."""
    (down, right), found = STEPS[direction], 0
    for other in range(1, NUM_SQUARES + 1):
        rows, columns = (
            int(ROW_OF[other]) - int(ROW_OF[square]),
            int(COLUMN_OF[other]) - int(COLUMN_OF[square]),
        )
        if rows * down + columns * right > 0 and abs(rows) + abs(columns) <= far:
            found |= 1 << other
    return found


MOST_STEPS = ROWS + COLUMNS - 2
# Per square and direction: the squares on that side, and those of them that are at most two steps
# away.
ON_SIDE, ON_SIDE_NEAR = (
    np.array(
        [[0] * 4]
        + [[_on_side(square, d, far) for d in range(4)] for square in range(1, NUM_SQUARES + 1)],
        np.int64,
    )
    for far in (MOST_STEPS, 2)
)

# The dig sites: cards on each square, row by row, without jokers, with them, and of the beginning
# of New Horizons.
_SITES = (
    ("22222", "33433", "33433", "22222"),
    ("22222", "34343", "34343", "22222"),
    ("", "", "00222", "00222", "00222"),
)
NEW_HORIZONS = 2
STACKS = np.zeros((len(_SITES), NUM_SQUARES + 1), np.int8)
for _site, _rows in enumerate(_SITES):
    for _row, _sizes in enumerate(_rows):
        for _column, _size in enumerate(_sizes):
            STACKS[_site, square_at(_row, _column)] = int(_size)
SITES = np.array(
    [sum(1 << int(square) for square in np.flatnonzero(stacks)) for stacks in STACKS], np.int64
)
STANDARD_SITE, CENTRE_SITE = int(SITES[0]), int(SITES[NEW_HORIZONS])
CENTRE = np.flatnonzero(STACKS[NEW_HORIZONS])
CENTRE_CARDS = 2  # on each of these squares
BASES_OF_TWO = square_set(("1,3", "4,3"))
CORNERS = square_set(("1,1", "1,5", "4,1", "4,5"))
MAX_SUPPLY = NUM_CARDS - CENTRE_CARDS * len(CENTRE)

# ------------------------------------------------------- where a card is: a square, or one of these

NOWHERE = 0  # not in the game
IN_BACKPACK = NUM_SQUARES + 1  # + 3 * seat + piece
IN_MUSEUM = IN_BACKPACK + MAX_PLAYERS * PIECES  # + seat
IN_HAND = IN_MUSEUM + MAX_PLAYERS
IN_SUPPLY = IN_HAND + 1

MOST_TURNS = 1000
# In a turn each piece acts once; a card that was dug is stowed at most once by each piece, passed
# on twice, and put somewhere.
MOST_IN_A_TURN = PIECES * (1 + PIECES + (PIECES - 1) + 1) + 1
MAX_ACTIONS = MAX_SUPPLY + 2 * MAX_PLAYERS + MOST_TURNS * MOST_IN_A_TURN
