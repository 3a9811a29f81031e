"""What happens in The Big Dig: the kinds of events, who may know how much of them, and how they are
said."""

from collections.abc import Callable, Mapping
from typing import Any

from dig_envs.engine.core.events import Events, Number, Thing
from dig_envs.engine.core.words import counted
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s

Values = Mapping[str, Any]

EVENTS = Events(deck="deck", models="models", conjectured="conjectured")

SPACE_NAMES, STATE_NAMES = s.SPACE_NAMES, s.STATE_NAMES
REQUESTS = tuple(
    f'the special request "{region}": arguments about this region give twice the points'
    for region in board.REGIONS
)
CARD = Thing(
    "card",
    names=box.CARD_NAMES,
    called=(*(f"{name}, a discovery" for name in STATE_NAMES), *REQUESTS, "a rock"),
)
PICKS = tuple(
    label[0].lower() + label[1:]
    for label in (s.ACTIONS.label(a, 0, box.SEATS) for a in range(s.NUM_ACTIONS))
)
SPACE = Thing("space", names=board.SPACES, called=SPACE_NAMES)
MODEL, POINTS, TOKENS, SUPPORT = (
    Number("model"),
    Number("points"),
    Number("tokens"),
    Number("support"),
)

# An argument: its inputs, the second null if there is one only; its output, a space for a
# conjecture, a state for a nullification.
FIRST, SECOND = (
    Thing(name, names=board.SPACES, called=SPACE_NAMES) for name in ("first", "second")
)
CONJECTURE = Thing("output", names=board.SPACES, called=SPACE_NAMES)
NULLIFICATION = Thing("output", names=board.STATES, called=STATE_NAMES)
OUTPUT = Thing("output", names=(*board.SPACES, *board.STATES), called=(*SPACE_NAMES, *STATE_NAMES))
CONTRADICTED, NULLIFIED, UNFOUNDED = range(3)  # why an argument is invalid
WHY = Thing(
    "why",
    names=("discovery", "nullification", "input"),
    called=(
        "the discovery contradicts it",
        "an attack from discovered inputs is aimed at it",
        "an input is neither discovered nor claimed",
    ),
)


def _inputs(values: Values) -> str:
    return "{first}" if values["second"] is None else "{first} and {second}"


def _argument(values: Values) -> str:
    kind = "attack on a claim about" if values["output"] in board.STATES else "claim"
    return f"{{seat's}} {kind} {{output}} from {_inputs(values)}"


# ---------------------------------------------------------------- the turn

TURN_BEGAN = EVENTS.add(
    "turn_began",
    "A turn begins (BD-9).",
    "Turn {turn} of {turns} begins.",
    [Number("turn"), Number("turns")],
)
EXCAVATED = EVENTS.add(
    "excavated",
    "The top card of the excavation deck is shown at the beginning of a turn (BD-9).",
    "The dig brings up {card}.",
    [CARD],
    changes=[("deck", "", -1)],
)
EXPLORED = EVENTS.add(
    "explored",
    "A player who acts in the exploration draws and shows a card (BD-20).",
    "{seat} {dig|digs} and {find|finds} {card}.",
    [CARD],
    changes=[("deck", "", -1)],
)
PICKED = EVENTS.add(
    "picked",
    "A player decides something that the other does not see yet, or not at all (BD-10 to BD-12, "
    "BD-16, BD-19, BD-21, BD-22).",
    "{seat} {choose|chooses}: {action}.",
    [Thing("action", names=s.ACTIONS.names, called=PICKS)],
    private=True,
)
CREATED = EVENTS.add(
    "created",
    "A player creates a model, and alone learns what it predicts (BD-5, BD-10, BD-19).",
    lambda values: f"{{seat}} {{create|creates}} model {{model}} from {_inputs(values)}.",
    [
        MODEL,
        Thing("first", hidden=True, names=board.SPACES, called=SPACE_NAMES),
        Thing("second", hidden=True, names=board.SPACES, called=SPACE_NAMES),
    ],
    others="{seat} {create|creates} model {model}.",
    changes=[("models", "seat", 1)],
)
DECIDED = EVENTS.add(
    "decided",
    "A decision card is revealed; the last one of a turn is spent without a decision (BD-11, "
    "BD-12, BD-19, BD-20).",
    lambda values: (
        "{seat} {act|acts} in the {part}."
        if values["card"] == "act"
        else "{seat} {pass|passes} in the {part}."
    ),
    [
        Thing("part", names=("argumentation", "research", "exploration")),
        Thing("card", names=s.CARDS),
    ],
    together=True,
)
EVALUATED = EVENTS.add(
    "evaluated",
    "An evaluation card is revealed (BD-21).",
    "{seat} {want|wants} to {card}.",
    [Thing("card", names=s.EVALUATIONS, called=("add a bet", "move bets", "take bets back"))],
    together=True,
)

# ---------------------------------------------------------------- arguments

