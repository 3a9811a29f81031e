"""The kinds of cards to a seat of Dino Dig, as far as it knows them, by what they would do for its
run."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards, skeletons

KIND_NAMES = ("joker", "own suit", "lacking", "next", "others' suit")
# Lacking: a joker, or a card that the own skeleton may have, of a value that no such card of the
# seat has (without contracts: of a suit of which it has one). Next: such a card of a value next to
# one that it has.


@compiled
def kinds_of_cards(state, seat, mine, others):
    """The cards of each kind, whoever knows them; ``mine``: the seat's cards, ``others``: those of
    the others that it knows."""
    own = of_contract(state, seat)
    if state.contract == s.FREE_FOR_ALL:
        lacking, following = without_contracts(mine)
    elif own == 0:
        lacking, following = np.int64(0), np.int64(0)
    else:
        usable = skeletons.usable_cards(state.suits[seat] - 1, others)
        covered = cards.folded(mine & usable)
        lacking = usable & cards.of_values(box.ALL_VALUES & ~covered)
        following = usable & cards.of_values(skeletons.beside_values(covered) & ~covered)
    return np.int64(box.JOKERS), own, lacking | box.JOKERS, following, others_suits(state, seat)


@compiled
def without_contracts(mine):
    """The missing cards and those next to own ones, without contracts (DD-28: a run is of one
    suit)."""
    lacking = np.int64(0)
    for suit in range(box.NUM_SUITS):
        if cards.values_of(mine, suit) != 0:
            lacking |= cards.of_suit(suit)
    return lacking & ~mine, cards.beside(mine) & ~mine


@compiled
def of_contract(state, p):
    """All cards of a player's suit, none without a contract."""
    return cards.of_suit(state.suits[p] - 1) if state.suits[p] > 0 else np.int64(0)


@compiled
def others_suits(state, seat):
    """All cards of the suits of the others, if the seat may see them."""
    found = np.int64(0)
    for p in range(state.num_players):
        if p != seat and is_seen(state, seat, p):
            found |= of_contract(state, p)
    return found


@compiled
def is_seen(state, seat, p):
    """DD-7: whether the seat may see a player's contract."""
    return p == seat or state.contract != s.FREELANCE or state.over
