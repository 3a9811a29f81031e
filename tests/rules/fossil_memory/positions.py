"""Positions for the rule tests: the worked examples' bases with changes, and games as dealt."""

from typing import Any

import numpy as np

from dig_envs.engine.state import new_records
from dig_envs.registry import load_game
from tests import positions

GAME = load_game("fossil_memory")
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


BASES = Position.bases
changed, base, deal, scripted_or_random = Position.changed, Position.base, Position.deal, Position.choose


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


def many_deals(count: int, **options: Any) -> np.ndarray:
    """The records of many new games."""
    states = new_records(count, GAME.state)
    template = GAME.template(GAME.complete_options(options))
    GAME.kernels.start(states, 0, count, np.arange(count, dtype=np.uint64), template, np.zeros(count, np.int64))
    return states


def games(count: int, every: int, carelessness: float = 0.5, most: int = 150, **options: Any):
    """Positions on the way of games of all numbers of players, by the scripted player with some random moves."""
    for seed in range(count):
        chance = np.random.default_rng(seed)
        position = deal(seed, **{"num_players": 2 + seed % 3, **options})
        yield from position.on_the_way(lambda now, chance=chance: now.play(now.choose(chance, carelessness)), every, most)
