"""What a seat may know of The Big Dig, as numbers (the fields are explained in ``state.MEANINGS``)."""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.the_big_dig.board import (
    FIRST_STATE,
    MOST_STATES,
    NUM_ATTRIBUTES,
    NUM_SPACES,
    NUM_STATES,
    attribute_of,
    is_negation,
    state_of,
)
from dig_envs.games.the_big_dig.components import (
    DECK_SIZE,
    MOST_TURNS,
    NUM_TOKENS,
    REQUEST_CARD,
    ROCK_CARD,
)
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES, ROCKS
from dig_envs.games.the_big_dig.rules import (
    NO_PREDICTION,
    counts_for,
    has_committed,
    inputs_marked,
    is_single,
    is_targeted,
    output_state,
)
from dig_envs.games.the_big_dig.state import (
    A_ARGUE,
    A_INPUT,
    A_LIFT,
    A_OUTPUT,
    A_PUT,
    ARGUMENT,
    MODEL,
    MOVE,
    NUM_DECISIONS,
    OVER,
    PASS,
    PLACEMENT,
    RESEARCH_MODEL,
)

# Shares: multiplying is faster than dividing.
PER_TOKEN = np.float32(1 / NUM_TOKENS)
PER_TURN = np.float32(1 / MOST_TURNS)
PER_POINT = np.float32(1 / 100)
MOST_CONJECTURES = MOST_TURNS  # of a seat: one a turn


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    other = 1 - seat
    observe_board(state, obs)
    observe_seat(state, seat, 0, obs)
    observe_seat(state, other, 1, obs)
    obs.lead = (state.scores[seat] - state.scores[other]) * PER_POINT
    obs.other_committed = 1 if has_committed(state, seat, other) else 0
    observe_arguments(state, seat, obs)
    observe_own_models(state, seat, obs)
    observe_other_models(state, other, obs)
    observe_pending(state, seat, obs)
    observe_cards(state, obs)
    observe_turn(state, obs)


@compiled
def observe_board(state, obs):
    """The markers."""
    for space in range(NUM_SPACES):
        obs.discovered[space] = state.discovered[space]
        obs.conjectured[space] = state.conjectured[space]


@compiled
def observe_seat(state, p, k, obs):
    """What is public of a seat: tokens, score, cards."""
    if state.bank[p] < NUM_TOKENS:
        for space in range(NUM_SPACES):
            obs.tokens[k, space] = state.tokens[p, space] * PER_TOKEN
    obs.bank[k] = state.bank[p] * PER_TOKEN
    obs.score[k] = state.scores[p] * PER_POINT
    obs.decision_cards[k, 0] = 1
    obs.decision_cards[k, 1] = 1
    for i in range(state.num_spent[p]):
        if state.spent[p, i] == PASS:
            obs.spent[k, i, 1] = 1
            obs.decision_cards[k, 1] -= 1
        else:
            obs.spent[k, i, 0] = 1
            obs.decision_cards[k, 0] -= np.float32(1 / (NUM_DECISIONS - 1))
    if state.evaluation[p]:
        obs.evaluation[k, state.evaluation[p] - 1] = 1


@compiled
def write_code(space, code):
    """A space as numbers: attribute one-hot, number of the state one-hot, 1 for an assertion."""
    write_state_code(state_of(space), code)
    if not is_negation(space):
        code[NUM_ATTRIBUTES + MOST_STATES] = 1


@compiled
def write_state_code(output, code):
    """A mere state as numbers."""
    a = attribute_of(2 * output)
    code[a] = 1
    code[NUM_ATTRIBUTES + output - FIRST_STATE[a]] = 1


@compiled
def observe_arguments(state, seat, obs):
    """The arguments, in order of creation, and what they say of the spaces."""
    for i in range(state.num_arguments):
        target, valid = state.argument_target[i], state.argument_valid[i]
        obs.arguments[i, 0] = 1
        obs.arguments[i, 1] = 1 if state.argument_by[i] == seat else 0
        obs.arguments[i, 2] = state.argument_turn[i] * PER_TURN
        obs.arguments[i, 3] = valid
        obs.arguments[i, 5] = 1 if is_targeted(state, i) else 0
        obs.argument_support[i] = state.argument_support[i] * PER_POINT
        write_code(state.argument_inputs[i, 0], obs.argument_inputs[i, 0])
        if state.argument_inputs[i, 1] != state.argument_inputs[i, 0]:
            write_code(state.argument_inputs[i, 1], obs.argument_inputs[i, 1])
        if target > 0:
            obs.arguments[i, 4] = 1
            obs.arguments[i, 5 + target] = 1
            write_state_code(output_state(state, i), obs.argument_output[i])
            continue
        output = state.argument_output[i]
        write_code(output, obs.argument_output[i])
        if valid:
            obs.conjectures[0 if state.argument_by[i] == seat else 1, output] += np.float32(1 / MOST_CONJECTURES)
        if counts_for(state, i, output):
            obs.backing[output] += state.argument_support[i] * PER_POINT


