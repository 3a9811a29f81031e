"""A scripted player of The Treasure of Oak Island.

It wants the greatest chance to be the one who pulls the yellow cube. What a dig brings it computes
exactly from what is in the bag (`chances`); what money, If so cubes, clue tokens and Bobby Dazzlers
are worth for later it estimates as cubes still to be pulled (`worth`). In an Episode it takes the
action after which its chance is greatest (`digging`); in a War Room it looks for the active
locations of which it makes more than the others (`placing`).
"""

from typing import NamedTuple

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.heuristic.digging import best_action
from dig_envs.games.oak_island.heuristic.placing import best_move


class Weights(NamedTuple):
    """The weights in which styles differ."""

    # weight of the chance to win later, beside that of finding the treasure in this dig
    later: float = 1.0
    now: float = 0.85  # in a War Room: worth of a cube that is pulled in the two Episodes
    spite: float = 0.7  # weight of what the others make of a set of locations


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """A legal action, from what everybody can see."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    """The action of a seat that plays with some weights."""
    if state.phase == s.WAR:
        return best_move(state, seat, weights)
    return best_action(state, seat, weights)
