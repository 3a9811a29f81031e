"""The acts of Cretaceous Creek that cannot be made good: of these people are warned."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.grave import OWN, POINTLESS
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions, skeletons
from dig_envs.games.cretaceous_creek import state as s


@compiled
def grave(state, seat, found):
    """Mark leaving for good before the museum is complete, and putting a fossil out of the game
    that the museum needs and nobody else stores; and all but the end of the turn where no victory
    is possible any more."""
    if state.phase != s.ACT or skeletons.all_pieces(state):
        return
    if questions.is_hopeless(state):
        for action in range(len(found)):
            if action != s.A_END_TURN:
                found[action] |= POINTLESS
    found[s.A_EVACUATE] |= OWN
    for t in range(box.NUM_TYPES):
        if is_wanted(state, t, 1):
            found[s.A_DISCARD + t] |= OWN
    for d in range(len(s.REACH)):
        space = box.REACH[state.pos[seat], d]
        if space >= 0 and state.height[space] > 0:
            if is_wanted(state, questions.top_fossil(state, space), 0):
                found[s.A_CLEAR + d] |= OWN


@compiled
def is_wanted(state, t, kept):
    """Whether the museum needs a fossil that is stored at most ``kept`` times."""
    if not questions.is_needed(state, t):
        return False
    stored = 0
    for p in range(state.num_players):
        stored += state.storage[p, t]
    return stored <= kept
