"""State, observation and actions of Cretaceous Creek."""

import numpy as np

from dig_envs.engine.options import Option
from dig_envs.engine.state import observation_dtype, state_dtype
from dig_envs.games.cretaceous_creek.components import (
    DIRECTIONS,
    MAX_STACKS,
    NUM_EVENTS,
    NUM_FOSSILS,
    NUM_GENERA,
    NUM_SPACES,
    NUM_TYPES,
    SPACES,
    TYPES,
)

MAX_PLAYERS = 4

PHASES = ("camp", "dig", "act", "swap", "sandbag", "escape", "over")
CAMP, DIG, ACT, SWAP, SANDBAG, ESCAPE, OVER = range(len(PHASES))

LEVELS = ("beginner", "intermediate", "advanced", "expert")
BEGINNER, INTERMEDIATE, ADVANCED, EXPERT = range(len(LEVELS))

TOPS = (None, "buried", "exposed", "endangered")
NO_FOSSIL, BURIED, EXPOSED, ENDANGERED = range(len(TOPS))

ENDS = (None, "won", "part", "evacuated", "corners", "flooded")
NOT_ENDED, WON, LOST_PART, LOST_EVACUATED, LOST_CORNERS, LOST_FLOODED = range(len(ENDS))

EVACUATION = ("any", "never")
EVACUATION_ANY, EVACUATION_NEVER = range(len(EVACUATION))

OPTIONS = (
    Option("num_players", (1, 2, 3, 4), 2, "paleontologists; 1 is the rulebook's simpler solo game (CC-31)"),
    Option("level", LEVELS, "intermediate", "top layer and initial dig (CC-2, CC-6)"),
    Option(
        "evacuation", EVACUATION, "any", "any: the rulebook; never: `evacuate` is never legal, the players win by standing on camps"
    ),
)

State = state_dtype(
    MAX_PLAYERS,
    [
        ("level", np.int8),
        ("evacuation", np.int8),
        ("player", np.int8),  # whose turn it is; in camp and dig the seat that chooses
        ("ap", np.int8),
        ("ended", np.int8),
        ("pos", np.int8, (MAX_PLAYERS,)),  # a space, -1 before `camp` and after evacuation
        ("evacuated", np.int8, (MAX_PLAYERS,)),
        ("storage", np.int8, (MAX_PLAYERS, NUM_TYPES)),  # counts
        ("stored", np.int8, (MAX_PLAYERS,)),  # their sum
        ("museum", np.int8, (NUM_GENERA,)),
        ("grid", np.int8, (NUM_SPACES, 2)),  # types, bottom first
        ("height", np.int8, (NUM_SPACES,)),  # how many fossils lie there
        ("top", np.int8, (NUM_SPACES,)),  # state of the top one
        ("out", np.int8, (NUM_TYPES,)),  # counts
        ("storm", np.int8),
        ("period", np.int8),
        ("deck", np.int8, (NUM_EVENTS,)),  # top last
        ("deck_len", np.int8),
        ("aside", np.int8, (NUM_EVENTS,)),
        ("aside_len", np.int8),
        ("stacks", np.int8, (MAX_STACKS, 4)),  # leftmost first, each in the order drawn
        ("stack_len", np.int8, (MAX_STACKS,)),
        ("num_stacks", np.int8),
        ("revealed", np.int8, (4,)),
        ("revealed_len", np.int8),
        ("used", np.int8, (NUM_EVENTS,)),
        ("used_len", np.int8),
        ("sandbagged", np.int8, (4,)),  # there is one EDM, so one sandbagging
        ("sandbagged_len", np.int8),
        ("flooded", np.int8, (NUM_SPACES,)),
        ("swap_partner", np.int8),  # -1 outside `swap`
        ("swap_gives", np.int8),
        ("displaced", np.int8, (MAX_PLAYERS,)),
        ("scratch", np.int8, (NUM_FOSSILS,)),  # zero between actions
    ],
)

Observation = observation_dtype(
    [
        ("fossils", (NUM_SPACES,)),
        ("top_state", (NUM_SPACES, 4)),
        ("top_type", (NUM_SPACES, NUM_TYPES)),
        ("flooded", (NUM_SPACES,)),
        ("event_place", (NUM_SPACES, 8)),
        ("none_cards", (8,)),
        ("plays", (MAX_PLAYERS,)),
        ("evacuated", (MAX_PLAYERS,)),
        ("position", (MAX_PLAYERS, NUM_SPACES)),
        ("storage", (MAX_PLAYERS, NUM_TYPES)),
        ("free_storage", (MAX_PLAYERS,)),
        ("displaced", (MAX_PLAYERS,)),
        ("has_turn", (MAX_PLAYERS,)),
        ("museum", (NUM_GENERA,)),
        ("out", (NUM_TYPES,)),
        ("face_up", (NUM_TYPES,)),
        ("unseen", (NUM_TYPES,)),
        ("needed", (NUM_TYPES,)),
        ("storm", (4,)),
        ("period", ()),
        ("deck_length", ()),
        ("stacks", ()),
        ("cards_per_turn", ()),
        ("turns_left_in_phase", ()),
        ("turn", ()),
        ("action_points", ()),
        ("phase", (6,)),
        ("swap_partner", (MAX_PLAYERS - 1,)),
        ("swap_gives", (NUM_TYPES,)),
        ("num_players", (4,)),
        ("level", (4,)),
        ("evacuation", ()),
        ("wanted", (NUM_SPACES,)),
        ("last_copy", (NUM_SPACES,)),
        ("fits", (NUM_SPACES,)),
        ("struck_soon", (NUM_SPACES,)),
        ("genus_stored", (MAX_PLAYERS, NUM_GENERA)),
        ("carries_set", (MAX_PLAYERS,)),
        ("camp_steps", (MAX_PLAYERS,)),
        ("offset", (MAX_PLAYERS - 1, 2)),
    ]
)

