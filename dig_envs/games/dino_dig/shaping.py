"""How promising a position is, for potential-based shaping of the reward in training.

Scores are known at the end of the game only, and it takes more than a hundred actions to get there.
This says on the way what brings a player nearer to winning: the run that it has at home and on the
way, compared with that of the best other.
"""

from typing import Any

import numpy as np

from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s

Array = np.ndarray[Any, Any]

ON_THE_WAY = 0.6  # worth of a card in a backpack, of one at home
USABLE = 0.5  # worth of a card of another suit, of one of the own
JOKER = 0.8  # what a joker lengthens a run by
PER_CARD = 0.1  # for each card up to the five without which the game cannot be ended


def potential(states: Array, seats: Array) -> Array:
    """The lead of the seats, float64 (n,), in cards of the run: from the complete position, hidden
    cards included.

    A player's prospect is the longest run of values that its cards make, a value weighing 1 for a
    card of the own suit in the museum and less for others and for cards in backpacks, plus
    something for jokers and for the first five cards at home.
    """
    rows, players = np.arange(len(states)), states["num_players"].astype(np.int64)
    everybody = np.arange(players.max(initial=1))
    prospects = np.stack([_prospect(states, p) for p in everybody], axis=1)
    own = prospects[rows, seats].copy()
    others = np.where(everybody < players[:, None], prospects, -np.inf)
    others[rows, seats] = -np.inf
    return np.asarray(own - others.max(axis=1))


def _prospect(states: Array, p: int) -> Array:
    """The prospect of seat ``p``, float64 (n,)."""
    numbers = np.arange(1, box.NUM_CARDS + 1)
    at_home = (states["museum"][:, p, None] >> numbers) & 1
    packs = states["backpacks"][:, p, :, None] == numbers
    weight = np.maximum(at_home.astype(np.float64), ON_THE_WAY * packs.any(axis=1))
    by_suit = weight[:, : box.FIRST_JOKER - 1].reshape(-1, box.NUM_SUITS, box.NUM_VALUES)
    suits = np.arange(box.NUM_SUITS)
    free = (states["contract"] == s.FREE_FOR_ALL)[:, None]
    # Without contracts the best suit counts, and others do not serve.
    others = USABLE * np.stack([by_suit[:, suits != own].max(axis=1) for own in suits], axis=1)
    runs = _longest(np.maximum(by_suit, np.where(free[:, :, None], 0.0, others)))
    counting = free | (states["suits"][:, p, None].astype(np.int64) - 1 == suits)
    run = np.where(counting, runs, 0.0).max(axis=1)
    jokers = weight[:, box.FIRST_JOKER - 1 :].sum(axis=1)
    cards = np.minimum(states["museum_size"][:, p], box.ENOUGH_CARDS)
    return np.asarray(run + JOKER * jokers + PER_CARD * cards)


def _longest(values: Array) -> Array:
    """The greatest sum of weights of consecutive values (the last axis) without a gap, float64
    (…)."""
    best, current = np.zeros(values.shape[:-1]), np.zeros(values.shape[:-1])
    for value in range(box.NUM_VALUES):
        current = np.where(values[..., value] > 0, current + values[..., value], 0.0)
        best = np.maximum(best, current)
    return best
