"""The scripted player's arguments, and the models that it makes for them."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.heuristic.outlook import CONFIDENCE
from dig_envs.games.the_big_dig.rules import arguments, models

BREAKABLE = 0.6  # chance that a conjecture with one input is not nullified
SUPPORT_WORTH = 0.01  # of a conjecture, per point of support
NONE = -1000.0
NOT_FOUND = -1  # no model, no space


@compiled
def input_survival(state, space, survival, weights):
    """The chance that an input still has a marker at the end."""
    return 1.0 if state.discovered[space] else weights.shaky * survival[space]


@compiled
def conjecture_worth(state, low, high, output, support, keeps, tokens, survival, weights):
    """The worth of a conjecture; ``keeps``: the chances that its inputs last."""
    space = models.predicted_space(output, support)
    lasts = survival[space] * keeps[0] * keeps[1]
    token = tokens[space]
    if not state.conjectured[space]:  # its own marker will be there
        token += (1 + CONFIDENCE) * survival[space] * 0.5
    return (
        arguments.points_with(state, low, high, output)
        + weights.lasting * box.CONTRIBUTION_POINTS * lasts
        + token
        + SUPPORT_WORTH * abs(support)
    )


@compiled
def nullification_worth(state, seat, low, high, output, target, keeps, survival, weights):
    """The points that a nullification is expected to earn, and to take from the other, or from its
    own maker."""
    aim = low if target == 1 else high
    taken = 0.0
    for i in range(state.num_arguments):
        if arguments.is_aimed(state, aim, output, i):
            side = -1.0 if state.argument_by[i] == seat else 1.0
            taken += side * box.CONTRIBUTION_POINTS * survival[state.argument_output[i]]
    return arguments.points_with(state, low, high, output) + keeps[0] * keeps[1] * (
        box.NULLIFICATION_POINTS + weights.harm * taken
    )


@compiled
def best_argument(state, seat, tokens, survival, weights):
    """Worth, model, output state and target (0 for a conjecture) of the best argument of the own
    models."""
    best, best_model, best_output, best_target = NONE, NOT_FOUND, NOT_FOUND, 0
    for m in range(state.num_models[seat]):
        if not arguments.inputs_marked(state, seat, m) or not may_choose(
            state, seat, 0, s.A_ARGUE + m
        ):
            continue
        low, high = state.models[seat, m, 0], state.models[seat, m, 1]
        worth, output, target = best_with(
            state, seat, low, high, state.support[seat, m], tokens, survival, weights
        )
        if worth > best:
            best, best_model, best_output, best_target = worth, m, output, target
    return best, best_model, best_output, best_target


@compiled
def best_with(state, seat, low, high, support, tokens, survival, weights):
    """Worth, output state and target of the best argument of a model with these marked inputs and
    this support."""
    best, best_output, best_target = NONE, NOT_FOUND, 0
    keeps = (
        input_survival(state, low, survival, weights),
        BREAKABLE if high == low else input_survival(state, high, survival, weights),
    )
    for output in range(board.NUM_STATES):
        if support[output] == models.NO_PREDICTION or state.known[board.ATTRIBUTE_OF[output]]:
            continue
        if not may_choose(state, seat, 1, s.A_OUTPUT + output):
            continue
        if support[output] != 0:
            worth = conjecture_worth(
                state, low, high, output, support[output], keeps, tokens, survival, weights
            )
            if worth > best and arguments.allows(state, low, high, output, support[output], 0):
                best, best_output, best_target = worth, output, 0
        elif low != high:
            for target in range(1, 3):
                if arguments.allows(state, low, high, output, 0, target):
                    worth = nullification_worth(
                        state, seat, low, high, output, target, keeps, survival, weights
                    )
                    if worth > best:
                        best, best_output, best_target = worth, output, target
    return best, best_output, best_target


@compiled
def may_choose(state, seat, place, action):
    """Whether an action fits what the seat has chosen already in the argument phase."""
    return (
        state.phase != s.ARGUMENT
        or state.pending_len[seat] <= place
        or state.pending[seat, place] == action
    )


@compiled
def choose_argument(state, seat, tokens, survival, weights):
    """Model, then output, then target of the best argument with what is chosen already."""
    _, m, output, target = best_argument(state, seat, tokens, survival, weights)
    if m == NOT_FOUND:
        return s.A_NO_ARGUMENT
    if state.pending_len[seat] == 0:
        return s.A_ARGUE + m
    if state.pending_len[seat] == 1:
        return s.A_OUTPUT + output
    return s.A_TARGET + target - 1


# ---------------------------------------------------------------- models


@compiled
def choose_input(state, seat, tokens, survival, weights):
    """The inputs of the new model that allows the best argument on the board."""
    first, second = best_inputs(state, seat, tokens, survival, False, weights)
    if first == NOT_FOUND:
        first, second = best_inputs(state, seat, tokens, survival, True, weights)
    if first == NOT_FOUND:
        return first_new_input(state, seat)
    if state.pending_len[seat] == 0:
        return s.A_INPUT + first
    if first == second:
        return s.A_SINGLE
    return s.A_INPUT + (second if state.pending[seat, 0] == s.A_INPUT + first else first)


@compiled
def best_inputs(state, seat, tokens, survival, every, weights):
    """The best pair of marked inputs, with the one chosen already among them; NOT_FOUND if there is
    none.

    Unless ``every``, discovered negations are left out: the discovered assertion of the attribute
    says more.
    """
    support = np.zeros(board.NUM_STATES, np.int8)
    chosen = state.pending[seat, 0] - s.A_INPUT if state.pending_len[seat] > 0 else NOT_FOUND
    best, first, second = NONE, NOT_FOUND, NOT_FOUND
    inputs, count = np.zeros(board.NUM_SPACES, np.int16), 0
    for space in range(board.NUM_SPACES):
        if is_useful(state, space, every) or space == chosen:
            inputs[count] = space
            count += 1
    for i in range(count):
        for j in range(i, count):
            low, high = int(inputs[i]), int(inputs[j])
            if chosen != NOT_FOUND and chosen != low and chosen != high:
                continue
            if not is_new(state, seat, low, high):
                continue
            models.predict(low, high, support)
            worth, _, _ = best_with(state, seat, low, high, support, tokens, survival, weights)
            if worth > best:
                best, first, second = worth, low, high
    return first, second


@compiled
def is_useful(state, space, every):
    """Whether a space is marked and, unless ``every``, more than a discovered negation."""
    return arguments.is_marked(state, space) and (
        every or not state.discovered[space] or not board.is_negation(space)
    )


@compiled
def is_new(state, seat, low, high):
    """BD-5: whether a seat may create a model with these inputs."""
    if low != high and board.attribute_of(low) == board.attribute_of(high):
        return False
    return models.find_model(state, seat, low, high) == models.NO_MODEL


@compiled
def first_new_input(state, seat):
    """Any model: on the board there is none that the seat does not have already."""
    if state.pending_len[seat] == 0:
        return s.A_INPUT
    fixed = state.pending[seat, 0] - s.A_INPUT
    if is_new(state, seat, fixed, fixed):
        return s.A_SINGLE
    for other in range(board.NUM_SPACES):
        if other != fixed and is_new(state, seat, min(fixed, other), max(fixed, other)):
            return s.A_INPUT + other
    return s.A_SINGLE
