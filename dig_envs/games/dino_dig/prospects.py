"""How near a player is to winning, for the shaping of rewards (``shaping.py``)."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s

ON_THE_WAY = 0.6  # worth of a card in a backpack, of one at home
USABLE = 0.5  # worth of a card of another suit, of one of the own
JOKER = 0.8  # what a joker lengthens a run by
PER_CARD = 0.1  # for each card up to the five without which the game cannot be ended


@kernel("dig_envs.games.dino_dig.prospects")
def write_leads(states, seats, leads):
    """The lead of a seat in each game."""
    for i in range(len(leads)):
        leads[i] = lead_of(states[i], seats[i])


@compiled
def lead_of(state, seat):
    """The seat's prospect less the best of the others'."""
    best = -np.inf
    for p in range(state.num_players):
        if p != seat:
            best = max(best, prospect(state, p))
    return prospect(state, seat) - best


@compiled
def prospect(state, p):
    """The prospect of a player."""
    at_home, packed = state.museum[p], np.int64(0)
    for card in state.backpacks[p]:
        packed |= np.int64(1) << np.int64(card)
    # Without contracts the best suit counts, and others do not serve.
    free = state.contract == s.FREE_FOR_ALL
    run = 0.0
    for suit in range(box.NUM_SUITS):
        if free or state.suits[p] - 1 == suit:
            run = max(run, longest_run(at_home, packed, suit, free))
    jokers = 0.0
    for card in range(box.FIRST_JOKER, box.NUM_CARDS + 1):
        jokers += worth(at_home, packed, card)
    return run + JOKER * jokers + PER_CARD * min(state.museum_size[p], box.ENOUGH_CARDS)


@compiled
def longest_run(at_home, packed, own, only):
    """The greatest sum of weights of consecutive values without a gap, in which other suits serve
    unless there is only the own one."""
    best = current = 0.0
    for value in range(box.NUM_VALUES):
        weight = 0.0
        for suit in range(box.NUM_SUITS):
            card = 1 + suit * box.NUM_VALUES + value
            if suit == own:
                weight = max(weight, worth(at_home, packed, card))
            elif not only:
                weight = max(weight, USABLE * worth(at_home, packed, card))
        current = current + weight if weight > 0 else 0.0
        best = max(best, current)
    return best


@compiled
def worth(at_home, packed, card):
    """The weight of a card: of sets of cards, at home and on the way."""
    if at_home >> card & 1:
        return 1.0
    return ON_THE_WAY if packed >> card & 1 else 0.0
