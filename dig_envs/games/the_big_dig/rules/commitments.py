"""The commitments of a phase: who has one to make, and who has made it; every phase is simultaneous
(BD-10 to BD-22)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.turns import NOBODY, also_ask, ask
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s


@compiled
def is_asked(state, p):
    """Whether a seat has a commitment to make in this phase."""
    # BD-12; BD-19: who passed in phase 4 is not asked
    if state.phase == s.ARGUMENT or state.phase == s.RESEARCH:
        return state.spent[p, 0] == s.ACT
    if state.phase == s.RESEARCH_MODEL:
        return state.spent[p, 1] == s.ACT
    if state.phase == s.PLACEMENT:  # BD-22
        return state.bank[p] > 0 if state.evaluation[p] == s.ADD else state.bank[p] < box.NUM_TOKENS
    return state.phase != s.OVER


@compiled
def has_committed(state, seat, other):
    """Whether the other seat has completed its commitment in this phase, as far as the seat may
    know.

    Seats are asked in order, so that only the lower one can be first. When both decide side by side
    (parallel play), a seat in the middle of its commitment must not see whether the other needed
    fewer choices: it sees what it would if they took turns.
    """
    if other > seat or not is_asked(state, other):
        return False
    in_the_middle = state.owes[seat] == 1 and state.pending_len[seat] > 0
    return in_the_middle or state.owes[other] == 0


@compiled
def has_secret_model(state, seat, other):
    """Whether the other seat has made a model in this phase before the seat before it, which must
    not see that."""
    makes = state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL
    ahead = other > seat and state.owes[seat] == 1 and state.owes[other] == 0
    return makes and ahead and is_asked(state, other)


@compiled
def is_apart(state):
    """Whether a seat after the one to move has begun already: they do not commit one after the
    other (parallel play)."""
    for p in range(state.to_move + 1, box.SEATS):
        if (
            state.to_move != NOBODY
            and is_asked(state, p)
            and (state.owes[p] == 0 or state.pending_len[p] > 0)
        ):
            return True
    return False


@compiled
def begin_phase(state, phase):
    """Ask all seats that have a commitment to make in the phase; return whether there are any
    (without, the phase is skipped)."""
    state.phase = phase
    ask(state, NOBODY)
    for p in range(box.SEATS):
        if is_asked(state, p):
            also_ask(state, p)
    return state.to_move != NOBODY


@compiled
def clear_pending(state, p):
    """The commitment of a seat is carried out, or taken back."""
    state.pending_len[p] = clear(state.pending[p], state.pending_len[p])
