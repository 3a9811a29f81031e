"""State, actions and options of Fossil Memory."""

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, state_dtype
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box

PHASES = ("flip", "over")
FLIP, OVER = range(len(PHASES))

RECALLS = ("perfect", "recent", "none")
PERFECT, RECENT, NONE = range(len(RECALLS))


OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option(
        "genera",
        ("random", *box.CHOICES),
        "random",
        "which genera are in play besides TYR (FM-1)",
        f"'random', or a list of four of {', '.join(box.THREE_PARTS)} and four of "
        f"{', '.join(box.TWO_PARTS)}",
        any_order=True,
    ),
    Option(
        "recall",
        RECALLS,
        "perfect",
        "which cards view and observation show besides those face up now (FM-11)",
        for_people="none",
    ),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 200, "turn limit (FM-10)"),
)

SCRATCH = ("mixed",)  # zero between actions

FIELDS: Fields = [
    ("max_turns", np.int16),
    ("genera", np.int16, "the option: 0 for random, else 1 + the choice"),
    ("recall", np.int8),
    ("in_play", np.int8, (deck.NUM_GENERA,), "1 per genus in play"),
    ("grid", np.int8, (box.NUM_PLACES,), "per place: type + 1, 0 where the card has been taken"),
    (
        "seen",
        np.int8,
        (box.NUM_PLACES,),
        "1 per place that has been face up; zero unless `recall` is `perfect`",
    ),
    (
        "recent",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_PLACES),
        "per seat: places turned up since its last decision; empty unless `recall` is `recent`",
    ),
    ("recent_len", np.int8, (box.MAX_PLAYERS,)),
    ("up", np.int8, (box.MAX_PARTS,), "places of the cards flipped in this turn"),
    ("up_len", np.int8),
    (
        "shown",
        np.int8,
        (box.MAX_PARTS,),
        "places of the cards of the turn before that are in sight",
    ),
    ("shown_len", np.int8),
    (
        "museums",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_SKELETONS),
        "per seat: genera in the order taken",
    ),
    ("museums_len", np.int8, (box.MAX_PLAYERS,)),
    # What follows from `grid` and `museums`, kept beside them because it is read far more often
    # than it changes.
    ("cards", np.int8, "cards on the grid"),
    (
        "owner",
        np.int8,
        (deck.NUM_GENERA,),
        "per genus: 1 + the seat whose museum it is in, 0 for none",
    ),
    ("mixed", np.int8, (box.NUM_PLACES,), "for re-dealing what is unseen"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

ACTIONS = Actions()
A_FLIP = ACTIONS.add(
    "flip {},{}",
    range(1, box.ROWS + 1),
    range(1, box.COLUMNS + 1),
    label="Turn up the card in {0}, {1}",
    called=(
        [f"row {row}" for row in range(1, box.ROWS + 1)],
        [f"column {column}" for column in range(1, box.COLUMNS + 1)],
    ),
)
