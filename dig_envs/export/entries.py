"""What an exported game can be asked: compiled functions that take pointers and call the engine's own loops.

Nothing is decided here: each function puts arrays around memory that the caller has and calls what ``kernels.py``,
``search/simulation.py``, ``search/tree.py`` or ``search/dense.py`` have. What is checked before is in ``templates/game.c``.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

from dig_envs.batch.common import GENERATOR
from dig_envs.engine.compiler.portable import Entry, load_for_export
from dig_envs.engine.game import Game

LINE = 64  # bytes to a multiple of which each part of a search's memory is rounded up


@intrinsic
def _beyond(typing_context, start, offset):  # type: ignore[no-untyped-def]
    """The address so many bytes beyond a pointer."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        byte = ir.IntType(8).as_pointer()
        return cgutils.pointer_add(builder, builder.bitcast(arguments[0], byte), arguments[1], byte)

    return types.voidptr(start, types.int64), generate


def make_entries(game: Game) -> list[Entry]:
    """The functions of a game that its C interface needs (``templates/game.c`` declares them in this order)."""
    return _rules(game)


def _pointer(dtype: Any) -> Any:
    return types.CPointer(numba.from_dtype(np.dtype(dtype)))  # type: ignore[attr-defined]


def _record(dtype: Any) -> Any:
    return numba.from_dtype(np.dtype(dtype))  # type: ignore[attr-defined]


def inner(game: Game, name: str) -> str:
    """The symbol of one of these functions: several games can be in one program."""
    return f"{game.name}_inner_{name}"


BYTES, SIGNED = _pointer(np.uint8), types.int64
WORD: Any = types.uint64  # type: ignore[attr-defined]


def _rules(game: Game) -> list[Entry]:
    """Deals, masks, actions, observations, results; the scripted and the random player."""
    kernels, _ = load_for_export(game)
    write_mask, write_returns, redeal = kernels.write_mask, kernels.write_returns, kernels.redeal
    setup, apply_action, observe, heuristic = kernels.setup, kernels.apply_action, kernels.observe, kernels.heuristic
    random_legal = kernels.random_legal
    actions, seats = len(game.actions), game.max_players

    def dig_setup(state, seed):  # type: ignore[no-untyped-def]
        setup(state, seed)

    def dig_mask(state, seat, mask):  # type: ignore[no-untyped-def]
        write_mask(state, seat, carray(mask, (actions,)))

    def dig_apply(state, seat, action):  # type: ignore[no-untyped-def]
        apply_action(state, seat, action)

    def dig_observe(state, seat, observation):  # type: ignore[no-untyped-def]
        observe(state, seat, observation)

    def dig_returns(state, returns):  # type: ignore[no-untyped-def]
        write_returns(state, carray(returns, (seats,)))

    def dig_redeal(state, seat, seed):  # type: ignore[no-untyped-def]
        redeal(state, seat, seed)

    def dig_heuristic(state, seat):  # type: ignore[no-untyped-def]
        return np.int64(heuristic(state, seat))

    def dig_random(mask, generator):  # type: ignore[no-untyped-def]
        return np.int64(random_legal(carray(mask, (actions,)), generator))

    state, mask = _record(game.state), _pointer(np.int8)
    return [
        Entry(inner(game, "setup"), dig_setup, (state, WORD)),
        Entry(inner(game, "mask"), dig_mask, (state, SIGNED, mask)),
        Entry(inner(game, "apply"), dig_apply, (state, SIGNED, SIGNED)),
        Entry(inner(game, "observe"), dig_observe, (state, SIGNED, _record(game.observation))),
        Entry(inner(game, "returns"), dig_returns, (state, _pointer(np.float64))),
        Entry(inner(game, "redeal"), dig_redeal, (state, SIGNED, WORD)),
        Entry(inner(game, "heuristic"), dig_heuristic, (state, SIGNED)),
        Entry(inner(game, "random"), dig_random, (mask, _record(GENERATOR))),
    ]
