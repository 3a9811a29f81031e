"""State, facts, actions and options of Go Dig."""

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import record_dtype, state_dtype
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box

PHASES = ("ask", "over")
ASK, OVER = range(len(PHASES))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 200, "turn limit (GD-14)"),
)

# fields that are sets, as bits
SETS = {"asked": deck.NUM_GENERA, "built": box.BUILT_BITS * box.MAX_PLAYERS}

State = state_dtype(
    box.MAX_PLAYERS,
    [
        ("max_turns", np.int16),
        ("asked", np.int16, (box.MAX_PLAYERS,)),  # sets of genera (GD-16), as bits
        # types, top last; room for all cards, when they are dealt and dealt anew
        ("pile", np.int8, (box.NUM_CARDS,)),
        ("pile_len", np.int8),
        ("hands", np.int8, (box.MAX_PLAYERS, box.NUM_TYPES)),  # counts
        ("num_cards", np.int8, (box.MAX_PLAYERS,)),  # their sum
        # genera in the order built: those of seat 0, then those of seat 1 …
        ("museums", np.int8, (box.NUM_SKELETONS,)),
        ("museums_len", np.int8, (box.MAX_PLAYERS,)),
        # counts of the cards that everybody knows to be in a hand
        ("known", np.int8, (box.MAX_PLAYERS, box.NUM_TYPES)),
        ("num_known", np.int8, (box.MAX_PLAYERS,)),  # their sum
        # the most cards of a genus that a hand can hold besides
        ("maybe", np.int8, (box.MAX_PLAYERS, deck.NUM_GENERA)),
        # skeletons in each museum, `box.BUILT_BITS` a seat; derived
        ("built", np.int16, (deck.NUM_GENERA,)),
    ],
)

Facts = record_dtype(
    [
        ("complete", np.int8, (box.MAX_PLAYERS,)),  # 1 if the hand contains a complete skeleton
        # cards in the hand less those that everybody knows
        ("unknown", np.int8, (box.MAX_PLAYERS, deck.NUM_GENERA)),
    ]
)

ACTIONS = Actions()
A_ASK = ACTIONS.add(
    "ask +{} {}",
    range(1, box.MAX_PLAYERS),
    deck.GENERA,
    label="Ask {0} for {a 1}",
    called=(AFTER, deck.GENUS_NAMES),
)
