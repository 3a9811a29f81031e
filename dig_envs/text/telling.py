"""Positions after actions, and what an action shows its own player."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.core.state import as_records
from dig_envs.engine.core.words import Viewer
from dig_envs.engine.event_log import ALL
from dig_envs.engine.game import Array, Game

# of what a player cannot know, to find out whether an action shows something; of so many …
DEALS = 64
VIEWS = 6  # … the views are compared, of the others what the player observes


def copied(states: Array) -> Array:
    """A copy of a record array that rules code can work on."""
    return as_records(np.array(states))


def after(game: Game, states: Array, seat: int, *actions: int) -> Array:
    """The position after legal actions of a seat, as a new array."""
    result = copied(states)
    for action in actions:
        game.kernels.apply_one(result, seat, action)
    return result


def redealt(game: Game, states: Array, seat: int, seed: int) -> Array:
    """The position with what the seat cannot know dealt anew, chance to come included, as a new
    array."""
    result = copied(states)
    game.kernels.determinize_one(result, seat, np.uint64(seed))
    return result


def view_of(game: Game, states: Array, viewer: Viewer) -> Mapping[str, Any]:
    """The part of a position that a viewer may see; for ``ALL`` the position itself."""
    snapshot = game.to_snapshot(states[0])
    if viewer == ALL:
        return snapshot
    return game.to_public(snapshot) if viewer is None else game.to_view(snapshot, viewer)


def settled(game: Game, base: Array, choices: Mapping[int, Sequence[int]]) -> Array:
    """The position after a simultaneous decision: what each seat has chosen since ``base``, carried
    out in seat order."""
    result = copied(base)
    for seat in sorted(choices):
        for action in choices[seat]:
            game.kernels.apply_one(result, seat, action)
    return result


def reveals(game: Game, before: Array, seat: int, action: int) -> bool:
    """Whether an action shows its own player something new, by chance or because it was hidden.

    It does not if it leads to the same sight in all deals of what the player cannot know.
    """
    result = after(game, before, seat, action)
    observed, view = _observation(game, result, seat), view_of(game, result, seat)
    for deal in range(DEALS):
        other = after(game, redealt(game, before, seat, deal), seat, action)
        if _observation(game, other, seat) != observed or (
            deal < VIEWS and view_of(game, other, seat) != view
        ):
            return True
    return False


def _observation(game: Game, states: Array, seat: int) -> bytes:
    records, flat = game.new_observations(1)
    game.kernels.observations_of(states, 0, 1, np.array([seat], np.int64), records, flat)
    return flat.tobytes()
