"""The header with which every game's state record begins, and what the engine reads from it."""

from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED, compiled

REWARD_KINDS = ("win", "score")  # returns on the last step; each step's change of score
# who plays a seat of a batch: whoever steps it, or the step itself as these agents would
PLAYERS = ("asked", "heuristic", "random")
ANSWERS = 256  # more than there are seats: a kernel adds it to a seat to say more
# name, type, shape if there is one, and what the field says (see `meanings_of`)
Fields = list[tuple[Any, ...]]


def header(max_players: int) -> Fields:
    """The fields that every state record begins with; adapters and kernels need nothing
    else."""
    return [
        ("seed", np.uint64, "seed of this episode"),
        ("rng", np.uint64, "random generator"),
        ("scores", np.int32, (max_players,), "per seat: score"),
        ("turn", np.int16, "turns begun"),
        ("num_players", np.int8, "seats in this game"),
        ("to_move", np.int8, "the seat asked next, -1 when the game is over"),
        ("phase", np.int8, "index into the phases of the game"),
        ("over", np.int8, "1 when the game is over"),
        ("truncated", np.int8, "1 if the turn limit ended the game"),
        # several in a simultaneous phase; `to_move` is the lowest
        ("owes", np.int8, (max_players,), "1 per seat that has a decision to make"),
        ("winners", np.int8, (max_players,), "1 per winner"),
        ("version", np.int8, "of the environment"),
    ]


def meanings_of(fields: Fields) -> dict[str, str]:
    """What each field says, with those of the header.

    A field without words of its own is the number of entries of a list (``pile_len``), or an
    option.
    """
    return {
        name: rest[-1]
        if isinstance(rest[-1], str)
        else f"entries of {name[:-4]}"
        if name.endswith("_len")
        else f"the option {name}"
        for name, *rest in header(1) + fields
    }


def state_dtype(max_players: int, fields: Fields) -> np.dtype[Any]:
    """The dtype of a game's state: the header, then the game's own fields, aligned.

    The gaps that alignment leaves are fields as well: NumPy copies records field by field, and
    copies shall be equal as bytes.
    """
    return without_gaps(
        [one[:-1] if isinstance(one[-1], str) else one for one in header(max_players) + fields]
    )


def without_gaps(kinds: Fields) -> np.dtype[Any]:
    """An aligned record type in which the gaps are fields."""
    aligned: Any = np.dtype(kinds, align=True)
    complete: Fields = []
    end = 0
    for name, *kind in kinds:
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


@compiled
def _zero_records(count: int, dtype: Any) -> np.ndarray[Any, Any]:
    return np.zeros(count, dtype)


def _zero_recarray(count: int, dtype: Any) -> np.ndarray[Any, Any]:
    return new_records(count, dtype)


# Records for trying things out, inside compiled code; their contents are arbitrary at first. A
# record does not keep the array alive that it lies in, an argument does: who makes the array hands
# it on to the function that takes the record out of it.
scratch_records = _zero_recarray if JIT_DISABLED else _empty_records
zero_records = _zero_recarray if JIT_DISABLED else _zero_records  # the same, zero at first
