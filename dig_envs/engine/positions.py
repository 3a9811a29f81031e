"""Positions as environments save and restore them: a game's snapshot, and beside it the seed of the episode.

The seed (key ``seed``, digits as text like ``rng``) decides what is dealt after this episode, so it is saved, too. A snapshot
without one, such as a game itself makes, can be restored all the same.
"""

import reprlib
from collections.abc import Mapping
from typing import Any

from dig_envs.engine.checks import WORDS
from dig_envs.engine.errors import SnapshotError
from dig_envs.engine.game import Array, Game, Snapshot

SEED = "seed"


def save_position(game: Game, states: Array, index: int = 0) -> Snapshot:
    """The complete position of one state of an array, with the seed of its episode."""
    return {**game.to_snapshot(states[index]), SEED: str(int(states["seed"][index]))}


def load_position(game: Game, snapshot: Any, options: Mapping[str, Any], seed: int) -> Array:
    """The state of a snapshot, a record array of length 1.

    Args:
        game: whose position it must be.
        snapshot: from outside.
        options: all of them; the snapshot must have the same.
        seed: of the episode, if the snapshot has none.

    Raises:
        SnapshotError: names the key that is wrong.
    """
    plain = snapshot
    if isinstance(snapshot, Mapping) and SEED in snapshot:
        seed = _read_seed(snapshot[SEED])
        plain = {key: value for key, value in snapshot.items() if key != SEED}
    states = game.from_snapshot(plain)
    check_options(game.options_of(states), options)
    states["seed"] = seed
    return states


def _read_seed(text: Any) -> int:
    good = isinstance(text, str) and len(text) <= 20 and text.isascii() and text.isdigit() and int(text) < WORDS
    if not good:
        raise SnapshotError(f"snapshot key {SEED!r}: must be a string of digits up to {WORDS - 1}, not {reprlib.repr(text)}")
    return int(text)


def check_options(found: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise SnapshotError unless a position was made with the options of the environment."""
    different = [f"{name} = {found[name]!r} (here {options[name]!r})" for name in found if found[name] != options[name]]
    if different:
        raise SnapshotError(f"snapshot key 'options': made with other options: {', '.join(different)}")
