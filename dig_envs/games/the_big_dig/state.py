"""State, observation and actions of The Big Dig."""

import numpy as np

from dig_envs.engine.options import Option
from dig_envs.engine.state import observation_dtype, state_dtype
from dig_envs.games.the_big_dig.board import (
    MOST_STATES,
    NUM_ATTRIBUTES,
    NUM_REGIONS,
    NUM_SPACES,
    NUM_STATES,
    SPACES,
    STATES,
)
from dig_envs.games.the_big_dig.components import (
    DECK_SIZE,
    MAX_ARGUMENTS,
    MAX_INPUTS,
    MAX_MODELS,
    MOST_TURNS,
    NUM_TOKENS,
    SEATS,
)

PHASES = ("model", "argumentation", "argument", "research", "research_model", "evaluation", "placement", "over")
MODEL, ARGUMENTATION, ARGUMENT, RESEARCH, RESEARCH_MODEL, EVALUATION, PLACEMENT, OVER = range(len(PHASES))

DECK_OPTION = ("random", "starter", "second", "third", "fourth", "wild")
RANDOM_DECK, WILD_DECK = 0, 5
FIRST_DISCOVERIES = ("random", "starter")
STARTER_FIRST = 1

OPTIONS = (
    Option("num_players", range(SEATS, SEATS + 1), SEATS, "players"),
    Option(
        "deck",
        DECK_OPTION,
        "random",
        "random: one of the four, and nobody knows which; a name: that deck, known to both; wild: a deck made for this game (BD-8)",
    ),
    Option(
        "first_discovery",
        FIRST_DISCOVERIES,
        "random",
        "starter: the starter discovery is the first one; only with deck = starter",
    ),
    Option("turns", range(1, MOST_TURNS + 1), MOST_TURNS, "number of turns"),
)

CARDS = ("act", "pass")  # decision cards; a state holds 1 and 2, and 0 for none
ACT, PASS = 1, 2
NUM_DECISIONS = 3  # a turn's decision cards: act, act, pass
EVALUATIONS = ("add", "move", "remove")  # a state holds 1, 2, 3, and 0 for none
ADD, MOVE, REMOVE = 1, 2, 3

FINAL = ("nullifications", "wild", "confident", "valuable")  # BD-28, BD-29, BD-32, BD-33
NULLIFICATIONS, WILD, CONFIDENT, VALUABLE = range(len(FINAL))

NUM_ACTIONS = 540
MAX_PENDING = 2 * NUM_TOKENS + 1  # lift and put for every token, done

State = state_dtype(
    SEATS,
    [
        ("deck", np.int8),  # the option
        ("first_discovery", np.int8),
        ("turns", np.int8),
        ("cards", np.int8, (DECK_SIZE,)),  # the excavation deck, top last
        ("cards_len", np.int8),
        ("drawn", np.int8, (DECK_SIZE,)),  # cards in the order of drawing
        ("drawn_len", np.int8),
        ("request", np.int8),  # region + 1, 0 for none
        ("discovered", np.int8, (NUM_SPACES,)),  # D markers, 0 or 1
        ("known", np.int8, (NUM_ATTRIBUTES,)),  # 1 for a discovered attribute
        ("conjectured", np.int8, (NUM_SPACES,)),  # C markers, 0 or 1
        ("tokens", np.int8, (SEATS, NUM_SPACES)),  # counts
        ("bank", np.int8, (SEATS,)),  # tokens not on the board
        # Models: one with a single input has it twice. `support` is what the app said: see `predict`.
        ("models", np.int16, (SEATS, MAX_MODELS, MAX_INPUTS)),  # spaces, ascending
        ("num_models", np.int8, (SEATS,)),
        ("shown", np.int8, (SEATS, MAX_MODELS)),  # 1 if an argument has made it public
        ("support", np.int8, (SEATS, MAX_MODELS, NUM_STATES)),  # negative for negations; NO_PREDICTION for none
        # Arguments, in order of creation.
        ("argument_by", np.int8, (MAX_ARGUMENTS,)),  # seat
        ("argument_turn", np.int8, (MAX_ARGUMENTS,)),
        ("argument_inputs", np.int16, (MAX_ARGUMENTS, MAX_INPUTS)),  # as the model's
        ("argument_output", np.int16, (MAX_ARGUMENTS,)),  # a space; of a nullification a state
        ("argument_target", np.int8, (MAX_ARGUMENTS,)),  # 0 for a conjecture, else which input is aimed at: 1 or 2
        ("argument_support", np.int16, (MAX_ARGUMENTS,)),
        ("argument_valid", np.int8, (MAX_ARGUMENTS,)),
        ("num_arguments", np.int8),
        ("spent", np.int8, (SEATS, NUM_DECISIONS)),  # decision cards revealed in this turn, in order
        ("num_spent", np.int8, (SEATS,)),
        ("evaluation", np.int8, (SEATS,)),  # evaluation card revealed in this turn
        ("pending", np.int16, (SEATS, MAX_PENDING)),  # actions of a commitment that is not resolved yet
        ("pending_len", np.int8, (SEATS,)),
        ("final", np.int16, (SEATS, len(FINAL))),
        # Scratch, zero between actions.
        ("was_valid", np.int8, (MAX_ARGUMENTS,)),
        ("legal", np.int8, (NUM_ACTIONS,)),
    ],
)

