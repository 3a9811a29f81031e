"""A scripted player of The Big Dig, from what its seat can see.

It first works out which states may still be discovered: those of the decks (or of the living species) that fit the cards drawn,
times the chance that they are drawn in time. From that follow, for every space, what a token there is worth and how likely a
conjecture with that output is to score at the end. An argument is worth its points now, the five at the end times that chance,
and its token; a nullification also what it takes from the other. So it makes the model that allows the best argument on the
board as it is, argues whenever that gains, explores when a discovery would gain more than a further model, and adds, moves or
removes tokens, whichever gains most.
"""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.the_big_dig import arguments, board, models
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_STATES
from dig_envs.games.the_big_dig.determinize import count_drawn
from dig_envs.games.the_big_dig.legal_actions import tokens_to_lift
from dig_envs.games.the_big_dig.prospects import write_chances_in_deck

EXPLORED = 1.0  # cards that both players draw per turn in the exploration
UNCONTESTED, SHARED, CONTESTED = 0.9, 0.95, 0.4  # chance that a conjecture's marker is still there at the end
BREAKABLE = 0.6  # of a conjecture with one input, which can be nullified
SHAKY = 0.85  # chance that a conjectured input keeps its marker
CONFIDENCE = 0.8  # worth of a token beside a conjectured marker
SUPPORT_WORTH = 0.01  # of a conjecture, per point of support
MODEL_WORTH = 0.6  # of a further model, per turn left
NONE = -1000.0
NOT_FOUND = -1  # no model, no space


@compiled
def heuristic(state, seat):
    """The action of a seat that owes a decision; reads only what the seat may know."""
    if state.phase == s.EVALUATION and state.turn == state.turns and state.num_arguments == 0:
        return s.A_REMOVE  # nothing will be discovered or argued any more, and there is no marker to bet on: tokens can only cost
    belief = np.zeros(board.NUM_STATES)
    tokens = np.zeros(board.NUM_SPACES)
    survival = np.zeros(board.NUM_SPACES)
    write_belief(state, belief)
    for space in range(board.NUM_SPACES):
        tokens[space] = token_worth(state, space, belief)
        survival[space] = survival_of(state, space, belief)
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        return choose_input(state, seat, tokens, survival)
    if state.phase == s.ARGUMENTATION:
        return s.A_ACT if best_argument(state, seat, tokens, survival)[0] > 0 else s.A_PASS
    if state.phase == s.ARGUMENT:
        return choose_argument(state, seat, tokens, survival)
    if state.phase == s.RESEARCH:
        gain = discovery_gain(state, seat, belief)
        return s.A_PASS if gain > MODEL_WORTH * (state.turns - state.turn) else s.A_ACT
    if state.phase == s.EVALUATION:
        return choose_evaluation(state, seat, tokens)
    return choose_placement(state, seat, tokens)


# ---------------------------------------------------------------- what may be discovered


@compiled
def write_belief(state, belief):
    """The probability of each state to be discovered before the game is over (float64, 74)."""
    if state.cards_len == 0:
        return
    draws = (state.turns - state.turn) * (1 + EXPLORED)
    if state.phase < s.EVALUATION:
        draws += EXPLORED
    drawn = min(1.0, draws / state.cards_len)
    write_chances_in_deck(state, belief)
    for found in range(board.NUM_STATES):
        belief[found] *= drawn


@compiled
def chances(space, belief):
    """The probabilities that a space's attribute is discovered and the space is true, and that it is untrue."""
    a = board.attribute_of(space)
    true, untrue = 0.0, 0.0
    for found in range(board.FIRST_STATE[a], board.FIRST_STATE[a + 1]):
        if (board.state_of(space) == found) != board.is_negation(space):
            true += belief[found]
        else:
            untrue += belief[found]
    return true, untrue


