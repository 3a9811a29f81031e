"""tmp"""
from dig_envs.engine.jit import compiled
from dig_envs.games.diggity import rules
import numpy as np

@compiled
def heuristic(state, seat):
    mask = np.zeros(211, np.int8)
    rules.legal_actions(state, seat, mask)
    for a in range(211):
        if mask[a]:
            return a
    return -1