@compiled
def observe_own_models(state, seat, obs):
    """The seat's models and what they predict."""
    for m in range(state.num_models[seat]):
        obs.own_models[m, 0] = 1
        obs.own_models[m, 1] = 1 if inputs_marked(state, seat, m) else 0
        obs.own_models[m, 2] = state.shown[seat, m]
        write_inputs(state, seat, m, obs.own_inputs[m])
        for output in range(NUM_STATES):
            support = state.support[seat, m, output]
            if support != NO_PREDICTION:
                obs.own_predictions[m, output] = support * PER_POINT


@compiled
def observe_other_models(state, other, obs):
    """How many models the other has, and those that its arguments have shown."""
    for m in range(state.num_models[other]):
        obs.other_models[m, 0] = 1
        if state.shown[other, m]:
            obs.other_models[m, 1] = 1
            write_inputs(state, other, m, obs.other_inputs[m])


@compiled
def write_inputs(state, p, m, codes):
    """The codes of a model's inputs."""
    write_code(state.models[p, m, 0], codes[0])
    if not is_single(state, p, m):
        write_code(state.models[p, m, 1], codes[1])


@compiled
def observe_pending(state, seat, obs):
    """What the seat has chosen so far of a commitment that is not carried out yet."""
    count = state.pending_len[seat]
    if count == 0:
        return
    first = state.pending[seat, 0]
    if state.phase == MODEL or state.phase == RESEARCH_MODEL:
        write_code(first - A_INPUT, obs.pending_input)
    elif state.phase == ARGUMENT:
        if A_ARGUE <= first < A_ARGUE + len(obs.pending_model):
            obs.pending_model[first - A_ARGUE] = 1
            if count > 1:
                obs.pending_output[state.pending[seat, 1] - A_OUTPUT] = 1
    elif state.phase == PLACEMENT:
        observe_placement(state, seat, obs)


@compiled
def observe_placement(state, seat, obs):
    """The tokens lifted and put so far."""
    for i in range(state.pending_len[seat]):
        action = state.pending[seat, i]
        if A_LIFT <= action < A_LIFT + NUM_SPACES:
            obs.pending_lifted[action - A_LIFT] += PER_TOKEN
        elif A_PUT <= action < A_PUT + NUM_SPACES:
            obs.pending_put[action - A_PUT] += PER_TOKEN
    if state.evaluation[seat] == MOVE and state.pending_len[seat] % 2 == 1:
        last = state.pending[seat, state.pending_len[seat] - 1]
        if A_LIFT <= last < A_LIFT + NUM_SPACES:
            write_code(last - A_LIFT, obs.pending_from)


@compiled
def observe_cards(state, obs):
    """The cards drawn, without their order, and how many are left."""
    states, requests, rocks = DECK_STATES, DECK_REQUESTS, ROCKS
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < REQUEST_CARD:
            states -= 1
            obs.states_drawn[card] = 1
        elif card < ROCK_CARD:
            requests -= 1
            obs.requests_drawn[card - REQUEST_CARD] = 1
        else:
            rocks -= 1
    obs.cards_left[0] = state.cards_len * np.float32(1 / (DECK_SIZE - 1))
    obs.cards_left[1] = states * np.float32(1 / (DECK_STATES - 1))
    obs.cards_left[2] = requests * np.float32(1 / DECK_REQUESTS)
    obs.cards_left[3] = rocks * np.float32(1 / ROCKS)
    obs.request[state.request - 1 if state.request > 0 else len(obs.request) - 1] = 1


@compiled
def observe_turn(state, obs):
    """Clock, phase and options."""
    obs.turn = state.turn * PER_TURN
    obs.turns_left = (state.turns - state.turn) * PER_TURN
    obs.turns = state.turns * PER_TURN
    if state.phase != OVER:
        obs.phase[state.phase] = 1
    obs.deck[state.deck] = 1
    obs.first_discovery = state.first_discovery
