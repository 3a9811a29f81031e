"""The excavation deck (BD-8): how it is made, and what may be left of it, by its name, if that is
known, and the cards drawn."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear, contains
from dig_envs.engine.core.random import below, shuffle
from dig_envs.engine.core.variants import begin_content
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES

NONE_FITS = -1
NUM_DECKS = len(box.DECKS)

# ---------------------------------------------------------------- a complete deck


@compiled
def make_deck(state):
    """BD-8: the cards of the deck that the option names, of one of the four, or of a wild one; the
    states come first."""
    if state.deck == s.WILD_DECK:
        make_wild_deck(state)
    else:
        write_deck(
            state, below(state, NUM_DECKS) if state.deck == s.RANDOM_DECK else state.deck - 1
        )


@compiled
def make_deck_of_variant(state):
    """BD-8 [added]: a wild deck that follows from the number of the variant."""
    state.deck = s.WILD_DECK
    state.first_discovery = 0
    before = begin_content(state)
    make_wild_deck(state)
    state.rng = before


@compiled
def write_deck(state, deck):
    for i in range(DECK_STATES):
        state.cards[i] = box.DECK_STATE_CARDS[deck, i]
    for i in range(DECK_REQUESTS):
        state.cards[DECK_STATES + i] = box.REQUEST_CARD + box.DECK_REQUEST_CARDS[deck, i]
    add_rocks(state, DECK_STATES + DECK_REQUESTS, box.DECK_SIZE)


@compiled
def add_rocks(state, first, end):
    for i in range(first, end):
        state.cards[i] = box.ROCK_CARD
    state.cards_len = end


@compiled
def make_wild_deck(state):
    """BD-8 [added]: eight physical states of a living species, and two regions."""
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
    add_rocks(state, DECK_STATES + DECK_REQUESTS, box.DECK_SIZE)


# ---------------------------------------------------------------- what fits the cards drawn


@compiled
def count_drawn(state):
    """States, requests and rocks among the cards drawn."""
    states, requests = 0, 0
    for i in range(state.drawn_len):
        states += state.drawn[i] < box.REQUEST_CARD
        requests += box.REQUEST_CARD <= state.drawn[i] < box.ROCK_CARD
    return states, requests, state.drawn_len - states - requests


@compiled
def fits_drawn(state, deck):
    """1 if one of the four decks contains all cards drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < box.REQUEST_CARD:
            if not contains(box.DECK_STATE_CARDS[deck], DECK_STATES, card):
                return 0
        elif card < box.ROCK_CARD and not contains(
            box.DECK_REQUEST_CARDS[deck], DECK_REQUESTS, card - box.REQUEST_CARD
        ):
            return 0
    return 1


@compiled
def has_drawn_states(state, species):
    """1 if a species has all states drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < box.REQUEST_CARD and box.FAUNA[species, board.ATTRIBUTE_OF[card]] != card:
            return 0
    return 1


def any_that(fits, number):
    """A compiled function ``draw(state)`` that draws evenly one of ``number`` decks or species for
    which ``fits(state, one)`` is 1."""

    @compiled
    def draw(state):
        """Draw it; NONE_FITS if none does."""
        count = 0
        for one in range(number):
            count += fits(state, one)
        left = below(state, count)
        for one in range(number):
            left -= fits(state, one)
            if left < 0:
                return one
        return NONE_FITS

    return draw


any_deck = any_that(fits_drawn, NUM_DECKS)
any_species = any_that(has_drawn_states, box.NUM_SPECIES)


@compiled
def write_chances_in_deck(state, chances):
    """The probability of each state that its card is in the excavation deck (float, 74, zero when
    it comes in)."""
    if state.cards_len == 0:
        return
    if state.deck == s.WILD_DECK:
        write_chances_by_species(state, chances)
    elif state.deck == s.RANDOM_DECK:
        fitting = 0
        for deck in range(NUM_DECKS):
            fitting += fits_drawn(state, deck)
        for deck in range(NUM_DECKS):
            if fits_drawn(state, deck):
                add_chances(state, deck, 1 / fitting, chances)
    else:
        add_chances(state, state.deck - 1, 1.0, chances)


@compiled
def add_chances(state, deck, chance, chances):
    """One of the four decks is the game's with this probability."""
    for i in range(DECK_STATES):
        card = box.DECK_STATE_CARDS[deck, i]
        if not state.known[board.ATTRIBUTE_OF[card]]:
            chances[card] += chance


@compiled
def write_chances_by_species(state, chances):
    """The same of a wild deck: of the living species that have all states drawn."""
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


# ---------------------------------------------------------------- dealt anew


@compiled
def redeal_cards(state):
    """The cards not drawn yet: of the deck that is known, or of one that contains all that was
    drawn; shuffled."""
    count = state.cards_len
    if state.deck == s.WILD_DECK:
        remake_wild_deck(state)
    else:
        write_deck(state, any_deck(state) if state.deck == s.RANDOM_DECK else state.deck - 1)
        remove_drawn(state)
    shuffle(state, state.cards, count)


@compiled
def remove_drawn(state):
    """Take the cards drawn out of a complete deck."""
    for i in range(state.drawn_len):
        j = 0
        while state.cards[j] != state.drawn[i]:
            j += 1
        state.cards_len -= 1
        state.cards[j] = state.cards[state.cards_len]
        state.cards[state.cards_len] = 0


@compiled
def remake_wild_deck(state):
    """Deal what may be left of a wild deck: states of a species that has all those drawn, and of
    the pair of regions."""
    species = any_species(state)
    clear(state.cards, box.DECK_SIZE)
    count = 0
    for a in range(board.PHYSICAL):
        if not state.known[a]:
            state.cards[count] = box.FAUNA[species, a]
            count += 1
    shuffle(state, state.cards, count)
    states, requests, _ = count_drawn(state)
    for i in range(DECK_STATES - states, count):
        state.cards[i] = 0
    count = DECK_STATES - states
    for _ in range(DECK_REQUESTS - requests):
        card = box.REQUEST_CARD + below(state, board.NUM_REGIONS)
        while contains(state.drawn, state.drawn_len, card) or contains(state.cards, count, card):
            card = box.REQUEST_CARD + below(state, board.NUM_REGIONS)
        state.cards[count] = card
        count += 1
    add_rocks(state, count, box.DECK_SIZE - state.drawn_len)
