"""A scripted player of Diggity, from what its seat knows.

It tries each card of its hand at each place (see `places`). What the card makes is worth the gold
that the fight for it leaves (see `outlook`), or the tool, which counts more when it is stolen. What
the mine then offers to the others is weighed by how likely they have a card for it, and what it
offers to the player's own next card a little, too. So it closes circles and triangles to others
when it cannot use them itself, and fights for gold only where the tools are not worth more.
"""

from typing import NamedTuple

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.state import scratch_records
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.heuristic import outlook, places
from dig_envs.games.diggity.rules import tools

SYMBOLS, THINGS = box.NUM_SYMBOLS, box.NUM_THINGS
NOTHING = -1
WORST = -1e9
LATER = 0.5  # weight of what players can do who come after the next one, each time


class Weights(NamedTuple):
    """The weights in which styles differ."""

    minded: float = 1.0  # weight of what the mine offers to the others
    own_next: float = 0.3  # weight of what the player can do itself in its next turn
    thrift: float = 1.0  # worth of tools, as a multiple of the usual one


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The action of the seat; reads only what it may know."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    outlooks = scratch_records(1, outlook.Outlook)
    surveys = scratch_records(1, places.Places)
    return decide(state, seat, outlooks, surveys, weights)


@compiled
def decide(state, seat, outlooks, surveys, weights):
    """The action of the seat. The arrays are scratch."""
    if state.phase == s.STEAL:
        return s.A_STEAL + choose_victim(state, seat) - 1
    expected = outlooks[0]
    outlook.look(state, seat, expected, weights)
    if state.phase == s.AUCTION:
        following = int(state.auction_rank)
        plays = state.tools[seat, following] > 0 and outlook.shall_play_tool(state, seat, expected)
        return s.A_TOOL + following if plays else s.A_STOP
    outlook.price_offers(expected)
    if state.phase == s.TAKE:
        offers, symbols = places.offered(state), symbols_of_hand(state, seat, NOTHING)
        left = prospects(state, offers, symbols, expected, weights)
        return s.A_TAKE + best_thing(state.made & gainable(state), left, expected)[0]
    if state.phase == s.PLACE:
        card = state.chosen - 1
        places.survey(state, surveys[0], box.KINDS[box.PASSAGES[card]])
        return best_place(state, surveys[0], card, NOTHING, expected, weights)[0]
    return best_card(state, surveys[0], expected, weights)


# ---------------------------------------------------------------- cards and places


@compiled
def best_card(state, surveyed, expected, weights):
    """The card whose best place is best; a pass if none can be laid."""
    best, best_worth = s.A_PASS, WORST
    seat = expected.seat
    places.survey(state, surveyed, box.ANY_KIND)
    for h in range(state.hands_len[seat]):
        card = state.hands[seat, h]
        if h > 0 and card == state.hands[seat, h - 1]:
            continue
        if state.mine_len == 0:
            offers = places.without_early_miners(places.OFFERED[box.SYMBOL[card], 0], 1)
            symbols = symbols_of_hand(state, seat, h)
            worth = prospects(state, offers, symbols, expected, weights)
        else:
            _, worth = best_place(state, surveyed, card, h, expected, weights)
        if worth > best_worth:
            best, best_worth = s.A_CARD + h, worth
    return best


@compiled
def best_place(state, surveyed, card, h, expected, weights):
    """The place of a card with the best result, and what that is worth. ``h``: its place in the
    hand, or NOTHING."""
    best, best_worth = -1, WORST
    symbols, gained = symbols_of_hand(state, expected.seat, h), gainable(state)
    # a card that is the same upside down lies the same by opposite passages
    is_same = box.TURNED[box.PASSAGES[card], 2] == box.PASSAGES[card]
    for e in range(state.open_len):
        for passage in range(2 if is_same else box.NUM_SIDES):
            if box.PASSAGES[card] >> passage & 1 and state.open_fits[e] >> (passage & 1) & 1:
                made, offers = places.laid(state, surveyed, card, e, passage)
                left = prospects(state, offers, symbols, expected, weights)
                _, worth = best_thing(made & gained, left, expected)
                if worth > best_worth:
                    best, best_worth = s.A_PLACE + box.NUM_SIDES * e + passage, worth
    return best, best_worth


