"""Positions for the rule tests: the worked examples' bases with changes, and games as dealt."""

from collections.abc import Iterator
from typing import Any

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests import positions

GAME = load_game("oak_island")
CHARACTERS = ["Billy", "Marty", "Rick", "Gary", "Alex", "Jack", "Terry", "Charles"]
LOCATIONS = ["lots", "swamp", "bore_hole", "caisson", "interpretive_centre"]
COLOURS = ["brown", "green", "blue", "red", "yellow"]


class Position(positions.Position):
    """A position of The Treasure of Oak Island."""

    game = GAME


BASES = Position.bases
changed, base, deal, choose = Position.changed, Position.base, Position.deal, Position.choose


def everybody_at(location: str, **others: str) -> dict[str, str]:
    """Return the places of the characters: all at one location, but for those named."""
    return {name: others.get(name, location) for name in CHARACTERS}


def next_cubes(*cubes: str) -> dict[str, Any]:
    """The change that puts these cubes on top of the bag of `dig`, the first one next; what is
    there already changes places."""
    bag = list(BASES["dig"]["bag"])
    for k, cube in enumerate(cubes):
        place = len(bag) - 1 - k
        other = next(i for i in range(place, -1, -1) if bag[i] == cube)
        bag[place], bag[other] = bag[other], bag[place]
    return {"bag": bag}


def games(count: int, every: int, **options: Any) -> Iterator[Position]:
    """Positions of short games; as plain Python the scripted player is slow."""
    careless = 0.97 if JIT_DISABLED else 0.4
    return Position.games(count, every, careless, 200, **{"max_rounds": 4, **options})
