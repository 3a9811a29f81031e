"""Positions for the rule tests: the worked examples' bases with changes, and games as dealt."""

from typing import Any

from dig_envs.registry import load_game
from tests import positions
from tests.rules.tables import table

GAME = load_game("fossil_memory")
PLACES = [f"{row},{column}" for row in range(1, 5) for column in range(1, 7)]
RECALLS = ["perfect", "recent", "none"]
TURNS = (
    "1,1 1,2 1,3 1,4; 1,5 1,6 2,1; 2,2 2,3 2,4; 2,5 2,6 3,1; 3,2 3,3 3,4; 3,5 3,6; 4,1 4,2; 4,3 "
    "4,4; 4,5 4,6"
)
EVERYTHING = [  # of `start`, turn by turn, each of which takes a skeleton
    [f"flip {place}" for place in turn.split()] for turn in TURNS.split("; ")
]

TABLE = {row["genus"]: row for row in table(GAME, "genus")}
PARTS = {genus: int(row["parts"]) for genus, row in TABLE.items()}
VALUES = {genus: int(row["value"]) for genus, row in TABLE.items()}
GENERA = list(TABLE)


class Position(positions.Position):
    """A position of Fossil Memory."""

    game = GAME

    def flip(self, *places: str) -> "Position":
        return self.play(*(f"flip {place}" for place in places))


BASES = Position.bases
base, deal, games, many_deals = Position.base, Position.deal, Position.games, Position.deals


def with_recall(recall: str, players: int = 2, **options: Any) -> dict[str, Any]:
    """The changes that make `start` a position with this option and so many players."""
    return {
        "options": {
            **BASES["start"]["options"],
            **options,
            "recall": recall,
            "num_players": players,
        },
        "seen": [False] * 24 if recall == "perfect" else None,
        "recent": [[] for _ in range(players)] if recall == "recent" else None,
        "scores": [0] * players,
        "museums": [[] for _ in range(players)],
    }


def start(recall: str = "perfect", players: int = 2, **options: Any) -> Position:
    """The position `start`, whose cards lie in order, with options."""
    return base("start", with_recall(recall, players, **options))
