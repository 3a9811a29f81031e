"""State, actions and options of Cretaceous Creek."""

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.engine.core.variants import VARIANT_FIELDS, variant_options
from dig_envs.games.cretaceous_creek import components as box

MAX_PLAYERS = 4

PHASES = ("camp", "dig", "act", "swap", "sandbag", "escape", "over")
CAMP, DIG, ACT, SWAP, SANDBAG, ESCAPE, OVER = range(len(PHASES))

LEVELS = ("beginner", "intermediate", "advanced", "expert")
BEGINNER, INTERMEDIATE, ADVANCED, EXPERT = range(len(LEVELS))

TOPS = (None, "buried", "exposed", "endangered")
NO_FOSSIL, BURIED, EXPOSED, ENDANGERED = range(len(TOPS))

ENDS = (None, "won", "part", "evacuated", "corners", "flooded")
NOT_ENDED, WON, LOST_PART, LOST_EVACUATED, LOST_CORNERS, LOST_FLOODED = range(len(ENDS))

NOT_THERE = -1  # the place of a paleontologist before `camp` and after evacuation

EVACUATION = ("any", "never")
EVACUATION_ANY, EVACUATION_NEVER = range(len(EVACUATION))

OPTIONS = (
    Option(
        "num_players",
        (1, 2, 3, 4),
        2,
        "paleontologists; 1 is the rulebook's simpler solo game (CC-31)",
    ),
    Option("level", LEVELS, "intermediate", "top layer and initial dig (CC-2, CC-6)"),
    *variant_options("the copies of each fossil (CC-2)"),
    Option(
        "evacuation",
        EVACUATION,
        "any",
        "any: the rulebook; never: `evacuate` is never legal, the players win by standing on camps",
    ),
)

SCRATCH = ("scratch",)  # zero between actions
PACKED = ("copies",)  # follows from where the fossils are

FIELDS: Fields = [
    *VARIANT_FIELDS,
    ("level", np.int8),
    ("evacuation", np.int8),
    ("player", np.int8, "whose turn it is; in `camp` and `dig` the seat that chooses"),
    ("ap", np.int8, "action points left"),
    ("ended", np.int8, "why the game has ended, 0: not yet"),
    ("pos", np.int8, (MAX_PLAYERS,), "per seat a space; -1 before `camp` and after evacuation"),
    ("evacuated", np.int8, (MAX_PLAYERS,), "1 per seat that has left"),
    ("storage", np.int8, (MAX_PLAYERS, box.NUM_TYPES), "per seat and type: fossils stored"),
    ("stored", np.int8, (MAX_PLAYERS,), "per seat: fossils stored"),
    ("copies", np.int8, (box.NUM_TYPES,), "per type: fossils in the game"),
    ("museum", np.int8, (box.NUM_GENERA,), "1 per genus that is completed"),
    ("grid", np.int8, (box.NUM_SPACES, 2), "types, bottom first"),
    ("height", np.int8, (box.NUM_SPACES,), "per space: fossils"),
    (
        "top",
        np.int8,
        (box.NUM_SPACES,),
        "per space: state of the top fossil, 1 buried, 2 exposed, 3 endangered",
    ),
    ("out", np.int8, (box.NUM_TYPES,), "per type: fossils out of the game"),
    ("storm", np.int8, "Storm Phase; 5 after `flooded`"),
    ("period", np.int8, "1 or 2"),
    ("deck", np.int8, (box.NUM_EVENTS,), "erosion deck: event cards, top last"),
    ("deck_len", np.int8),
    ("aside", np.int8, (box.NUM_EVENTS,), "event cards not used in this Storm Phase"),
    ("aside_len", np.int8),
    (
        "stacks",
        np.int8,
        (box.MAX_STACKS, 4),
        "face-up stacks, leftmost first: event cards in the order drawn",
    ),
    ("stack_len", np.int8, (box.MAX_STACKS,), "per stack: cards"),
    ("num_stacks", np.int8, "number of stacks"),
    ("revealed", np.int8, (4,), "in `sandbag`: event cards"),
    ("revealed_len", np.int8),
    ("used", np.int8, (box.NUM_EVENTS,), "event cards of period 2 carried out in this Storm Phase"),
    ("used_len", np.int8),
    ("sandbagged", np.int8, (4,), "event cards put out of the game"),
    ("sandbagged_len", np.int8),
    ("flooded", np.int8, (box.NUM_SPACES,), "1 per flooded space"),
    ("swap_partner", np.int8, "seat in an open swap, else -1"),
    ("swap_gives", np.int8, "in `swap`: type that is given"),
    ("displaced", np.int8, (MAX_PLAYERS,), "in `escape`: 1 per seat that still has to choose"),
    ("scratch", np.int8, (box.NUM_FOSSILS,), "for re-dealing what is unseen"),
]
State = state_dtype(MAX_PLAYERS, FIELDS)

