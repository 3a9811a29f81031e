"""The legal actions of Cretaceous Creek (CC-5, CC-6, CC-8 to CC-16, CC-18, CC-19, CC-24, CC-25)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import contains
from dig_envs.engine.core.seats import seat_after
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions
from dig_envs.games.cretaceous_creek import state as s


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of the seat, which is to decide; the mask comes in zero."""
    phase = state.phase
    if phase == s.ACT:
        legal_in_turn(state, seat, mask)
    elif phase == s.CAMP:
        legal_camps(state, mask)
    elif phase == s.DIG:  # CC-6
        mask[s.A_INITIAL_DIG] = 1
        mask[s.A_NO_INITIAL_DIG] = 1
    elif phase == s.SWAP:  # CC-16
        for t in range(box.NUM_TYPES):
            if state.storage[state.swap_partner, t] > 0 and t != state.swap_gives:
                mask[s.A_TAKE + t] = 1
    elif phase == s.SANDBAG:  # CC-24
        mask[s.A_SANDBAG] = 1
        mask[s.A_NO_SANDBAG] = 1
    elif phase == s.ESCAPE:  # CC-25
        first = questions.first_escape(state, seat)
        for d in range(first, first + 4):
            target = box.NEIGHBOUR[state.pos[seat], d]
            if target >= 0 and not state.flooded[target]:
                mask[s.A_ESCAPE + d] = 1


@compiled
def legal_camps(state, mask):
    """Mark the camps that nobody has chosen (CC-5)."""
    for c in range(4):
        mask[s.A_CAMP + c] = not contains(state.pos, state.num_players, box.CAMPS[c])


@compiled
def legal_in_turn(state, seat, mask):
    """Mark what the player may do in the own turn; `end turn` is always legal (CC-9 to CC-16,
    CC-18, CC-19)."""
    mask[s.A_END_TURN] = 1
    if questions.may_evacuate(state, seat):
        mask[s.A_EVACUATE] = 1
    if questions.is_carrier(state, seat):
        for t in range(box.NUM_TYPES):  # CC-9
            if state.storage[seat, t] > 0:
                mask[s.A_DISCARD + t] = 1
    legal_acts(state, seat, mask)


@compiled
def legal_acts(state, seat, mask):
    """Mark the acts that cost action points (CC-10 to CC-16)."""
    if state.ap >= 1:
        for d in range(4):  # CC-10, CC-8
            target = box.NEIGHBOUR[state.pos[seat], d]
            if target >= 0 and not (state.flooded[target] and questions.is_carrier(state, seat)):
                mask[s.A_MOVE + d] = 1
    if state.ap >= 2:
        legal_digging(state, seat, mask)
        for k in range(1, state.num_players):
            other = seat_after(state, seat, k)
            if questions.in_reach(state, seat, other):
                legal_dealings(state, seat, other, k, mask)


@compiled
def legal_digging(state, seat, mask):
    """CC-11 to CC-14; CC-8: nobody excavates while standing on a flooded space."""
    here = state.pos[seat]
    full = state.stored[seat] >= questions.capacity(state)
    for d in range(5):
        space = box.REACH[here, d]
        if space < 0:
            continue
        top = state.top[space]
        if top == s.ENDANGERED:
            mask[s.A_PROTECT + d] = 1
        if top == s.BURIED:
            mask[s.A_EXPOSE + d] = 1
        if state.ap >= 3 and (top == s.EXPOSED or top == s.ENDANGERED):
            if full:
                mask[s.A_CLEAR + d] = 1
            elif not state.flooded[here]:
                mask[s.A_EXCAVATE + d] = 1


@compiled
def legal_dealings(state, seat, other, k, mask):
    """CC-15, CC-16 with the seat at distance k; CC-8: nobody gets a fossil on a flooded space."""
    other_may_get = (
        state.stored[other] < questions.capacity(state) and not state.flooded[state.pos[other]]
    )
    seat_may_get = (
        state.stored[seat] < questions.capacity(state) and not state.flooded[state.pos[seat]]
    )
    for t in range(box.NUM_TYPES):
        mine = state.storage[seat, t] > 0
        if mine and other_may_get:
            mask[s.A_GIVE + 3 * t + k - 1] = 1
        if seat_may_get and state.storage[other, t] > 0:
            mask[s.A_GET + 3 * t + k - 1] = 1
        if mine and state.ap == box.ACTION_POINTS and state.stored[other] > state.storage[other, t]:
            mask[s.A_SWAP + 3 * t + k - 1] = 1
