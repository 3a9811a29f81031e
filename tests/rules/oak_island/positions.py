"""Positions for the rule tests: the worked examples' bases with changes, and games as dealt."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests import positions
from tests.worked_examples import with_changes

GAME = load_game("oak_island")
BASES = json.loads(Path(__file__).with_name("examples.json").read_text())
CHARACTERS = ["Billy", "Marty", "Rick", "Gary", "Alex", "Jack", "Terry", "Charles"]
LOCATIONS = ["lots", "swamp", "bore_hole", "caisson", "interpretive_centre"]
COLOURS = ["brown", "green", "blue", "red", "yellow"]


class Position(positions.Position):
    """A position of The Treasure of Oak Island."""

    game = GAME


def changed(base: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of a base position with changes by dotted path."""
    return with_changes(BASES[base], changes)


def base(name: str, changes: dict[str, Any] | None = None) -> Position:
    """One of the worked examples' positions, with changes."""
    return Position(changed(name, changes or {}))


def everybody_at(location: str, **others: str) -> dict[str, str]:
    """Where the characters are: all at one location, but for those named."""
    return {name: others.get(name, location) for name in CHARACTERS}


def next_cubes(*cubes: str) -> dict[str, Any]:
    """The change that puts these cubes on top of the bag of `dig`, the first one next; what is there already changes places."""
    bag = list(BASES["dig"]["bag"])
    for k, cube in enumerate(cubes):
        place = len(bag) - 1 - k
        other = next(i for i in range(place, -1, -1) if bag[i] == cube)
        bag[place], bag[other] = bag[other], bag[place]
    return {"bag": bag}


def deal(seed: int, **options: Any) -> Position:
    """A new game as dealt from a seed."""
    return Position.deal(seed, **options)


def choose(position: Position, chance: np.random.Generator, carelessness: float) -> str:
    """What the scripted player does, or with some probability anything legal."""
    if chance.random() < carelessness:
        return str(chance.choice(sorted(position.legal)))
    return position.scripted


def games(count: int, every: int, carelessness: float = 0.4, most: int = 200, **options: Any):
    """Positions on the way of games of all numbers of players, by the scripted player with some random moves, and their ends."""
    if JIT_DISABLED:  # the scripted player is slow
        carelessness = 0.97
    for seed in range(count):
        position = deal(seed, **{"num_players": 2 + seed % 3, "max_rounds": 4, **options})
        chance = np.random.default_rng(seed)
        for step in range(most):
            if step % every == 0 or position.mover < 0:
                yield position
            if position.mover < 0:
                break
            position.play(choose(position, chance, carelessness))
