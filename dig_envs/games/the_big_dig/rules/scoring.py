"""The final scoring (BD-26 to BD-33)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import events as e
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.rules import arguments, discovery


@compiled
def score_finally(state):
    """Score the end of the game: BD-26 to BD-33, in order."""
    enforce_nullifications(state)
    invalidate_unfounded(state)
    for p in range(box.SEATS):
        reward(state, p, s.NULLIFICATIONS, points_of_nullifications(state, p))
    for p in range(box.SEATS):
        punish_wild_guesses(state, p)
    keep_best_guesses(state)
    for p in range(box.SEATS):
        reward(state, p, s.CONFIDENT, points_of_tokens(state, p))
    for p in range(box.SEATS):
        reward(state, p, s.VALUABLE, points_of_conjectures(state, p))


@compiled
def reward(state, p, kind, points):
    state.scores[p] += points
    state.final[p, kind] = points


@compiled
def enforce_nullifications(state):
    """BD-26: the targets of valid nullifications whose inputs are both discovered become
    invalid."""
    discovery.remember_valid(state)
    for j in range(state.num_arguments):
        if not state.argument_valid[j] or state.argument_target[j] == 0:
            continue
        if not (
            state.discovered[state.argument_inputs[j, 0]]
            and state.discovered[state.argument_inputs[j, 1]]
        ):
            continue
        for i in range(state.num_arguments):
            if arguments.is_aimed(state, arguments.aim_of(state, j), state.argument_output[j], i):
                discovery.invalidate(state, i, e.NULLIFIED)
    discovery.remove_orphans(state)


@compiled
def invalidate_unfounded(state):
    """BD-27: as long as there are valid arguments with an input without a marker, they become
    invalid."""
    changed = True
    while changed:
        changed = False
        discovery.remember_valid(state)
        for i in range(state.num_arguments):
            low, high = state.argument_inputs[i, 0], state.argument_inputs[i, 1]
            if state.argument_valid[i] and not (
                arguments.is_marked(state, low) and arguments.is_marked(state, high)
            ):
                discovery.invalidate(state, i, e.UNFOUNDED)
                changed = True
        discovery.remove_orphans(state)


@compiled
def points_of_nullifications(state, p):
    """BD-28: what a seat's valid nullifications give, told one by one."""
    points = 0
    for i in range(state.num_arguments):
        if state.argument_by[i] == p and state.argument_valid[i] and state.argument_target[i] != 0:
            points += box.NULLIFICATION_POINTS
            tell_lasted(state, i, box.NULLIFICATION_POINTS)
    return points


@compiled
def punish_wild_guesses(state, p):
    """BD-29: a token on a space without a marker costs a point, down to a score of 0."""
    lost = 0
    for space in range(board.NUM_SPACES):
        if not arguments.is_marked(state, space):
            lost += state.tokens[p, space]
    if lost > 0:
        tell(state, e.FINED, p, lost, min(lost, state.scores[p]))
    reward(state, p, s.WILD, -min(lost, state.scores[p]))


@compiled
def keep_best_guesses(state):
    """BD-30, BD-31: of several conjectured markers on an attribute only those with the greatest
    support stay."""
    for a in range(board.NUM_ATTRIBUTES):
        best = -1
        for space in range(board.first_space(a), board.end_space(a)):
            if state.conjectured[space]:
                best = max(best, marker_support(state, space))
                if arguments.is_contested(state, space):
                    tell(state, e.WEIGHED, NO_SEAT, space, marker_support(state, space))
        # a single marker has the greatest support
        for space in range(board.first_space(a), board.end_space(a)):
            if state.conjectured[space] and marker_support(state, space) < best:
                arguments.unmark(state, space)


@compiled
def marker_support(state, space):
    """BD-30: the supports of the valid, not targeted conjectures with this output, times the tokens
    there."""
    backing = 0
    for i in range(state.num_arguments):
        if arguments.counts_for(state, i, space):
            backing += state.argument_support[i]
    return backing * (state.tokens[0, space] + state.tokens[1, space])


@compiled
def points_of_tokens(state, p):
    """BD-32: a point for each token on a space compatible with a remaining conjectured marker of
    its attribute, told by marker."""
    points = 0
    for marker in range(board.NUM_SPACES):
        if not state.conjectured[marker]:
            continue
        a, tokens = board.attribute_of(marker), 0
        for space in range(board.first_space(a), board.end_space(a)):
            if board.compatible(space, marker):
                tokens += state.tokens[p, space]
        points += tokens
        if tokens > 0:
            tell(state, e.CONFIRMED, p, marker, tokens, tokens)
    return points


@compiled
def points_of_conjectures(state, p):
    """BD-33: what a seat's valid, not targeted conjectures give whose outputs have a marker, told
    one by one."""
    points = 0
    for i in range(state.num_arguments):
        output = state.argument_output[i]
        if (
            state.argument_by[i] == p
            and state.argument_target[i] == 0
            and arguments.is_marked(state, output)
        ):
            if arguments.counts_for(state, i, output):
                points += box.CONTRIBUTION_POINTS
                tell_lasted(state, i, box.CONTRIBUTION_POINTS)
    return points


@compiled
def tell_lasted(state, i, points):
    """Say that argument i gives points at the end."""
    first, second = state.argument_inputs[i, 0], arguments.second_input(state, i)
    tell(
        state,
        e.LASTED,
        state.argument_by[i],
        first,
        second,
        arguments.told_output(state, i),
        points,
    )
