"""Positions for the rule tests: the worked examples' bases with changes, and games as dealt."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.engine.state import new_records
from dig_envs.registry import load_game
from tests import positions
from tests.worked_examples import with_changes

GAME = load_game("fossil_memory")
BASES = json.loads(Path(__file__).with_name("examples.json").read_text())
PLACES = [f"{row},{column}" for row in range(1, 5) for column in range(1, 7)]
RECALLS = ["perfect", "recent", "none"]

# The table of the components once more.
PARTS = {
    "TYR": 4,
    "BRA": 3,
    "TRI": 3,
    "ALL": 3,
    "ANK": 3,
    "QUE": 3,
    "PAR": 3,
    "DEI": 2,
    "STE": 2,
    "PAC": 2,
    "COE": 2,
    "DIL": 2,
    "MOS": 2,
}
VALUES = dict(zip(PARTS, (25, 20, 19, 18, 17, 16, 15, 12, 11, 10, 9, 8, 7), strict=True))
GENERA = list(PARTS)


class Position(positions.Position):
    """A position of Fossil Memory."""

    game = GAME

    def flip(self, *places: str) -> "Position":
        return self.play(*(f"flip {place}" for place in places))


def changed(base: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of a base position with changes by dotted path."""
    return with_changes(BASES[base], changes)


def base(name: str, changes: dict[str, Any] | None = None) -> Position:
    """One of the worked examples' positions, with changes."""
    return Position(changed(name, changes or {}))


def with_recall(recall: str, players: int = 2, **options: Any) -> dict[str, Any]:
    """The changes that make `start` a position with this option and so many players."""
    return {
        "options": {**BASES["start"]["options"], **options, "recall": recall, "num_players": players},
        "seen": [False] * 24 if recall == "perfect" else None,
        "recent": [[] for _ in range(players)] if recall == "recent" else None,
        "scores": [0] * players,
        "museums": [[] for _ in range(players)],
    }


def start(recall: str = "perfect", players: int = 2, **options: Any) -> Position:
    """The position `start`, whose cards lie in order, with options."""
    return base("start", with_recall(recall, players, **options))


def deal(seed: int, **options: Any) -> Position:
    """A new game as dealt from a seed."""
    return Position.deal(seed, **options)


def many_deals(count: int, **options: Any) -> np.ndarray:
    """The records of many new games."""
    states = new_records(count, GAME.state)
    template = GAME.template(GAME.complete_options(options))
    GAME.kernels.start(states, 0, count, np.arange(count, dtype=np.uint64), template, np.zeros(count, np.int64))
    return states


def scripted_or_random(position: Position, chance: np.random.Generator, carelessness: float) -> str:
    """What the scripted player does, or with some probability anything legal."""
    if chance.random() < carelessness:
        return str(chance.choice(sorted(position.legal)))
    return position.scripted


def games(count: int, every: int, carelessness: float = 0.5, most: int = 150, **options: Any):
    """Positions on the way of games of all numbers of players, by the scripted player with some random moves."""
    for seed in range(count):
        position = deal(seed, **{"num_players": 2 + seed % 3, **options})
        chance = np.random.default_rng(seed)
        for step in range(most):
            if step % every == 0 or position.mover < 0:
                yield position
            if position.mover < 0:
                break
            position.play(scripted_or_random(position, chance, carelessness))
