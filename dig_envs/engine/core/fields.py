"""The observation of a game: name, shape, meaning and bounds of each field, from one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
RAW = "_raw"  # how the name of an environment with raw observations ends


@dataclass(frozen=True)
class Field:
    """One field of an observation.

    ``shape``: of its numbers, ``()`` for a single one. ``meaning``: for people, with the unit of
    each number. ``low``, ``high``: bounds of its numbers. ``unit``: None for a field that the game
    writes; a field with a unit is written by
    :func:`~dig_envs.engine.core.standard.standard_filler`, which divides by it. ``since``: the
    first version of the environment that has it. ``until``: the first that no longer has it; None:
    all later ones have it. ``derived``: whether a player remembers it or works it out, so that raw
    observations lack it (:mod:`dig_envs.engine.core.raw`).
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0
    unit: int | str | None = None
    since: int = 0
    until: int | None = None
    derived: bool = False


class Fields:
    """All fields of a game's observation, in their order in the flat vector.

    Args:
        fields: the fields.
    """

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def in_version(self, version: int) -> "Fields":
        """The fields that a version of the environment has."""
        return Fields(
            *(
                f
                for f in self.fields
                if f.since <= version and (f.until is None or version < f.until)
            )
        )

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The record type: float32 fields only and no padding, so that it can be viewed as a flat
        vector."""
        return np.dtype([(field.name, np.float32, field.shape) for field in self.fields])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(field.name for field in self.fields)

    @property
    def size(self) -> int:
        """Length of the flat vector."""
        return self.dtype.itemsize // 4

    def bounds(self) -> tuple[Array, Array]:
        """The least and the greatest value of each number of the flat vector, float32 (size,)."""
        sizes = [int(np.prod(field.shape, dtype=int)) for field in self.fields]
        low = np.repeat(np.array([field.low for field in self.fields], np.float32), sizes)
        high = np.repeat(np.array([field.high for field in self.fields], np.float32), sizes)
        return low, high


# ----------------------------------------------------------- what every game's observation may have

TURN_LIMITS = {"max_turns": "turn", "max_rounds": "round"}  # option -> the key of what it limits
TURN_LIMIT = "max_turns"  # the option that is the unit of ``turn`` where a game has a turn limit


def plays(max_players: int) -> Field:
    """Declare which seats are in the game."""
    return Field(
        "plays",
        (max_players,),
        f"per seat ({seats_in_words(max_players)}): 1 if the seat is in the game",
        unit=1,
    )


def has_turn(max_players: int, meaning: str = "per seat: 1 if it has the turn") -> Field:
    """Declare whose turn it is; the state needs the field ``player``."""
    return Field("has_turn", (max_players,), meaning, unit=1)


def score(max_players: int, most: int) -> Field:
    """Declare the scores, in units of ``most``."""
    return Field("score", (max_players,), f"per seat: score / {most}", unit=most)


def phase(phases: Sequence[str]) -> Field:
    """Declare the phase, one of those given."""
    return Field("phase", (len(phases),), f"one-hot: {', '.join(phases)}", unit=1)


def turn(unit: int | str = TURN_LIMIT) -> Field:
    """Declare the number of the turn, in units of a number or of the turn limit."""
    return Field("turn", (), f"turn / {unit}", unit=unit)


def num_players(least: int, most: int) -> Field:
    """Declare the number of players."""
    return Field(
        "num_players",
        (most - least + 1,),
        f"one-hot: {', '.join(map(str, range(least, most + 1)))}",
        unit=least,
    )


def seats_in_words(max_players: int) -> str:
    """The order of a field per seat: ``self, +1, +2``, or shorter for many seats."""
    others = [f"+{k}" for k in range(1, max_players)]
    return (
        ", ".join(["self", *others]) if max_players <= 4 else f"self, {others[0]} to {others[-1]}"
    )
