"""Changes of snapshots, an entry at a time, made from the JSON Schema of the game: what a faulty or
malicious program may send."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.engine.snapshots.snapshot import ORIGIN

Schema = dict[str, Any]
WRONG = (None, True, -1, 10**9, 0.5, "x", [], {}, [None])  # of the wrong kind nearly everywhere


def resolved(schema: Schema, value: Any) -> Schema:
    for alternative in schema.get("anyOf", ()):
        if alternative.get("type") != "null" or value is None:
            return alternative
    return schema


def changes(value: Any, schema: Schema, rng: np.random.Generator) -> Iterator[Any]:
    """Other values for one place: some of the right form, some not."""
    schema = resolved(schema, value)
    yield WRONG[rng.integers(len(WRONG))]
    if "enum" in schema:
        yield schema["enum"][rng.integers(len(schema["enum"]))]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        low, high = schema.get("minimum", value - 1), schema.get("maximum", value + 1)
        yield from (value + 1, value - 1, low, high, int(rng.integers(low, high + 1)))
    elif isinstance(value, list):
        yield from list_changes(value, schema.get("items", {}), rng)
    elif isinstance(value, dict):
        yield {}
        if value:
            gone = [*value][rng.integers(len(value))]
            yield {key: entry for key, entry in value.items() if key != gone}
    elif value is None and schema.get("type") == "object":
        yield {key: sample(entry, rng) for key, entry in schema["properties"].items()}


def list_changes(value: list[Any], items: Schema, rng: np.random.Generator) -> Iterator[Any]:
    """One entry less, more, twice, or another; two entries exchanged; none; many."""
    new = sample(items, rng)
    yield from ([*value, new], [new, *value], [])
    names = items.get("enum")
    if names:  # kept in order, so that only the game's invariants can object
        yield sorted([*value, new], key=lambda entry: names.index(entry) if entry in names else -1)
    if value:
        k, j = rng.integers(len(value), size=2)
        yield value[:k] + value[k + 1 :]
        yield [*value[: k + 1], value[k], *value[k + 1 :]]
        yield [*value[:k], new, *value[k + 1 :]]
        swapped = value[:]
        swapped[k], swapped[j] = value[j], value[k]
        yield swapped
        yield value * 8


def sample(schema: Schema, rng: np.random.Generator) -> Any:
    """Some value of a schema."""
    if "anyOf" in schema:
        return sample(schema["anyOf"][rng.integers(len(schema["anyOf"]))], rng)
    if "enum" in schema:
        return schema["enum"][rng.integers(len(schema["enum"]))]
    kind = schema.get("type")
    if kind == "integer":
        return int(rng.integers(schema.get("minimum", 0), schema.get("maximum", 5) + 1))
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind == "array":
        return [sample(schema.get("items", {}), rng) for _ in range(rng.integers(3))]
    if kind == "object":
        return {key: sample(entry, rng) for key, entry in schema.get("properties", {}).items()}
    return None


def places(
    value: Any, schema: Schema, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Schema]]:
    if path:
        yield path, schema
    schema = resolved(schema, value)
    if isinstance(value, dict):
        for key, entry in value.items():
            if key not in ORIGIN:  # who wrote it says nothing about the position
                yield from places(entry, schema.get("properties", {}).get(key, {}), (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from places(entry, schema.get("items", {}), (*path, index))


def changed(snapshot: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at a place."""
    twin = copy.deepcopy(snapshot)
    parent: Any = twin
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return twin


def moves(
    snapshot: dict[str, Any], schema: Schema, rng: np.random.Generator, count: int, most: int = 1
) -> Iterator[dict[str, Any]]:
    """``count`` copies of a snapshot, each with ``most`` entries moved from one list to another of
    the same names: totals stay."""
    lists = [
        (path, resolved(entry, None).get("items", {}).get("enum"))
        for path, entry in places(snapshot, schema)
        if isinstance(value_at(snapshot, path), list)
    ]
    pairs = [
        (source, target, names)
        for source, names in lists
        for target, others in lists
        if source != target and names and names == others and value_at(snapshot, source)
    ]
    for _ in range(count if pairs else 0):
        source, target, names = pairs[rng.integers(len(pairs))]
        given, taken = value_at(snapshot, source), value_at(snapshot, target)
        k = int(rng.integers(len(given)))
        new = [*taken, *given[k : k + most]]
        if taken == sorted(taken, key=names.index):
            new = sorted(new, key=names.index)
        yield changed(changed(snapshot, source, given[:k] + given[k + most :]), target, new)


def value_at(snapshot: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        snapshot = snapshot[step]
    return snapshot


def mutations(
    snapshot: dict[str, Any], schema: Schema, rng: np.random.Generator, count: int
) -> Iterator[dict[str, Any]]:
    """``count`` copies of a snapshot, each with one or two places changed; no place is favoured
    over another key's."""
    by_key: dict[str, list[tuple[tuple[Any, ...], Schema]]] = {}
    for path, entry in places(snapshot, schema):
        by_key.setdefault(path[0], []).append((path, entry))
    keys = [key for key in by_key if key != "rng"]
    for k in range(count):
        twin = snapshot
        for _ in range(1 + (k % 4 == 3)):
            found = by_key[keys[rng.integers(len(keys))]]
            path, entry = found[rng.integers(len(found))]
            try:
                options = [*changes(value_at(snapshot, path), entry, rng)]
                twin = changed(twin, path, options[rng.integers(len(options))])
            except (KeyError, IndexError, TypeError):
                continue  # the first change took the second one's place away
        if twin != snapshot:
            yield twin
