"""Re-dealing what a seat cannot know (the rules' section "Determinize")."""

from dig_envs.engine.jit import compiled
from dig_envs.engine.lists import append, clear, contains
from dig_envs.engine.random import below, random_legal, shuffle
from dig_envs.engine.turns import next_to_commit
from dig_envs.games.the_big_dig import board, commitments, models
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES
from dig_envs.games.the_big_dig.legal_actions import legal_actions
from dig_envs.games.the_big_dig.rules import is_complete
from dig_envs.games.the_big_dig.setup import write_deck

NONE_FITS = -1


@compiled
def determinize(state, seat):
    """Re-deal what a seat cannot know, from its view and the generator alone."""
    other = 1 - seat
    redeal_cards(state)
    redeal_models(state, other)
    redeal_commitment(state, seat, other)


@compiled
def redeal_cards(state):
    """The cards not drawn yet: of the deck that is known, or of one that contains all that was drawn; shuffled."""
    count = state.cards_len
    if state.deck == s.WILD_DECK:
        remake_wild_deck(state)
    else:
        write_deck(state, drawn_deck(state))
        remove_drawn(state)
    shuffle(state, state.cards, count)


@compiled
def drawn_deck(state):
    """The deck that the option names, or one of those that contain all cards drawn, evenly."""
    if state.deck != s.RANDOM_DECK:
        return state.deck - 1
    count = 0
    for deck in range(len(box.DECK_STATE_CARDS)):
        count += fits_drawn(state, deck)
    left = below(state, count)
    for deck in range(len(box.DECK_STATE_CARDS)):
        if fits_drawn(state, deck):
            if left == 0:
                return deck
            left -= 1
    return NONE_FITS


@compiled
def fits_drawn(state, deck):
    """1 if one of the four decks contains all cards drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < box.REQUEST_CARD:
            if not contains(box.DECK_STATE_CARDS[deck], DECK_STATES, card):
                return 0
        elif card < box.ROCK_CARD and not contains(box.DECK_REQUEST_CARDS[deck], DECK_REQUESTS, card - box.REQUEST_CARD):
            return 0
    return 1


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
    """What may be left of a wild deck: more states of a species that has all those drawn, and of the pair of regions."""
    species = drawn_species(state)
    for i in range(box.DECK_SIZE):
        state.cards[i] = 0
    count = 0
    for a in range(board.PHYSICAL):
        if not state.known[a]:
            state.cards[count] = box.FAUNA[species, a]
            count += 1
    shuffle(state, state.cards, count)
    states, requests, rocks = count_drawn(state)
    for i in range(DECK_STATES - states, count):
        state.cards[i] = 0
    count = DECK_STATES - states
    taken = state.drawn  # regions are taken from here, then from those just added
    for _ in range(DECK_REQUESTS - requests):
        region = below(state, board.NUM_REGIONS)
        while contains(taken, state.drawn_len, box.REQUEST_CARD + region) or contains(
            state.cards, count, box.REQUEST_CARD + region
        ):
            region = below(state, board.NUM_REGIONS)
        state.cards[count] = box.REQUEST_CARD + region
        count += 1
    for _ in range(box.DECK_SIZE - DECK_STATES - DECK_REQUESTS - rocks):
        state.cards[count] = box.ROCK_CARD
        count += 1
    state.cards_len = count


@compiled
def drawn_species(state):
    """A species that has all states drawn, evenly."""
    count = 0
    for species in range(box.NUM_SPECIES):
        count += has_drawn_states(state, species)
    left = below(state, count)
    for species in range(box.NUM_SPECIES):
        if has_drawn_states(state, species):
            if left == 0:
                return species
            left -= 1
    return NONE_FITS


@compiled
def has_drawn_states(state, species):
    """1 if a species has all states drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < box.REQUEST_CARD and box.FAUNA[species, board.ATTRIBUTE_OF[card]] != card:
            return 0
    return 1


@compiled
def count_drawn(state):
    """States, requests and rocks among the cards drawn."""
    states, requests, rocks = 0, 0, 0
    for i in range(state.drawn_len):
        if state.drawn[i] < box.REQUEST_CARD:
            states += 1
        elif state.drawn[i] < box.ROCK_CARD:
            requests += 1
        else:
            rocks += 1
    return states, requests, rocks


@compiled
def redeal_models(state, other):
    """The other's models that have not been shown: drawn evenly from all that it does not have."""
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            state.models[other, m, 0] = models.NO_MODEL
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            redeal_model(state, other, m)


@compiled
def redeal_model(state, other, m):
    """A model that the seat does not have, all equally likely: a pair of spaces, drawn again while it is none."""
    while True:
        first, second = below(state, board.NUM_SPACES), below(state, board.NUM_SPACES)
        # Each set of two inputs comes up in two orders; a single input is as likely only if it counts twice as well.
        allowed = board.attribute_of(first) != board.attribute_of(second)
        if first == second or (board.attribute_of(first) == board.attribute_of(second) and second == first ^ 1):
            allowed = True
            second = first
        if allowed and models.find_model(state, other, min(first, second), max(first, second)) == models.NO_MODEL:
            models.write_model(state, other, m, first, second)
            return


@compiled
def redeal_commitment(state, seat, other):
    """The other's commitment: a random complete one if the seat knows it to be complete, else as if just beginning."""
    if not commitments.is_asked(state, other):
        return
    commitments.clear_pending(state, other)
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:  # a complete model is one of `models`
        return
    complete = commitments.has_committed(state, seat, other)
    state.owes[other] = 1
    if complete:
        commit_randomly(state, other)
    next_to_commit(state)


@compiled
def commit_randomly(state, seat):
    """A commitment of uniformly random legal actions, which is not resolved."""
    while True:
        legal_actions(state, seat, state.legal)
        action = random_legal(state.legal, state)
        clear(state.legal, s.NUM_ACTIONS)
        state.pending_len[seat] = append(state.pending[seat], state.pending_len[seat], action)
        if is_complete(state, seat):
            state.owes[seat] = 0
            return
