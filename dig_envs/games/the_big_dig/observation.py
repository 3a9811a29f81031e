"""The observation of a seat of The Big Dig."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES, ROCKS
from dig_envs.games.the_big_dig.rules import arguments, models
from dig_envs.games.the_big_dig.rules.commitments import has_committed, has_secret_model
from dig_envs.games.the_big_dig.rules.deck import count_drawn, write_chances_in_deck

CODE = board.NUM_ATTRIBUTES + board.MOST_STATES + 1  # numbers of a space code
FIELDS = Fields(
    Field("discovered", (board.NUM_SPACES,), "per space: 1 for a discovered marker"),
    Field("conjectured", (board.NUM_SPACES,), "per space: 1 for a conjectured marker"),
    Field(
        "tokens",
        (box.SEATS, board.NUM_SPACES),
        "per seat (self, +1) and space: confidence tokens / 12",
    ),
    Field(
        "conjectures",
        (box.SEATS, board.NUM_SPACES),
        "per seat and space: valid conjectures with that output / 6",
        derived=True,
    ),
    Field(
        "backing",
        (board.NUM_SPACES,),
        "per space: sum of the supports of the valid conjectures with that output that no valid "
        "nullification is aimed at / 100, from 0 to 12 (BD-30 before the tokens)",
        high=box.MAX_ARGUMENTS,
        derived=True,
    ),
    Field("bank", (box.SEATS,), "per seat: tokens in the bank / 12"),
    Field("score", (box.SEATS,), "per seat: score / 100, from 0 to 3", high=box.MAX_SCORE / 100),
    Field(
        "lead",
        (),
        "own score minus the other's / 100, from -3 to 3",
        low=-box.MAX_SCORE / 100,
        high=box.MAX_SCORE / 100,
        derived=True,
    ),
    Field("turn", (), "turn / 6"),
    Field("turns_left", (), "turns after this one / 6", derived=True),
    Field("turns", (), "turns of the game / 6"),
    fields.phase(s.PHASES[:-1]),
    Field(
        "deck",
        (len(s.DECK_OPTION),),
        "one-hot: the option deck: random, starter, second, third, fourth, wild",
    ),
    Field("first_discovery", (), "1 with first_discovery = starter"),
    Field(
        "request",
        (board.NUM_REGIONS + 1,),
        "one-hot: region of the active special request: skull, forelimb, hindlimb, diet, senses, "
        "movement; none",
    ),
    Field(
        "requests_drawn",
        (board.NUM_REGIONS,),
        "per region: 1 if its special request has been drawn",
    ),
    Field(
        "cards_left",
        (4,),
        "cards in the deck / 24; attribute states in it / 7; special requests / 2; rocks / 15",
        derived=True,
    ),
    Field(
        "states_drawn",
        (board.NUM_STATES,),
        "per state: 1 if it has been drawn as an attribute state card",
    ),
    Field(
        "in_deck",
        (board.NUM_STATES,),
        "per state: the probability that its card is in the deck, by the cards drawn (BD-8)",
        derived=True,
    ),
    Field(
        "spent",
        (box.SEATS, s.NUM_DECISIONS, len(s.CARDS)),
        "per seat, place (first, second, third) and card (act, pass): 1 if it was revealed in "
        "this turn",
    ),
    Field(
        "decision_cards",
        (box.SEATS, len(s.CARDS)),
        "per seat: act cards still in hand / 2, pass cards still in hand",
        derived=True,
    ),
    Field(
        "evaluation",
        (box.SEATS, len(s.EVALUATIONS)),
        "per seat, one-hot: add, move, remove: the evaluation card revealed in this turn",
    ),
    Field("other_committed", (), "1 if the other seat has completed its commitment in this phase"),
    Field(
        "own_models",
        (box.MAX_MODELS, 3),
        "per own model, 12 places: exists; all its inputs are marked; already used in an argument",
    ),
    Field(
        "own_inputs",
        (box.MAX_MODELS, box.MAX_INPUTS, CODE),
        "per own model: code of the first and of the second input (zero if there is none); a code "
        "is attribute one-hot (27), number of the state one-hot (4), 1 for an assertion",
    ),
    Field(
        "own_predictions",
        (box.MAX_MODELS, board.NUM_STATES),
        "per own model and state: support / 100, negative if the negation is predicted; 0 on "
        "input attributes",
        low=-1.0,
    ),
    Field(
        "own_arguments",
        (box.MAX_MODELS, board.NUM_STATES),
        "per own model and state: points that an argument with them would earn now (BD-18) / 6, 0 "
        "if there can be none",
        derived=True,
    ),
    Field(
        "own_company",
        (box.MAX_MODELS, board.NUM_STATES),
        "per own model and state of which it allows a conjecture now: 1 if the output is "
        "conjectured already, -1 if other spaces of its attribute are",
        low=-1.0,
        derived=True,
    ),
    Field(
        "other_models", (box.MAX_MODELS, 2), "per model of the other seat, 12 places: exists; shown"
    ),
    Field(
        "other_inputs",
        (box.MAX_MODELS, box.MAX_INPUTS, CODE),
        "per model of the other seat: codes of its inputs, zero unless shown",
    ),
    Field(
        "arguments",
        (box.MAX_ARGUMENTS, 8),
        "per argument in order of creation, 12 places: exists; the own seat made it; turn / 6; "
        "valid; is a nullification; a valid nullification is aimed at it; aims at the first "
        "input; aims at the second input",
    ),
    Field(
        "argument_inputs",
        (box.MAX_ARGUMENTS, box.MAX_INPUTS, CODE),
        "per argument: codes of its inputs",
    ),
    Field(
        "argument_output",
        (box.MAX_ARGUMENTS, CODE),
        "per argument: code of its output; of a nullification a state, the last number 0",
    ),
    Field("argument_support", (box.MAX_ARGUMENTS,), "per argument: support / 100"),
    Field("pending_input", (CODE,), "code of the first input chosen for a model in the making"),
    Field("pending_model", (box.MAX_MODELS,), "one-hot: the own model chosen for an argument"),
    Field(
        "pending_output", (board.NUM_STATES,), "one-hot: the output state chosen for an argument"
    ),
    Field(
        "pending_predictions",
        (board.NUM_STATES,),
        "per state, as in own_predictions: what the own model chosen for an argument predicts, or "
        "a model with the first input alone in the making of one",
        low=-1.0,
        derived=True,
    ),
    Field(
        "pending_arguments",
        (board.NUM_STATES,),
        "per state, as in own_arguments: of the own model chosen for an argument",
        derived=True,
    ),
    Field(
        "pending_company",
        (board.NUM_STATES,),
        "per state, as in own_company: of the own model chosen for an argument",
        low=-1.0,
        derived=True,
    ),
    Field(
        "pending_lifted", (board.NUM_SPACES,), "per space: tokens lifted so far in `placement` / 12"
    ),
    Field("pending_put", (board.NUM_SPACES,), "per space: tokens put so far in `placement` / 12"),
    Field(
        "pending_from", (CODE,), "code of the space from which a token was just lifted, in `move`"
    ),
)

standard = standard_filler(FIELDS)

# Shares: multiplying is faster than dividing.
PER_TOKEN = np.float32(1 / box.NUM_TOKENS)
PER_TURN = np.float32(1 / box.MOST_TURNS)
PER_POINT = np.float32(1 / 100)
PER_ARGUMENT = np.float32(1 / box.MOST_ARGUMENT_POINTS)
MOST_CONJECTURES = box.MOST_TURNS  # of a seat: one a turn


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    other = 1 - seat
    standard(state, seat, obs)
    observe_board(state, obs)
    observe_seat(state, seat, 0, obs)
    observe_seat(state, other, 1, obs)
    obs.lead = (state.scores[seat] - state.scores[other]) * PER_POINT
    obs.other_committed = 1 if has_committed(state, seat, other) else 0
    observe_arguments(state, seat, obs)
    observe_own_models(state, seat, obs)
    observe_other_models(state, seat, other, obs)
    observe_pending(state, seat, obs)
    observe_cards(state, obs)
    observe_turn(state, obs)


@compiled
def observe_board(state, obs):
    for space in range(board.NUM_SPACES):
        obs.discovered[space] = state.discovered[space]
        obs.conjectured[space] = state.conjectured[space]


@compiled
def observe_seat(state, p, k, obs):
    """Write what is public of a seat: tokens, score, cards."""
    if state.bank[p] < box.NUM_TOKENS:
        for space in range(board.NUM_SPACES):
            obs.tokens[k, space] = state.tokens[p, space] * PER_TOKEN
    obs.bank[k] = state.bank[p] * PER_TOKEN
    obs.score[k] = state.scores[p] * PER_POINT
    obs.decision_cards[k, 0] = 1
    obs.decision_cards[k, 1] = 1
    for i in range(state.num_spent[p]):
        if state.spent[p, i] == s.PASS:
            obs.spent[k, i, 1] = 1
            obs.decision_cards[k, 1] -= 1
        else:
            obs.spent[k, i, 0] = 1
            obs.decision_cards[k, 0] -= np.float32(1 / (s.NUM_DECISIONS - 1))
    if state.evaluation[p]:
        obs.evaluation[k, state.evaluation[p] - 1] = 1


@compiled
def write_code(space, code):
    """A space as numbers: attribute one-hot, number of the state one-hot, 1 for an assertion."""
    write_state_code(board.state_of(space), code)
    if not board.is_negation(space):
        code[board.NUM_ATTRIBUTES + board.MOST_STATES] = 1


@compiled
def write_state_code(output, code):
    """Write a state without assertion or negation as numbers."""
    a = board.attribute_of(2 * output)
    code[a] = 1
    code[board.NUM_ATTRIBUTES + output - board.FIRST_STATE[a]] = 1


@compiled
def observe_arguments(state, seat, obs):
    """The arguments, in order of creation, and what they say of the spaces."""
    for i in range(state.num_arguments):
        target, valid = state.argument_target[i], state.argument_valid[i]
        obs.arguments[i, 0] = 1
        obs.arguments[i, 1] = 1 if state.argument_by[i] == seat else 0
        obs.arguments[i, 2] = state.argument_turn[i] * PER_TURN
        obs.arguments[i, 3] = valid
        obs.arguments[i, 5] = 1 if arguments.is_targeted(state, i) else 0
        obs.argument_support[i] = state.argument_support[i] * PER_POINT
        write_inputs(state.argument_inputs[i], obs.argument_inputs[i])
        if target > 0:
            obs.arguments[i, 4] = 1
            obs.arguments[i, 5 + target] = 1
            write_state_code(arguments.output_state(state, i), obs.argument_output[i])
            continue
        output = state.argument_output[i]
        write_code(output, obs.argument_output[i])
        if valid:
            obs.conjectures[0 if state.argument_by[i] == seat else 1, output] += np.float32(
                1 / MOST_CONJECTURES
            )
        if arguments.counts_for(state, i, output):
            obs.backing[output] += state.argument_support[i] * PER_POINT


@compiled
def observe_own_models(state, seat, obs):
    """The seat's models, what they predict, and which arguments they allow now."""
    for m in range(state.num_models[seat]):
        obs.own_models[m, 0] = 1
        obs.own_models[m, 2] = state.shown[seat, m]
        write_inputs(state.models[seat, m], obs.own_inputs[m])
        for output in range(board.NUM_STATES):
            if state.support[seat, m, output] != models.NO_PREDICTION:
                obs.own_predictions[m, output] = state.support[seat, m, output] * PER_POINT
        if arguments.inputs_marked(state, seat, m):
            obs.own_models[m, 1] = 1
            write_arguments(state, seat, m, obs.own_arguments[m], obs.own_company[m])


