"""Models and what the companion app predicts from them (BD-5 to BD-7)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box

NO_PREDICTION = -128  # on the attributes of a model's inputs
NO_MODEL = -1


@compiled
def write_model(state, seat, m, first, second):
    """Write a seat's m-th model, with inputs in space order."""
    state.models[seat, m, 0] = min(first, second)
    state.models[seat, m, 1] = max(first, second)
    predict(state.models[seat, m, 0], state.models[seat, m, 1], state.support[seat, m])


@compiled
def matches(species, space):
    """BD-6: whether a living species is as the space says."""
    return (
        box.FAUNA[species, board.attribute_of(space)] == board.state_of(space)
    ) != board.is_negation(space)


@compiled
def predict(first, second, support):
    """BD-6, BD-7: write the support for each state, negative where the negation is predicted (int8,
    74)."""
    support[:] = 0
    n = 0
    for species in range(box.NUM_SPECIES):
        if matches(species, first) and matches(species, second):
            n += 1
            for a in range(board.NUM_ATTRIBUTES):
                # at first the number of those that have the state; at most 120
                support[box.FAUNA[species, a]] += 1
    for output in range(board.NUM_STATES):
        support[output] = signed_support(n, support[output])
    forget_attribute(board.attribute_of(first), support)
    forget_attribute(board.attribute_of(second), support)


@compiled
def signed_support(n, k):
    """BD-6, BD-7: of a state that k of n species have."""
    return box.SUPPORT[n - k, n] if k > n - k else -box.SUPPORT[k, n]


@compiled
def predict_alone(space, output):
    """The support that a model with one input has for a state of another attribute, as `predict`
    writes it."""
    state = board.state_of(space)
    n = box.HAVING_BOTH[state, state]
    k = box.HAVING_BOTH[min(state, output), max(state, output)]
    if board.is_negation(space):
        return signed_support(box.NUM_SPECIES - n, box.HAVING_BOTH[output, output] - k)
    return signed_support(n, k)


@compiled
def forget_attribute(a, support):
    """BD-6: nothing is predicted on an input's attribute."""
    for output in range(board.FIRST_STATE[a], board.FIRST_STATE[a + 1]):
        support[output] = NO_PREDICTION


@compiled
def predicted_space(output, support):
    """BD-6: the space that a prediction with support above 0 is for."""
    return board.assertion(output) if support > 0 else board.negation(output)


@compiled
def find_model(state, seat, low, high):
    """The place of a seat's model with these inputs, or NO_MODEL."""
    for m in range(state.num_models[seat]):
        if state.models[seat, m, 0] == low and state.models[seat, m, 1] == high:
            return m
    return NO_MODEL
