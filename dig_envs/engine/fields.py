"""The observation of a game: name, shape, meaning and bounds of each field, from one place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.engine.jit import compiled

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Field:
    """One field of an observation.

    ``shape``: of its numbers, ``()`` for a single one. ``meaning``: for people, with the unit of each number.
    ``low``, ``high``: bounds of its numbers.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0


class Fields:
    """All fields of a game's observation, in their order in the flat vector.

    Args:
        fields: the fields.
    """

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The record type: float32 fields only and no padding, so that it can be viewed as a flat vector."""
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


# ---------------------------------------------------------------- what every game's observation may have


def plays(max_players: int) -> Field:
    """Which seats are in the game."""
    return Field("plays", (max_players,), f"per seat ({seats_in_words(max_players)}): 1 if the seat is in the game")


def has_turn(max_players: int, meaning: str = "per seat: 1 if it has the turn") -> Field:
    """Whose turn it is; the state needs the field ``player``."""
    return Field("has_turn", (max_players,), meaning)


def score(max_players: int, most: int) -> Field:
    """The scores, in units of ``most``."""
    return Field("score", (max_players,), f"per seat: score / {most}")


def phase(phases: Sequence[str]) -> Field:
    """The phase."""
    return Field("phase", (len(phases),), f"one-hot: {', '.join(phases)}")


def turn(unit: int | str) -> Field:
    """The number of the turn, in units of ``unit``."""
    return Field("turn", (), f"turn / {unit}")


def num_players(least: int, most: int) -> Field:
    """The number of players."""
    return Field("num_players", (most - least + 1,), f"one-hot: {', '.join(map(str, range(least, most + 1)))}")


def seats_in_words(max_players: int) -> str:
    """How a field per seat is ordered: ``self, +1, +2``, or shorter where there are many."""
    others = [f"+{k}" for k in range(1, max_players)]
    return ", ".join(["self", *others]) if max_players <= 4 else f"self, {others[0]} to {others[-1]}"


def standard_filler(fields: Fields, turns: int = 0, most: int = 0, least_players: int = 1) -> Callable[..., None]:
    """A compiled function ``fill(state, seat, obs)`` that writes the standard fields among ``fields``.

    Standard are ``plays``, ``has_turn``, ``score``, ``phase``, ``turn`` and ``num_players``; those that a game does not have are
    left out. A phase beyond the field's length (such as ``over``) is shown as zeros.

    Args:
        fields: of the observation.
        turns: the unit of ``turn``, 0 if the game fills it by itself.
        most: the unit of ``score``, 0 if the game fills it by itself.
        least_players: the number of players that is first in ``num_players``.
    """
    there = set(fields.names) - ({"turn"} if turns == 0 else set()) - ({"score"} if most == 0 else set())
    fill_plays = _fill_plays if "plays" in there else _fill_nothing
    fill_has_turn = _fill_has_turn if "has_turn" in there else _fill_nothing
    fill_score = _fill_score if "score" in there else _fill_nothing
    fill_phase = _fill_phase if "phase" in there else _fill_nothing
    fill_turn = _fill_turn if "turn" in there else _fill_nothing
    fill_num_players = _fill_num_players if "num_players" in there else _fill_nothing

    @compiled
    def fill(state, seat, obs):  # type: ignore[no-untyped-def]
        """Write the standard fields."""
        fill_plays(state, seat, obs, 0)
        fill_has_turn(state, seat, obs, 0)
        fill_score(state, seat, obs, most)
        fill_phase(state, seat, obs, 0)
        fill_turn(state, seat, obs, turns)
        fill_num_players(state, seat, obs, least_players)

    return fill  # type: ignore[no-any-return]


@compiled
def _fill_nothing(state, seat, obs, unit):  # type: ignore[no-untyped-def]
    pass


@compiled
def _fill_plays(state, seat, obs, unit):  # type: ignore[no-untyped-def]
    for k in range(state.num_players):
        obs.plays[k] = 1


@compiled
def _fill_has_turn(state, seat, obs, unit):  # type: ignore[no-untyped-def]
    obs.has_turn[(state.player - seat) % state.num_players] = 1


@compiled
def _fill_score(state, seat, obs, most):  # type: ignore[no-untyped-def]
    for k in range(state.num_players):
        obs.score[k] = state.scores[(seat + k) % state.num_players] / most


@compiled
def _fill_phase(state, seat, obs, unit):  # type: ignore[no-untyped-def]
    if state.phase < len(obs.phase):
        obs.phase[state.phase] = 1


@compiled
def _fill_turn(state, seat, obs, turns):  # type: ignore[no-untyped-def]
    obs.turn = state.turn / turns


@compiled
def _fill_num_players(state, seat, obs, least):  # type: ignore[no-untyped-def]
    obs.num_players[state.num_players - least] = 1
