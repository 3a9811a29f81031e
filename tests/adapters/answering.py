"""A player that answers in words, for the adapters for text."""

from typing import Any

import numpy as np


def scripted(position: Any, seat: int) -> str:
    """The action that the scripted player would play in an environment, in words."""
    actions = np.zeros(1, np.int64)
    position.game.kernels.heuristic_actions(position.states, 0, 1, np.array([seat]), actions)
    return str(position.game.action_list.label(int(actions[0]), seat, position.num_seats, seat))
