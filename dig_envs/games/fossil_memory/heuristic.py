"""A scripted player of Fossil Memory, from what its seat is shown (FM-11) and nothing else.

It takes the most valuable skeleton of which it knows every part. Otherwise it begins a turn with a
card that it does not know: that can only help itself, since whoever turns up the last missing part
takes the skeleton. When it has to flip on and a part of the skeleton is unknown, it weighs two
ways: to look for the part among the unknown cards, which may show the next player what that one
lacked, or to end the turn with a card of another genus that everybody knows already.

With ``recall = "perfect"`` all this rests on every card that has been face up. With ``recent`` and
``none`` a seat is shown very little once it has flipped a card of its own, and this player
remembers nothing by itself: it begins with a card in view of a genus with two parts, if there is
one, because only one more has to be found; then it looks for the rest where it knows nothing.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import contains
from dig_envs.engine.core.random import mix
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.knowledge import knows
from dig_envs.games.fossil_memory.rules import genus_at, is_hidden

NOWHERE = -1
NO_GENUS = deck.NO_GENUS
BITS = 3  # of a count in the counts, which are one integer: the known parts on the grid, per genus
ONES = (1 << BITS) - 1
KEEP = np.uint64(33)  # bits of a mixed word that are dropped, so that the rest is a small integer


class Weights(NamedTuple):
    """The weights in which styles differ."""

    minded: float = 1.0  # how much it counts what the next player may get


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """Flip a card of a skeleton that is known, or a card that is not, or one that ends the turn."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    counts = count_known(state, seat)
    genus = genus_at(state, state.up[0]) if state.up_len > 0 else NO_GENUS
    place = NOWHERE
    if genus == NO_GENUS:
        place = first_known(state, seat, counts)
    elif known_of(counts, genus) == deck.PARTS[genus]:
        place = known_card(state, seat, genus, True)
    elif not is_worth_looking(state, counts, genus, weights):
        place = known_card(state, seat, genus, False)
    if place == NOWHERE:
        place = unknown_card(state, seat)
    return s.A_FLIP + place


# ---------------------------------------------------------------- what is known


@compiled
def count_known(state, seat):
    """The number of known parts on the grid, for every genus."""
    counts = 0
    for place in range(box.NUM_PLACES):
        if knows(state, seat, place):
            counts = with_one_more(counts, genus_at(state, place))
    return counts


@compiled
def with_one_more(counts, genus):
    return counts + (1 << (BITS * int(genus)))


@compiled
def known_of(counts, genus):
    return (counts >> (BITS * int(genus))) & ONES


@compiled
def is_left(state, genus):
    return state.in_play[genus] == 1 and state.owner[genus] == 0


# ---------------------------------------------------------------- what to flip


@compiled
def first_known(state, seat, counts):
    """A known card to begin with, or NOWHERE: of the most valuable complete skeleton, or as the
    module says."""
    best = NO_GENUS
    for genus in range(deck.NUM_GENERA - 1, -1, -1):  # ascending in value
        known = known_of(counts, genus)
        if state.recall == s.PERFECT:
            if known > 0 and known == deck.PARTS[genus]:
                best = genus
        elif known > 0 and deck.PARTS[genus] == 2:
            best = genus
    return known_card(state, seat, best, True)


@compiled
def known_card(state, seat, genus, is_of):
    """The first place with a known card, not flipped in this turn, that is or is not of the genus;
    or NOWHERE."""
    for place in range(box.NUM_PLACES):
        if knows(state, seat, place) and (genus_at(state, place) == genus) == is_of:
            if not contains(state.up, state.up_len, place):
                return place
    return NOWHERE


@compiled
def unknown_card(state, seat):
    """A place whose card is not known; if all are known, the first legal one.

    All unknown cards are alike, so it is the first. But where nothing is remembered, the same
    places would find nothing for ever: there the place varies.
    """
    hidden = 0
    for place in range(box.NUM_PLACES):
        hidden += is_hidden(state, seat, place)
    left = 0
    if state.recall != s.PERFECT and hidden > 0:
        left = np.int64(mix(np.uint64(box.MAX_PARTS * state.turn + state.up_len)) >> KEEP) % hidden
    for place in range(box.NUM_PLACES):
        if is_hidden(state, seat, place):
            if left == 0:
                return place
            left -= 1
    return known_card(state, seat, NO_GENUS, False)


# ---------------------------------------------------------------- is it worth it?


@compiled
def is_worth_looking(state, counts, genus, weights):
    """Whether an unknown card gains more, on average, than it gives to the next player.

    What one of several opponents gets counts only in part.
    """
    unknown = int(state.cards)
    for other in range(deck.NUM_GENERA):
        unknown -= known_of(counts, other)
    if unknown == 0:
        return False
    share = weights.minded / (state.num_players - 1)
    looking = 0.0
    for other in range(deck.NUM_GENERA):
        if is_left(state, other):
            hidden = deck.PARTS[other] - known_of(counts, other)
            after = with_one_more(counts, other)
            if other == genus and hidden == 1:
                outcome = deck.VALUE[genus] - share * next_gain(state, after, unknown - 1, genus)
            else:
                outcome = -share * next_gain(state, after, unknown - 1, NO_GENUS)
            looking += outcome * hidden / unknown
    return looking >= -share * next_gain(state, counts, unknown, NO_GENUS)


@compiled
def next_gain(state, counts, unknown, taken):
    """The expected gain of the next player after the skeleton ``taken`` is gone.

    It takes the best skeleton that is known, or hopes for the last missing part of one with the
    first card that it flips.
    """
    hope = 0.0
    for genus in range(deck.NUM_GENERA):  # descending in value
        if genus != taken and is_left(state, genus):
            missing = deck.PARTS[genus] - known_of(counts, genus)
            if missing == 0:
                return 1.0 * deck.VALUE[genus]
            if missing == 1:
                hope += deck.VALUE[genus]
    return hope / max(unknown, 1)
