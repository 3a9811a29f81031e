"""The header with which every game's state record begins, and what the engine reads from it."""

from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED, compiled

REWARD_KINDS = ("win", "score")  # returns on the last step; each step's change of score
ANSWERS = 256  # more than there are seats: a kernel that returns a seat and more counts in these
Fields = list[tuple[Any, ...]]


def header(max_players: int) -> Fields:
    """The fields at the beginning of every state record; adapters and kernels need no others.

    ``seed``, ``rng``: seed of this episode and random generator (uint64). ``num_players``: seats in
    this game. ``to_move``: the seat asked next, -1 when the game is over. ``owes``: 1 for each seat
    that has a decision to make (several in a simultaneous phase; ``to_move`` is the lowest).
    ``version``: of the environment. ``phase``: index into the game's phases. ``turn``: turns begun.
    ``over``, ``truncated``: 0 or 1. ``winners``: 1 for each winner. ``scores``: the score of each
    seat.
    """
    return [
        ("seed", np.uint64),
        ("rng", np.uint64),
        ("scores", np.int32, (max_players,)),
        ("turn", np.int16),
        ("num_players", np.int8),
        ("to_move", np.int8),
        ("phase", np.int8),
        ("over", np.int8),
        ("truncated", np.int8),
        ("owes", np.int8, (max_players,)),
        ("winners", np.int8, (max_players,)),
        ("version", np.int8),
    ]


def state_dtype(max_players: int, fields: Fields) -> np.dtype[Any]:
    """The dtype of a game's state: the header, then the game's own fields, aligned.

    The gaps that alignment leaves are fields as well: NumPy copies records field by field, and
    copies shall be equal as bytes.
    """
    aligned: Any = np.dtype(header(max_players) + fields, align=True)
    complete: Fields = []
    end = 0
    for name, *kind in header(max_players) + fields:
        dtype, offset = aligned.fields[name][:2]
        if offset > end:
            complete.append((f"_gap_{end}", np.uint8, (offset - end,)))
        complete.append((name, *kind))
        end = offset + dtype.itemsize
    if aligned.itemsize > end:
        complete.append((f"_gap_{end}", np.uint8, (aligned.itemsize - end,)))
    return np.dtype(complete, align=True)


def record_dtype(fields: Fields) -> np.dtype[Any]:
    """The dtype of a record other than a state or an observation, such as a game's facts."""
    return np.dtype(fields, align=True)


def new_records(count: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """``count`` zero records that rules code can work on, compiled or not."""
    return as_records(np.zeros(count, dtype))


def as_records(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same records; a recarray, whose fields are attributes, if nothing is compiled."""
    return records.view(np.recarray) if JIT_DISABLED else records


@compiled
def nothing_derived(state):  # type: ignore[no-untyped-def]
    """Derive nothing, for a game without derived fields."""


@compiled
def score_so_far(state, seat):  # type: ignore[no-untyped-def]
    """The score, for a game without an estimate of its own."""
    return state.scores[seat]


@compiled
def nothing_to_expect(state, returns):  # type: ignore[no-untyped-def]
    """Expect returns of zero before the end, for a game without an expectation of its own."""
    returns[:] = 0.0


@compiled
def nothing_put_off(state, seat, action):  # type: ignore[no-untyped-def]
    """Put nothing off, for a game without strokes of luck that win it."""
    return 0.0


@compiled
def no_facts(state, facts):  # type: ignore[no-untyped-def]
    """Write nothing, for a game without facts."""


@compiled
def _empty_records(count: int, dtype: Any) -> np.ndarray[Any, Any]:
    return np.empty(count, dtype)


def _zero_recarray(count: int, dtype: Any) -> np.ndarray[Any, Any]:
    return new_records(count, dtype)


# Records for trying things out, inside compiled code; their contents are arbitrary at first. A
# record does not keep the array alive that it lies in, an argument does: who makes the array hands
# it on to the function that takes the record out of it.
scratch_records = _zero_recarray if JIT_DISABLED else _empty_records
