"""How promising a position is, for potential-based shaping of the reward in training.

Scores are known at the end of the game only, and it takes more than a hundred actions to get there.
This says on the way what brings a player nearer to winning: the run that it has at home and on the
way, compared with that of the best other.
"""

from typing import Any

import numpy as np

from dig_envs.games.dino_dig.prospects import write_leads

Array = np.ndarray[Any, Any]


def potential(states: Array, seats: Array) -> Array:
    """The lead of the seats, float64 (n,), in cards of the run: from the complete position, hidden
    cards included.

    A player's prospect is the longest run of values that its cards make, a value weighing 1 for a
    card of the own suit in the museum and less for others and for cards in backpacks, plus
    something for jokers and for the first five cards at home.
    """
    leads = np.empty(len(states))
    write_leads(states, seats, leads)
    return leads
