"""The observation of Go Dig: what a seat may know, as numbers."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import distance, seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import events as e
from dig_envs.games.go_dig import state as s

SEATS, TYPES, GENERA = box.MAX_PLAYERS, box.NUM_TYPES, deck.NUM_GENERA
MANY_CARDS = 14
MANY_OF_GENUS = 7
PART_OF = np.arange(TYPES) - deck.FIRST_TYPE[deck.GENUS_OF[:TYPES]]
LARGEST_PILE = box.NUM_CARDS - 2 * box.STARTING_HAND

FIELDS = Fields(
    Field("own_hand", (TYPES,), "per type: cards in the own hand / copies in the box"),
    Field(
        "own_cards", (GENERA,), "per genus: cards in the own hand / parts, at most 1", derived=True
    ),
    Field(
        "own_missing",
        (GENERA,),
        "per genus: parts still missing for the next skeleton / parts (0 if all have been built)",
        derived=True,
    ),
    fields.plays(SEATS),
    Field("turn_of", (SEATS,), "per seat: 1 for the one whose turn it is"),
    Field("num_cards", (SEATS,), "per seat: cards in the hand / 14, at most 1"),
    fields.score(SEATS, box.MAX_SCORE),
    Field("num_skeletons", (SEATS,), "per seat: skeletons in its museum / 23"),
    Field(
        "num_unknown",
        (SEATS,),
        "per seat: cards in the hand that are not in `known` / 14, at most 1",
        derived=True,
    ),
    Field(
        "skeletons",
        (SEATS, GENERA),
        "per seat and genus: skeletons in its museum / skeletons in the box",
    ),
    Field(
        "asked",
        (SEATS, GENERA),
        "per seat and genus: 1 if the hand is known to hold one besides those in `known`",
        derived=True,
    ),
    Field(
        "maybe",
        (SEATS, GENERA),
        "per seat and genus: the most that the hand can hold besides those in `known` / 7, at "
        "most 1",
        derived=True,
    ),
    Field(
        "known",
        (SEATS, TYPES),
        "per seat and type: cards that everybody knows to be in the hand / copies",
        derived=True,
    ),
    Field(
        "unlocated",
        (TYPES,),
        "per type: copies that the seat cannot locate / copies: neither own, built, nor known of "
        "another",
        derived=True,
    ),
    Field(
        "unlocated_cards",
        (GENERA,),
        "per genus: cards that the seat cannot locate / cards in the box",
        derived=True,
    ),
    Field(
        "left", (GENERA,), "per genus: skeletons not built yet / skeletons in the box", derived=True
    ),
    Field("pile", (), "cards in the dig pile / 44"),
    fields.turn(),
    fields.phase(s.PHASES),
    fields.num_players(2, SEATS),
)

NEWS = News(
    96,
    kinds=(e.ASKED, e.GAVE, e.HAS_NONE, e.DREW, e.SHOWED, e.BUILT),
    parts=("other", "genus", "card"),
    split={"card": {"genus": deck.GENUS_OF[:TYPES], "part": PART_OF}},
)

standard = standard_filler(FIELDS)

# Shares: multiplying is faster than dividing, in float32, and over whole rows.
ONE = np.float32(1)
PER_COPY = (1 / box.COPIES).astype(np.float32)
PER_PART = (1 / deck.PARTS).astype(np.float32)
PER_SKELETON = (1 / deck.SKELETONS).astype(np.float32)
PER_ANY_SKELETON = np.float32(1 / box.NUM_SKELETONS)
PER_MANY_OF_GENUS = np.float32(1 / MANY_OF_GENUS)
PER_MANY_CARDS = np.float32(1 / MANY_CARDS)

ALL_BUILT = (1 << box.BUILT_BITS) - 1


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_museums(state, seat, obs)
    for k in range(state.num_players):
        observe_seat(state, seat_after(state, seat, k), k, obs)
    observe_unlocated(state, seat, obs)
    observe_genera(state, seat, obs)
    if state.to_move >= 0:
        obs.turn_of[distance(state, seat, state.to_move)] = 1
    obs.pile = state.pile_len / LARGEST_PILE


@compiled
def observe_museums(state, seat, obs):
    left = obs.left
    for genus in range(GENERA):
        left[genus] = ONE
    for p in range(state.num_players):
        k = distance(state, seat, p)
        obs.num_skeletons[k] = np.float32(state.museums_len[p]) * PER_ANY_SKELETON
        shares = obs.skeletons[k]
        for genus in range(GENERA):
            shares[genus] = (
                np.float32(state.built[genus] >> box.BUILT_BITS * p & ALL_BUILT)
                * PER_SKELETON[genus]
            )
        for genus in range(GENERA):
            left[genus] -= shares[genus]


@compiled
def observe_seat(state, p, k, obs):
    """Write what everybody knows of the hand of seat p, which is k places clockwise from the
    observer."""
    obs.num_cards[k] = min(ONE, np.float32(state.num_cards[p]) * PER_MANY_CARDS)
    obs.num_unknown[k] = min(
        ONE, np.float32(state.num_cards[p] - state.num_known[p]) * PER_MANY_CARDS
    )
    maybe, maybe_share = state.maybe[p], obs.maybe[k]
    for genus in range(GENERA):
        maybe_share[genus] = min(ONE, np.float32(maybe[genus]) * PER_MANY_OF_GENUS)
    asked, flags = state.asked[p], obs.asked[k]
    for genus in range(GENERA):
        flags[genus] = asked & box.BIT[genus] != 0
    known, shares = state.known[p], obs.known[k]
    for t in range(TYPES):
        shares[t] = np.float32(known[t]) * PER_COPY[t]


@compiled
def observe_unlocated(state, seat, obs):
    """The own hand, and what is neither in it, nor in a museum, nor known of another."""
    hand, own, unlocated, left = state.hands[seat], obs.own_hand, obs.unlocated, obs.left
    for t in range(TYPES):
        own[t] = np.float32(hand[t]) * PER_COPY[t]
    for t in range(TYPES):
        unlocated[t] = left[deck.GENUS_OF[t]] - own[t]
    for k in range(1, state.num_players):
        shares = obs.known[k]
        for t in range(TYPES):
            unlocated[t] -= shares[t]


@compiled
def observe_genera(state, seat, obs):
    """Sums over the types of each genus. Loops of a length that is known beforehand take half the
    time."""
    for genus in range(box.FIRST_OF_3_PARTS):
        observe_genus(state, seat, obs, genus, 4)
    for genus in range(box.FIRST_OF_3_PARTS, box.FIRST_OF_2_PARTS):
        observe_genus(state, seat, obs, genus, 3)
    for genus in range(box.FIRST_OF_2_PARTS, GENERA):
        observe_genus(state, seat, obs, genus, 2)


@compiled
def observe_genus(state, seat, obs, genus, num_parts):
    """Sums over the types of a genus."""
    hand, unlocated, first = state.hands[seat], obs.unlocated, deck.FIRST_TYPE[genus]
    held = 0
    parts = 0
    hidden = np.float32(0)
    for i in range(num_parts):
        held += hand[first + i]
        parts += hand[first + i] > 0
        hidden += unlocated[first + i]
    obs.own_cards[genus] = min(ONE, np.float32(held) * PER_PART[genus])
    obs.unlocated_cards[genus] = min(ONE, hidden * PER_PART[genus])
    obs.own_missing[genus] = (ONE - np.float32(parts) * PER_PART[genus]) * np.float32(
        obs.left[genus] > 0
    )
