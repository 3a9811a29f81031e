"""Re-dealing what a seat of Go Dig cannot know.

The unseen cards are shuffled over the places that they can be in, and then changed by random
exchanges of two cards. What cannot be in a deal (a complete skeleton in a hand, a genus that the
hand is known to hold and has not, one that it holds too often) is counted as faults; an exchange
that makes more of them is nearly always undone. So the faults go; once there are none, further
exchanges that make none bring the deal near to a uniform one. Every deal without a fault can be the
first one already.
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import insert_sorted
from dig_envs.engine.core.random import below, shuffle
from dig_envs.engine.core.seats import seat_after
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import knowledge

IN_PILE = -1
UPHILL = 64  # one in so many exchanges that make one fault more is kept
MIXING = 8  # exchanges tried for each place in a hand once there is no fault


@compiled
def determinize(state, seat):
    """Re-deal what the seat cannot know, from its view and the generator alone."""
    in_pile = state.pile_len
    count = collect_unseen(state, seat)
    shuffle(state, state.pile, count)
    for place in range(in_pile, count):
        state.hands[owner_of(state, seat, in_pile, place), state.pile[place]] += 1
    if count > in_pile:
        faults = count_faults(state, seat)
        while faults > 0:
            faults += try_exchange(state, seat, in_pile, count, UPHILL)
        for _ in range(MIXING * (count - in_pile)):
            try_exchange(state, seat, in_pile, count, 0)
    for place in range(in_pile, box.NUM_CARDS):
        state.pile[place] = 0


@compiled
def collect_unseen(state, seat):
    """Put the unseen cards into `pile`, in type order so that only the view matters; others keep
    what is known. Their number."""
    for i in range(state.pile_len):
        insert_sorted(state.pile, i, state.pile[i])
    count = state.pile_len
    for p in range(state.num_players):
        if p != seat:
            for t in range(box.NUM_TYPES):
                for _ in range(state.known[p, t], state.hands[p, t]):
                    count = insert_sorted(state.pile, count, t)
                state.hands[p, t] = state.known[p, t]
    return count


@compiled
def owner_of(state, seat, in_pile, place):
    """The owner of a place. Places of the pile come first, then the other hands, from the left
    neighbour on."""
    end = in_pile
    if place < end:
        return IN_PILE
    for k in range(1, state.num_players):
        p = seat_after(state, seat, k)
        end += state.num_cards[p] - state.num_known[p]
        if place < end:
            return p
    return IN_PILE


@compiled
def try_exchange(state, seat, in_pile, count, uphill):
    """Exchange a random unseen card of a hand with any other, or not; returns by how much the
    number of faults has changed.

    One in ``uphill`` exchanges is kept for each fault that it adds, none where it is 0.
    """
    i = in_pile + below(state, count - in_pile)
    j = below(state, count)
    p = owner_of(state, seat, in_pile, i)
    q = owner_of(state, seat, in_pile, j)
    x = state.pile[i]
    y = state.pile[j]
    if p == q or x == y:
        return 0
    before = faults_of_types(state, p, x, y) + faults_of_types(state, q, x, y)
    put_instead(state, p, x, y)
    put_instead(state, q, y, x)
    more = faults_of_types(state, p, x, y) + faults_of_types(state, q, x, y) - before
    for _ in range(more):
        if uphill == 0 or below(state, uphill) > 0:
            put_instead(state, p, y, x)
            put_instead(state, q, x, y)
            return 0
    state.pile[i] = y
    state.pile[j] = x
    return more


@compiled
def put_instead(state, p, x, y):
    """In a hand a card of type y takes the place of one of type x."""
    if p != IN_PILE:
        state.hands[p, x] -= 1
        state.hands[p, y] += 1


@compiled
def count_faults(state, seat):
    faults = 0
    for p in range(state.num_players):
        if p != seat:
            for genus in range(deck.NUM_GENERA):
                faults += faults_of(state, p, genus)
    return faults


@compiled
def faults_of_types(state, p, x, y):
    """The number of faults of the genera of two types in a hand."""
    if p == IN_PILE:
        return 0
    faults = faults_of(state, p, deck.GENUS_OF[x])
    if deck.GENUS_OF[x] != deck.GENUS_OF[y]:
        faults += faults_of(state, p, deck.GENUS_OF[y])
    return faults


@compiled
def faults_of(state, p, genus):
    """The faults of one genus in a hand: complete skeletons, excess cards, a missing card."""
    unknown = 0
    complete = box.NUM_CARDS
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        complete = min(complete, state.hands[p, t])
        unknown += state.hands[p, t] - state.known[p, t]
    faults = complete + max(0, unknown - state.maybe[p, genus])
    if unknown == 0 and knowledge.holds_more(state, p, genus):
        faults += 1
    return faults
