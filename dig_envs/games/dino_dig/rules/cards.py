"""Cards of Dino Dig that change place, and who knows them."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.bits import size_of as size_of
from dig_envs.games.dino_dig import components as box


@compiled
def bit(number):
    return np.int64(1) << np.int64(number)


@compiled
def has(numbers, number):
    """Whether a set has a card or square, as 0 or 1."""
    return (np.int64(numbers) >> np.int64(number)) & 1


@compiled
def lowest(numbers):
    """The lowest number in a set that is not empty."""
    return size_of((numbers & -numbers) - 1)


@compiled
def values_of(cards, suit):
    """The values of a suit in a set of cards, as a set of values: bit 0 is the 2."""
    return (np.int64(cards) >> np.int64(1 + box.NUM_VALUES * suit)) & box.ALL_VALUES


@compiled
def of_suit(suit):
    return np.int64(box.ALL_VALUES) << (1 + box.NUM_VALUES * suit)


@compiled
def of_values(values):
    return np.int64(values) * box.EACH_SUIT


@compiled
def folded(cards):
    """The values that there are in a set of cards, of whatever suit; jokers have none."""
    halves = cards | (cards >> (2 * box.NUM_VALUES))
    return ((halves >> 1) | (halves >> (1 + box.NUM_VALUES))) & box.ALL_VALUES


@compiled
def beside(cards):
    """The cards with values next to those of a set, of the same suits."""
    return ((cards & box.NO_ACES) << 1) | ((cards & box.NO_TWOS) >> 1)


@compiled
def deck_of(state):
    """The set of all cards in the game."""
    return bit(box.LAST_JOKER + 1 if state.jokers else box.FIRST_JOKER) - 2


@compiled
def reveal(state, cards):
    """Everybody knows these cards from now on (DD-20)."""
    for p in range(state.num_players):
        state.known[p] |= cards


@compiled
def knowers(state, card):
    """The seats that know a card, a bit each."""
    seats = 0
    for p in range(state.num_players):
        seats |= has(state.known[p], card) << p
    return seats


@compiled
def put_on(state, square, card):
    """A card on top of a square's stack, face down."""
    state.below[card] = state.top[square]
    state.top[square] = card
    state.level[card] = state.height[square]
    state.height[square] += 1
    state.place[card] = square


@compiled
def take_from(state, square):
    """The top card of a square, which must have one."""
    card = state.top[square]
    state.top[square] = state.below[card]
    state.below[card] = box.NONE
    state.level[card] = 0
    state.height[square] -= 1
    state.face_up &= ~bit(card)
    return card


@compiled
def number_above(state, card):
    return np.int64(state.height[state.place[card]]) - 1 - state.level[card]


@compiled
def into_hand(state, seat, card):
    """The player sees the card (DD-11, DD-20)."""
    state.hand = card
    state.place[card] = box.IN_HAND
    state.known[seat] |= bit(card)


@compiled
def into_backpack(state, seat, piece, card):
    state.backpacks[seat, piece] = card
    state.place[card] = box.IN_BACKPACK + box.PIECES * seat + piece


@compiled
def into_museum(state, seat, card):
    state.below[card] = state.museum_top[seat]
    state.museum_top[seat] = card
    state.museum_size[seat] += 1
    state.museum[seat] |= bit(card)
    state.place[card] = box.IN_MUSEUM + seat


@compiled
def lay(state, square):
    """The top card of the supply goes onto a square."""
    card = state.supply_top
    state.supply_top = state.below[card]
    state.supply_size -= 1
    put_on(state, square, card)


@compiled
def in_backpacks(state, seat):
    cards = 0
    for k in range(box.PIECES):
        card = state.backpacks[seat, k]
        if card != box.NONE:
            cards |= bit(card)
    return cards


@compiled
def held_by_others(state, seat):
    """The cards in museums and backpacks of the others."""
    cards = 0
    for p in range(state.num_players):
        if p != seat:
            cards |= state.museum[p] | in_backpacks(state, p)
    return cards
