"""A scripted player of Dino Dig, from what the seat may know."""

from dig_envs.engine.jit import compiled
from dig_envs.games.dino_dig import rules, site
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.cards import lowest


@compiled
def heuristic(state, seat):
    """First version."""
    if state.phase == s.LAY:
        return s.A_LAY + lowest(site.laying_places(state)) - 1
    if state.phase == s.BASE:
        return s.A_BASE + lowest(site.free_bases(state)) - 1
    if state.phase == s.CONTRACT:
        return s.A_SUIT + lowest(rules.free_suits(state))
    if state.phase == s.ACT:
        return s.A_END_TURN
    return s.A_FACE_DOWN if state.pieces[seat, rules.handler(state)] != box.HOME else s.A_HOME
