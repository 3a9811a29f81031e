"""What a seat may know of Go Dig, as numbers."""

import numpy as np

from dig_envs.engine import fields
from dig_envs.engine.fields import Field, Fields
from dig_envs.engine.jit import compiled
from dig_envs.engine.standard import standard_filler
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import state as s

SEATS, TYPES, GENERA = box.MAX_PLAYERS, box.NUM_TYPES, deck.NUM_GENERA
MANY_CARDS = 14
MANY_OF_GENUS = 7
LARGEST_PILE = box.NUM_CARDS - 2 * box.STARTING_HAND

FIELDS = Fields(
    Field("own_hand", (TYPES,), "per type: cards in the own hand / copies in the box"),
    Field("own_cards", (GENERA,), "per genus: cards in the own hand / parts, at most 1"),
    Field("own_missing", (GENERA,), "per genus: parts still missing for the next skeleton / parts (0 if all have been built)"),
    fields.plays(SEATS),
    Field("turn_of", (SEATS,), "per seat: 1 for the one whose turn it is"),
    Field("num_cards", (SEATS,), "per seat: cards in the hand / 14, at most 1"),
    fields.score(SEATS, box.MAX_SCORE),
    Field("num_skeletons", (SEATS,), "per seat: skeletons in its museum / 23"),
    Field("num_unknown", (SEATS,), "per seat: cards in the hand that are not in `known` / 14, at most 1"),
    Field("skeletons", (SEATS, GENERA), "per seat and genus: skeletons in its museum / skeletons in the box"),
    Field("asked", (SEATS, GENERA), "per seat and genus: 1 if the hand is known to hold one besides those in `known`"),
    Field("maybe", (SEATS, GENERA), "per seat and genus: the most that the hand can hold besides those in `known` / 7, at most 1"),
    Field("known", (SEATS, TYPES), "per seat and type: cards that everybody knows to be in the hand / copies"),
    Field("unlocated", (TYPES,), "per type: copies that the seat cannot locate / copies: neither own, built, nor known of another"),
    Field("unlocated_cards", (GENERA,), "per genus: cards that the seat cannot locate / cards in the box"),
    Field("left", (GENERA,), "per genus: skeletons not built yet / skeletons in the box"),
    Field("pile", (), "cards in the dig pile / 44"),
    fields.turn("max_turns"),
    fields.phase(s.PHASES),
    fields.num_players(2, SEATS),
)

standard = standard_filler(FIELDS, most=box.MAX_SCORE, least_players=2)

# Shares: multiplying is faster than dividing.
ONE = np.float32(1)
PER_COPY = (1 / box.COPIES).astype(np.float32)
PER_PART = (1 / deck.PARTS).astype(np.float32)
PER_SKELETON = (1 / deck.SKELETONS).astype(np.float32)
PER_CARD_OF = (1 / box.CARDS_OF).astype(np.float32)
PER_MANY_OF_GENUS = np.float32(1 / MANY_OF_GENUS)
PER_MANY_CARDS = np.float32(1 / MANY_CARDS)
BOX = box.COPIES.astype(np.float32)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_unlocated(state, seat, obs)
    for genus in range(GENERA):
        obs.left[genus] = 1
    for k in range(state.num_players):
        observe_seat(state, (seat + k) % state.num_players, k, obs)
    observe_genera(state, seat, obs)
    if state.to_move >= 0:
        obs.turn_of[(state.to_move - seat) % state.num_players] = 1
    obs.pile = state.pile_len / LARGEST_PILE
    obs.turn = state.turn / state.max_turns


@compiled
def observe_unlocated(state, seat, obs):
    """The own hand, and the copies that are neither in it nor known to be in another (those built go later)."""
    for t in range(TYPES):
        obs.own_hand[t] = state.hands[seat, t] * PER_COPY[t]
        obs.unlocated[t] = BOX[t] - state.hands[seat, t]
    for p in range(state.num_players):
        if p != seat and state.num_known[p] > 0:
            for t in range(TYPES):
                obs.unlocated[t] -= state.known[p, t]


@compiled
def observe_seat(state, p, k, obs):
    """What everybody knows of seat p, which is k places clockwise from the observer."""
    obs.num_cards[k] = min(ONE, state.num_cards[p] * PER_MANY_CARDS)
    obs.num_unknown[k] = min(ONE, (state.num_cards[p] - state.num_known[p]) * PER_MANY_CARDS)
    obs.num_skeletons[k] = state.museums_len[p] / box.NUM_SKELETONS
    first = 0
    for x in range(p):
        first += state.museums_len[x]
    for i in range(first, first + state.museums_len[p]):
        genus = state.museums[i]
        obs.skeletons[k, genus] += PER_SKELETON[genus]
        obs.left[genus] -= PER_SKELETON[genus]
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            obs.unlocated[t] -= 1
    for genus in range(GENERA):
        obs.asked[k, genus] = (state.asked[p] >> genus) & 1
        obs.maybe[k, genus] = min(ONE, state.maybe[p, genus] * PER_MANY_OF_GENUS)
    if state.num_known[p] > 0:
        for t in range(TYPES):
            obs.known[k, t] = state.known[p, t] * PER_COPY[t]


@compiled
def observe_genera(state, seat, obs):
    """Sums over the types of each genus; what cannot be located becomes shares."""
    for genus in range(GENERA):
        held = 0
        parts = 0
        unlocated = np.float32(0)
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            held += state.hands[seat, t]
            parts += state.hands[seat, t] > 0
            unlocated += obs.unlocated[t]
            obs.unlocated[t] *= PER_COPY[t]
        obs.own_cards[genus] = min(ONE, held * PER_PART[genus])
        if obs.left[genus] > 0:
            obs.own_missing[genus] = 1 - parts * PER_PART[genus]
        obs.unlocated_cards[genus] = unlocated * PER_CARD_OF[genus]