@compiled
def write_arguments(state, seat, m, points, company):
    """Write per state what arguing with a model would earn now, and whether the output or its
    attribute is conjectured."""
    low, high = state.models[seat, m, 0], state.models[seat, m, 1]
    for output in range(board.NUM_STATES):
        if arguments.allows_any(state, seat, m, output):
            points[output] = arguments.points_with(state, low, high, output) * PER_ARGUMENT
            if state.support[seat, m, output] != 0:
                space = models.predicted_space(output, state.support[seat, m, output])
                if state.conjectured[space]:
                    company[output] = 1
                elif arguments.is_contested(state, space):
                    company[output] = -1


@compiled
def observe_other_models(state, seat, other, obs):
    """Write how many models the other has, and those that its arguments have shown."""
    count = state.num_models[other]
    if has_secret_model(state, seat, other):
        count -= 1
    for m in range(count):
        obs.other_models[m, 0] = 1
        if state.shown[other, m]:
            obs.other_models[m, 1] = 1
            write_inputs(state.models[other, m], obs.other_inputs[m])


@compiled
def write_inputs(inputs, codes):
    """The codes of a model's inputs; a single one, which is held twice, has one."""
    write_code(inputs[0], codes[0])
    if inputs[1] != inputs[0]:
        write_code(inputs[1], codes[1])


