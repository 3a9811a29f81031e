"""The box of Twenty Questions: the 64 cards by genus, what is printed on them, and the questions
([added]: not in the rulebook)."""

from typing import Any, NamedTuple

import numpy as np

from dig_envs.games import fossil_deck as deck

MAX_PLAYERS = 4
QUESTIONS = 20  # per player
MAX_QUESTIONS = 40

GENERA = (*deck.GENERA, *deck.TRACES)  # genus order; a card is written by its genus alone [added]
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
# House: the periods, and all lengths (of Quetzalcoatlus the wingspan) and weights but those of
# Parasaurolophus.
PERIOD = np.array([*deck.PERIOD, "J", "K", "K", "K", "J", "J"])
LENGTH = np.array([12, 22, 8, 9, 7, 10, 6, 3, 7, 4.5, 3, 6, 12, 6, 5, 26, 11, 2, 11])  # m
# kg
WEIGHT = np.array(
    [
        8000,
        35000,
        6000,
        2000,
        6000,
        250,
        3000,
        75,
        3500,
        400,
        20,
        400,
        10000,
        700,
        300,
        35000,
        4000,
        13,
        3500,
    ]
)
INITIAL = np.array([name[0] for name in GENUS_NAMES])


class QuestionGroup(NamedTuple):
    """Questions that differ in a value (``{}``) only.

    Attributes:
        text: of the actions. words: the question in plain English. values: in its place; none for a
            single question.
        yes: for which genera the answer is yes, as truth values; a function of the value where
            there are values.
    """

    text: str
    words: str
    values: tuple[Any, ...]
    yes: Any

    @property
    def called(self) -> tuple[str, ...]:
        """The values in plain English."""
        return tuple(
            deck.PERIOD_NAMES.get(value, f"{value:,}" if isinstance(value, int) else value)
            for value in self.values
        )

    @property
    def sentences(self) -> list[str]:
        """The questions in plain English."""
        return [self.words.format(value) for value in self.called] or [self.words]

    @property
    def answers(self) -> list[Any]:
        """For each question the truth values."""
        return [self.yes(value) for value in self.values] or [self.yes]


QUESTION_GROUPS = (  # [added]
    QuestionGroup(
        "period {}", "Did it live in the {}?", deck.PERIODS, lambda period: period == PERIOD
    ),
    QuestionGroup("carnivore", "Was it a carnivore?", (), CARNIVORE),
    QuestionGroup("dinosaur", "Is it a dinosaur?", (), DINOSAUR),
    QuestionGroup("trace", "Is it a trace fossil?", (), TRACE),
    QuestionGroup(
        "fossils {}",
        "Does its skeleton have {} parts?",
        (2, 3, 4),
        lambda number: number == FOSSILS,
    ),
    QuestionGroup(
        "skeletons {}",
        "Is the number of its skeletons {}?",
        (1, 2, 4),
        lambda number: number == SKELETONS,
    ),
    QuestionGroup(
        "value>={}",
        "Is its skeleton worth {} points or more?",
        (10, 12, 15, 17, 19),
        lambda least: least <= VALUE,
    ),
    QuestionGroup(
        "research {}", "Is its research value {}?", (1, 2, 3), lambda value: value == RESEARCH
    ),
    QuestionGroup(
        "length<{}", "Was it shorter than {} m?", (4, 6, 8, 10, 12), lambda limit: limit > LENGTH
    ),
    QuestionGroup(
        "weight<{}",
        "Was it lighter than {} kg?",
        (50, 200, 1000, 3000, 7000),
        lambda limit: limit > WEIGHT,
    ),
    QuestionGroup(
        "name A-{}",
        "Does its name begin with A to {}?",
        ("C", "M", "P"),
        lambda last: last >= INITIAL,
    ),
)
QUESTIONS_IN_WORDS = tuple(sentence for group in QUESTION_GROUPS for sentence in group.sentences)
NUM_QUESTIONS = len(QUESTIONS_IN_WORDS)


def _as_set(yes: Any) -> int:
    """The genera for which an array of truth values is true."""
    return sum(1 << int(genus) for genus in np.flatnonzero(yes))


# Per question, then per genus that is guessed: the set of genera with the answer yes, a number with
# a bit for each.
YES = np.array(
    [_as_set(yes) for group in QUESTION_GROUPS for yes in group.answers]
    + [1 << genus for genus in range(NUM_GENERA)],
    np.int64,
)

MAX_ACTIONS = MAX_PLAYERS * MAX_QUESTIONS + NUM_CARDS  # TQ-13
