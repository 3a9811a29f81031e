"""The winners of games that break ties, and what a victory counts.

A seat's *share of the victory* is what "won" means everywhere: 1 for the only winner, 1/k for each
of k winners, 0 for the others and where nobody has won; in a cooperative game 1 for all or 0 for
all.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import compiled

Array = np.ndarray[Any, Any]


def winners_by(standing: Callable[[Any, int], Any]) -> Callable[[Any, Any], None]:
    """A compiled function ``mark(state, winners)``: 1 for each seat whose ``standing(state, seat)``
    is greatest, else 0."""

    @compiled
    def mark(state, winners):
        """Mark the winners, if the game ended here."""
        best = standing(state, 0)
        for p in range(1, state.num_players):
            best = max(best, standing(state, p))
        for p in range(state.num_players):
            winners[p] = standing(state, p) == best

    return mark


@compiled
def share_of_victory(state, seat, cooperative):
    """A seat's share of the victory; 0 before the end."""
    if not state.over or not state.winners[seat]:
        return 0.0
    count = 0
    for p in range(state.num_players):
        count += state.winners[p]
    return 1.0 if cooperative else 1.0 / count


def shares_of_victory(winners: Array, cooperative: bool) -> Array:
    """The share of the victory of each seat, float64 (…, seats).

    Args:
        winners: (…, seats), true or 1 for each winner. cooperative: whether all win together.
    """
    won: Array = np.asarray(winners) != 0
    if cooperative:
        return won.astype(np.float64)
    shares: Array = won / np.maximum(won.sum(axis=-1, keepdims=True), 1)
    return shares
