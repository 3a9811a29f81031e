"""What the excavation deck may hold, from what everybody knows: the deck's name, if it has one, and the cards drawn (BD-8)."""

from dig_envs.engine.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_STATES
from dig_envs.games.the_big_dig.determinize import count_drawn, fits_drawn, has_drawn_states


@compiled
def write_chances_in_deck(state, chances):
    """The probability of each state that its card is in the excavation deck (float, 74, zero when it comes in)."""
    if state.cards_len == 0:
        return
    if state.deck == s.WILD_DECK:
        write_chances_by_species(state, chances)
    else:
        write_chances_by_decks(state, chances)


@compiled
def write_chances_by_decks(state, chances):
    """The decks that fit the cards drawn, or the one that is known."""
    fitting = 0
    for deck in range(len(box.DECK_STATE_CARDS)):
        if is_possible(state, deck):
            fitting += 1
    for deck in range(len(box.DECK_STATE_CARDS)):
        if is_possible(state, deck):
            for i in range(DECK_STATES):
                card = box.DECK_STATE_CARDS[deck, i]
                if not state.known[board.ATTRIBUTE_OF[card]]:
                    chances[card] += 1 / fitting


@compiled
def is_possible(state, deck):
    """Whether the game may be played with one of the four decks, from what everybody knows."""
    if state.deck != s.RANDOM_DECK:
        return deck == state.deck - 1
    return fits_drawn(state, deck) == 1


@compiled
def write_chances_by_species(state, chances):
    """Of a wild deck: the living species that have all states drawn."""
    fitting = 0
    for species in range(box.NUM_SPECIES):
        fitting += has_drawn_states(state, species)
    states, _, _ = count_drawn(state)
    chance = (DECK_STATES - states) / (board.PHYSICAL - states) / fitting
    for species in range(box.NUM_SPECIES):
        if has_drawn_states(state, species):
            for a in range(board.PHYSICAL):
                if not state.known[a]:
                    chances[box.FAUNA[species, a]] += chance