@compiled
def gainable(state):
    """The things that the player can take if a card makes them, as bits."""
    things = box.MINER
    for kind in range(box.NUM_TOOLS):
        if tools.can_be_gained(state, kind):
            things |= 2 << kind
    return things


@compiled
def best_thing(things, left, expected):
    """Which of the things made, given as bits, is best to take (NOTHING if there is none), and what
    is to be expected then. ``left``: the worth of the mine."""
    best, best_worth = NOTHING, left
    for thing in range(THINGS):
        if things >> thing & 1:
            worth = (
                expected.fight[expected.seat] if thing == 0 else expected.worth[thing - 1] + left
            )
            if best == NOTHING or worth > best_worth:
                best, best_worth = thing, worth
    return best, best_worth


# ---------------------------------------------------------------- what the mine offers


@compiled
def symbols_of_hand(state, seat, without):
    """The symbols of a hand without one of its cards, as bits."""
    symbols = 0
    for h in range(state.hands_len[seat]):
        if h != without:
            symbols |= 1 << box.SYMBOL[state.hands[seat, h]]
    return symbols


@compiled
def prospects(state, offers, symbols, expected, weights):
    """The worth to the player of what the mine offers when the others are next. ``symbols``: of the
    player's own cards."""
    losses = expected.losses[find_losses(offers, expected)]
    worth = weights.own_next * own_chance(offers, symbols, expected)
    weight = weights.minded
    for k in range(1, state.num_players):
        worth -= weight * losses[seat_after(state, expected.seat, k)]
        weight *= LATER
    return worth


@compiled
def makes(offers, symbol):
    """What a card of a symbol makes, as bits."""
    return offers >> THINGS * symbol & (1 << THINGS) - 1


@compiled
def find_losses(offers, expected):
    """Where ``expected`` has the losses to the player if each other seat takes the best of what its
    cards make here."""
    i = 0
    while i < expected.num_known and expected.known[i] != offers:
        i += 1
    if i == expected.num_known:
        i = min(i, outlook.MOST_KNOWN - 1)
        expected.num_known = i + 1
        expected.known[i] = offers
        for p in range(expected.num_players):
            if p != expected.seat:
                expected.losses[i, p] = expected_loss(offers, p, expected)
    return i


@compiled
def expected_loss(offers, p, expected):
    """The loss to the player if another takes the best of what its cards make here."""
    total, without = 0.0, 1.0  # the chance that it has none of the symbols that cost more
    left = (1 << SYMBOLS) - 1
    for _ in range(SYMBOLS):
        worst, most = 0, -1.0
        for symbol in range(SYMBOLS):
            if left >> symbol & 1 and expected.lost[p, makes(offers, symbol)] > most:
                worst, most = symbol, expected.lost[p, makes(offers, symbol)]
        total += without * expected.chance[worst] * most
        without *= 1.0 - expected.chance[worst]
        left ^= 1 << worst
    return total


@compiled
def own_chance(offers, symbols, expected):
    """The best that the player's own cards make here."""
    best = 0.0
    for symbol in range(SYMBOLS):
        if symbols >> symbol & 1:
            best = max(best, expected.gain[makes(offers, symbol)])
    return best


# ---------------------------------------------------------------- thefts


@compiled
def choose_victim(state, seat):
    """The number of places to the seat to steal from: the one with most nuggets and tools."""
    best, most = 0, -1
    for k in range(1, state.num_players):
        p = seat_after(state, seat, k)
        if state.steal_from[p]:
            number = 2 * state.scores[p]
            for kind in range(box.NUM_TOOLS):
                number += state.tools[p, kind]
            if number > most:
                best, most = k, number
    return best
