"""The observation of a seat of Diggity."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import distance, seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import events
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.rules import mine

SEATS, SYMBOLS, SIDES, TOOLS, THINGS = (
    box.MAX_PLAYERS,
    box.NUM_SYMBOLS,
    box.NUM_SIDES,
    box.NUM_TOOLS,
    box.NUM_THINGS,
)
PLACES = 64  # for cards of the mine
FAR = 100  # unit of coordinates
REACH = box.FARTHEST / FAR
ORDER = "self, +1, +2, +3"
SYMBOLS_IN_WORDS = ", ".join(box.SYMBOLS)
SIDES_IN_WORDS = ", ".join(box.SIDES)
KINDS_IN_WORDS = ", ".join(box.TOOLS)
VALUES_IN_WORDS = ", ".join(map(str, box.VALUES))

FIELDS = Fields(
    Field("hand_exists", (box.MAX_HAND,), "own hand, per place: 1 if there is a card"),
    Field("hand_symbol", (box.MAX_HAND, SYMBOLS), f"per place, one-hot: {SYMBOLS_IN_WORDS}"),
    Field(
        "hand_passages", (box.MAX_HAND, SIDES), f"per place: 1 for each passage, {SIDES_IN_WORDS}"
    ),
    Field(
        "hand_legal",
        (box.MAX_HAND,),
        "per place: 1 if the card can be laid now (at the own `play`)",
        derived=True,
    ),
    Field("chosen_exists", (), "1 if a card is chosen"),
    Field("chosen_symbol", (SYMBOLS,), f"of the card chosen, one-hot: {SYMBOLS_IN_WORDS}"),
    Field("chosen_passages", (SIDES,), f"of the card chosen: 1 for each passage, {SIDES_IN_WORDS}"),
    Field("mine_exists", (PLACES,), "mine, per place in the order laid: 1 if there is a card"),
    Field("mine_symbol", (PLACES, SYMBOLS), f"per place, one-hot: {SYMBOLS_IN_WORDS}"),
    Field(
        "mine_at", (PLACES, 2), "per place: x / 100, y / 100 of the centre", low=-REACH, high=REACH
    ),
    Field("mine_lying", (PLACES,), "per place: 1 if the card lies, 0 if it is upright"),
    Field(
        "mine_sides",
        (PLACES, SIDES, 4),
        f"per place and side of the table ({SIDES_IN_WORDS}), one-hot: no passage, connected, "
        "open, blocked",
    ),
    Field("open_exists", (box.MAX_OPEN,), "open passages, per number: 1 if there is one"),
    Field("open_card", (box.MAX_OPEN,), "per number: place of its card in the mine / 64"),
    Field("open_side", (box.MAX_OPEN, SIDES), f"per number: direction, one-hot: {SIDES_IN_WORDS}"),
    Field(
        "open_at",
        (box.MAX_OPEN, 2),
        "per number: x / 100, y / 100 of the exit",
        low=-REACH,
        high=REACH,
    ),
    Field(
        "open_symbol",
        (box.MAX_OPEN, SYMBOLS),
        f"per number: symbol of its card, one-hot: {SYMBOLS_IN_WORDS}",
    ),
    Field(
        "open_fits",
        (box.MAX_OPEN, 2),
        "per number: 1 if an upright card fits, 1 if a lying card fits",
        derived=True,
    ),
    Field(
        "open_makes",
        (box.MAX_OPEN, SYMBOLS, THINGS),
        f"per number and symbol ({SYMBOLS_IN_WORDS}): what a card laid next makes if it is "
        f"connected by this passage alone: {', '.join(box.THINGS)}",
        derived=True,
    ),
    Field(
        "own_cards",
        (box.NUM_CODES,),
        "per card in table order: number in the own hand / copies",
        derived=True,
    ),
    Field("mine_cards", (box.NUM_CODES,), "per card: number in the mine / copies", derived=True),
    Field("discard_cards", (box.NUM_CODES,), "per card: number among the discarded / copies"),
    Field(
        "unseen_cards",
        (box.NUM_CODES,),
        "per card: number in the draw pile and other hands together / copies",
        derived=True,
    ),
    Field("sizes", (3,), "cards in the draw pile, discarded, in the mine / 64"),
    Field("hand_sizes", (SEATS,), f"per seat ({ORDER}): cards in the hand / 5"),
    Field("piles", (TOOLS,), f"tools in the piles / 4: {KINDS_IN_WORDS}"),
    Field("tools", (SEATS, TOOLS), f"per seat: tools that the view shows / 4: {KINDS_IN_WORDS}"),
    Field("num_tools", (SEATS,), "per seat: tools in all / 16"),
    Field(
        "revealed_kind",
        (TOOLS,),
        f"the kind of which all tools lie open, one-hot: {KINDS_IN_WORDS}",
    ),
    Field("revealed_thief", (SEATS,), "per seat: 1 for the thief who made them be laid open"),
    Field(
        "unseen_gold",
        (box.NUM_VALUES,),
        f"gold cards in the deck or set aside / copies: {VALUES_IN_WORDS}",
        derived=True,
    ),
    Field("gold_left", (2,), "gold cards in the deck, set aside / 16"),
    Field(
        "nuggets", (SEATS, box.NUM_VALUES), f"per seat: gold cards won / copies: {VALUES_IN_WORDS}"
    ),
    fields.score(SEATS, box.MAX_SCORE),
    Field("auction_value", (), "value of the gold card turned up / 6"),
    Field("auction_rank", (TOOLS + 1,), "in an auction the highest rank played, one-hot: 0 to 4"),
    Field("auction_leader", (SEATS,), "per seat: 1 for the leader of the auction"),
    fields.phase(s.PHASES),
    fields.has_turn(SEATS, "per seat: 1 for the one whose turn it is"),
    fields.turn(),
    Field("passes", (), "turns passed in a row / 3"),
    Field("choices", (THINGS,), f"what there is to choose from: {', '.join(box.THINGS)}"),
    Field("steal_kind", (TOOLS,), f"the kind to be stolen, one-hot: {KINDS_IN_WORDS}"),
    Field("steal_from", (SEATS - 1,), "1 if it can be stolen from +1, +2, +3"),
    fields.num_players(2, SEATS),
    Field("gold_cards", (), "gold_cards / 16"),
    Field("high_gold", (), "high_gold"),
    Field("hidden_tools", (), "hidden_tools"),
)

# with hidden tools, who has which
NEWS = News(
    64,
    kinds=(
        events.TOOK,
        events.PILE_EMPTY,
        events.SHOWED,
        events.STOLE,
        events.SKIPPED,
        events.PLAYED,
        events.STOPPED,
        events.WON,
    ),
    parts=("other", "tool", "count", "nuggets"),
)

standard = standard_filler(FIELDS)

# Shares: multiplying is faster than dividing.
ONE = np.float32(1)
PER_COPY = (1 / np.maximum(np.arange(box.MOST_COPIES.max() + 1), 1)).astype(np.float32)
PER_GOLD_COPY = (1 / box.GOLD_COPIES).astype(np.float32)
PER_CARD = np.float32(1 / box.NUM_CARDS)
PER_FAR = np.float32(1 / FAR)
PER_TOOL = np.float32(1 / SEATS)
PER_ANY_TOOL = np.float32(1 / (SEATS * TOOLS))
PER_NUGGET = np.float32(1 / box.NUM_GOLD)
PER_CARD_OF_HAND = np.float32(1 / box.MAX_HAND)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_hand(state, seat, obs)
    observe_mine(state, obs)
    observe_open_passages(state, obs)
    observe_cards(state, seat, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, k, obs)
    observe_tools(state, seat, obs)
    observe_gold(state, seat, obs)
    obs.passes = state.passes / np.float32(SEATS - 1)
    obs.gold_cards = state.gold_cards * PER_NUGGET
    obs.high_gold = state.high_gold
    obs.hidden_tools = state.hidden_tools


@compiled
def observe_hand(state, seat, obs):
    """The own cards, and the card that has been chosen."""
    chooses = state.phase == s.PLAY and state.to_move == seat
    for h in range(state.hands_len[seat]):
        card = state.hands[seat, h]
        obs.hand_exists[h] = ONE
        obs.hand_symbol[h, box.SYMBOL[card]] = ONE
        for side in range(SIDES):
            obs.hand_passages[h, side] = box.PASSAGES[card] >> side & 1
        obs.hand_legal[h] = chooses and (state.mine_len == 0 or mine.can_be_laid(state, card))
    if state.chosen > 0:
        card = state.chosen - 1
        obs.chosen_exists = ONE
        obs.chosen_symbol[box.SYMBOL[card]] = ONE
        for side in range(SIDES):
            obs.chosen_passages[side] = box.PASSAGES[card] >> side & 1


@compiled
def observe_mine(state, obs):
    for i in range(state.mine_len):
        obs.mine_exists[i] = ONE
        obs.mine_symbol[i, box.SYMBOL[state.mine_card[i]]] = ONE
        obs.mine_at[i, 0] = np.float32(state.mine_x[i]) * PER_FAR
        obs.mine_at[i, 1] = np.float32(state.mine_y[i]) * PER_FAR
        obs.mine_lying[i] = state.mine_r[i] & 1
        for side in range(SIDES):
            obs.mine_sides[i, side, state.sides[i, side]] = ONE


@compiled
def observe_open_passages(state, obs):
    """The open passages, and what a card there makes."""
    made = 31 if state.mine_len >= box.FEWEST_FOR_A_MINER else 31 & ~box.MINER
    for e in range(state.open_len):
        card, side, fits = state.open_card[e], state.open_side[e], state.open_fits[e]
        symbol = box.SYMBOL[state.mine_card[card]]
        obs.open_exists[e] = ONE
        obs.open_card[e] = np.float32(card) * PER_CARD
        obs.open_side[e, side] = ONE
        obs.open_at[e, 0] = np.float32(state.open_x[e]) * PER_FAR
        obs.open_at[e, 1] = np.float32(state.open_y[e]) * PER_FAR
        obs.open_symbol[e, symbol] = ONE
        # attached by a short side, a card at N or S is upright, at E or W it lies
        obs.open_fits[e, side & 1] = fits & 1
        obs.open_fits[e, side & 1 ^ 1] = fits >> 1
        for new in range(SYMBOLS):
            things = box.MADE_THROUGH[new, symbol, state.near[card]] & made
            for thing in range(THINGS):
                obs.open_makes[e, new, thing] = things >> thing & 1


@compiled
def observe_cards(state, seat, obs):
    """Write where the cards are, as far as the seat knows; the card chosen is in none of these
    places."""
    own, laid, gone, unseen = obs.own_cards, obs.mine_cards, obs.discard_cards, obs.unseen_cards
    for card in range(box.NUM_CODES):
        unseen[card] = state.copies[card] - state.discard[card]  # counts first, shares below
    for h in range(state.hands_len[seat]):
        own[state.hands[seat, h]] += ONE
        unseen[state.hands[seat, h]] -= ONE
    for i in range(state.mine_len):
        laid[state.mine_card[i]] += ONE
        unseen[state.mine_card[i]] -= ONE
    if state.chosen > 0:
        unseen[state.chosen - 1] -= ONE
    for card in range(box.NUM_CODES):
        per_copy = PER_COPY[state.copies[card]]
        own[card] *= per_copy
        laid[card] *= per_copy
        gone[card] = np.float32(state.discard[card]) * per_copy
        unseen[card] *= per_copy
    obs.sizes[0] = np.float32(state.pile_len) * PER_CARD
    obs.sizes[1] = np.float32(state.num_discard) * PER_CARD
    obs.sizes[2] = np.float32(state.mine_len) * PER_CARD


@compiled
def observe_seat(state, seat, k, obs):
    """Write what there is to see of the seat k places clockwise from the observer."""
    p = seat_after(state, seat, k)
    obs.hand_sizes[k] = np.float32(state.hands_len[p]) * PER_CARD_OF_HAND
    sees_all = k == 0 or not state.hidden_tools or state.over
    number = 0
    for kind in range(TOOLS):
        number += state.tools[p, kind]
        if sees_all or state.revealed_kind == kind + 1:
            obs.tools[k, kind] = np.float32(state.tools[p, kind]) * PER_TOOL
    obs.num_tools[k] = np.float32(number) * PER_ANY_TOOL
    for i in range(state.nuggets_len[p]):
        obs.nuggets[k, state.nuggets[p, i]] += ONE
    for value in range(box.NUM_VALUES):
        obs.nuggets[k, value] *= PER_GOLD_COPY[value]


@compiled
def observe_tools(state, seat, obs):
    """The piles, what lies open, what there is to choose."""
    for kind in range(TOOLS):
        obs.piles[kind] = np.float32(state.piles[kind]) * PER_TOOL
    if state.revealed_kind > 0:
        obs.revealed_kind[state.revealed_kind - 1] = ONE
        obs.revealed_thief[distance(state, seat, state.revealed_thief)] = ONE
    if state.phase == s.TAKE:
        for thing in range(THINGS):
            obs.choices[thing] = state.choices[thing]
    if state.phase == s.STEAL:
        obs.steal_kind[state.steal_kind] = ONE
        for k in range(1, state.num_players):
            obs.steal_from[k - 1] = state.steal_from[seat_after(state, seat, k)]


@compiled
def observe_gold(state, seat, obs):
    """The gold cards that nobody has seen, and the auction."""
    for i in range(state.gold_len):
        obs.unseen_gold[state.gold[i]] += ONE
    for i in range(state.gold_aside_len):
        obs.unseen_gold[state.gold_aside[i]] += ONE
    for value in range(box.NUM_VALUES):
        obs.unseen_gold[value] *= PER_GOLD_COPY[value]
    obs.gold_left[0] = np.float32(state.gold_len) * PER_NUGGET
    obs.gold_left[1] = np.float32(state.gold_aside_len) * PER_NUGGET
    if state.phase == s.AUCTION:
        obs.auction_value = box.VALUES[state.auction_value] / box.NUM_VALUES
        obs.auction_rank[state.auction_rank] = ONE
        obs.auction_leader[distance(state, seat, state.auction_leader)] = ONE