Facts = record_dtype(
    [
        ("ended", np.int8),  # why the game ends in this position, NOT_ENDED if it goes on
        ("completes", np.int8),  # 1 if a skeleton would be completed at once
        # 1 if there is a dry space beside the seat or diagonally
        ("can_escape", np.int8, (MAX_PLAYERS,)),
        ("swap_in_reach", np.int8),  # 1 if the partner of the open swap is in reach
    ]
)

REACH = ("here", *box.DIRECTIONS[:4])
REACH_NAMES = ("here", *(f"to the {name}" for name in box.DIRECTION_NAMES[:4]))
OTHERS = range(1, MAX_PLAYERS)
NEEDED = "The museum needs this fossil, and nobody else stores one like it."

ACTIONS = Actions()
A_CAMP = ACTIONS.add("camp {}", [box.SPACES[camp] for camp in box.CAMPS], label="Begin at camp {0}")
A_INITIAL_DIG = ACTIONS.add("initial dig", label="Excavate the top fossil of the camp")
A_NO_INITIAL_DIG = ACTIONS.add("no initial dig", label="Do not dig to begin with")
A_END_TURN = ACTIONS.add("end turn", label="End the turn")
A_EVACUATE = ACTIONS.add(
    "evacuate",
    label="Leave the dig site for good",
    warning=(
        "You put your fossils out of the game, and you do not come back. Leave the dig site for "
        "good?"
    ),
)
A_MOVE = ACTIONS.add(
    "move {}",
    box.DIRECTIONS[:4],
    label="Move {0}",
    called=(box.DIRECTION_NAMES[:4],),
    cost="1 action point",
)
A_PROTECT = ACTIONS.add(
    "protect {}",
    REACH,
    label="Protect the endangered fossil {0}",
    called=(REACH_NAMES,),
    cost="2 action points",
)
A_EXPOSE = ACTIONS.add(
    "expose {}",
    REACH,
    label="Expose the buried fossil {0}",
    called=(REACH_NAMES,),
    cost="2 action points",
)
A_EXCAVATE = ACTIONS.add(
    "excavate {}",
    REACH,
    label="Excavate the fossil {0}",
    called=(REACH_NAMES,),
    cost="3 action points",
)
A_CLEAR = ACTIONS.add(
    "clear {}",
    REACH,
    label="Clear away the fossil {0}",
    called=(REACH_NAMES,),
    cost="3 action points",
    warning=f"{NEEDED} Clear it away?",
)
A_DISCARD = ACTIONS.add(
    "discard {}",
    box.TYPES,
    label="Discard {0}",
    called=(box.TYPE_NAMES,),
    warning=f"{NEEDED} Discard it?",
)
A_GIVE = ACTIONS.add(
    "give {} to +{}",
    box.TYPES,
    OTHERS,
    label="Give {0} to {1}",
    called=(box.TYPE_NAMES, AFTER),
    cost="2 action points",
)
A_GET = ACTIONS.add(
    "get {} from +{}",
    box.TYPES,
    OTHERS,
    label="Get {0} from {1}",
    called=(box.TYPE_NAMES, AFTER),
    cost="2 action points",
)
A_SWAP = ACTIONS.add(
    "swap {} with +{}",
    box.TYPES,
    OTHERS,
    label="Swap {0} for a fossil that {1} {store|stores}",
    called=(box.TYPE_NAMES, AFTER),
    cost="all 4 action points",
)
A_TAKE = ACTIONS.add("take {}", box.TYPES, label="Take {0} in exchange", called=(box.TYPE_NAMES,))
A_SANDBAG = ACTIONS.add("sandbag", label="Use sandbags")
A_NO_SANDBAG = ACTIONS.add("no sandbag", label="Use no sandbags")
A_ESCAPE = ACTIONS.add(
    "escape {}", box.DIRECTIONS, label="Escape to the {0}", called=(box.DIRECTION_NAMES,)
)
