"""The tasks: what is played, on which deals, against whom, and how it is counted.

A suite that has been released does not change: a change of a task is a new ``VERSION``. The tests keep a hash of the definition and
fingerprints of the games that it gives (:mod:`dig_envs.benchmark.anchors`). A game that joins later belongs to no released suite.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b, sha256
from typing import Any

from dig_envs.arena.schedule import Form
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

VERSION = 1
SEEDS = 3 << 62  # from here on no training deals: its seeds for final evaluations begin here, too (training/seeds.py)
DEALS_APART = 2**24  # between the first deals of two tasks, at least
SPREAD = 2**38


@dataclass(frozen=True)
class Task:
    """One game with its options, against one kind of opponent.

    ``name``: as results are listed. ``options``: those that are not the default. ``opponent``: plays all other seats; in a
    cooperative game nobody. It is also the reference, whose own result is 100. ``games``: at least so many; the agent has each seat
    once on every deal.
    """

    name: str
    environment: str
    options: Mapping[str, Any] = field(default_factory=dict)
    opponent: str = "heuristic"
    cooperative: bool = False
    games: int = 1000

    @property
    def game(self) -> Game:
        """The game that is played."""
        return load_game(self.environment)

    @property
    def all_options(self) -> dict[str, Any]:
        """All options of the game, those that are the default, too."""
        return self.game.complete_options(self.options)

    @property
    def form(self) -> Form:
        """Who sits at a table."""
        return Form.TEAMS if self.cooperative else Form.ALONE

    @property
    def num_seats(self) -> int:
        """The number of seats of the game."""
        return int(self.options["num_players"])

    @property
    def deals(self) -> int:
        """The number of deals that are played."""
        return self.games if self.cooperative else -(-self.games // self.num_seats)

    @property
    def seed(self) -> int:
        """The seed of deal 0; deal d has the seed ``seed + d``."""
        digest = blake2b(f"dig_envs benchmark {VERSION} {self.name}".encode(), digest_size=8).digest()
        return SEEDS + int.from_bytes(digest, "little") % SPREAD * DEALS_APART

    def as_json(self) -> dict[str, Any]:
        """Return the definition as plain values."""
        return {
            "task": self.name,
            "environment": self.environment,
            "options": dict(self.options),
            "opponent": None if self.cooperative else self.opponent,
            "reference": self.opponent,
            "metric": "score" if self.cooperative else "victories",
            "seed": self.seed,
            "deals": self.deals,
        }


@dataclass(frozen=True)
class Suite:
    """A named list of tasks."""

    name: str
    tasks: tuple[Task, ...]
    version: int = VERSION

    @property
    def sha256(self) -> str:
        """The hash of the definition: version and all tasks."""
        text = json.dumps({"version": VERSION, "tasks": [task.as_json() for task in self.tasks]}, sort_keys=True)
        return sha256(text.encode()).hexdigest()


def seats(count: int, **options: Any) -> dict[str, Any]:
    """Return options with the number of players."""
    return {"num_players": count, **options}


FULL = (
    Task("cretaceous_creek-2", "cretaceous_creek_v0", seats(2, level="intermediate"), cooperative=True),
    Task("cretaceous_creek-2-beginner", "cretaceous_creek_v0", seats(2, level="beginner"), cooperative=True),
    Task("cretaceous_creek-4", "cretaceous_creek_v0", seats(4, level="intermediate"), cooperative=True),
    Task("fossil_canyon-2", "fossil_canyon_v0", seats(2)),
    Task("fossil_canyon-4", "fossil_canyon_v0", seats(4)),
    Task("fossil_canyon-6", "fossil_canyon_v0", seats(6)),
    Task("the_big_dig-2", "the_big_dig_v0", seats(2)),
    Task("the_big_dig-2-wild", "the_big_dig_v0", seats(2, deck="wild")),
    Task("go_dig-2", "go_dig_v0", seats(2)),
    Task("go_dig-4", "go_dig_v0", seats(4)),
    Task("fossil_memory-2", "fossil_memory_v0", seats(2)),
    Task("fossil_memory-2-recent", "fossil_memory_v0", seats(2, recall="recent"), opponent="fossil_memory/remembering"),
    Task("fossil_memory-4", "fossil_memory_v0", seats(4)),
    Task("twenty_questions-2", "twenty_questions_v0", seats(2)),
    Task("twenty_questions-4", "twenty_questions_v0", seats(4)),
    Task("oak_island-2", "oak_island_v0", seats(2)),
    Task("oak_island-4", "oak_island_v0", seats(4)),
    Task("dino_dig-2", "dino_dig_v0", seats(2)),
    Task("dino_dig-4", "dino_dig_v0", seats(4)),
    Task("diggity-2", "diggity_v0", seats(2)),
    Task("diggity-4", "diggity_v0", seats(4)),
)
SMALL_GAMES = 100

SUITES = {
    "full": Suite("full", FULL),
    "small": Suite("small", tuple(replace(task, games=SMALL_GAMES) for task in FULL if task.name.endswith("-2"))),
}

VERSIONS = {VERSION: SUITES}
