"""The scripted player's exploration and tokens."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_STATES
from dig_envs.games.the_big_dig.rules.deck import count_drawn
from dig_envs.games.the_big_dig.rules.discovery import points_of_token
from dig_envs.games.the_big_dig.rules.legal import tokens_to_lift

NONE = -1000.0
NOT_FOUND = -1  # no space


@compiled
def discovery_gain(state, seat, belief):
    """The gain expected of drawing one more card now: points for tokens, and the own conjectures
    against the other's."""
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
    """The gain of a seat on the other if a state was discovered."""
    a = board.ATTRIBUTE_OF[found]
    gain = 0.0
    for space in range(board.first_space(a), board.end_space(a)):
        points = points_of_token(space, found)
        gain += points * (state.tokens[seat, space] - state.tokens[1 - seat, space])
        if points < 0:
            gain += box.CONTRIBUTION_POINTS * (
                conjectures_of(state, 1 - seat, space) - conjectures_of(state, seat, space)
            )
    return gain


@compiled
def conjectures_of(state, p, space):
    count = 0
    for i in range(state.num_arguments):
        if state.argument_by[i] == p and state.argument_valid[i] and state.argument_target[i] == 0:
            if state.argument_output[i] == space:
                count += 1
    return count


@compiled
def best_space(state, tokens, low, high, without):
    """The space in a range on which a token is worth most, of those without a discovered marker and
    other than `without`."""
    best = NOT_FOUND
    for space in range(low, high):
        if (
            space != without
            and not state.discovered[space]
            and (best == NOT_FOUND or tokens[space] > tokens[best])
        ):
            best = space
    return best


@compiled
def worth_elsewhere(state, a, moving, tokens):
    """The worth of a token of an attribute if it was moved to the best space there, or removed."""
    if not moving:
        return 0.0
    best = best_space(state, tokens, board.first_space(a), board.end_space(a), NOT_FOUND)
    return tokens[best] if best != NOT_FOUND else NONE


@compiled
def best_attribute(state, seat, moving, tokens):
    """The greatest gain of moving, or removing, the tokens of an attribute that lie badly, and the
    attribute."""
    best, found = -1.0, 0
    for a in range(board.NUM_ATTRIBUTES):
        elsewhere, gain = worth_elsewhere(state, a, moving, tokens), 0.0
        for space in range(board.first_space(a), board.end_space(a)):
            if state.tokens[seat, space] > 0:
                gain += state.tokens[seat, space] * max(0.0, elsewhere - tokens[space])
        if gain > best:
            best, found = gain, a
    return best, found


@compiled
def choose_evaluation(state, seat, tokens):
    add = NONE
    if state.bank[seat] > 0:
        add = tokens[best_space(state, tokens, 0, board.NUM_SPACES, NOT_FOUND)]
    move, _ = best_attribute(state, seat, True, tokens)
    remove, _ = best_attribute(state, seat, False, tokens)
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
    if count > 0:
        a = board.attribute_of(state.pending[seat, 0] - s.A_LIFT)
    else:
        _, a = best_attribute(state, seat, moving, tokens)
    elsewhere = worth_elsewhere(state, a, moving, tokens)
    for space in range(board.first_space(a), board.end_space(a)):
        if elsewhere - tokens[space] > 0 and tokens_to_lift(state, seat, space) > 0:
            return s.A_LIFT + space
    return s.A_DONE