CODE = NUM_ATTRIBUTES + MOST_STATES + 1  # numbers of a space code
Observation = observation_dtype(
    [
        ("discovered", (NUM_SPACES,)),
        ("conjectured", (NUM_SPACES,)),
        ("tokens", (SEATS, NUM_SPACES)),
        ("conjectures", (SEATS, NUM_SPACES)),
        ("backing", (NUM_SPACES,)),
        ("bank", (SEATS,)),
        ("score", (SEATS,)),
        ("lead", ()),
        ("turn", ()),
        ("turns_left", ()),
        ("turns", ()),
        ("phase", (len(PHASES) - 1,)),
        ("deck", (len(DECK_OPTION),)),
        ("first_discovery", ()),
        ("request", (NUM_REGIONS + 1,)),
        ("requests_drawn", (NUM_REGIONS,)),
        ("cards_left", (4,)),
        ("states_drawn", (NUM_STATES,)),
        ("spent", (SEATS, NUM_DECISIONS, len(CARDS))),
        ("decision_cards", (SEATS, len(CARDS))),
        ("evaluation", (SEATS, len(EVALUATIONS))),
        ("other_committed", ()),
        ("own_models", (MAX_MODELS, 3)),
        ("own_inputs", (MAX_MODELS, MAX_INPUTS, CODE)),
        ("own_predictions", (MAX_MODELS, NUM_STATES)),
        ("other_models", (MAX_MODELS, 2)),
        ("other_inputs", (MAX_MODELS, MAX_INPUTS, CODE)),
        ("arguments", (MAX_ARGUMENTS, 8)),
        ("argument_inputs", (MAX_ARGUMENTS, MAX_INPUTS, CODE)),
        ("argument_output", (MAX_ARGUMENTS, CODE)),
        ("argument_support", (MAX_ARGUMENTS,)),
        ("pending_input", (CODE,)),
        ("pending_model", (MAX_MODELS,)),
        ("pending_output", (NUM_STATES,)),
        ("pending_lifted", (NUM_SPACES,)),
        ("pending_put", (NUM_SPACES,)),
        ("pending_from", (CODE,)),
    ]
)

MEANINGS = {
    "discovered": "per space: 1 for a discovered marker",
    "conjectured": "per space: 1 for a conjectured marker",
    "tokens": "per seat (self, +1) and space: confidence tokens / 12",
    "conjectures": "per seat and space: valid conjectures with that output / 6",
    "backing": "per space: sum of the supports of the valid conjectures with that output that no valid nullification is aimed at "
    "/ 100, from 0 to 12 (BD-30 before the tokens)",
    "bank": "per seat: tokens in the bank / 12",
    "score": "per seat: score / 100, from 0 to 3",
    "lead": "own score minus the other's / 100, from -3 to 3",
    "turn": "turn / 6",
    "turns_left": "turns after this one / 6",
    "turns": "turns of the game / 6",
    "phase": "one-hot: model, argumentation, argument, research, research_model, evaluation, placement (none when over)",
    "deck": "one-hot: the option deck: random, starter, second, third, fourth, wild",
    "first_discovery": "1 with first_discovery = starter",
    "request": "one-hot: region of the active special request: skull, forelimb, hindlimb, diet, senses, movement; none",
    "requests_drawn": "per region: 1 if its special request has been drawn",
    "cards_left": "cards in the deck / 24; attribute states in it / 7; special requests / 2; rocks / 15",
    "states_drawn": "per state: 1 if it has been drawn as an attribute state card",
    "spent": "per seat, place (first, second, third) and card (act, pass): 1 if it was revealed in this turn",
    "decision_cards": "per seat: act cards still in hand / 2, pass cards still in hand",
    "evaluation": "per seat, one-hot: add, move, remove: the evaluation card revealed in this turn",
    "other_committed": "1 if the other seat has completed its commitment in this phase",
    "own_models": "per own model, 12 places: exists; all its inputs are marked; already used in an argument",
    "own_inputs": "per own model: code of the first and of the second input (zero if there is none); a code is attribute one-hot "
    "(27), number of the state one-hot (4), 1 for an assertion",
    "own_predictions": "per own model and state: support / 100, negative if the negation is predicted; 0 on input attributes",
    "other_models": "per model of the other seat, 12 places: exists; shown",
    "other_inputs": "per model of the other seat: codes of its inputs, zero unless shown",
    "arguments": "per argument in order of creation, 12 places: exists; the own seat made it; turn / 6; valid; is a nullification; "
    "a valid nullification is aimed at it; aims at the first input; aims at the second input",
    "argument_inputs": "per argument: codes of its inputs",
    "argument_output": "per argument: code of its output; of a nullification a state, the last number 0",
    "argument_support": "per argument: support / 100",
    "pending_input": "code of the first input chosen for a model in the making",
    "pending_model": "one-hot: the own model chosen for an argument",
    "pending_output": "one-hot: the output state chosen for an argument",
    "pending_lifted": "per space: tokens lifted so far in `placement` / 12",
    "pending_put": "per space: tokens put so far in `placement` / 12",
    "pending_from": "code of the space from which a token was just lifted, in `move`",
}

ACTIONS = (
    *(f"input {space}" for space in SPACES),
    *("single", "act", "pass"),
    *(f"argue {model + 1}" for model in range(MAX_MODELS)),
    "no argument",
    *(f"output {state}" for state in STATES),
    *("target 1", "target 2"),
    *EVALUATIONS,
    *(f"put {space}" for space in SPACES),
    *(f"lift {space}" for space in SPACES),
    "done",
)

# First indices of the action groups (the table "Actions" of the rules).
A_INPUT, A_SINGLE, A_ACT, A_PASS, A_ARGUE, A_NO_ARGUMENT, A_OUTPUT, A_TARGET = 0, 148, 149, 150, 151, 163, 164, 238
A_ADD, A_MOVE, A_REMOVE, A_PUT, A_LIFT, A_DONE = 240, 241, 242, 243, 391, 539

assert len(ACTIONS) == NUM_ACTIONS
