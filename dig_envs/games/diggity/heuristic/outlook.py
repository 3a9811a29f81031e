"""The scripted player's expectations: who has which tools, what they are worth, and how a fight for
gold ends.

An auction is short, and every tool of a kind is as good as another, so that a fight is settled
exactly, from its end: at each rank the chance goes round from the leader, and who has the next tool
plays it if what follows then is better for that seat than what follows from a stop. A seat values
gold and the tools that it spends, against the mean of what the others get.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import distance
from dig_envs.engine.core.state import record_dtype
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s

SEATS, TOOLS, SYMBOLS, THINGS = box.MAX_PLAYERS, box.NUM_TOOLS, box.NUM_SYMBOLS, box.NUM_THINGS
MOST_KNOWN = 32

Outlook = record_dtype(
    [
        ("seat", np.int64),
        ("num_players", np.int64),
        ("gold_left", np.int64),  # gold cards after the next one, or the one that is fought for
        ("value", np.float64),  # of the next gold card, or of that one
        ("holds", np.int8, (SEATS, TOOLS)),  # 1 if the seat is taken to have a tool of the kind
        # what a tool of the kind is worth to a seat that has one
        ("cost", np.float64, (SEATS, TOOLS)),
        ("worth", np.float64, (TOOLS,)),  # what it is worth to the player to get one now
        ("loss", np.float64, (SEATS, THINGS)),  # what it costs the player when another gets a thing
        ("fight", np.float64, (SEATS,)),  # what it is worth to the player when a seat finds gold
        ("chance", np.float64, (SYMBOLS,)),  # that another has a card of the symbol
        # per set of things, as bits: what the best one is worth to the player, and what it costs
        # the player when a seat chooses from them
        ("gain", np.float64, (1 << THINGS,)),
        ("lost", np.float64, (SEATS, 1 << THINGS)),
        # of what the mine offers (`places`), the losses by seat that were worked out
        ("num_known", np.int64),
        ("known", np.int64, (MOST_KNOWN,)),
        ("losses", np.float64, (MOST_KNOWN, SEATS)),
        # per rank and leader: what each seat gets in the end
        ("settled", np.float64, (TOOLS + 1, SEATS, SEATS)),
    ]
)

# of a tool, in nuggets: what wins games against other values
WORTH = np.array([1.35, 0.8, 1.2, 1.05])
ONE_MORE = 0.5  # share of that for a second one of the kind, and so on
HALF_LEFT = 0.7  # gold cards left with which tools are worth half of that


@compiled
def look(state, seat, outlook, weights):
    """Write all that the player expects in this position; what the record held before does not
    matter."""
    outlook.seat = seat
    outlook.num_players = state.num_players
    outlook.num_known = 0
    if state.phase == s.AUCTION:
        outlook.gold_left = state.gold_len
        outlook.value = box.VALUES[state.auction_value]
    else:
        outlook.gold_left = state.gold_len - 1
        outlook.value = mean_value(state)
    guess_tools(state, outlook)
    price_tools(state, outlook, weights)
    settle_all(outlook)
    for p in range(state.num_players):
        outlook.fight[p] = for_seat(outlook, seat, 0, p)
    price_losses(state, outlook)
    count_chances(state, outlook)


@compiled
def mean_value(state):
    """The mean value of the gold cards that nobody has seen."""
    total = 0
    for i in range(state.gold_len):
        total += box.VALUES[state.gold[i]]
    for i in range(state.gold_aside_len):
        total += box.VALUES[state.gold_aside[i]]
    return total / max(1, state.gold_len + state.gold_aside_len)


# ---------------------------------------------------------------- tools


@compiled
def is_seen(state, seat, p, kind):
    """Whether the player sees how many tools of the kind a seat has."""
    return p == seat or not state.hidden_tools or state.revealed_kind == kind + 1


@compiled
def guess_tools(state, outlook):
    """Write who has which tools: what is seen, and of what is hidden the likelier."""
    seat = outlook.seat
    hidden = np.zeros(SEATS)  # tools of a seat that are not seen
    out = np.zeros(TOOLS)  # tools of a kind among these, of all seats
    for p in range(state.num_players):
        for kind in range(TOOLS):
            outlook.holds[p, kind] = is_seen(state, seat, p, kind) and state.tools[p, kind] > 0
            if not is_seen(state, seat, p, kind):
                hidden[p] += state.tools[p, kind]
                out[kind] += state.tools[p, kind]
    everything = hidden.sum()
    for p in range(state.num_players):
        for kind in range(TOOLS):
            if not is_seen(state, seat, p, kind) and everything > 0:
                none = (1.0 - hidden[p] / everything) ** out[kind]
                outlook.holds[p, kind] = none < 0.5


@compiled
def price_tools(state, outlook, weights):
    """Write the worth of tools: less towards the end, and less for who has one of the kind."""
    seat = outlook.seat
    soon = outlook.gold_left / (outlook.gold_left + HALF_LEFT)
    for kind in range(TOOLS):
        price = weights.thrift * WORTH[kind] * soon
        for p in range(state.num_players):
            outlook.cost[p, kind] = price
        if state.tools[seat, kind] > 1:
            outlook.cost[seat, kind] = price * ONE_MORE ** (state.tools[seat, kind] - 1)
        outlook.worth[kind] = price * ONE_MORE ** state.tools[seat, kind]
        if state.piles[kind] == 0:
            others = 0
            for p in range(state.num_players):
                others += p != seat and outlook.holds[p, kind]
            outlook.worth[kind] = (
                outlook.worth[kind] + price / (state.num_players - 1) if others > 0 else 0.0
            )


@compiled
def price_losses(state, outlook):
    """Write what it costs the player when others get a tool or find gold."""
    seat = outlook.seat
    for p in range(state.num_players):
        outlook.loss[p, 0] = max(0.0, -outlook.fight[p])
        for kind in range(TOOLS):
            loss = outlook.cost[p, kind] / (state.num_players - 1)
            if state.piles[kind] == 0:
                loss = outlook.cost[seat, kind] + loss if state.tools[seat, kind] > 0 else 0.0
            outlook.loss[p, 1 + kind] = loss


@compiled
def price_offers(outlook):
    """Write what sets of things are worth when a player can choose from them."""
    outlook.gain[0] = 0.0
    outlook.lost[:, 0] = 0.0
    for thing in range(THINGS):
        value = outlook.fight[outlook.seat] if thing == 0 else outlook.worth[thing - 1]
        for things in range(1 << thing):
            outlook.gain[1 << thing | things] = max(outlook.gain[things], value)
        for p in range(outlook.num_players):
            for things in range(1 << thing if p != outlook.seat else 0):
                outlook.lost[p, 1 << thing | things] = max(
                    outlook.lost[p, things], outlook.loss[p, thing]
                )


# ---------------------------------------------------------------- fights


@compiled
def settle_all(outlook):
    """Write how a fight ends from each rank and leader on, when the chance comes to the leader
    first."""
    for leader in range(outlook.num_players):
        settle(outlook, TOOLS, leader, outlook.num_players)
    for rank in range(TOOLS - 1, -1, -1):
        for leader in range(outlook.num_players):
            settle(outlook, rank, leader, 0)


@compiled
def settle(outlook, rank, leader, first):
    """Write how it ends from this rank and leader on when the chance comes to the seat ``first``
    places after the leader.

    Needs what follows from a higher rank.
    """
    seats = outlook.num_players
    for p in range(seats):
        outlook.settled[rank, leader, p] = outlook.value if p == leader else 0.0
    for k in range(seats - 1, first - 1, -1):
        p = (leader + k) % seats
        if outlook.holds[p, rank] and if_played(outlook, p, rank) > for_seat(
            outlook, p, rank, leader
        ):
            for q in range(seats):
                outlook.settled[rank, leader, q] = outlook.settled[rank + 1, p, q]
            outlook.settled[rank, leader, p] -= outlook.cost[p, rank]


@compiled
def for_seat(outlook, seat, rank, leader):
    """The worth to a seat of the end from this rank and leader on, against the mean of the
    others."""
    seats = outlook.num_players
    total = 0.0
    for p in range(seats):
        total += outlook.settled[rank, leader, p]
    own = outlook.settled[rank, leader, seat]
    return own - (total - own) / (seats - 1)


@compiled
def if_played(outlook, seat, rank):
    """The worth to a seat of playing its tool of the next rank."""
    return for_seat(outlook, seat, rank + 1, seat) - outlook.cost[seat, rank]


@compiled
def shall_play_tool(state, seat, outlook):
    rank, leader = state.auction_rank, state.auction_leader
    played = if_played(outlook, seat, rank)
    settle(outlook, rank, leader, 1 + distance(state, leader, seat))
    return played > for_seat(outlook, seat, rank, leader)


# ---------------------------------------------------------------- cards of the others


@compiled
def count_chances(state, outlook):
    """Write how likely a player has a card of each symbol, from the cards that are not seen."""
    unseen = np.zeros(SYMBOLS)
    for card in range(box.NUM_CODES):
        unseen[box.SYMBOL[card]] += state.copies[card] - state.discard[card]
    for h in range(state.hands_len[outlook.seat]):
        unseen[box.SYMBOL[state.hands[outlook.seat, h]]] -= 1
    for i in range(state.mine_len):
        unseen[box.SYMBOL[state.mine_card[i]]] -= 1
    if state.chosen > 0:
        unseen[box.SYMBOL[state.chosen - 1]] -= 1
    total = unseen.sum()
    for symbol in range(SYMBOLS):
        none = 1.0
        for h in range(box.HAND_SIZE[state.num_players]):
            none *= max(0.0, total - unseen[symbol] - h) / max(1.0, total - h)
        outlook.chance[symbol] = 1.0 - none