@compiled
def token_worth(state, space, belief):
    """What a token on a space is expected to earn."""
    marked = arguments.is_marked(state, space)
    if state.known[board.attribute_of(space)]:
        return 0.0 if marked else -1.0
    true, untrue = chances(space, belief)
    worth = true * (box.DISCOVERED_NEGATION if board.is_negation(space) else box.DISCOVERED_ASSERTION) - untrue * box.DISPROVED
    a = board.attribute_of(space)
    at_the_end = 0.0 if marked else -1.0
    for other in range(board.first_space(a), board.end_space(a)):
        if state.conjectured[other] and board.compatible(space, other):
            at_the_end += CONFIDENCE
    return worth + (1 - true - untrue) * at_the_end


@compiled
def survival_of(state, space, belief):
    """The chance that a conjecture with this output has a marker at the end, if its inputs last."""
    if state.known[board.attribute_of(space)]:
        return 0.0
    true, untrue = chances(space, belief)
    stays = UNCONTESTED
    if state.conjectured[space]:
        stays = SHARED
    if arguments.is_contested(state, space):
        stays = CONTESTED
    return true + (1 - true - untrue) * stays


# ---------------------------------------------------------------- arguments


@compiled
def input_survival(state, space, survival):
    """The chance that an input still has a marker at the end."""
    return 1.0 if state.discovered[space] else SHAKY * survival[space]


@compiled
def conjecture_worth(state, low, high, output, support, tokens, survival):
    """What a conjecture is expected to earn."""
    space = models.predicted_space(output, support)
    lasts = survival[space] * input_survival(state, low, survival)
    lasts *= BREAKABLE if high == low else input_survival(state, high, survival)
    token = tokens[space]
    if not state.conjectured[space]:  # its own marker will be there
        token += (1 + CONFIDENCE) * survival[space] * 0.5
    return arguments.points_with(state, low, high, output) + box.CONTRIBUTION_POINTS * lasts + token + SUPPORT_WORTH * abs(support)


@compiled
def nullification_worth(state, seat, low, high, output, target, survival):
    """What a nullification is expected to earn, and to take from the other, or from its own maker."""
    lasts = input_survival(state, low, survival) * input_survival(state, high, survival)
    aim = low if target == 1 else high
    taken = 0.0
    for i in range(state.num_arguments):
        if arguments.is_aimed(state, aim, output, i):
            side = -1.0 if state.argument_by[i] == seat else 1.0
            taken += side * box.CONTRIBUTION_POINTS * survival[state.argument_output[i]]
    return arguments.points_with(state, low, high, output) + lasts * (box.NULLIFICATION_POINTS + taken)


@compiled
def best_argument(state, seat, tokens, survival):
    """Worth, model, output state and target (0 for a conjecture) of the best argument of the own models."""
    best, best_model, best_output, best_target = NONE, NOT_FOUND, NOT_FOUND, 0
    for m in range(state.num_models[seat]):
        low, high = state.models[seat, m, 0], state.models[seat, m, 1]
        if not (arguments.is_marked(state, low) and arguments.is_marked(state, high)) or not may_choose(
            state, seat, 0, s.A_ARGUE + m
        ):
            continue
        for output in range(board.NUM_STATES):
            support = state.support[seat, m, output]
            if support == models.NO_PREDICTION or not may_choose(state, seat, 1, s.A_OUTPUT + output):
                continue
            if not arguments.can_argue(state, seat, m, output):
                continue
            if support != 0:
                worth = conjecture_worth(state, low, high, output, support, tokens, survival)
                if worth > best:
                    best, best_model, best_output, best_target = worth, m, output, 0
                continue
            for target in range(1, 3):
                if arguments.can_nullify(state, seat, m, output, target):
                    worth = nullification_worth(state, seat, low, high, output, target, survival)
                    if worth > best:
                        best, best_model, best_output, best_target = worth, m, output, target
    return best, best_model, best_output, best_target


@compiled
def may_choose(state, seat, place, action):
    """Whether an action fits what the seat has chosen already in the argument phase."""
    return state.phase != s.ARGUMENT or state.pending_len[seat] <= place or state.pending[seat, place] == action


