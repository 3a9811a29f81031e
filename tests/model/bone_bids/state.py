"""State, actions and options of Bone Bids."""

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from tests.model.bone_bids import components as box

PHASES = ("bid", "over")
BID, OVER = range(len(PHASES))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 3, "players"),
    Option("hand_size", range(1, box.MAX_HAND + 1), 4, "cards dealt to each player (BB-1)"),
)

FIELDS: Fields = [
    ("hand_size", np.int8),
    ("worth", np.int8, "of the bone"),
    ("pile", np.int8, (len(box.CARDS),), "per card: in the pile"),
    ("out", np.int8, (len(box.CARDS),), "per card: out of the game"),
    ("hands", np.int8, (box.MAX_PLAYERS, len(box.CARDS)), "per seat and card: in the hand"),
    ("num_cards", np.int8, (box.MAX_PLAYERS,), "per seat: cards in the hand"),
    ("pending", np.int8, (box.MAX_PLAYERS,), "per seat: bid not revealed, as card + 1, else 0"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

Facts = record_dtype([("asked", np.int8, (box.MAX_PLAYERS,))])

ACTIONS = Actions()
A_BID = ACTIONS.add("bid {}", box.CARDS, label="Bid {0}")
