"""The set-up: decks and the initial discovery (BD-8)."""

from dig_envs.engine.jit import compiled
from dig_envs.engine.random import below, seed_generator, shuffle
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES
from dig_envs.games.the_big_dig.discovery import mark_discovered
from dig_envs.games.the_big_dig.rules import begin_turn


@compiled
def setup(state, seed):
    """BD-8: choose the deck, discover its first attribute, shuffle the rest; then the first turn begins."""
    seed_generator(state, seed)
    for p in range(box.SEATS):
        state.bank[p] = box.NUM_TOKENS
    make_deck(state)
    take_out_first_discovery(state)
    shuffle(state, state.cards, state.cards_len)
    begin_turn(state)


@compiled
def make_deck(state):
    """BD-8: the cards of the deck that the option names, of one of the four, or of a wild one; the states come first."""
    if state.deck == s.WILD_DECK:
        make_wild_deck(state)
        return
    deck = below(state, len(box.DECK_STATE_CARDS)) if state.deck == s.RANDOM_DECK else state.deck - 1
    write_deck(state, deck)


@compiled
def write_deck(state, deck):
    """The cards of one of the four decks."""
    for i in range(DECK_STATES):
        state.cards[i] = box.DECK_STATE_CARDS[deck, i]
    for i in range(DECK_REQUESTS):
        state.cards[DECK_STATES + i] = box.REQUEST_CARD + box.DECK_REQUEST_CARDS[deck, i]
    add_rocks(state)


@compiled
def add_rocks(state):
    """The rest of a deck."""
    for i in range(DECK_STATES + DECK_REQUESTS, box.DECK_SIZE):
        state.cards[i] = box.ROCK_CARD
    state.cards_len = box.DECK_SIZE


@compiled
def make_wild_deck(state):
    """BD-8 (house): eight physical states of a living species, and two regions."""
    species = below(state, box.NUM_SPECIES)
    for a in range(board.PHYSICAL):  # `cards` serves as scratch space
        state.cards[a] = a
    shuffle(state, state.cards, board.PHYSICAL)
    for i in range(DECK_STATES):
        state.cards[i] = box.FAUNA[species, state.cards[i]]
    first = below(state, board.NUM_REGIONS)
    second = below(state, board.NUM_REGIONS - 1)
    if second >= first:
        second += 1
    state.cards[DECK_STATES] = box.REQUEST_CARD + first
    state.cards[DECK_STATES + 1] = box.REQUEST_CARD + second
    add_rocks(state)


@compiled
def take_out_first_discovery(state):
    """BD-8: one of the attribute state cards, or the starter discovery, is discovered before the first turn."""
    i = below(state, DECK_STATES)
    if state.first_discovery == s.STARTER_FIRST:
        i = 0
        while state.cards[i] != box.STARTER_DISCOVERY:
            i += 1
    first = state.cards[i]
    state.cards_len -= 1
    state.cards[i] = state.cards[state.cards_len]
    state.cards[state.cards_len] = 0
    state.drawn[0] = first
    state.drawn_len = 1
    mark_discovered(state, first)
