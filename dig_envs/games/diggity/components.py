"""The box of Diggity: mine cards with their passages, tools and what they are made of, gold; and
tables made from these."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from dig_envs.engine.core.words import enumeration

MAX_PLAYERS = 4
HAND_SIZE = np.array([0, 0, 5, 4, 3], np.int8)  # by number of players
MAX_HAND = 5

# ---------------------------------------------------------------- mine cards

SYMBOLS = ("C", "T", "S", "L")  # circle, triangle, square, line
SYMBOL_NAMES = ("circle", "triangle", "square", "line")
CIRCLE = SYMBOLS.index("C")
NUM_SYMBOLS = 4
SIDES = ("N", "E", "S", "W")
SIDE_NAMES = ("north", "east", "south", "west")
NUM_SIDES = 4

# House table: the pictures of the cards are lost. Every symbol has these cards: the passages, and
# how many.
SHAPES = {"NESW": 2, "NES": 3, "ESW": 3, "NS": 1, "EW": 1, "NE": 2, "NW": 2, "N": 1, "E": 1}
NUM_SHAPES = len(SHAPES)

CODES = tuple(f"{symbol}-{shape}" for symbol in SYMBOLS for shape in SHAPES)  # table order
NUM_CODES = len(CODES)


def _in_words(code: str) -> str:
    """A card in plain English, with its passages as they are before it is turned."""
    sides = [SIDE_NAMES[SIDES.index(side)] for side in code[2:]]
    where = "on all sides" if len(sides) == NUM_SIDES else enumeration(sides)
    passages = "a passage" if len(sides) == 1 else "passages"
    return f"{SYMBOL_NAMES[SYMBOLS.index(code[0])]} with {passages} {where}"


CARD_NAMES = tuple(map(_in_words, CODES))
COPIES = np.array([*SHAPES.values()] * NUM_SYMBOLS, np.int8)  # per code
SYMBOL = np.repeat(np.arange(NUM_SYMBOLS, dtype=np.int8), NUM_SHAPES)  # per code
# bit X: side X
PASSAGES = np.array(
    [sum(1 << SIDES.index(side) for side in shape) for shape in SHAPES] * NUM_SYMBOLS, np.int8
)
# the code of each card, in table order
CARDS = np.repeat(np.arange(NUM_CODES, dtype=np.int8), COPIES)
NUM_CARDS = len(CARDS)
ALL_CARDS = [CODES[card] for card in CARDS]
# The sets of passages in groups of equal numbers of passages: the first of each group in the order
# of SHAPES, how many there are, and the cards of each symbol in the group (DG-2).
_SIZES = [len(shape) for shape in SHAPES]
GROUP_FIRST = np.unique(-np.array(_SIZES), return_index=True)[1]
GROUP_SHAPES = np.array([_SIZES.count(_SIZES[first]) for first in GROUP_FIRST])
GROUP_CARDS = np.add.reduceat([*SHAPES.values()], GROUP_FIRST)
MOST_COPIES = np.tile(np.repeat(GROUP_CARDS, GROUP_SHAPES), NUM_SYMBOLS)  # per code


def cards_of(position: Mapping[str, Any]) -> list[str]:
    """The mine cards of a game, from a snapshot or a view: those of its variant, or of the box."""
    return list(position.get("cards") or ALL_CARDS)


TURN_NAMES = ("upright", "turned once clockwise", "upside down", "turned three times clockwise")
NUM_TURNS = len(TURN_NAMES)  # quarter turns
# Passages, as bits of the sides of the table that they point to, of a card turned by r (DG-6): bit
# X becomes bit (X + r) mod 4.
TURNED = np.array(
    [[(bits << r | bits >> NUM_SIDES - r) & 15 for r in range(NUM_TURNS)] for bits in range(16)],
    np.int8,
)
# Which kinds of passages there are: bit 0 for those on short sides (N, S), bit 1 for those on long
# sides (E, W).
KINDS = np.array([(bits & 5 > 0) | (bits & 10 > 0) << 1 for bits in range(16)], np.int8)
ANY_KIND = 3
HALF_X = np.array([5, 7, 5, 7], np.int16)  # half extents of a card turned by r (DG-5)
HALF_Y = np.array([7, 5, 7, 5], np.int16)
DX = np.array([0, 1, 0, -1], np.int16)  # of the directions
DY = np.array([-1, 0, 1, 0], np.int16)

# The draw pile is never empty and all hands but one are full, so that the mine has no more cards.
MAX_MINE = NUM_CARDS - 2 * MAX_HAND
# open passages that can be built on: with the added table there are never more than 42 (DG-12)
MAX_OPEN = 48
FARTHEST = 14 * MAX_MINE  # no coordinate is larger

# ---------------------------------------------------------------- tools and the miner

TOOLS = ("shovel", "pulley", "cart", "shed")  # in order of rank, from 1 on
NUM_TOOLS = len(TOOLS)
THINGS = ("miner", *TOOLS)  # as bits: the miner is bit 0
NUM_THINGS = len(THINGS)
MINER = 1
# House: the pulley's picture is lost.
PARTS = {"miner": "CT", "shovel": "TL", "pulley": "CL", "cart": "CCS", "shed": "TSL"}


def _made(symbol: str, *teams: Iterable[str]) -> int:
    """The things that a card makes together with exactly the cards of one of these teams, as
    bits."""
    found = [Counter([symbol, *team]) for team in teams]
    return sum(1 << bit for bit, thing in enumerate(THINGS) if Counter(PARTS[thing]) in found)


def _symbols(bits: int) -> list[str]:
    return [symbol for place, symbol in enumerate(SYMBOLS) if bits >> place & 1]


# [symbol of the card][symbol of a card connected to it][symbols connected to that one, as bits]:
# what the card makes with that one, alone or with another behind it (DG-14).
MADE_THROUGH = np.array(
    [
        [
            [_made(new, [near], *([near, far] for far in _symbols(behind))) for behind in range(16)]
            for near in SYMBOLS
        ]
        for new in SYMBOLS
    ],
    np.int8,
)
TWO_CIRCLES = 16
# [symbol of the card][symbols of the cards connected to it, as bits; TWO_CIRCLES if there are two]:
# what it makes with these alone.
_AROUND = [_symbols(around & 15) + ["C"] * (around >> 4) for around in range(32)]
MADE_AMONG = np.array(
    [
        [_made(new, *combinations(near, 1), *combinations(near, 2)) for near in _AROUND]
        for new in SYMBOLS
    ],
    np.int8,
)
FEWEST_FOR_A_MINER = 3  # cards in the mine when the turn begins (DG-16)

# ---------------------------------------------------------------- gold

VALUES = (1, 2, 3, 4, 5, 6)
NUM_VALUES = len(VALUES)
# House: the booklet says one to six, more of the middle values.
GOLD_COPIES = np.array([2, 3, 4, 4, 2, 1], np.int8)
GOLD = np.repeat(np.arange(NUM_VALUES, dtype=np.int8), GOLD_COPIES)  # places in VALUES, ascending
NUM_GOLD = len(GOLD)
NUM_LOW_GOLD = int(GOLD_COPIES[:4].sum())  # without the 5s and the 6
MAX_SCORE = int(GOLD_COPIES @ np.array(VALUES))

MOST_TURNS = 10_000
# A turn has a card, its place and a choice or two; of an auction, four tools and between them a
# stop of each of the others.
MAX_ACTIONS = MOST_TURNS * (4 + NUM_TOOLS + MAX_PLAYERS * (NUM_TOOLS + 1))
