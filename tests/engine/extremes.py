"""Positions at their limits: numbers of a snapshot as small or as large as its invariants accept,
lists as long or as short."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from dig_envs import SnapshotError
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game
from dig_envs.text.telling import copied
from tests.engine.mutations import changed, moves, places, resolved, value_at
from tests.games import case_id, option_cases, positions

Snapshot = dict[str, Any]
EVERY, TRIES = 13, 40  # actions between positions; changes tried of the last position of a game
REPAIRS = 4  # other keys that are changed along with one, as the refusals demand
MANY = 50  # entries of a list that are moved at once
TOLD = re.compile(r"snapshot key '([^']+)': (.*)", re.DOTALL)
NUMBER = re.compile(r"-?\d+")


def loaded(game: Game, snapshot: Snapshot) -> tuple[Snapshot, Array] | None:
    """The snapshot and its position, if need be with other keys changed as the refusals demand;
    None where they demand none."""
    tried: list[tuple[str, Any]] = []
    for _ in range(REPAIRS):
        try:
            return snapshot, game.from_snapshot(snapshot)
        except SnapshotError as error:
            repaired = repair(snapshot, str(error), tried)
        if repaired is None:
            return None
        snapshot = repaired
    return None


def repair(snapshot: Snapshot, message: str, tried: list[tuple[str, Any]]) -> Snapshot | None:
    """The snapshot with the value that a refusal names, such as
    ``snapshot key 'winners': must be [1]``; None if there is none."""
    told = TOLD.match(message)
    if told is None:
        return None
    key, words = told.groups()
    wanted = demanded(words)
    if wanted is None or (key, wanted) in tried:
        return None
    tried.append((key, wanted))
    path = tuple(int(step) if step.isdigit() else step for step in key.split("."))
    try:
        return (
            changed(snapshot, path, wanted)
            if type(value_at(snapshot, path)) is type(wanted)
            else None
        )
    except (KeyError, IndexError, TypeError):
        return None


def demanded(words: str) -> Any:
    """The list or the last number in a refusal, or None."""
    try:
        if "[" in words:
            return ast.literal_eval(words[words.index("[") : words.rindex("]") + 1])
    except (ValueError, SyntaxError):
        return None
    numbers = NUMBER.findall(words)
    return int(numbers[-1]) if numbers else None


def pushed(
    game: Game, snapshot: Snapshot, rng: np.random.Generator, tries: int
) -> Iterator[tuple[Snapshot, Array]]:
    """Positions that accepted changes lead to, each from the one before: a number to a limit, or
    entries from list to list."""
    schema = game.json_schema
    for k in range(tries):
        twin = (
            to_a_limit(snapshot, schema, rng)
            if k % 2
            else next(moves(snapshot, schema, rng, 1, MANY if k % 4 else 1), snapshot)
        )
        found = None if twin == snapshot else loaded(game, twin)
        if found is not None:
            snapshot = found[0]
            yield found


@cache
def at_limits(name: str) -> list[list[tuple[Snapshot, Array]]]:
    """For each option of a game positions one change apart, of which the first is a late one of a
    game."""
    chains = []
    for options in option_cases(name):
        *_, last = (
            (env.game.to_snapshot(env.states[0]), copied(env.states))
            for env in positions(name, options, 1, EVERY)
        )
        rng = np.random.default_rng(crc32(case_id(name, options).encode()))
        chains.append([last, *pushed(load_game(name), last[0], rng, TRIES)])
    return chains


def to_a_limit(snapshot: Snapshot, schema: dict[str, Any], rng: np.random.Generator) -> Snapshot:
    """One number at a limit of its schema, or half-way to it, mostly the upper one; no place is
    favoured over another key's."""
    by_key: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}
    for path, entry in places(snapshot, schema):
        if path[0] != "options" and type(value_at(snapshot, path)) is int:
            by_key.setdefault(path[0], []).append((path, resolved(entry, 0)))
    found = by_key[[*by_key][rng.integers(len(by_key))]]
    path, entry = found[rng.integers(len(found))]
    value = value_at(snapshot, path)
    limit = entry.get("minimum", 0) if rng.random() < 0.25 else entry.get("maximum", value + 1)
    return changed(snapshot, path, limit if rng.random() < 0.7 else (value + limit) // 2)
