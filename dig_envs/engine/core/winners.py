"""The winners of games that break ties."""

from collections.abc import Callable
from typing import Any

from dig_envs.engine.compiler.jit import compiled


def winners_by(standing: Callable[[Any, int], Any]) -> Callable[[Any, Any], None]:
    """Return a compiled function ``mark(state, winners)``: 1 for each seat whose
    ``standing(state, seat)`` is greatest, else 0."""

    @compiled
    def mark(state, winners):
        """Mark the winners, if the game ended here."""
        best = standing(state, 0)
        for p in range(1, state.num_players):
            best = max(best, standing(state, p))
        for p in range(state.num_players):
            winners[p] = standing(state, p) == best

    return mark
