"""Skeletons of Dino Dig: runs of cards, what bars a card from one, and the end of the game (DD-22
to DD-30)."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.tell import tell
from dig_envs.engine.core.turns import finish
from dig_envs.engine.core.winners import winners_by
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import events as e
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards

# ---------------------------------------------------------------- what may be used


@compiled
def beside_values(values):
    return ((values << 1) | (values >> 1)) & box.ALL_VALUES


@compiled
def usable_cards(suit, others):
    """The cards that may be in a skeleton of a suit, but for jokers; ``others``: cards that bar.
    Not without contracts (DD-25)."""
    return (box.NO_ACES | box.NO_TWOS) & (~cards.beside(others) | cards.of_suit(suit))


@compiled
def usable_values(contract, suit, museum, others):
    """The values for which the museum has a card that may be in a skeleton of a suit; ``others``:
    cards that bar (DD-25, DD-28)."""
    if contract == s.FREE_FOR_ALL:
        return cards.values_of(museum, suit)
    return cards.folded(museum & usable_cards(suit, others))


@compiled
def joker_values(contract, suit, others):
    """The values for which a joker can stand (DD-26, DD-28)."""
    if contract == s.FREE_FOR_ALL:
        return box.ALL_VALUES & ~cards.values_of(others, suit)
    return cards.folded(~(others | cards.beside(others)))


@compiled
def best_run(contract, suit, museum, others):
    """The best run of a suit (DD-29), as 16 * length + the place of its lowest value; 0 for none.

    Of two of the same length the higher one is greater. Runs of all lowest values, with up to so
    many jokers, grow together.
    """
    usable = usable_values(contract, suit, museum, others)
    jokers = cards.size_of(museum & box.JOKERS)
    possible = joker_values(contract, suit, others) if jokers > 0 else np.int64(0)
    possible_twice = possible if jokers > 1 else np.int64(0)
    without, with_one, with_two = usable, usable | possible, usable | possible
    best = 0
    length = 1
    while with_two != 0:
        best = 16 * length + highest_value(with_two)
        ahead, joker, second = usable >> length, possible >> length, possible_twice >> length
        with_two = (with_two & ahead) | (with_one & second)
        with_one = (with_one & ahead) | (without & joker)
        without &= ahead
        with_two |= with_one
        length += 1
    return best


@compiled
def highest_value(values):
    """The place of the highest value in a set that is not empty: there are so many below it."""
    values |= values >> 1
    values |= values >> 2
    values |= values >> 4
    values |= values >> 8
    return cards.size_of(values >> 1)


@compiled
def best_of_suits(state, p, museum, others):
    """The best run of a player with these cards, and its suit (DD-27, DD-28); without a contract
    that one needs 0 and -1."""
    if state.contract != s.FREE_FOR_ALL:
        suit = state.suits[p] - 1
        return (best_run(state.contract, suit, museum, others) if suit >= 0 else 0), suit
    best, found = 0, 0
    for suit in range(box.NUM_SUITS):
        run = best_run(state.contract, suit, museum, others)
        if run > best:
            best, found = run, suit
    return best, found


# ---------------------------------------------------------------- the end


@compiled
def end_game(state):
    """End the game: hand over cards in backpacks, turn up, find the skeletons, score (DD-22 to
    DD-30)."""
    if not state.truncated:
        tell(state, e.FINISHED, state.player, state.museum_size[state.player])
    if state.contract == s.FREELANCE:
        for p in range(state.num_players):
            if state.suits[p] > 0:
                tell(state, e.SHOWED_CONTRACT, p, state.suits[p] - 1)
    while True:
        place, taker = next_gift(state)
        if taker < 0:
            break
        card = state.backpacks[place // box.PIECES, place % box.PIECES]
        state.backpacks[place // box.PIECES, place % box.PIECES] = box.NONE
        cards.into_museum(state, taker, card)
        tell(state, e.LOST, place // box.PIECES, place % box.PIECES + 1, card - 1, taker)
    for p in range(state.num_players):  # DD-23
        cards.reveal(state, state.museum[p] | cards.in_backpacks(state, p))
        tell_what_is_turned_up(state, p)
    clear(state.acted, box.PIECES)
    finish(state, s.OVER)
    score(state)
    for p in range(state.num_players):
        skeleton = np.int64(0)
        for i in range(state.runs_len[p]):
            skeleton |= cards.bit(state.runs[p, i])
        tell(
            state,
            e.DECLARED,
            p,
            state.scores[p],
            state.runs_high[p],
            red_of(skeleton),
            black_of(skeleton),
        )
    choose_winners(state, state.winners)


@compiled
def tell_what_is_turned_up(state, p):
    """DD-23: what everybody sees of a player's museum and backpacks."""
    tell(state, e.TURNED_UP_MUSEUM, p, red_of(state.museum[p]), black_of(state.museum[p]))
    for k in range(box.PIECES):
        if state.backpacks[p, k] != box.NONE:
            tell(state, e.TURNED_UP_BACKPACK, p, k + 1, state.backpacks[p, k] - 1)


