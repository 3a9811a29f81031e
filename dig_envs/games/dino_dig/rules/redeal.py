"""Re-dealing what a seat of Dino Dig cannot know: the cards that it has not seen are permuted over
their places, evenly.

Who knows what is open to all, and stays with the places. In the state all that concerns a card is
held by its number, so that the numbers are exchanged everywhere, also in what the others know.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append
from dig_envs.engine.core.random import below, shuffle
from dig_envs.engine.core.state import record_dtype, scratch_records
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules.cards import bit, deck_of, has

Redeal = record_dtype(
    [
        ("old", np.int8, (s.CARDS,)),  # the hidden cards by their places …
        ("new", np.int8, (s.CARDS,)),  # … and those that come there
        ("number", np.int8, (s.CARDS,)),  # per card: which takes its place
        ("below", np.int8, (s.CARDS,)),  # as it was
        ("place", np.int8, (s.CARDS,)),
        ("level", np.int8, (s.CARDS,)),
    ]
)


@compiled
def determinize(state, seat):
    """Re-deal what the seat cannot know, from its view and the generator alone."""
    redeal_by(state, seat, scratch_records(1, Redeal))


@compiled
def redeal_by(state, seat, redeals):
    """Re-deal what the seat cannot know; ``redeals`` is scratch."""
    redeal = redeals[0]
    hidden = deck_of(state) & ~state.known[seat]
    count = collect_hidden(state, hidden, redeal.old)
    listed = 0
    for card in range(s.CARDS):
        redeal.number[card] = card
        if has(hidden, card):
            listed = append(redeal.new, listed, card)
    shuffle(state, redeal.new, count)
    for i in range(count):
        redeal.number[redeal.old[i]] = redeal.new[i]
    renumber_links(state, redeal)
    renumber_places(state, redeal.number)
    for p in range(state.num_players):
        state.known[p] = renumbered(state.known[p], hidden, redeal, count)
        state.museum[p] = renumbered(state.museum[p], hidden, redeal, count)
    redeal_suits(state, seat)


@compiled
def collect_hidden(state, hidden, found):
    """List the cards of a set by their places, in an order in which only the view matters; returns
    their number."""
    count = 0
    for square in range(1, s.SQUARES):
        count = collect_stack(state, state.top[square], hidden, found, count)
    for p in range(state.num_players):
        count = collect_stack(state, state.museum_top[p], hidden, found, count)
        for k in range(box.PIECES):
            if has(hidden, state.backpacks[p, k]):
                count = append(found, count, state.backpacks[p, k])
    if has(hidden, state.hand):
        count = append(found, count, state.hand)
    return collect_stack(state, state.supply_top, hidden, found, count)


@compiled
def collect_stack(state, top, hidden, found, count):
    card = np.int64(top)
    while card != box.NONE:
        if has(hidden, card):
            count = append(found, count, card)
        card = np.int64(state.below[card])
    return count


@compiled
def renumber_links(state, redeal):
    """Give what is held per card to the card that takes its place."""
    for card in range(s.CARDS):
        redeal.below[card] = state.below[card]
        redeal.place[card] = state.place[card]
        redeal.level[card] = state.level[card]
    for card in range(1, s.CARDS):
        state.below[redeal.number[card]] = redeal.number[redeal.below[card]]
        state.place[redeal.number[card]] = redeal.place[card]
        state.level[redeal.number[card]] = redeal.level[card]


@compiled
def renumber_places(state, number):
    """Give the cards that are stored one by one their new numbers."""
    for square in range(1, s.SQUARES):
        state.top[square] = number[state.top[square]]
    for p in range(state.num_players):
        state.museum_top[p] = number[state.museum_top[p]]
        for k in range(box.PIECES):
            state.backpacks[p, k] = number[state.backpacks[p, k]]
    state.hand = number[state.hand]
    state.supply_top = number[state.supply_top]


@compiled
def renumbered(numbers, hidden, redeal, count):
    """A set of cards, with others in the place of the hidden ones."""
    result = numbers & ~hidden
    for i in range(count):
        if has(numbers, redeal.old[i]):
            result |= bit(redeal.new[i])
    return result


@compiled
def redeal_suits(state, seat):
    """DD-7: until the game is over, the secret suits of the others may be any."""
    if state.contract == s.FREELANCE and not state.over:
        for p in range(state.num_players):
            if p != seat and state.suits[p] > 0:
                state.suits[p] = 1 + below(state, box.NUM_SUITS)
