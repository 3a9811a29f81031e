"""Models and what the companion app predicts from them (BD-5 to BD-7)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.bits import size_of
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
def predict(first, second, support):
    """BD-6, BD-7: write the support for each state, negative where the negation is predicted (int8,
    74)."""
    some = as_said(first, 0) & as_said(second, 0)
    others = as_said(first, 1) & as_said(second, 1)
    n = size_of(some) + size_of(others)
    for output in range(board.NUM_STATES):
        having = box.HAVING[output]
        support[output] = signed_support(n, size_of(some & having[0]) + size_of(others & having[1]))
    forget_attribute(board.attribute_of(first), support)
    forget_attribute(board.attribute_of(second), support)


@compiled
def as_said(space, word):
    """BD-6: the species that are as a space says, as bits of one of the words."""
    having = box.HAVING[board.state_of(space), word]
    return box.EVERY[0, word] & ~having if board.is_negation(space) else having


@compiled
def signed_support(n, k):
    """BD-6, BD-7: of a state that k of n species have."""
    return box.SUPPORT[n - k, n] if k > n - k else -box.SUPPORT[k, n]


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
