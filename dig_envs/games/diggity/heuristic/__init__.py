"""A scripted player of Diggity, from what its seat knows.

It tries each card of its hand at each place, on a copy of the mine. What the card makes is worth
the gold that the fight for it leaves (see `outlook`), or the tool, which counts more when it is
stolen. What the mine then offers to the others is weighed by how likely they have a card for it,
and what it offers to the player's own next card a little, too. So it closes circles and triangles
to others when it cannot use them itself, and fights for gold only where the tools are not worth
more.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import remove_at
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.state import scratch_like, scratch_records
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.heuristic import outlook
from dig_envs.games.diggity.rules import mine, tools

SYMBOLS, THINGS = box.NUM_SYMBOLS, box.NUM_THINGS
NOTHING = -1
WORST = -1e9
LATER = 0.5  # weight of what players can do who come after the next one, each time
# [symbol of a card of the mine][symbols of the cards connected to it]: what a card of each symbol
# makes through it, THINGS bits for each
OFFERED = sum(box.MADE_THROUGH[k].astype(np.int64) << THINGS * k for k in range(SYMBOLS))
MINERS = sum(box.MINER << THINGS * k for k in range(SYMBOLS))


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
    trials = scratch_like(2, state)
    return decide(state, seat, outlooks, trials, weights)


@compiled
def decide(state, seat, outlooks, trials, weights):
    """The action of the seat. The arrays are scratch."""
    if state.phase == s.STEAL:
        return s.A_STEAL + choose_victim(state, seat) - 1
    expected = outlooks[0]
    outlook.look(state, seat, expected, weights)
    if state.phase == s.AUCTION:
        following = int(state.auction_rank)
        plays = state.tools[seat, following] > 0 and outlook.shall_play_tool(state, seat, expected)
        return s.A_TOOL + following if plays else s.A_STOP
    if state.phase == s.TAKE:
        thing, _ = best_thing(state, state.choices, expected, weights)
        return s.A_TAKE + thing
    if state.phase == s.PLACE:
        trials[0] = state
        place, _ = best_place(trials, state.chosen - 1, expected, weights)
        return place
    return best_card(state, seat, trials, expected, weights)


# ---------------------------------------------------------------- cards and places


@compiled
def best_card(state, seat, trials, expected, weights):
    """The card whose best place is best; a pass if none can be laid."""
    best, best_worth = s.A_PASS, WORST
    for h in range(state.hands_len[seat]):
        card = state.hands[seat, h]
        if h > 0 and card == state.hands[seat, h - 1]:
            continue
        trials[0] = state
        trials[0].hands_len[seat] = remove_at(trials[0].hands[seat], trials[0].hands_len[seat], h)
        if state.mine_len == 0:
            mine.lay(trials[0], card, 0, 0, 0, mine.NONE)
            worth = prospects(trials[0], expected, weights)
        else:
            _, worth = best_place(trials, card, expected, weights)
        if worth > best_worth:
            best, best_worth = s.A_CARD + h, worth
    return best


@compiled
def best_place(trials, card, expected, weights):
    """The place of a card with the best result, and what that is worth. ``trials``: the position
    without the card, a scratch."""
    before = trials[0]
    best, best_worth = -1, WORST
    # a card that is the same upside down lies the same by opposite passages
    is_same = box.TURNED[box.PASSAGES[card], 2] == box.PASSAGES[card]
    for e in range(before.open_len):
        for passage in range(2 if is_same else box.NUM_SIDES):
            if box.PASSAGES[card] >> passage & 1 and before.open_fits[e] >> (passage & 1) & 1:
                trials[1] = before
                worth = worth_of_place(trials[1], card, e, passage, expected, weights)
                if worth > best_worth:
                    best, best_worth = s.A_PLACE + box.NUM_SIDES * e + passage, worth
    return best, best_worth


@compiled
def worth_of_place(trial, card, e, passage, expected, weights):
    """The worth of laying a card at a place; it is laid."""
    r = mine.turn_to_attach(trial, e, passage)
    mine.lay(trial, card, mine.attached_x(trial, e, r), mine.attached_y(trial, e, r), r, e)
    tools.find_choices(trial, trial.choices)
    _, worth = best_thing(trial, trial.choices, expected, weights)
    return worth


@compiled
def best_thing(state, choices, expected, weights):
    """Which of the things made is best to take (NOTHING if there is none), and what is to be
    expected then."""
    left = prospects(state, expected, weights)
    best, best_worth = NOTHING, left
    for thing in range(THINGS):
        if choices[thing]:
            worth = (
                expected.fight[expected.seat] if thing == 0 else expected.worth[thing - 1] + left
            )
            if best == NOTHING or worth > best_worth:
                best, best_worth = thing, worth
    return best, best_worth


# ---------------------------------------------------------------- what the mine offers


@compiled
def prospects(state, expected, weights):
    """The worth of the mine to the player when the others are next."""
    offers = all_offers(state)
    losses = find_losses(offers, expected)
    worth = weights.own_next * own_chance(state, offers, expected)
    weight = weights.minded
    for k in range(1, state.num_players):
        worth -= weight * losses[seat_after(state, expected.seat, k)]
        weight *= LATER
    return worth


@compiled
def all_offers(state):
    """What a card of each symbol makes that is connected by one open passage, THINGS bits for
    each."""
    offers = 0
    for e in range(state.open_len):
        card = state.open_card[e]
        offers |= OFFERED[box.SYMBOL[state.mine_card[card]], state.near[card]]
    return offers if state.mine_len >= box.FEWEST_FOR_A_MINER else offers & ~MINERS


@compiled
def makes(offers, symbol):
    """What a card of a symbol makes, as bits."""
    return offers >> THINGS * symbol & (1 << THINGS) - 1


@compiled
def find_losses(offers, expected):
    """The losses to the player if each other seat takes the best of what its cards make here."""
    i = 0
    while i < expected.num_known and expected.known[i] != offers:
        i += 1
    if i == expected.num_known:
        i = min(i, outlook.MOST_KNOWN - 1)
        expected.num_known = i + 1
        expected.known[i] = offers
        for p in range(expected.num_players):
            expected.losses[i, p] = expected_loss(offers, p, expected)
    return expected.losses[i]


@compiled
def expected_loss(offers, p, expected):
    """The loss to the player if another takes the best of what its cards make here."""
    losses = np.zeros(SYMBOLS)
    for symbol in range(SYMBOLS):
        for thing in range(THINGS):
            if makes(offers, symbol) >> thing & 1:
                losses[symbol] = max(losses[symbol], expected.loss[p, thing])
    total, without = 0.0, 1.0  # the chance that it has none of the symbols that cost more
    for _ in range(SYMBOLS):
        worst = losses.argmax()
        total += without * expected.chance[worst] * losses[worst]
        without *= 1.0 - expected.chance[worst]
        losses[worst] = 0.0
    return total


@compiled
def own_chance(state, offers, expected):
    """The best that the player's own cards make here."""
    best = 0.0
    for h in range(state.hands_len[expected.seat]):
        offer = makes(offers, box.SYMBOL[state.hands[expected.seat, h]])
        if offer & box.MINER:
            best = max(best, expected.fight[expected.seat])
        for kind in range(box.NUM_TOOLS):
            if offer >> (kind + 1) & 1:
                best = max(best, expected.worth[kind])
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
