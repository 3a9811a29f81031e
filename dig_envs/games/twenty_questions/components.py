"""The box of Twenty Questions: the 64 cards by genus, what is printed on them, and the questions (house numbers are marked)."""

from typing import Any

import numpy as np

from dig_envs.games import fossil_deck as deck

MAX_PLAYERS = 4
QUESTIONS = 20  # per player
MAX_QUESTIONS = 40

GENERA = (*deck.GENERA, *deck.TRACES)  # genus order; a card is written by its genus alone (house)
GENUS_NAMES = (*deck.GENUS_NAMES, *(name.split()[0] for name in deck.TRACE_NAMES))
NUM_GENERA = len(GENERA)

_NO_SKELETON = np.zeros(deck.NUM_TRACES, np.int8)  # what a trace fossil does not have is written 0
CARDS = np.concatenate([deck.PARTS * deck.SKELETONS, np.ones(deck.NUM_TRACES, np.int8)])
FOSSILS = np.concatenate([deck.PARTS, _NO_SKELETON])
SKELETONS = np.concatenate([deck.SKELETONS, _NO_SKELETON])
VALUE = np.concatenate([deck.VALUE, _NO_SKELETON])
RESEARCH = np.concatenate([np.zeros(deck.NUM_GENERA, np.int8), deck.RESEARCH])
NUM_CARDS = int(CARDS.sum())
MOST_CARDS = int(CARDS.max())  # of one genus
BEST_VALUE, BEST_RESEARCH = int(VALUE.max()), int(RESEARCH.max())

CARNIVORE = np.concatenate([deck.CARNIVORE, np.isin(deck.TRACES, ("UTA", "ORN", "SAU"))])
DINOSAUR = ~np.isin(GENERA, ("QUE", "MOS"))
TRACE = np.isin(GENERA, deck.TRACES)
# House: the periods, and all lengths (of Quetzalcoatlus the wingspan) and weights but those of Parasaurolophus.
PERIOD = np.array([*deck.PERIOD, "J", "K", "K", "K", "J", "J"])
LENGTH = np.array([12, 22, 8, 9, 7, 10, 6, 3, 7, 4.5, 3, 6, 12, 6, 5, 26, 11, 2, 11])  # m
WEIGHT = np.array([8000, 35000, 6000, 2000, 6000, 250, 3000, 75, 3500, 400, 20, 400, 10000, 700, 300, 35000, 4000, 13, 3500])  # kg
INITIAL = np.array([name[0] for name in GENUS_NAMES])

# House: the questions. Per group: the text, the values in its place, and per value for which genera the answer is yes.
QUESTION_GROUPS = (
    ("period {}", deck.PERIODS, [period == PERIOD for period in deck.PERIODS]),
    ("carnivore", (), [CARNIVORE]),
    ("dinosaur", (), [DINOSAUR]),
    ("trace", (), [TRACE]),
    ("fossils {}", (2, 3, 4), [number == FOSSILS for number in (2, 3, 4)]),
    ("skeletons {}", (1, 2, 4), [number == SKELETONS for number in (1, 2, 4)]),
    ("value>={}", (10, 12, 15, 17, 19), [VALUE >= least for least in (10, 12, 15, 17, 19)]),
    ("research {}", (1, 2, 3), [value == RESEARCH for value in (1, 2, 3)]),
    ("length<{}", (4, 6, 8, 10, 12), [LENGTH < limit for limit in (4, 6, 8, 10, 12)]),
    ("weight<{}", (50, 200, 1000, 3000, 7000), [WEIGHT < limit for limit in (50, 200, 1000, 3000, 7000)]),
    ("name A-{}", ("C", "M", "P"), [last >= INITIAL for last in ("C", "M", "P")]),
)
NUM_QUESTIONS = sum(len(answers) for _, _, answers in QUESTION_GROUPS)


def _as_set(yes: Any) -> int:
    """The genera for which an array of truth values is true."""
    return sum(1 << int(genus) for genus in np.flatnonzero(yes))


# Per question, then per genus that is guessed: the set of genera with the answer yes, a number with a bit for each.
YES = np.array(
    [_as_set(yes) for _, _, answers in QUESTION_GROUPS for yes in answers] + [1 << genus for genus in range(NUM_GENERA)], np.int64
)

MAX_ACTIONS = MAX_PLAYERS * MAX_QUESTIONS + NUM_CARDS  # TQ-13
