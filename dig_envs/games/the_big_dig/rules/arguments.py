"""Arguments: what may be argued, what it gives, and how arguments bear on one another (BD-13 to
BD-18, BD-30)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import events as e
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.rules import models
from dig_envs.games.the_big_dig.rules.commitments import clear_pending

NO_ARGUMENT = -1

# ---------------------------------------------------------------- what may be argued


@compiled
def is_marked(state, space):
    """BD-3: whether a space holds a marker."""
    return state.discovered[space] == 1 or state.conjectured[space] == 1


@compiled
def inputs_marked(state, seat, m):
    """BD-13: whether all inputs of a model are marked."""
    return is_marked(state, state.models[seat, m, 0]) and is_marked(state, state.models[seat, m, 1])


@compiled
def allows(state, low, high, output, support, target):
    """BD-13 to BD-15: whether a model with these inputs and this support allows an argument about
    an output state.

    A conjecture, if the target is 0; a nullification, if it is 1 for the first input or 2 for the
    second. That the inputs are marked is asked elsewhere.
    """
    if support == models.NO_PREDICTION or state.known[board.ATTRIBUTE_OF[output]]:
        return False
    if target == 0:
        return (
            support != 0
            and find_argument(state, low, high, models.predicted_space(output, support), 0)
            == NO_ARGUMENT
        )
    if support != 0 or low == high or not has_target(state, low if target == 1 else high, output):
        return False
    return find_argument(state, low, high, output, target) == NO_ARGUMENT


@compiled
def allows_any(state, seat, m, output):
    """Whether a model, with its inputs marked, allows an argument about an output state."""
    low, high, support = (
        state.models[seat, m, 0],
        state.models[seat, m, 1],
        state.support[seat, m, output],
    )
    if support != 0:
        return allows(state, low, high, output, support, 0)
    return allows(state, low, high, output, support, 1) or allows(
        state, low, high, output, support, 2
    )


@compiled
def can_nullify(state, seat, m, output, target):
    """BD-14, BD-15; the target is the first (1) or the second (2) input."""
    low, high, support = (
        state.models[seat, m, 0],
        state.models[seat, m, 1],
        state.support[seat, m, output],
    )
    return inputs_marked(state, seat, m) and allows(state, low, high, output, support, target)


@compiled
def allows_argument(state, seat, m):
    """BD-16: whether a model allows an argument now."""
    if inputs_marked(state, seat, m):
        for output in range(board.NUM_STATES):
            if allows_any(state, seat, m, output):
                return True
    return False


@compiled
def has_target(state, aim, output):
    """BD-14: whether a conjecture stands on the board that a nullification could be aimed at."""
    for i in range(state.num_arguments):
        if is_aimed(state, aim, output, i):
            return True
    return False


@compiled
def is_aimed(state, aim, output, i):
    """BD-14: whether argument i is a valid conjecture with the one input `aim` about the output
    state."""
    return state.argument_valid[i] == 1 and says(state, aim, output, i)


@compiled
def is_contested(state, space):
    """Whether another space of the same attribute is conjectured."""
    a = board.attribute_of(space)
    for other in range(board.first_space(a), board.end_space(a)):
        if other != space and state.conjectured[other]:
            return True
    return False


@compiled
def says(state, aim, output, i):
    """BD-14: whether argument i is, or was, a conjecture with the one input `aim` about the output
    state."""
    if state.argument_target[i] != 0:
        return False
    if state.argument_inputs[i, 0] != aim or state.argument_inputs[i, 1] != aim:
        return False
    return board.state_of(state.argument_output[i]) == output


@compiled
def find_argument(state, low, high, output, target):
    """BD-15: the first argument with these inputs, output (a state, if there is a target) and
    target, or NO_ARGUMENT."""
    for i in range(state.num_arguments):
        if state.argument_inputs[i, 0] == low and state.argument_inputs[i, 1] == high:
            if state.argument_output[i] == output and state.argument_target[i] == target:
                return i
    return NO_ARGUMENT


# ---------------------------------------------------------------- carrying out


@compiled
def carry_out_arguments(state):
    """BD-17, BD-18: points on the board as it was, then the arguments, both seats' at once."""
    before = state.num_arguments
    for p in range(box.SEATS):
        add_only_target(state, p)
    for p in range(box.SEATS):
        if state.pending_len[p] > 1:
            write_argument(state, p)
            reward_argument(state, state.num_arguments - 1)
        elif state.pending_len[p] == 1:
            tell(state, e.NO_ARGUMENT, p)
    for i in range(before, state.num_arguments):
        if state.argument_target[i] == 0:
            place_conjecture(state, i)
    for p in range(box.SEATS):
        clear_pending(state, p)


@compiled
def write_argument(state, p):
    """BD-17: the argument that a seat has chosen; its model becomes public."""
    m, output = state.pending[p, 0] - s.A_ARGUE, state.pending[p, 1] - s.A_OUTPUT
    support = state.support[p, m, output]
    i = state.num_arguments
    state.argument_by[i] = p
    state.argument_turn[i] = state.turn
    state.argument_inputs[i, 0] = state.models[p, m, 0]
    state.argument_inputs[i, 1] = state.models[p, m, 1]
    state.argument_support[i] = abs(support)
    state.argument_valid[i] = 1
    if support != 0:
        state.argument_target[i] = 0
        state.argument_output[i] = models.predicted_space(output, support)
    else:
        state.argument_target[i] = state.pending[p, 2] - s.A_TARGET + 1
        state.argument_output[i] = output
    state.shown[p, m] = 1
    state.num_arguments += 1


