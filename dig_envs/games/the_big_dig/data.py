"""The two data files of The Big Dig: the living animals and the excavation decks, read and checked.

``fauna.csv`` has a line per species: its name, then the number of its state for each of the 27
attributes. ``decks.csv`` has a line per card: deck, kind (``state``, ``request``, ``rock``), card,
count, and ``yes`` for the starter discovery.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.games.the_big_dig.board import (
    ATTRIBUTE_OF,
    FIRST_STATE,
    NUM_ATTRIBUTES,
    PHYSICAL,
    REGIONS,
    STATES,
    STATES_OF,
)

FAUNA_FILE = Path(__file__).with_name("fauna.csv")
DECKS_FILE = Path(__file__).with_name("decks.csv")
FAUNA_COLUMNS = ["species", *(str(a + 1) for a in range(NUM_ATTRIBUTES))]
DECK_COLUMNS = ["deck", "kind", "card", "count", "starter_discovery"]
DECK_NAMES = ("starter", "second", "third", "fourth")
DECK_STATES, DECK_REQUESTS, ROCKS = 8, 2, 15
MOST_SPECIES = 127  # so that counts fit into a byte


class DataError(DigEnvsError):
    """A data file that does not fit the game; the message names file, line and what would be
    right."""


@dataclass(frozen=True)
class Deck:
    """An excavation deck: the indices of its states and regions, ascending, and the starter
    discovery, if it has one."""

    states: tuple[int, ...]
    requests: tuple[int, ...]
    starter_discovery: int | None


def read_fauna(path: Path) -> tuple[tuple[str, ...], np.ndarray[Any, Any]]:
    """Names and states of the living species.

    Returns:
        The names, and an int8 array (species, attribute) of state indices.

    Raises:
        DataError: naming the file, the line and what is wrong with it.
    """
    names: list[str] = []
    fauna: list[list[int]] = []
    for place, row in _rows(path, FAUNA_COLUMNS):
        _require(bool(row["species"]), place, "the species has no name")
        _require(row["species"] not in names, place, f"the species {row['species']!r} occurs twice")
        names.append(row["species"])
        fauna.append([_state_number(row[str(a + 1)], a, place) for a in range(NUM_ATTRIBUTES)])
    _require(
        1 <= len(names) <= MOST_SPECIES,
        str(path),
        f"has {len(names)} species; from 1 to {MOST_SPECIES} are possible",
    )
    return tuple(names), np.array(fauna, np.int8)


def _state_number(text: str, attribute: int, place: str) -> int:
    count = int(STATES_OF[attribute])
    good = text.isascii() and text.isdigit() and 1 <= int(text) <= count
    _require(
        good, place, f"column {attribute + 1}: {text!r} is not a state number from 1 to {count}"
    )
    return int(FIRST_STATE[attribute]) + int(text) - 1


def read_decks(path: Path) -> tuple[Deck, ...]:
    """The decks starter, second, third and fourth; raises DataError for a deck that BD-8 does not
    allow."""
    cards: dict[str, dict[str, list[str]]] = {
        name: {"state": [], "request": [], "rock": []} for name in DECK_NAMES
    }
    starters: dict[str, list[str]] = {name: [] for name in DECK_NAMES}
    allowed = {"state": STATES, "request": REGIONS, "rock": ("rock",)}
    for place, row in _rows(path, DECK_COLUMNS):
        _require(
            row["deck"] in DECK_NAMES,
            place,
            f"deck {row['deck']!r} is not one of {', '.join(DECK_NAMES)}",
        )
        _require(
            row["kind"] in allowed,
            place,
            f"kind {row['kind']!r} is not one of {', '.join(allowed)}",
        )
        _require(
            row["card"] in allowed[row["kind"]],
            place,
            f"{row['card']!r} is not a card of the kind {row['kind']!r}",
        )
        _require(
            row["count"].isascii() and row["count"].isdigit(),
            place,
            f"count {row['count']!r} is not a number",
        )
        _require(
            row["starter_discovery"] in ("yes", "no"), place, "starter_discovery must be yes or no"
        )
        cards[row["deck"]][row["kind"]] += [row["card"]] * min(int(row["count"]), 100)
        if row["starter_discovery"] == "yes":
            _require(
                row["kind"] == "state", place, "the starter discovery is an attribute state card"
            )
            starters[row["deck"]].append(row["card"])
    return tuple(
        _deck(name, cards[name], starters[name], f"{path}: deck {name}") for name in DECK_NAMES
    )


def _deck(name: str, cards: dict[str, list[str]], starters: list[str], place: str) -> Deck:
    for kind, count in (("state", DECK_STATES), ("request", DECK_REQUESTS), ("rock", ROCKS)):
        _require(
            len(cards[kind]) == count,
            place,
            f"has {len(cards[kind])} cards of the kind {kind!r} instead of {count}",
        )
    states = sorted(STATES.index(card) for card in cards["state"])
    attributes = {int(ATTRIBUTE_OF[state]) for state in states}
    _require(len(attributes) == DECK_STATES, place, "has two states of the same attribute")
    _require(
        max(attributes) < PHYSICAL,
        place,
        f"has a behavioural attribute; its states are of the attributes 1 to {PHYSICAL}",
    )
    requests = sorted(REGIONS.index(card) for card in cards["request"])
    _require(len(set(requests)) == DECK_REQUESTS, place, "has the same special request twice")
    wanted = 1 if name == DECK_NAMES[0] else 0
    _require(len(starters) >= wanted, place, "has no starter discovery")
    _require(len(starters) <= 1, place, "has more than one starter discovery")
    return Deck(tuple(states), tuple(requests), STATES.index(starters[0]) if starters else None)


def _rows(path: Path, columns: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a CSV file with exactly these columns, each with its place for messages."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    reader = csv.reader(text.splitlines())
    header = next(reader, [])
    _require(header == columns, f"{path}, line 1", f"the columns must be {','.join(columns)}")
    for row in reader:
        place = f"{path}, line {reader.line_num}"
        _require(
            len(row) == len(columns), place, f"has {len(row)} values instead of {len(columns)}"
        )
        yield place, dict(zip(columns, (value.strip() for value in row), strict=True))


def _require(condition: bool, place: str, message: str) -> None:
    if not condition:
        raise DataError(f"{place}: {message}")