CONJECTURED = EVENTS.add(
    "conjectured",
    "A conjecture is shown, and with it the model; its points (BD-13, BD-17, BD-18).",
    lambda values: (
        f"{{seat}} {{claim|claims}} {{output}}, from {_inputs(values)} (model {{model}}, "
        f"support {{support}}): {{points:point}}."
    ),
    [MODEL, FIRST, SECOND, CONJECTURE, SUPPORT, POINTS],
    scored="claims",
    changes=[("scores", "seat", "points")],
)
ATTACKED = EVENTS.add(
    "attacked",
    "A nullification is shown, and with it the model; its points (BD-14, BD-17, BD-18).",
    "{seat} {attack|attacks} the claim about {output} from {target} alone: {first} and "
    "{second} (model {model}) do not support it. That gives {points:point}.",
    [
        MODEL,
        FIRST,
        SECOND,
        NULLIFICATION,
        Thing("target", names=board.SPACES, called=SPACE_NAMES),
        POINTS,
    ],
    scored="attacks",
    changes=[("scores", "seat", "points")],
)
NO_ARGUMENT = EVENTS.add(
    "no_argument", "A player who acts shows no argument (BD-16).", "{seat} {claim|claims} nothing."
)
INVALIDATED = EVENTS.add(
    "invalidated",
    "An argument becomes invalid, for the rest of the game (BD-24, BD-25, BD-26, BD-27).",
    lambda values: f"{_argument(values)} falls: {{why}}.",
    [FIRST, SECOND, OUTPUT, WHY],
)

# ---------------------------------------------------------------- markers and tokens

MARKED = EVENTS.add(
    "marked",
    "A conjecture's output, which had no marker, gets a conjectured marker (BD-17).",
    "Claimed now: {space}.",
    [SPACE],
    changes=[("conjectured", "", 1)],
)
UNMARKED = EVENTS.add(
    "unmarked",
    "A conjectured marker is removed (BD-24, BD-25, BD-31).",
    "Claimed no more: {space}.",
    [SPACE],
    changes=[("conjectured", "", -1)],
)
PUT = EVENTS.add(
    "put",
    "A token goes from the bank to a space (BD-17, BD-22).",
    "{seat} {bet|bets} on {space}.",
    [SPACE],
)
TOOK_BACK = EVENTS.add(
    "took_back",
    "Tokens return to the bank: those incompatible with a conjecture of their owner, and those "
    "removed (BD-17, BD-22).",
    "{seat} {take|takes} {tokens:bet} back from {space}.",
    [SPACE, TOKENS],
    shown=True,  # in which order they are lifted
)
MOVED = EVENTS.add(
    "moved",
    "A token goes to another space of its attribute (BD-22).",
    "{seat} {move|moves} a bet from {space} to {to}.",
    [SPACE, Thing("to", names=board.SPACES, called=SPACE_NAMES)],
    shown=True,  # two tokens may change places
)
LEFT = EVENTS.add(
    "left",
    "A player's evaluation card has no effect (BD-21, BD-22).",
    "{seat} {leave|leaves} the bets as they are.",
)
SETTLED = EVENTS.add(
    "settled",
    "A discovery settles a player's tokens on its attribute, which return to the bank (BD-24).",
    lambda values: (
        f"{{seat}} {'{lose|loses}' if values['points'] < 0 else '{win|wins}'} "
        f"{counted(abs(values['points']), 'point')} for {{tokens:bet}} on {{attribute}}."
    ),
    [
        Thing("attribute", names=range(1, board.NUM_ATTRIBUTES + 1), called=board.ATTRIBUTE_NAMES),
        TOKENS,
        POINTS,
    ],
    scored="bets on discoveries",
    changes=[("scores", "seat", "points")],
)

# ---------------------------------------------------------------- the final scoring

LAST_TURN_ENDED = EVENTS.add(
    "last_turn_ended",
    "The final scoring begins (BD-23).",
    "The last turn is over; the final scoring begins.",
)
LASTED = EVENTS.add(
    "lasted",
    "A valid nullification, or a valid conjecture that no nullification is aimed at and whose "
    "output has a marker, gives points at the end (BD-28, BD-33).",
    lambda values: f"{_argument(values)} holds to the end: {{points:point}}.",
    [FIRST, SECOND, OUTPUT, POINTS],
    scored="arguments that hold",
    changes=[("scores", "seat", "points")],
)
FINED = EVENTS.add(
    "fined",
    "Tokens on spaces without a marker cost points at the end, as long as there are any (BD-29).",
    "{seat} {lose|loses} {points:point} for {tokens:bet} on what nobody claims.",
    [TOKENS, POINTS],
    scored="bets on what nobody claims",
    changes=[("scores", "seat", "-points")],
)
WEIGHED = EVENTS.add(
    "weighed",
    "Conjectured markers of one attribute are compared: supports of the conjectures times tokens "
    "(BD-30, BD-31).",
    "The claim {space} has support {support}.",
    [SPACE, SUPPORT],
)
CONFIRMED = EVENTS.add(
    "confirmed",
    "Tokens that are compatible with a conjectured marker give their owner a point each at the "
    "end (BD-32).",
    "{seat} {get|gets} {points:point} for {tokens:bet} in agreement with the claim {space}.",
    [SPACE, TOKENS, POINTS],
    scored="bets that agree with a claim",
    changes=[("scores", "seat", "points")],
)

# ---------------------------------------------------------------- questions and the end

PLACEMENTS = {  # by evaluation card
    "add": "bet on what you think is so",
    "move": "move bets of one attribute",
    "remove": "take back bets on one attribute",
}


HEADLINES: dict[str, str | Callable[[Values], str]] = {
    "model": "ask the living animals: choose what to start from",
    "argumentation": "make a claim now, or pass",
    "argument": "choose what to claim",
    "research": "ask the living animals once more, or pass",
    "research_model": "ask again: choose what to start from",
    "evaluation": "add, move or take back bets",
    "placement": lambda view: PLACEMENTS[view["evaluation"][view["to_move"]]],
}


def reason(view: Values) -> str:
    """The reason why the game has ended (BD-23), and whether equal scores share the win (BD-34)."""
    shared = " Their scores are equal." if len(view["winners"]) > 1 else ""
    return f"All turns are played.{shared}"
