"""What the other player has chosen out of sight, as the scripted player would have: among all
models few can be argued with, so that a player with any of them would be weak. Of each hidden
model there are two guesses, so that deals differ."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append
from dig_envs.engine.core.random import below
from dig_envs.engine.core.turns import next_to_commit
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.heuristic import heuristic
from dig_envs.games.the_big_dig.rules import commitments, models
from dig_envs.games.the_big_dig.rules.course import is_complete


@compiled
def suppose(state, seat):
    """Choose the other's models that have not been shown, and its commitment if it is complete."""
    other = 1 - seat
    suppose_models(state, other)
    makes_model = state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL
    if not makes_model and commitments.is_asked(state, other) and state.owes[other] == 0:
        suppose_commitment(state, other)


@compiled
def suppose_models(state, other):
    """The models that have not been shown, for the board as it is."""
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            state.models[other, m, 0] = models.NO_MODEL
    commitments.clear_pending(state, other)
    phase = state.phase
    state.phase = s.MODEL
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            suppose_model(state, other, m)
    state.phase = phase


@compiled
def suppose_model(state, other, m):
    """One of them, from its two choices: its best one, or the best that it does not have then."""
    for _ in range(1 + below(state, 2)):
        low = heuristic(state, other) - s.A_INPUT
        state.pending_len[other] = append(state.pending[other], 0, s.A_INPUT + low)
        action = heuristic(state, other)
        high = low if action == s.A_SINGLE else action - s.A_INPUT
        models.write_model(state, other, m, low, high)
        commitments.clear_pending(state, other)


@compiled
def suppose_commitment(state, other):
    """The choices in this phase, which are not resolved."""
    commitments.clear_pending(state, other)
    state.owes[other] = 1
    while state.owes[other]:
        action = heuristic(state, other)
        state.pending_len[other] = append(state.pending[other], state.pending_len[other], action)
        if is_complete(state, other):
            state.owes[other] = 0
    next_to_commit(state)