@compiled
def reward_argument(state, i):
    """BD-18: an argument that is shown gives its creator points."""
    points = points_of(state, i)
    state.scores[state.argument_by[i]] += points
    p, first, second, output = (
        state.argument_by[i],
        state.argument_inputs[i, 0],
        second_input(state, i),
        state.argument_output[i],
    )
    m = model_of(state, i) + 1
    if state.argument_target[i] == 0:
        tell(state, e.CONJECTURED, p, m, first, second, output, state.argument_support[i], points)
    else:
        tell(state, e.ATTACKED, p, m, first, second, output, aim_of(state, i), points)


@compiled
def second_input(state, i):
    """The second input of argument i, as events name it: -1 if there is none."""
    return (
        -1
        if state.argument_inputs[i, 0] == state.argument_inputs[i, 1]
        else state.argument_inputs[i, 1]
    )


@compiled
def told_output(state, i):
    """The output of argument i, as events name it: a space, or for a nullification a state behind
    all spaces."""
    return state.argument_output[i] + (board.NUM_SPACES if state.argument_target[i] != 0 else 0)


@compiled
def add_only_target(state, p):
    """BD-16: a nullification with one possible target aims at that, as the board is before the
    arguments."""
    if state.pending_len[p] != 2:
        return
    m, output = state.pending[p, 0] - s.A_ARGUE, state.pending[p, 1] - s.A_OUTPUT
    if state.support[p, m, output] == 0:
        state.pending[p, 2] = s.A_TARGET if can_nullify(state, p, m, output, 1) else s.A_TARGET + 1
        state.pending_len[p] = 3


@compiled
def output_state(state, i):
    return (
        board.state_of(state.argument_output[i])
        if state.argument_target[i] == 0
        else state.argument_output[i]
    )


@compiled
def points_of(state, i):
    """BD-18: one, and one for each conjectured input; twice that in the region of the active
    request."""
    return points_with(
        state, state.argument_inputs[i, 0], state.argument_inputs[i, 1], output_state(state, i)
    )


@compiled
def points_with(state, low, high, output):
    """The same for an argument with these inputs about an output state."""
    points = 1 + state.conjectured[low]
    if high != low:
        points += state.conjectured[high]
    if state.request == board.REGION_OF[board.ATTRIBUTE_OF[output]] + 1:
        points *= 2
    return points


@compiled
def place_conjecture(state, i):
    """BD-17: token and marker on the output; the creator's tokens on incompatible spaces return to
    the bank."""
    p, output = state.argument_by[i], state.argument_output[i]
    if state.bank[p] > 0:
        state.bank[p] -= 1
        state.tokens[p, output] += 1
        tell(state, e.PUT, p, output)
    if not is_marked(state, output):
        state.conjectured[output] = 1
        tell(state, e.MARKED, NO_SEAT, output)
    a = board.attribute_of(output)
    for space in range(board.first_space(a), board.end_space(a)):
        if not board.compatible(space, output) and state.tokens[p, space] > 0:
            tell(state, e.TOOK_BACK, p, space, state.tokens[p, space])
            return_tokens(state, p, space)


@compiled
def unmark(state, space):
    """A space loses its conjectured marker, if it has one."""
    if state.conjectured[space]:
        state.conjectured[space] = 0
        tell(state, e.UNMARKED, NO_SEAT, space)


@compiled
def return_tokens(state, p, space):
    """All tokens of a seat on a space go to its bank."""
    state.bank[p] += state.tokens[p, space]
    state.tokens[p, space] = 0


# ---------------------------------------------------------------- arguments on the board


@compiled
def model_of(state, i):
    """The model with which argument i was made, or NO_MODEL."""
    return models.find_model(
        state, state.argument_by[i], state.argument_inputs[i, 0], state.argument_inputs[i, 1]
    )


@compiled
def had_target(state, i):
    """BD-14: whether argument i is a nullification of a conjecture of an earlier turn, valid or not
    by now."""
    if state.argument_target[i] == 0:
        return False
    for j in range(i):
        earlier = state.argument_turn[j] < state.argument_turn[i]
        if earlier and says(state, aim_of(state, i), state.argument_output[i], j):
            return True
    return False


@compiled
def has_valid_conjecture(state, space):
    """Whether a valid conjecture has the space as its output."""
    for i in range(state.num_arguments):
        if (
            state.argument_valid[i]
            and state.argument_target[i] == 0
            and state.argument_output[i] == space
        ):
            return True
    return False


@compiled
def is_targeted(state, i):
    """Final scoring: whether a valid nullification is aimed at argument i."""
    for j in range(state.num_arguments):
        if state.argument_valid[j] and state.argument_target[j] != 0:
            if is_aimed(state, aim_of(state, j), state.argument_output[j], i):
                return True
    return False


@compiled
def aim_of(state, j):
    """BD-14: the input of nullification j that is the target."""
    return state.argument_inputs[j, state.argument_target[j] - 1]


@compiled
def counts_for(state, i, space):
    """BD-30, BD-33: whether argument i is a valid, not targeted conjecture with an output."""
    if (
        not state.argument_valid[i]
        or state.argument_target[i] != 0
        or state.argument_output[i] != space
    ):
        return False
    return not is_targeted(state, i)
