"""A scripted player of Go Dig, from what its seat knows.

It counts the cards that it cannot locate, and the places where those of a genus can still be: the
pile, and of each other hand as many cards as the hand can hold of the genus after all that was
asked in vain. From that follows how likely a request succeeds. What is certain it asks for first,
since that costs nothing, the skeletons that it completes before the others; then for what promises
most: the value of the skeleton, by how likely the cards complete it or bring it nearer, the rest of
the turn, and the card from the pile if the request is in vain, less the danger of showing a third
player what there is to take.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import seat_after
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import hands, knowledge
from dig_envs.games.go_dig import state as s

CERTAIN = 1000.0  # what is certain comes before what is not
PROGRESS = 0.3  # share of a skeleton's value that all its parts but the last are worth
RISK = 1e-9  # below this a chance is none


class Weights(NamedTuple):
    """The weights in which styles differ."""

    go_on: float = 10.0  # worth of the rest of the turn
    # share of a skeleton's value that it costs to show others which of its parts are there to take
    exposed: float = 0.4
    shown: float = 0.0  # the same for the one who is asked, who may draw what it needs


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The request of the seat whose turn it is; reads only what the seat may know."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    unseen = np.zeros(box.NUM_TYPES, np.int64)
    count_unseen(state, seat, unseen)
    best, best_worth = -1, 0.0
    for k in range(1, state.num_players):
        p = seat_after(state, seat, k)
        if state.num_cards[p] > 0:
            for genus in range(deck.NUM_GENERA):
                if hands.holds_genus(state, seat, genus):
                    worth = worth_of_request(state, seat, p, genus, unseen, weights)
                    if best < 0 or worth > best_worth:
                        best, best_worth = s.A_ASK + (k - 1) * deck.NUM_GENERA + genus, worth
    return best


# ---------------------------------------------------------------- counting


@compiled
def count_unseen(state, seat, unseen):
    """Per type the cards that the seat cannot locate."""
    for t in range(box.NUM_TYPES):
        unseen[t] = box.COPIES[t] - state.hands[seat, t]
    for p in range(state.num_players):
        if p != seat:
            for t in range(box.NUM_TYPES):
                unseen[t] -= state.known[p, t]
    for i in range(hands.num_skeletons(state)):
        genus = state.museums[i]
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            unseen[t] -= 1


@compiled
def unseen_of(genus, unseen):
    """Cards of the genus that the seat cannot locate."""
    number = 0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        number += unseen[t]
    return number


@compiled
def room_for(state, seat, genus):
    """Places where a card of the genus can be that the seat cannot locate."""
    room = int(state.pile_len)
    for p in range(state.num_players):
        if p != seat:
            room += state.maybe[p, genus]
    return room


@compiled
def others_holding_more(state, seat, genus):
    """Other seats that hold a card of the genus which the seat cannot locate."""
    number = 0
    for p in range(state.num_players):
        if p != seat and knowledge.holds_more(state, p, genus):
            number += 1
    return number


@compiled
def chance_of_any(cards, room, places):
    """The chance that at least one of so many cards, spread evenly over the room, lies on one of
    these places."""
    none = 1.0
    for i in range(min(places, room)):
        none *= max(0, room - cards - i) / (room - i)
    return 1.0 - none


@compiled
def chance_of_genus(state, seat, p, genus, unseen):
    if knowledge.knows_genus(state, p, genus) or knowledge.holds_more(state, p, genus):
        return 1.0
    placed = others_holding_more(state, seat, genus)
    cards = unseen_of(genus, unseen) - placed
    return chance_of_any(cards, room_for(state, seat, genus) - placed, state.maybe[p, genus])


@compiled
def chance_of_type(state, seat, p, t, unseen):
    genus = deck.GENUS_OF[t]
    if state.known[p, t] > 0:
        return 1.0
    if unseen[t] == 0:
        return 0.0
    room = room_for(state, seat, genus)
    if knowledge.holds_more(state, p, genus):  # one of them is there for certain, and may be this
        here = unseen[t] / unseen_of(genus, unseen)
        return here + (1.0 - here) * chance_of_any(unseen[t], room - 1, state.maybe[p, genus] - 1)
    return chance_of_any(unseen[t], room, state.maybe[p, genus])


# ---------------------------------------------------------------- judging


@compiled
def worth_of_request(state, seat, p, genus, unseen, weights):
    chance = chance_of_genus(state, seat, p, genus, unseen)
    worth = chance * weights.go_on
    if chance > RISK:
        worth += chance * worth_of_cards(state, seat, p, genus, unseen, chance)
    if chance > 1.0 - RISK:
        return worth + CERTAIN
    return worth + (1.0 - chance) * (
        worth_of_digging(state, seat, p, genus, unseen, weights)
        - danger(state, seat, p, genus, unseen, weights)
    )


@compiled
def worth_of_cards(state, seat, p, genus, unseen, chance):
    """The worth to the seat of a player's cards of the genus, if there are any."""
    completes = 1.0
    parts = 0.0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.hands[seat, t] > 0:
            parts += 1.0
        else:
            there = chance_of_type(state, seat, p, t, unseen)
            completes *= there
            parts += there
    completes = min(1.0, completes / chance)
    return deck.VALUE[genus] * (
        completes + (1.0 - completes) * PROGRESS * parts / deck.PARTS[genus]
    )


@compiled
def worth_of_digging(state, seat, p, genus, unseen, weights):
    """The worth of the card from the pile if the asked player has none of the genus."""
    placed = others_holding_more(state, seat, genus)
    cards = unseen_of(genus, unseen)
    room = room_for(state, seat, genus) - placed - state.maybe[p, genus]
    if state.pile_len == 0 or cards <= placed or room <= 0:
        return 0.0
    missing = 0
    wanted = 0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.hands[seat, t] == 0:
            missing += 1
            wanted += unseen[t]
    useful = wanted / cards * (1.0 if missing == 1 else PROGRESS)
    return min(1.0, (cards - placed) / room) * (weights.go_on + deck.VALUE[genus] * useful)


@compiled
def danger(state, seat, p, genus, unseen, weights):
    """The cost of showing that the seat has the genus, if a third player can ask for it; 0 if
    everybody knows."""
    if knowledge.knows_genus(state, seat, genus) or knowledge.holds_more(state, seat, genus):
        return 0.0
    parts = 0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        parts += state.hands[seat, t] > 0
    safe = 1.0
    for q in range(state.num_players):
        if q != seat and q != p:
            safe *= 1.0 - chance_of_genus(state, seat, q, genus, unseen)
    return (
        ((1.0 - safe) * weights.exposed + weights.shown)
        * deck.VALUE[genus]
        * parts
        / deck.PARTS[genus]
    )