@compiled
def observe_pending(state, seat, obs):
    """Write what the seat has chosen so far of a commitment that is not carried out yet."""
    count = state.pending_len[seat]
    if count == 0:
        return
    first = state.pending[seat, 0]
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        write_code(first - s.A_INPUT, obs.pending_input)
        support = np.zeros(board.NUM_STATES, np.int8)
        models.predict(first - s.A_INPUT, first - s.A_INPUT, support)
        for output in range(board.NUM_STATES):
            if support[output] != models.NO_PREDICTION:
                obs.pending_predictions[output] = support[output] * PER_POINT
    elif state.phase == s.ARGUMENT:
        m = first - s.A_ARGUE
        if 0 <= m < len(obs.pending_model):
            obs.pending_model[m] = 1
            for output in range(board.NUM_STATES):
                obs.pending_predictions[output] = obs.own_predictions[m, output]
                obs.pending_arguments[output] = obs.own_arguments[m, output]
                obs.pending_company[output] = obs.own_company[m, output]
            if count > 1:
                obs.pending_output[state.pending[seat, 1] - s.A_OUTPUT] = 1
    elif state.phase == s.PLACEMENT:
        observe_placement(state, seat, obs)


@compiled
def observe_placement(state, seat, obs):
    """The tokens lifted and put so far."""
    for i in range(state.pending_len[seat]):
        action = state.pending[seat, i]
        if s.A_LIFT <= action < s.A_LIFT + board.NUM_SPACES:
            obs.pending_lifted[action - s.A_LIFT] += PER_TOKEN
        elif s.A_PUT <= action < s.A_PUT + board.NUM_SPACES:
            obs.pending_put[action - s.A_PUT] += PER_TOKEN
    if state.evaluation[seat] == s.MOVE and state.pending_len[seat] % 2 == 1:
        last = state.pending[seat, state.pending_len[seat] - 1]
        if s.A_LIFT <= last < s.A_LIFT + board.NUM_SPACES:
            write_code(last - s.A_LIFT, obs.pending_from)


@compiled
def observe_cards(state, obs):
    """The cards drawn, without their order, and how many are left."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < box.REQUEST_CARD:
            obs.states_drawn[card] = 1
        elif card < box.ROCK_CARD:
            obs.requests_drawn[card - box.REQUEST_CARD] = 1
    states, requests, rocks = count_drawn(state)
    obs.cards_left[0] = state.cards_len * np.float32(1 / (box.DECK_SIZE - 1))
    obs.cards_left[1] = (DECK_STATES - states) * np.float32(1 / (DECK_STATES - 1))
    obs.cards_left[2] = (DECK_REQUESTS - requests) * np.float32(1 / DECK_REQUESTS)
    obs.cards_left[3] = (ROCKS - rocks) * np.float32(1 / ROCKS)
    write_chances_in_deck(state, obs.in_deck)
    obs.request[state.request - 1 if state.request > 0 else len(obs.request) - 1] = 1


@compiled
def observe_turn(state, obs):
    obs.turn = state.turn * PER_TURN
    obs.turns_left = (state.turns - state.turn) * PER_TURN
    obs.turns = state.turns * PER_TURN
    obs.deck[state.deck] = 1
    obs.first_discovery = state.first_discovery
