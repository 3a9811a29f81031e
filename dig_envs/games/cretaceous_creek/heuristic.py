"""A scripted player of Cretaceous Creek, from what everybody can see."""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.cretaceous_creek.rules import legal_actions
from dig_envs.games.cretaceous_creek.state import A_EVACUATE, A_EXCAVATE, A_MOVE, A_PROTECT, ACT, ACTIONS

NUM_ACTIONS = len(ACTIONS)


@compiled
def heuristic(state, seat):
    """Excavate what is in reach, else walk in a circle, else the first legal action but evacuation."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    legal_actions(state, seat, mask)
    if state.phase == ACT:
        for action in range(A_EXCAVATE, A_EXCAVATE + 5):
            if mask[action]:
                return action
        for k in range(4):
            action = A_MOVE + (k + state.turn // 2) % 4
            if mask[action]:
                return action
    for action in range(NUM_ACTIONS):
        if mask[action] and action != A_EVACUATE and not A_PROTECT <= action < A_EXCAVATE:
            return action
    return A_EVACUATE
