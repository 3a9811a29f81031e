"""State, facts, actions and options of Diggity."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.engine.core.variants import VARIANT_FIELDS, variant_options
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
    *variant_options("the mine cards (DG-2)"),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 400, "turn limit (DG-31)"),
)

# fields that are sets, as bits
SETS = {"near": box.NUM_SYMBOLS, "open_fits": 2, "fits": 2, "made": box.NUM_THINGS}
SCRATCH = ("mixed",)  # zero between actions
PACKED = ("copies",)  # follows from where the cards are

FIELDS: Fields = [
    *VARIANT_FIELDS,
    ("max_turns", np.int16),
    ("gold_cards", np.int8),
    ("high_gold", np.int8),
    ("hidden_tools", np.int8),
    ("player", np.int8, "whose turn it is"),
    ("passes", np.int8, "turns passed in a row"),
    ("hands", np.int8, (box.MAX_PLAYERS, box.MAX_HAND), "per seat: cards, as codes, ascending"),
    ("hands_len", np.int8, (box.MAX_PLAYERS,)),
    ("chosen", np.int8, "in `place`: code of the card + 1, else 0"),
    ("copies", np.int8, (box.NUM_CODES,), "per code: cards in the game"),
    ("pile", np.int8, (box.NUM_CARDS,), "draw pile: codes, top last"),
    ("pile_len", np.int8),
    ("discard", np.int8, (box.NUM_CODES,), "per code: discarded cards"),
    ("num_discard", np.int8, "discarded cards"),
    ("mine_x", np.int16, (box.MAX_MINE,), "per card of the mine, in the order laid: x"),
    ("mine_y", np.int16, (box.MAX_MINE,), "per card of the mine: y"),
    ("mine_card", np.int8, (box.MAX_MINE,), "per card of the mine: code"),
    ("mine_r", np.int8, (box.MAX_MINE,), "per card of the mine: quarter turns"),
    ("mine_len", np.int8, "cards in the mine"),
    # Derived from the mine, kept up to date with each card laid (mine.py).
    (
        "sides",
        np.int8,
        (box.MAX_MINE, box.NUM_SIDES),
        "per card of the mine and side: 0 no passage, 1 connected, 2 open, 3 blocked",
    ),
    (
        "near",
        np.int8,
        (box.MAX_MINE,),
        "per card of the mine: symbols of the cards connected to it",
    ),
    (
        "open_x",
        np.int16,
        (box.MAX_OPEN,),
        "per open passage, in the order of their numbers: x of its exit",
    ),
    ("open_y", np.int16, (box.MAX_OPEN,), "per open passage: y of its exit"),
    ("open_card", np.int8, (box.MAX_OPEN,), "per open passage: place of its card in the mine"),
    ("open_side", np.int8, (box.MAX_OPEN,), "per open passage: side of the table"),
    (
        "open_fits",
        np.int8,
        (box.MAX_OPEN,),
        "per open passage: whether a passage on a short side (N, S) fits, on a long side (E, W)",
    ),
    ("open_len", np.int8, "number of open passages"),
    ("fits", np.int8, "`open_fits` of all open passages together"),
    (
        "made",
        np.int8,
        "what the last card makes (DG-14, DG-16): miner, then tools in order of rank",
    ),
    ("piles", np.int8, (box.NUM_TOOLS,), "per tool: cards in the pile"),
    ("tools", np.int8, (box.MAX_PLAYERS, box.NUM_TOOLS), "per seat and tool: cards"),
    ("choices", np.int8, (box.NUM_THINGS,), "in `take`: 1 per thing to choose, miner first"),
    ("steal_kind", np.int8, "in `steal`: the tool"),
    ("steal_from", np.int8, (box.MAX_PLAYERS,), "in `steal`: 1 per seat to steal from"),
    ("revealed_kind", np.int8, "tools that lie open (DG-33): tool + 1, else 0"),
    ("revealed_thief", np.int8, "the seat that has stolen one of them"),
    ("mixed", np.int8, (box.NUM_TOOLS,), "tools that are re-dealt"),
    ("gold", np.int8, (box.NUM_GOLD,), "gold deck: values - 1, top last"),
    ("gold_len", np.int8),
    ("gold_aside", np.int8, (box.NUM_GOLD,), "gold cards set aside: values - 1"),
    ("gold_aside_len", np.int8),
    ("auction_value", np.int8, "in `auction`: value - 1"),
    ("auction_rank", np.int8, "in `auction`: highest rank played, 0 for none"),
    ("auction_leader", np.int8, "in `auction`: the seat that leads"),
    (
        "nuggets",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_GOLD),
        "per seat: values won - 1, in the order won",
    ),
    ("nuggets_len", np.int8, (box.MAX_PLAYERS,)),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

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
    label="lay the card at {0} by its {1} side",
    called=(tuple(f"passage {number + 1}" for number in range(box.MAX_OPEN)), box.SIDE_NAMES),
)
A_TAKE = ACTIONS.add("take {}", box.THINGS, label="make {a 0}")
A_STEAL = ACTIONS.add(
    "steal +{}", range(1, box.MAX_PLAYERS), label="steal the tool from {0}", called=(AFTER,)
)
A_TOOL = ACTIONS.add("play {}", box.TOOLS, label="play {a 0}")
A_STOP = ACTIONS.add("stop", label="stop")
A_PASS = ACTIONS.add("pass", label="pass")
