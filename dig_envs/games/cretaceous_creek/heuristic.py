from dig_envs.engine.jit import compiled


@compiled
def heuristic(state, seat):
    return 6
