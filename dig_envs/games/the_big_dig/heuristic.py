"""A scripted player of The Big Dig."""

from dig_envs.engine.jit import compiled
from dig_envs.games.the_big_dig.rules import legal_actions
from dig_envs.games.the_big_dig.state import NUM_ACTIONS


@compiled
def heuristic(state, seat):
    """First legal action (placeholder while the rules are tested)."""
    legal_actions(state, seat, state.legal)
    chosen = -1
    for action in range(NUM_ACTIONS):
        if state.legal[action] and chosen < 0:
            chosen = action
        state.legal[action] = 0
    return chosen
