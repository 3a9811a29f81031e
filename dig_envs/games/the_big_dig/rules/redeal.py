"""Re-dealing what a seat cannot know (the rules' section "Determinize")."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, clear
from dig_envs.engine.core.random import below, random_legal
from dig_envs.engine.core.turns import next_to_commit
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.rules import commitments, models
from dig_envs.games.the_big_dig.rules.course import is_complete
from dig_envs.games.the_big_dig.rules.deck import redeal_cards
from dig_envs.games.the_big_dig.rules.legal import legal_actions


@compiled
def determinize(state, seat):
    """Re-deal what a seat cannot know, from its view and the generator alone."""
    other = 1 - seat
    redeal_cards(state)
    redeal_models(state, other)
    redeal_commitment(state, seat, other)


@compiled
def redeal_models(state, other):
    """The other's models that have not been shown: drawn evenly from all that it does not have."""
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            state.models[other, m, 0] = models.NO_MODEL
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            redeal_model(state, other, m)


@compiled
def redeal_model(state, other, m):
    """A model that the seat does not have, all equally likely: a pair of spaces, drawn again until
    it is a model."""
    while True:
        first, second = below(state, board.NUM_SPACES), below(state, board.NUM_SPACES)
        # Each set of two inputs comes up in two orders; a single input is as likely only if it
        # counts twice as well.
        allowed = board.attribute_of(first) != board.attribute_of(second)
        if second == first or second == first ^ 1:
            allowed = True
            second = first
        if (
            allowed
            and models.find_model(state, other, min(first, second), max(first, second))
            == models.NO_MODEL
        ):
            models.write_model(state, other, m, first, second)
            return


@compiled
def redeal_commitment(state, seat, other):
    """The other's commitment: a random complete one if the seat knows it to be complete, else as if
    just beginning."""
    if not commitments.is_asked(state, other):
        return
    commitments.clear_pending(state, other)
    # a complete model is one of `models`
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        return
    complete = commitments.has_committed(state, seat, other)
    state.owes[other] = 1
    if complete:
        commit_randomly(state, other)
    next_to_commit(state)


@compiled
def commit_randomly(state, seat):
    """A commitment of uniformly random legal actions, which is not resolved."""
    while state.owes[seat]:
        legal_actions(state, seat, state.legal)
        action = random_legal(state.legal, state)
        clear(state.legal, s.NUM_ACTIONS)
        state.pending_len[seat] = append(state.pending[seat], state.pending_len[seat], action)
        if is_complete(state, seat):
            state.owes[seat] = 0
