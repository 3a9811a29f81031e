"""State, facts, actions and options of Go Dig."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box

PHASES = ("ask", "over")
ASK, OVER = range(len(PHASES))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 200, "turn limit (GD-14)"),
)

# fields that are sets, as bits
SETS = {"asked": deck.NUM_GENERA}
PACKED = ("built",)  # numbers of few bits, which follow from `museums`

FIELDS: Fields = [
    ("max_turns", np.int16),
    ("asked", np.int16, (box.MAX_PLAYERS,), "per seat: genera that it has asked for (GD-16)"),
    # room for all cards, when they are dealt and dealt anew
    ("pile", np.int8, (box.NUM_CARDS,), "types, top last"),
    ("pile_len", np.int8),
    ("hands", np.int8, (box.MAX_PLAYERS, box.NUM_TYPES), "per seat and type: cards"),
    ("num_cards", np.int8, (box.MAX_PLAYERS,), "per seat: cards in the hand"),
    (
        "museums",
        np.int8,
        (box.NUM_SKELETONS,),
        "genera in the order built: those of seat 0, then those of seat 1 …",
    ),
    ("museums_len", np.int8, (box.MAX_PLAYERS,), "per seat: skeletons"),
    (
        "known",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_TYPES),
        "per seat and type: cards that everybody knows to be in the hand",
    ),
    ("num_known", np.int8, (box.MAX_PLAYERS,), "per seat: sum of `known`"),
    (
        "maybe",
        np.int8,
        (box.MAX_PLAYERS, deck.NUM_GENERA),
        "per seat and genus: the most cards that the hand can hold besides",
    ),
    (
        "built",
        np.int16,
        (deck.NUM_GENERA,),
        "per genus: skeletons in each museum, `box.BUILT_BITS` a seat",
    ),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

Facts = record_dtype(
    [
        ("complete", np.int8, (box.MAX_PLAYERS,)),  # 1 if the hand contains a complete skeleton
        # cards in the hand less those that everybody knows
        ("unknown", np.int8, (box.MAX_PLAYERS, deck.NUM_GENERA)),
    ]
)

ASK_FOR = "Ask {0} for {a 1}"


def _ask(view: Mapping[str, Any], seat: int, step: int, genus: str) -> str:
    """A request, with a note where everybody knows that the player asked has none, or has one."""
    other = (seat + step) % len(view["scores"])
    place = deck.GENERA.index(genus)
    if genus in view["asked"][other] or any(genus in card for card in view["known"][other]):
        return f"{ASK_FOR} (has one for sure)"
    return ASK_FOR if view["maybe"][other][place] else f"{ASK_FOR} (has none: you only draw a card)"


ACTIONS = Actions()
A_ASK = ACTIONS.add(
    "ask +{} {}",
    range(1, box.MAX_PLAYERS),
    deck.GENERA,
    label=ASK_FOR,
    called=(AFTER, deck.GENUS_NAMES),
    seen=_ask,
)
