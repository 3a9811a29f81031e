"""Discoveries, and arguments that become invalid (BD-24, BD-25)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.tell import tell
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import events as e
from dig_envs.games.the_big_dig.rules import arguments


@compiled
def mark_discovered(state, found):
    """BD-8, BD-24: discovered markers on a state's assertion and on the negations of the
    attribute's other states."""
    a = board.ATTRIBUTE_OF[found]
    state.known[a] = 1
    for other in range(board.FIRST_STATE[a], board.FIRST_STATE[a + 1]):
        state.discovered[board.assertion(other) if other == found else board.negation(other)] = 1


@compiled
def heed_request(state, card):
    """BD-9: a special request becomes the active one; a rock is nothing."""
    if card < box.ROCK_CARD:
        state.request = card - box.REQUEST_CARD + 1


@compiled
def discover(state, found):
    """Discover a state: mark its attribute, settle the tokens there, and find arguments that are
    now invalid (BD-24)."""
    a = board.ATTRIBUTE_OF[found]
    for space in range(board.first_space(a), board.end_space(a)):
        arguments.unmark(state, space)
    mark_discovered(state, found)
    for p in range(box.SEATS):
        settle_tokens(state, p, found)
    remember_valid(state)
    for i in range(state.num_arguments):
        if state.argument_valid[i] and is_disproved(state, i):
            invalidate(state, i, e.CONTRADICTED)
    remove_orphans(state)


@compiled
def points_of_token(space, found):
    """BD-24: what a token on a space of the attribute gives when a state is discovered."""
    if space == board.assertion(found):
        return box.DISCOVERED_ASSERTION
    if board.is_negation(space) and board.state_of(space) != found:
        return box.DISCOVERED_NEGATION
    return -box.DISPROVED


@compiled
def settle_tokens(state, p, found):
    """BD-24: points for a seat's tokens on a discovered attribute, which return to the bank."""
    a = board.ATTRIBUTE_OF[found]
    change, tokens = 0, 0
    for space in range(board.first_space(a), board.end_space(a)):
        change += points_of_token(space, found) * state.tokens[p, space]
        tokens += state.tokens[p, space]
        arguments.return_tokens(state, p, space)
    change = max(change, -state.scores[p])
    state.scores[p] += change
    if tokens > 0:
        tell(state, e.SETTLED, p, a, tokens, change)


@compiled
def invalidate(state, i, why):
    """BD-25: argument i becomes invalid, for one of the reasons that events name."""
    state.argument_valid[i] = 0
    first, second = state.argument_inputs[i, 0], arguments.second_input(state, i)
    tell(
        state,
        e.INVALIDATED,
        state.argument_by[i],
        first,
        second,
        arguments.told_output(state, i),
        why,
    )


@compiled
def is_disproved(state, i):
    """BD-24: whether argument i has an input, or a conjecture's output, that is known to be
    untrue."""
    if is_false(state, state.argument_inputs[i, 0]) or is_false(state, state.argument_inputs[i, 1]):
        return True
    return state.argument_target[i] == 0 and is_false(state, state.argument_output[i])


@compiled
def is_false(state, space):
    """Whether a space of a discovered attribute is known to be untrue."""
    return state.known[board.attribute_of(space)] == 1 and state.discovered[space] == 0


@compiled
def remember_valid(state):
    """Which arguments are valid before some become invalid together."""
    for i in range(state.num_arguments):
        state.was_valid[i] = state.argument_valid[i]


@compiled
def remove_orphans(state):
    """BD-25: the conjectured markers of outputs of conjectures that have just become invalid,
    unless another valid one is left."""
    for i in range(state.num_arguments):
        if state.was_valid[i] and not state.argument_valid[i] and state.argument_target[i] == 0:
            if not arguments.has_valid_conjecture(state, state.argument_output[i]):
                arguments.unmark(state, state.argument_output[i])
    clear(state.was_valid, state.num_arguments)
