"""The legal actions of a seat (BD-5, BD-10 to BD-22)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.rules import arguments


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of a seat that is to decide; the mask comes in zero."""
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        legal_inputs(state, seat, mask)
    elif state.phase == s.ARGUMENTATION or state.phase == s.RESEARCH:
        mask[s.A_ACT] = 1
        mask[s.A_PASS] = 1
    elif state.phase == s.ARGUMENT:
        legal_arguments(state, seat, mask)
    elif state.phase == s.EVALUATION:
        mask[s.A_ADD : s.A_ADD + 3] = 1
    elif state.phase == s.PLACEMENT:
        legal_placements(state, seat, mask)


@compiled
def legal_inputs(state, seat, mask):
    """BD-5: any first input; then one of another attribute or none, such that the model is a new
    one."""
    mask[s.A_INPUT : s.A_INPUT + board.NUM_SPACES] = 1
    if state.pending_len[seat] == 0:
        return
    first = state.pending[seat, 0] - s.A_INPUT
    a = board.attribute_of(first)
    mask[s.A_INPUT + board.first_space(a) : s.A_INPUT + board.end_space(a)] = 0
    mask[s.A_SINGLE] = 1
    for m in range(state.num_models[seat]):
        low, high = state.models[seat, m, 0], state.models[seat, m, 1]
        if low == first and high == first:
            mask[s.A_SINGLE] = 0
        elif low == first:
            mask[s.A_INPUT + high] = 0
        elif high == first:
            mask[s.A_INPUT + low] = 0


@compiled
def legal_arguments(state, seat, mask):
    """Mark what can be argued: a model, then its output, then the target if there are two
    (BD-16)."""
    if state.pending_len[seat] == 0:
        for m in range(state.num_models[seat]):
            if arguments.allows_argument(state, seat, m):
                mask[s.A_ARGUE + m] = 1
        mask[s.A_NO_ARGUMENT] = 1
        return
    m = state.pending[seat, 0] - s.A_ARGUE
    if state.pending_len[seat] == 1:
        for output in range(board.NUM_STATES):
            if arguments.allows_any(state, seat, m, output):
                mask[s.A_OUTPUT + output] = 1
        return
    # two targets are possible, or nobody would be asked
    output = state.pending[seat, 1] - s.A_OUTPUT
    for target in range(1, 3):
        if arguments.can_nullify(state, seat, m, output, target):
            mask[s.A_TARGET + target - 1] = 1


@compiled
def legal_placements(state, seat, mask):
    """Mark where a token can be put or lifted, by the evaluation card (BD-22)."""
    if state.evaluation[seat] == s.ADD:
        for space in range(board.NUM_SPACES):
            if not state.discovered[space]:
                mask[s.A_PUT + space] = 1
        return
    count = state.pending_len[seat]
    # a lifted token is put on another space of the attribute
    if state.evaluation[seat] == s.MOVE and count % 2 == 1:
        lifted = state.pending[seat, count - 1] - s.A_LIFT
        a = board.attribute_of(lifted)
        for space in range(board.first_space(a), board.end_space(a)):
            if space != lifted and not state.discovered[space]:
                mask[s.A_PUT + space] = 1
        return
    mask[s.A_DONE] = 1
    low, high = 0, board.NUM_SPACES
    if count > 0:  # the first lift has fixed the attribute
        a = board.attribute_of(state.pending[seat, 0] - s.A_LIFT)
        low, high = board.first_space(a), board.end_space(a)
    for space in range(low, high):
        if state.tokens[seat, space] > 0 and tokens_to_lift(state, seat, space) > 0:
            mask[s.A_LIFT + space] = 1


@compiled
def tokens_to_lift(state, seat, space):
    """BD-22: tokens of a seat that lay on a space when the phase began and have not been lifted."""
    left = state.tokens[seat, space]
    for i in range(state.pending_len[seat]):
        if state.pending[seat, i] == s.A_LIFT + space:
            left -= 1
    return left
