"""Positions as environments save and restore them: a game's snapshot, and beside it the seed of the
episode.

The seed (key ``seed``, digits as text like ``rng``) decides what is dealt after this episode, so it
is saved, too. A snapshot without one, such as a game itself makes, can be restored all the same.
"""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.declared import Array
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.variants import as_settled
from dig_envs.engine.snapshots.snapshot import SEED, Snapshot, SnapshotGame


def save_position(game: SnapshotGame, states: Array, index: int = 0) -> Snapshot:
    """The complete position of one state of an array, with the seed of its episode."""
    return {**game.to_snapshot(states[index]), SEED: str(int(states["seed"][index]))}


def load_position(
    game: SnapshotGame, snapshot: Any, options: Mapping[str, Any], seed: int
) -> Array:
    """The state of a snapshot, a record array of length 1.

    Args:
        game: whose position it must be.
        snapshot: from outside.
        options: all of them; the snapshot must have the same.
        seed: of the episode, if the snapshot has none.

    Raises:
        SnapshotError: names the key that is wrong.
    """
    states = game.from_snapshot(snapshot)
    check_options(game, game.options_of(states), options)
    if SEED not in snapshot:
        states["seed"] = seed
    return states


def check_options(game: SnapshotGame, found: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise SnapshotError unless a position was made with the options of the environment."""
    options = as_settled(game.options, options, found)
    different = [
        f"{name} = {found[name]!r} (here {options[name]!r})"
        for name in found
        if found[name] != options[name]
    ]
    if different:
        raise SnapshotError(
            f"snapshot key 'options': made with other options: {', '.join(different)}"
        )