@compiled
def choose_argument(state, seat, tokens, survival):
    """Model, then output, then target of the best argument with what is chosen already."""
    _, m, output, target = best_argument(state, seat, tokens, survival)
    if m == NOT_FOUND:
        return s.A_NO_ARGUMENT
    if state.pending_len[seat] == 0:
        return s.A_ARGUE + m
    if state.pending_len[seat] == 1:
        return s.A_OUTPUT + output
    return s.A_TARGET + target - 1


# ---------------------------------------------------------------- models


@compiled
def choose_input(state, seat, tokens, survival):
    """The inputs of the new model that allows the best argument on the board."""
    first, second = best_inputs(state, seat, tokens, survival, False)
    if first == NOT_FOUND:
        first, second = best_inputs(state, seat, tokens, survival, True)
    if first == NOT_FOUND:
        return first_new_input(state, seat)
    if state.pending_len[seat] == 0:
        return s.A_INPUT + first
    if first == second:
        return s.A_SINGLE
    return s.A_INPUT + (second if state.pending[seat, 0] == s.A_INPUT + first else first)


@compiled
def best_inputs(state, seat, tokens, survival, every):
    """The best pair of marked inputs, with the one chosen already among them; NOT_FOUND if there is none.

    Unless ``every``, discovered negations are left out: the discovered assertion of the attribute says more.
    """
    support = np.zeros(board.NUM_STATES, np.int8)
    chosen = state.pending[seat, 0] - s.A_INPUT if state.pending_len[seat] > 0 else NOT_FOUND
    best, first, second = NONE, NOT_FOUND, NOT_FOUND
    for low in range(board.NUM_SPACES):
        if not (is_useful(state, low, every) or low == chosen):
            continue
        for high in range(low, board.NUM_SPACES):
            if not (is_useful(state, high, every) or high == chosen) or not is_new(state, seat, low, high):
                continue
            if chosen != NOT_FOUND and chosen != low and chosen != high:
                continue
            models.predict(low, high, support)
            worth = model_worth(state, seat, low, high, support, tokens, survival)
            if worth > best:
                best, first, second = worth, low, high
    return first, second


@compiled
def is_useful(state, space, every):
    """Whether a space is marked and, unless ``every``, more than a discovered negation."""
    return arguments.is_marked(state, space) and (every or not state.discovered[space] or not board.is_negation(space))


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


@compiled
def model_worth(state, seat, low, high, support, tokens, survival):
    """The worth of the best argument that a new model would allow."""
    best = NONE
    for output in range(board.NUM_STATES):
        value = support[output]
        if value == models.NO_PREDICTION or state.known[board.ATTRIBUTE_OF[output]]:
            continue
        if value != 0:
            worth = conjecture_worth(state, low, high, output, value, tokens, survival)
            if worth > best and not was_made(state, low, high, models.predicted_space(output, value), 0):
                best = worth
        elif low != high:
            for target in range(1, 3):
                if arguments.has_target(state, low if target == 1 else high, output):
                    worth = nullification_worth(state, seat, low, high, output, target, survival)
                    if worth > best and not was_made(state, low, high, output, target):
                        best = worth
    return best


@compiled
def was_made(state, low, high, output, target):
    """BD-15: whether an argument has been made already."""
    return arguments.find_argument(state, low, high, output, target) != arguments.NO_ARGUMENT


# ---------------------------------------------------------------- exploration and tokens


@compiled
def discovery_gain(state, seat, belief):
    """What drawing one more card now is expected to gain: points for tokens, and the own conjectures against the other's."""
    if state.cards_len == 0:
        return NONE
    scale = 0.0
    for found in range(board.NUM_STATES):
        scale += belief[found]
    if scale == 0.0:
        return 0.0
    states, _, _ = count_drawn(state)
    gain = 0.0
    for found in range(board.NUM_STATES):
        if belief[found] > 0:
            gain += belief[found] / scale * gain_of(state, seat, found)
    return gain * (DECK_STATES - states) / state.cards_len