MEANINGS = {
    "fossils": "per space in grid order: number of fossils / 2",
    "top_state": "per space, one-hot: no fossil, buried, exposed, endangered",
    "top_type": "per space, one-hot in type order: the type of a face-up top fossil",
    "flooded": "per space: 1 if flooded",
    "event_place": "per space, one-hot: where its event card is: unseen (deck or aside), in stack 1 to 4 (from the left), "
    "revealed now, used, sandbagged; all zero for a flooded space. In period 2 the stack number says in how many turns it is hit",
    "none_cards": "how many of the 3 blank event cards (/ 3) are in the places of `event_place`",
    "plays": "per seat (self, +1, +2, +3): 1 if the seat is in the game",
    "evacuated": "per seat: 1 if it has evacuated",
    "position": "per seat, one-hot: its space; all zero before `camp` and after evacuation",
    "storage": "per seat and type: stored fossils / 2",
    "free_storage": "per seat: free storage / its capacity (4; solo 6)",
    "displaced": "per seat: 1 if it still has to escape",
    "has_turn": "per seat: 1 if it has the turn",
    "museum": "per genus: 1 if the museum has its piece",
    "out": "per type: copies out of the game / copies in the box",
    "face_up": "per type: copies face up on the grid / copies in the box",
    "unseen": "per type: copies face down on the grid / copies in the box",
    "needed": "per type: 1 if it belongs to a genus whose piece is missing",
    "storm": "one-hot: Storm Phase 1 to 4",
    "period": "0 in period 1, 1 in period 2",
    "deck_length": "cards in the erosion deck / 16",
    "stacks": "number of face-up stacks / 4",
    "cards_per_turn": "cards revealed per turn of period 1 / 4",
    "turns_left_in_phase": "draws left + stacks there are + stacks to come at most, / 8",
    "turn": "turn / 32",
    "action_points": "AP left / 4",
    "phase": "one-hot: camp, dig, act, swap, sandbag, escape",
    "swap_partner": "one-hot: partner of the open swap, +1, +2, +3",
    "swap_gives": "one-hot: the type given in the open swap",
    "num_players": "one-hot: 1, 2, 3, 4",
    "level": "one-hot: beginner, intermediate, advanced, expert",
    "evacuation": "1 if `evacuation` is `any`, 0 if `never`",
    "wanted": "per space: 1 if its top fossil is face up, of a needed type, and nobody stores that type",
    "last_copy": "per space: 1 if it is wanted and the box holds no other copy that is still in the game",
    "fits": "per space: if it is wanted, the share of its genus's parts that the observer stores",
    "struck_soon": "per space: 1 / (1 + turns until its card in a face-up stack strikes), 0 if it is in none",
    "genus_stored": "per seat (self, +1, +2, +3) and genus: share of the parts that it stores",
    "carries_set": "per seat: 1 if it stores all parts of a missing skeleton",
    "camp_steps": "per seat: steps to the nearest camp that is not flooded / 6; 0 if there is none",
    "offset": "per other seat: rows (south positive) and columns (east positive) from the observer, each / 4",
}


def _action_names() -> tuple[str, ...]:
    camps = [f"camp {SPACES[0]}", f"camp {SPACES[4]}", f"camp {SPACES[10]}", f"camp {SPACES[14]}"]
    reach = ("here", *DIRECTIONS[:4])
    others = [f"+{k}" for k in range(1, MAX_PLAYERS)]
    names = [*camps, "initial dig", "no initial dig", "end turn", "evacuate"]
    names += [f"move {d}" for d in DIRECTIONS[:4]]
    names += [f"{verb} {d}" for verb in ("protect", "expose", "excavate", "clear") for d in reach]
    names += [f"discard {t}" for t in TYPES]
    names += [f"give {t} to {k}" for t in TYPES for k in others]
    names += [f"get {t} from {k}" for t in TYPES for k in others]
    names += [f"swap {t} with {k}" for t in TYPES for k in others]
    names += [f"take {t}" for t in TYPES]
    names += ["sandbag", "no sandbag", *(f"escape {d}" for d in DIRECTIONS)]
    return tuple(names)


ACTIONS = _action_names()

# First indices of the action groups (the table "Actions" of the rules).
A_CAMP, A_INITIAL_DIG, A_NO_INITIAL_DIG, A_END_TURN, A_EVACUATE = 0, 4, 5, 6, 7
A_MOVE, A_PROTECT, A_EXPOSE, A_EXCAVATE, A_CLEAR, A_DISCARD = 8, 12, 17, 22, 27, 32
A_GIVE, A_GET, A_SWAP, A_TAKE, A_SANDBAG, A_NO_SANDBAG, A_ESCAPE = 51, 108, 165, 222, 241, 242, 243

assert len(ACTIONS) == A_ESCAPE + len(DIRECTIONS)
