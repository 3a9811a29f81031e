"""A scripted player of Bone Bids, from what the seat may know."""

from dig_envs.engine.compiler.jit import compiled
from tests.model.bone_bids import components as box
from tests.model.bone_bids import state as s


@compiled
def heuristic(state, seat):
    """The highest card for a good bone, the lowest for a poor one."""
    lowest, highest = -1, -1
    for card in range(len(box.CARDS)):
        if state.hands[seat, card] > 0:
            highest = card
            if lowest < 0:
                lowest = card
    return s.A_BID + (highest if state.worth > 3 else lowest)
