"""State, actions and options of The Big Dig."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.engine.core.variants import VARIANT_FIELDS, variant_options
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig.app import predictions

PHASES = (
    "model",
    "argumentation",
    "argument",
    "research",
    "research_model",
    "evaluation",
    "placement",
    "over",
)
MODEL, ARGUMENTATION, ARGUMENT, RESEARCH, RESEARCH_MODEL, EVALUATION, PLACEMENT, OVER = range(
    len(PHASES)
)

DECK_OPTION = ("random", "starter", "second", "third", "fourth", "wild")
RANDOM_DECK, WILD_DECK = 0, 5
FIRST_DISCOVERIES = ("random", "starter")
STARTER_FIRST = 1

OPTIONS = (
    Option("num_players", range(box.SEATS, box.SEATS + 1), box.SEATS, "players"),
    Option(
        "deck",
        DECK_OPTION,
        "random",
        "random: one of the four, and nobody knows which; a name: that deck, known to both; wild: "
        "a deck made for this game (BD-8)",
        settled=True,
    ),
    Option(
        "first_discovery",
        FIRST_DISCOVERIES,
        "random",
        "starter: the starter discovery is the first one; only with deck = starter",
        settled=True,
    ),
    *variant_options("a wild deck (BD-8)"),
    Option("turns", range(1, box.MOST_TURNS + 1), box.MOST_TURNS, "number of turns"),
)


def check_options(options: Mapping[str, Any]) -> None:
    """Some options go only together; raises OptionError."""
    if (
        options["first_discovery"] == FIRST_DISCOVERIES[STARTER_FIRST]
        and options["deck"] != "starter"
    ):
        raise OptionError(
            "option 'first_discovery': 'starter' goes only with deck = 'starter', not with "
            f"{options['deck']!r}"
        )


CARDS = ("act", "pass")  # decision cards; a state holds 1 and 2, and 0 for none
ACT, PASS = 1, 2
NUM_DECISIONS = 3  # a turn's decision cards: act, act, pass
EVALUATIONS = ("add", "move", "remove")  # a state holds 1, 2, 3, and 0 for none
ADD, MOVE, REMOVE = 1, 2, 3

FINAL = ("nullifications", "wild", "confident", "valuable")  # BD-28, BD-29, BD-32, BD-33
NULLIFICATIONS, WILD, CONFIDENT, VALUABLE = range(len(FINAL))

# In sentences states and spaces are quoted.
STATE_NAMES = tuple(f'"{said}"' for said in board.STATES_SAID)
SPACE_NAMES = tuple(f'"{said}"' for said in board.SPACES_SAID)
# first the region, then the attribute, then the state …
STATE_STEPS = tuple(
    (board.REGIONS[board.REGION_OF[a]], *name.split(": "))
    for a, name in zip(board.ATTRIBUTE_OF, board.STATE_NAMES, strict=True)
)
# … then which of its spaces
SPACE_STEPS = tuple((*steps, sign) for steps in STATE_STEPS for sign in ("is", "is not"))


def _argue(view: Mapping[str, Any], seat: int, model: int) -> str:
    """An argument with an own model, which is named by its inputs."""
    inputs = view["models"][seat][model - 1]
    return (
        f"argue from {' and '.join(SPACE_NAMES[board.SPACES.index(space)] for space in inputs)} "
        f"(model {model})"
    )


def _output(view: Mapping[str, Any], seat: int, state: str) -> str:
    """A claim that the model which was chosen predicts, or an attack on one that it does not
    support."""
    found = predictions(chosen(view, seat))
    guess = next(one for one in found if one.space.rpartition("-")[0] == state)
    if not guess.support:
        return f"attack a claim about {STATE_NAMES[board.STATES.index(state)]}"
    space = SPACE_NAMES[board.SPACES.index(guess.space)]
    return f"claim {space} (support {guess.support})"


def _target(view: Mapping[str, Any], seat: int, number: int) -> str:
    """An attack on the claim from one input of the model that was chosen."""
    return (
        f"attack the claim from {SPACE_NAMES[board.SPACES.index(chosen(view, seat)[number - 1])]}"
    )


def chosen(view: Mapping[str, Any], seat: int) -> Sequence[str]:
    """The inputs of the model with which a seat argues."""
    model = next(
        int(text.split()[1]) for text in view["pending"][seat] if text.startswith("argue ")
    )
    return list(view["models"][seat][model - 1])


def _act(view: Mapping[str, Any], _seat: int) -> str:
    """What the decision to act is for."""
    return f"act: {DEEDS.get(view['phase'], 'draw a card')}"


DEEDS = {"argumentation": "make a claim", "research": "make another model"}
ACTIONS = Actions()
A_INPUT = ACTIONS.add(
    "input {}", board.SPACES, label="start from {0}", called=(SPACE_NAMES,), steps=SPACE_STEPS
)
A_SINGLE = ACTIONS.add("single", label="start from nothing else")
A_ACT = ACTIONS.add("act", label="act", seen=_act)
A_PASS = ACTIONS.add("pass", label="pass")
A_ARGUE = ACTIONS.add(
    "argue {}", range(1, box.MAX_MODELS + 1), label="argue from model {0}", seen=_argue
)
A_NO_ARGUMENT = ACTIONS.add("no argument", label="claim nothing")
A_OUTPUT = ACTIONS.add(
    "output {}",
    board.STATES,
    label="claim or attack {0}",
    called=(STATE_NAMES,),
    steps=STATE_STEPS,
    seen=_output,
)
A_TARGET = ACTIONS.add(
    "target {}",
    (1, 2),
    label="attack the claim from the {0} input of the model",
    called=(("first", "second"),),
    seen=_target,
)
A_ADD = ACTIONS.add("add", label="add a bet")
A_MOVE = ACTIONS.add("move", label="move bets")
A_REMOVE = ACTIONS.add("remove", label="take bets back")
A_PUT = ACTIONS.add(
    "put {}", board.SPACES, label="bet on {0}", called=(SPACE_NAMES,), steps=SPACE_STEPS
)
A_LIFT = ACTIONS.add(
    "lift {}", board.SPACES, label="lift a bet from {0}", called=(SPACE_NAMES,), steps=SPACE_STEPS
)
A_DONE = ACTIONS.add("done", label="lift no more bets")
NUM_ACTIONS = len(ACTIONS.names)
MAX_PENDING = 2 * box.NUM_TOKENS + 1  # lift and put for every token, done

SCRATCH = ("was_valid", "legal")  # zero between actions

FIELDS: Fields = [
    *VARIANT_FIELDS,
    ("deck", np.int8),
    ("first_discovery", np.int8),
    ("turns", np.int8),
    ("cards", np.int8, (box.DECK_SIZE,), "excavation deck, top last"),
    ("cards_len", np.int8),
    ("drawn", np.int8, (box.DECK_SIZE,), "cards in the order drawn"),
    ("drawn_len", np.int8),
    ("request", np.int8, "active region + 1, 0 for none"),
    ("discovered", np.int8, (board.NUM_SPACES,), "1 per space with a D marker"),
    ("known", np.int8, (board.NUM_ATTRIBUTES,), "1 per discovered attribute"),
    ("conjectured", np.int8, (board.NUM_SPACES,), "1 per space with a C marker"),
    ("tokens", np.int8, (box.SEATS, board.NUM_SPACES), "per seat and space: own tokens"),
    ("bank", np.int8, (box.SEATS,), "per seat: tokens not on the board"),
    (
        "models",
        np.int16,
        (box.SEATS, box.MAX_MODELS, box.MAX_INPUTS),
        "per seat: spaces, ascending; a model with a single input has it twice",
    ),
    ("num_models", np.int8, (box.SEATS,), "per seat: models"),
    (
        "shown",
        np.int8,
        (box.SEATS, box.MAX_MODELS),
        "per seat and model: 1 if an argument has made it public",
    ),
    (
        "support",
        np.int8,
        (box.SEATS, box.MAX_MODELS, board.NUM_STATES),
        "per seat, model and state: what the app says, negative for negations; -128 for none",
    ),
    ("argument_by", np.int8, (box.MAX_ARGUMENTS,), "per argument, in order of creation: seat"),
    ("argument_turn", np.int8, (box.MAX_ARGUMENTS,), "per argument: turn"),
    (
        "argument_inputs",
        np.int16,
        (box.MAX_ARGUMENTS, box.MAX_INPUTS),
        "per argument: inputs, as the model's",
    ),
    (
        "argument_output",
        np.int16,
        (box.MAX_ARGUMENTS,),
        "per argument: a space; of a nullification a state",
    ),
    (
        "argument_target",
        np.int8,
        (box.MAX_ARGUMENTS,),
        "per argument: 0 for a conjecture, else which input is aimed at, 1 or 2",
    ),
    ("argument_support", np.int16, (box.MAX_ARGUMENTS,), "per argument: support"),
    ("argument_valid", np.int8, (box.MAX_ARGUMENTS,), "per argument: 1 if it is valid"),
    ("num_arguments", np.int8, "number of arguments"),
    (
        "spent",
        np.int8,
        (box.SEATS, NUM_DECISIONS),
        "per seat: decision cards revealed in this turn, 1 act, 2 pass",
    ),
    ("num_spent", np.int8, (box.SEATS,), "per seat: how many"),
    (
        "evaluation",
        np.int8,
        (box.SEATS,),
        "per seat: evaluation card revealed in this turn, 1 add, 2 move, 3 remove, 0 none",
    ),
    (
        "pending",
        np.int16,
        (box.SEATS, MAX_PENDING),
        "per seat: actions of a commitment that is not resolved yet",
    ),
    ("pending_len", np.int8, (box.SEATS,)),
    (
        "final",
        np.int16,
        (box.SEATS, len(FINAL)),
        "per seat, when the game is over: points for nullifications, wild, confident, valuable",
    ),
    ("was_valid", np.int8, (box.MAX_ARGUMENTS,), "for the evaluation of arguments"),
    ("legal", np.int8, (NUM_ACTIONS,), "for counting legal actions"),
]
State = state_dtype(box.SEATS, FIELDS)

Facts = record_dtype(
    [
        ("asked", np.int8, (box.SEATS,)),  # 1 if the seat has a commitment to make in this phase
        ("apart", np.int8),  # 1 if the seats do not commit one after the other
        # 1 for the output of a valid conjecture, without a D marker
        ("guessed", np.int8, (board.NUM_SPACES,)),
        # what the finished board gives (all but WILD)
        ("final", np.int16, (box.SEATS, len(FINAL))),
        # Per argument:
        ("model", np.int8, (box.MAX_ARGUMENTS,)),  # the maker's model with these inputs; NO_MODEL
        # what it says about the output state, as `support` above
        ("prediction", np.int8, (box.MAX_ARGUMENTS,)),
        # the space that this is for; nothing where it is 0 or NO_PREDICTION
        ("predicted", np.int16, (box.MAX_ARGUMENTS,)),
        # 1 for a nullification of a conjecture of an earlier turn
        ("had_target", np.int8, (box.MAX_ARGUMENTS,)),
        ("first", np.int8, (box.MAX_ARGUMENTS,)),  # the first argument that is the same, or itself
        ("disproved", np.int8, (box.MAX_ARGUMENTS,)),  # 1 if a discovery has made it invalid
    ]
)
