"""State, facts, actions and options of Diggity."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import record_dtype, state_dtype
from dig_envs.games.diggity import components as box

PHASES = ("play", "place", "take", "steal", "auction", "over")
PLAY, PLACE, TAKE, STEAL, AUCTION, OVER = range(len(PHASES))

NO_PASSAGE, CONNECTED, OPEN, BLOCKED = range(4)  # states of a side of a card in the mine

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option(
        "gold_cards",
        range(1, box.NUM_GOLD + 1),
        16,
        "gold cards played for; 8 is the shorter game (DG-1)",
    ),
    Option("high_gold", (False, True), True, "false: the 5s and the 6 are left out (DG-1)"),
    Option(
        "hidden_tools", (False, True), False, "the tools of the others are hidden (DG-32, DG-33)"
    ),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 400, "turn limit (DG-31)"),
)

SCRATCH = ("mixed",)  # zero between actions

State = state_dtype(
    box.MAX_PLAYERS,
    [
        ("max_turns", np.int16),
        ("gold_cards", np.int8),
        ("high_gold", np.int8),
        ("hidden_tools", np.int8),
        ("player", np.int8),  # whose turn it is
        ("passes", np.int8),
        ("hands", np.int8, (box.MAX_PLAYERS, box.MAX_HAND)),  # codes, ascending
        ("hands_len", np.int8, (box.MAX_PLAYERS,)),
        ("chosen", np.int8),  # code + 1, 0 for none
        ("pile", np.int8, (box.NUM_CARDS,)),  # codes, top last
        ("pile_len", np.int8),
        ("discard", np.int8, (box.NUM_CODES,)),  # counts
        ("num_discard", np.int8),  # their sum
        # The mine, in the order laid.
        ("mine_x", np.int16, (box.MAX_MINE,)),
        ("mine_y", np.int16, (box.MAX_MINE,)),
        ("mine_card", np.int8, (box.MAX_MINE,)),  # codes
        ("mine_r", np.int8, (box.MAX_MINE,)),
        ("mine_len", np.int8),
        # Derived from it, kept up to date with each card laid (mine.py).
        ("sides", np.int8, (box.MAX_MINE, box.NUM_SIDES)),  # NO_PASSAGE, CONNECTED, OPEN or BLOCKED
        ("near", np.int8, (box.MAX_MINE,)),  # symbols of the cards connected to a card, as bits
        # exits of the open passages, in the order of their numbers
        ("open_x", np.int16, (box.MAX_OPEN,)),
        ("open_y", np.int16, (box.MAX_OPEN,)),
        ("open_card", np.int8, (box.MAX_OPEN,)),  # place in the mine
        ("open_side", np.int8, (box.MAX_OPEN,)),  # of the table
        # bit 0: for a passage on a short side (N, S); bit 1: on a long side (E, W)
        ("open_fits", np.int8, (box.MAX_OPEN,)),
        ("open_len", np.int8),
        ("fits", np.int8),  # the bits of all open passages together
        ("made", np.int8),  # what the last card makes, as bits (DG-14, DG-16)
        # Tools.
        ("piles", np.int8, (box.NUM_TOOLS,)),
        ("tools", np.int8, (box.MAX_PLAYERS, box.NUM_TOOLS)),  # counts
        ("choices", np.int8, (box.NUM_THINGS,)),  # flags
        ("steal_kind", np.int8),
        ("steal_from", np.int8, (box.MAX_PLAYERS,)),  # flags
        ("revealed_kind", np.int8),  # kind + 1, 0 for none
        ("revealed_thief", np.int8),
        # tools that are re-dealt
        ("mixed", np.int8, (box.NUM_TOOLS,)),
        # Gold, as places in VALUES.
        ("gold", np.int8, (box.NUM_GOLD,)),  # top last
        ("gold_len", np.int8),
        ("gold_aside", np.int8, (box.NUM_GOLD,)),
        ("gold_aside_len", np.int8),
        ("auction_value", np.int8),
        ("auction_rank", np.int8),
        ("auction_leader", np.int8),
        ("nuggets", np.int8, (box.MAX_PLAYERS, box.NUM_GOLD)),  # in the order won
        ("nuggets_len", np.int8, (box.MAX_PLAYERS,)),
    ],
)

Facts = record_dtype(
    [
        # place in the mine, from 1, of a card that overlaps an earlier one; 0 if there is none
        ("overlaps", np.int8),
        ("loose", np.int8),  # the same of a card that is not connected to an earlier one
        ("can_lay", np.int8),  # 1 if the chosen card can be laid
        # flags: what the player can take for the last card (DG-17)
        ("choices", np.int8, (box.NUM_THINGS,)),
    ]
)


def _pick(view: Mapping[str, Any], seat: int, place: int) -> str:
    return f"pick a {box.CARD_NAMES[box.CODES.index(view['hands'][seat][place])]}"


ACTIONS = Actions()
A_CARD = ACTIONS.add("card {}", range(box.MAX_HAND), label="pick card {0} of the hand", seen=_pick)
A_PLACE = ACTIONS.add(
    "place {} {}",
    range(box.MAX_OPEN),
    box.SIDES,
    label="attach the card's {1} to {0}",
    called=(
        tuple(f"open passage {number}" for number in range(box.MAX_OPEN)),
        tuple(f"{side} passage" for side in box.SIDE_NAMES),
    ),
)
A_TAKE = ACTIONS.add("take {}", box.THINGS, label="make {a 0}")
A_STEAL = ACTIONS.add(
    "steal +{}", range(1, box.MAX_PLAYERS), label="steal the tool from {0}", called=(AFTER,)
)
A_TOOL = ACTIONS.add("play {}", box.TOOLS, label="play {a 0}")
A_STOP = ACTIONS.add("stop", label="stop")
A_PASS = ACTIONS.add("pass", label="pass")