@compiled
def red_of(some):
    """The hearts and diamonds of a set, from bit 0 on: as many as fit into a number of an event."""
    return (some >> 1) & (cards.bit(e.RED) - 1)


@compiled
def black_of(some):
    """The other cards of a set, from bit 0 on."""
    return some >> (1 + e.RED)


@compiled
def next_gift(state):
    """DD-22: the first card in a backpack that goes to another's museum, as 3 * seat + piece, and
    to whose; -1 for none."""
    for p in range(state.num_players):
        for k in range(box.PIECES):
            card = state.backpacks[p, k]
            if card != box.NONE and card < box.FIRST_JOKER:
                taker = taker_of(state, p, card)
                if taker >= 0:
                    return box.PIECES * p + k, taker
    return 0, -1


@compiled
def taker_of(state, owner, card):
    """DD-22: to whose museum a card in a backpack goes, -1 if to none."""
    suit = (card - 1) // box.NUM_VALUES
    value = (card - 1) % box.NUM_VALUES
    best, taker = 0, -1
    for k in range(1, state.num_players):
        p = seat_after(state, owner, k)
        if state.contract == s.FREE_FOR_ALL or state.suits[p] == suit + 1:
            length = sequence_with(cards.values_of(state.museum[p], suit), value)
            if length > 1 and length > best:
                best, taker = length, p
    return taker


@compiled
def sequence_with(values, value):
    """The length of the unbroken sequence that a value makes with others."""
    length = 1
    at = value + 1
    while at < box.NUM_VALUES and cards.has(values, at):
        length += 1
        at += 1
    at = value - 1
    while at >= 0 and cards.has(values, at):
        length += 1
        at -= 1
    return length


@compiled
def score(state):
    """DD-24 to DD-30: the skeletons of all players and their scores."""
    for p in range(box.MAX_PLAYERS):
        state.runs_len[p] = clear(state.runs[p], box.NUM_VALUES)
        state.runs_high[p] = 0
        state.scores[p] = 0
    for p in range(state.num_players):
        others = cards.held_by_others(state, p)
        best, suit = best_of_suits(state, p, state.museum[p], others)
        write_run(state, p, suit, best, others)


@compiled
def write_run(state, p, suit, best, others):
    """Write the cards of a player's best run (DD-29)."""
    length, low = best // 16, best % 16
    joker = box.FIRST_JOKER
    for i in range(length):
        card = card_for(state, p, suit, low + i, others)
        if card == box.NONE:
            if not cards.has(state.museum[p], joker):
                joker += 1
            card = joker
            joker += 1
        state.runs[p, i] = card
    state.runs_len[p] = length
    state.runs_high[p] = box.LOWEST_VALUE + low + length - 1 if length > 0 else 0
    state.scores[p] = length


@compiled
def card_for(state, p, suit, value, others):
    """DD-29: the card that a skeleton has for a value, NONE if it is a joker."""
    museum = state.museum[p]
    if cards.has(cards.values_of(museum, suit), value):
        return 1 + box.NUM_VALUES * suit + value
    if state.contract != s.FREE_FOR_ALL:
        for other in range(box.NUM_SUITS):
            barred = beside_values(cards.values_of(others, other))
            if other != suit and cards.has(cards.values_of(museum, other) & ~barred, value):
                return 1 + box.NUM_VALUES * other + value
    return box.NONE


@compiled
def standing(state, p):
    """DD-30: the longest skeleton wins, of equally long ones that with the greatest high."""
    return 16 * state.scores[p] + state.runs_high[p]


choose_winners = winners_by(standing)