@compiled
def gain_of(state, seat, found):
    """What the discovery of a state would gain a seat on the other."""
    a = board.ATTRIBUTE_OF[found]
    gain = 0.0
    for space in range(board.first_space(a), board.end_space(a)):
        points = -box.DISPROVED
        if space == board.assertion(found):
            points = box.DISCOVERED_ASSERTION
        elif board.is_negation(space) and board.state_of(space) != found:
            points = box.DISCOVERED_NEGATION
        gain += points * (state.tokens[seat, space] - state.tokens[1 - seat, space])
        if points < 0 and arguments.has_valid_conjecture(state, space):
            gain += box.CONTRIBUTION_POINTS * (conjectures_of(state, 1 - seat, space) - conjectures_of(state, seat, space))
    return gain


@compiled
def conjectures_of(state, p, space):
    """The number of a seat's valid conjectures with an output."""
    count = 0
    for i in range(state.num_arguments):
        if state.argument_by[i] == p and state.argument_valid[i] and state.argument_target[i] == 0:
            if state.argument_output[i] == space:
                count += 1
    return count


@compiled
def best_space(state, tokens, low, high, without):
    """The space in a range on which a token is worth most, of those without a discovered marker and other than `without`."""
    best = NOT_FOUND
    for space in range(low, high):
        if space != without and not state.discovered[space] and (best == NOT_FOUND or tokens[space] > tokens[best]):
            best = space
    return best


@compiled
def move_gain(state, seat, a, tokens):
    """What it gains to move each token of an attribute that lies badly to the best space there."""
    gain = 0.0
    best = best_space(state, tokens, board.first_space(a), board.end_space(a), NOT_FOUND)
    for space in range(board.first_space(a), board.end_space(a)):
        if state.tokens[seat, space] > 0 and best != NOT_FOUND:
            gain += state.tokens[seat, space] * max(0.0, tokens[best] - tokens[space])
    return gain


@compiled
def remove_gain(state, seat, a, tokens):
    """What it gains to take back each token of an attribute that is expected to cost points."""
    gain = 0.0
    for space in range(board.first_space(a), board.end_space(a)):
        gain += state.tokens[seat, space] * max(0.0, -tokens[space])
    return gain


@compiled
def choose_evaluation(state, seat, tokens):
    """The evaluation card that gains most."""
    add = NONE
    if state.bank[seat] > 0:
        add = tokens[best_space(state, tokens, 0, board.NUM_SPACES, NOT_FOUND)]
    move, remove = 0.0, 0.0
    for a in range(len(board.FIRST_STATE) - 1):
        move = max(move, move_gain(state, seat, a, tokens))
        remove = max(remove, remove_gain(state, seat, a, tokens))
    if add >= move and add >= remove and add > 0:
        return s.A_ADD
    return s.A_MOVE if move > remove else s.A_REMOVE


@compiled
def choose_placement(state, seat, tokens):
    """Put the token where it is worth most; move or remove those whose place gains least."""
    if state.evaluation[seat] == s.ADD:
        return s.A_PUT + best_space(state, tokens, 0, board.NUM_SPACES, NOT_FOUND)
    count = state.pending_len[seat]
    moving = state.evaluation[seat] == s.MOVE
    if moving and count % 2 == 1:
        lifted = state.pending[seat, count - 1] - s.A_LIFT
        a = board.attribute_of(lifted)
        return s.A_PUT + best_space(state, tokens, board.first_space(a), board.end_space(a), lifted)
    a = board.attribute_of(state.pending[seat, 0] - s.A_LIFT) if count > 0 else best_attribute(state, seat, moving, tokens)
    best = best_space(state, tokens, board.first_space(a), board.end_space(a), NOT_FOUND)
    for space in range(board.first_space(a), board.end_space(a)):
        gain = tokens[best] - tokens[space] if moving else -tokens[space]
        if gain > 0 and tokens_to_lift(state, seat, space) > 0:
            return s.A_LIFT + space
    return s.A_DONE


@compiled
def best_attribute(state, seat, moving, tokens):
    """The attribute on which moving, or removing, tokens gains most."""
    best, found = -1.0, 0
    for a in range(len(board.FIRST_STATE) - 1):
        gain = move_gain(state, seat, a, tokens) if moving else remove_gain(state, seat, a, tokens)
        if gain > best:
            best, found = gain, a
    return found
