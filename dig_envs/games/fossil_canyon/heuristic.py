"""A scripted player of Fossil Canyon, from what its seat can see."""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.fossil_canyon.rules import legal_actions
from dig_envs.games.fossil_canyon.state import ACTIONS

NUM_ACTIONS = len(ACTIONS)


@compiled
def heuristic(state, seat):
    """The first legal action."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    legal_actions(state, seat, mask)
    for action in range(NUM_ACTIONS):
        if mask[action]:
            return action
    return 0
