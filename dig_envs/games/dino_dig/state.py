"""State, facts, actions and options of Dino Dig."""

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.games.dino_dig import components as box

PHASES = ("lay", "base", "contract", "act", "card", "over")
LAY, BASE, CONTRACT, ACT, CARD, OVER = range(len(PHASES))

CONTRACTS = ("standard", "freelance", "free_for_all")
STANDARD, FREELANCE, FREE_FOR_ALL = range(len(CONTRACTS))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option("jokers", (True, False), True, "false: No Fakes, 52 cards (DD-1)"),
    Option("contract", CONTRACTS, "standard", "whose suit is which (DD-6, DD-7, DD-28)"),
    Option("deregulation", (True, False), False, "bases next to any square at the edge (DD-4)"),
    Option("new_horizons", (True, False), False, "the players build the dig site (DD-5)"),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 200, "turn limit (DD-31)"),
)

SQUARES = box.NUM_SQUARES + 1
CARDS = box.NUM_CARDS + 1

# fields that are sets, as bits
SETS = {"squares": SQUARES, "face_up": CARDS, "known": CARDS, "museum": CARDS}

FIELDS: Fields = [
    ("squares", np.int64, "squares of the site"),
    ("face_up", np.int64, "cards that lie face up on the site"),
    ("known", np.int64, (box.MAX_PLAYERS,), "per seat: cards that it knows, wherever they are"),
    ("museum", np.int64, (box.MAX_PLAYERS,), "per seat: cards in the museum"),
    ("max_turns", np.int16),
    ("jokers", np.int8),
    ("contract", np.int8),
    ("deregulation", np.int8),
    ("new_horizons", np.int8),
    ("player", np.int8, "whose turn it is, or who chooses in set-up"),
    ("bases", np.int8, (box.MAX_PLAYERS,), "per seat: base square, 0 before it is chosen"),
    ("suits", np.int8, (box.MAX_PLAYERS,), "per seat: contract, as suit + 1, 0 for none"),
    ("pieces", np.int8, (box.MAX_PLAYERS, box.PIECES), "per seat and piece: square, 0 at home"),
    ("acted", np.int8, (box.PIECES,), "1 per piece of the player that has acted in this turn"),
    ("backpacks", np.int8, (box.MAX_PLAYERS, box.PIECES), "per seat and piece: card, 0 for none"),
    ("hand", np.int8, "in `card`: the card in hand, else 0"),
    (
        "chain",
        np.int8,
        (box.PIECES,),
        "pieces that have had the card in hand; the last is the handler",
    ),
    ("chain_len", np.int8),
    ("stowed", np.int8, "1 if the card in hand comes from the handler's backpack"),
    ("top", np.int8, (SQUARES,), "per square: top card, 0 for none"),
    ("height", np.int8, (SQUARES,), "per square: cards"),
    ("museum_top", np.int8, (box.MAX_PLAYERS,), "per seat: the card that came last, 0 for none"),
    ("museum_size", np.int8, (box.MAX_PLAYERS,), "per seat: cards"),
    ("supply_top", np.int8, "top card of the supply, 0 for none"),
    ("supply_size", np.int8, "cards in the supply"),
    (
        "below",
        np.int8,
        (CARDS,),
        "per card: the card below it in its stack, museum or supply, 0 for none",
    ),
    ("place", np.int8, (CARDS,), "per card: where it is"),
    ("level", np.int8, (CARDS,), "per card: cards below it in its stack on the site, 0 elsewhere"),
    (
        "runs",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_VALUES),
        "per seat: skeleton when the game is over, lowest card first",
    ),
    ("runs_len", np.int8, (box.MAX_PLAYERS,)),
    ("runs_high", np.int8, (box.MAX_PLAYERS,), "per seat: `high` of the skeleton (DD-29)"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

Facts = record_dtype(
    [
        ("allowed_bases", np.int64),  # squares that may be chosen if nobody has them (DD-3 to DD-5)
        ("whole", np.int8),  # 1 if the squares of the site hang together
        ("is_home", np.int8, (box.MAX_PLAYERS,)),  # 1 for a player who has reached the end (DD-21)
        ("giver", np.int8),  # 1 if a card in a backpack would go to another's museum (DD-22)
    ]
)

ACTIONS = Actions()
_ALONG = range(1, box.ROWS + 1)
_PIECES = range(1, box.PIECES + 1)
_SIDES = tuple(f"to the {side}" for side in ("north", "east", "south", "west"))
_PIECE_NAMES = tuple(f"piece {piece}" for piece in _PIECES)
A_LAY = ACTIONS.add(
    "lay {},{}", _ALONG, _ALONG, label="Lay the top card of the supply on square {0},{1}"
)
A_BASE = ACTIONS.add("base {},{}", _ALONG, _ALONG, label="Put the home base beside square {0},{1}")
A_SUIT = ACTIONS.add(
    "suit {}", box.SUITS, label="Collect {0}: that is your contract", called=(box.SUIT_NAMES,)
)
A_MOVE = ACTIONS.add(
    "P{} move {}",
    _PIECES,
    (*box.DIRECTIONS, "home", "out"),
    label="Move {0} {1}",
    called=(_PIECE_NAMES, (*_SIDES, "home", "out of the base")),
)
A_DIG = ACTIONS.add("P{} dig", _PIECES, label="Dig with {0}", called=(_PIECE_NAMES,))
A_UNLOAD = ACTIONS.add(
    "P{} unload", _PIECES, label="Take the card out of the backpack of {0}", called=(_PIECE_NAMES,)
)
A_FACE_UP = ACTIONS.add(
    "face-up {}",
    (*box.DIRECTIONS, "out"),
    label="Lay the card face up {0}",
    called=((*_SIDES, "on the base square"),),
)
A_FACE_DOWN = ACTIONS.add("face-down", label="Lay the card face down where the piece is")
A_HOME = ACTIONS.add("home", label="Put the card into the museum")
A_STOW = ACTIONS.add("stow", label="Put the card into the backpack")
A_PASS = ACTIONS.add("pass P{}", _PIECES, label="Hand the card on to {0}", called=(_PIECE_NAMES,))
A_END_TURN = ACTIONS.add("end turn", label="End the turn")

WAYS = len(box.DIRECTIONS) + 2  # of a piece's moves: four directions, home, out
W_HOME = len(box.DIRECTIONS)
W_OUT = W_HOME + 1
