"""The scripted player of a game."""

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.engine.game import Array, Game


class HeuristicAgent(OneGame):
    """The game's scripted player (``dig_envs/games/<game>/heuristic.py``); deterministic.

    Args:
        game: the game that it plays.
    """

    name = "heuristic"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, "the heuristic")
        actions = np.zeros(len(deciders), np.int64)
        self.game.kernels.heuristic_actions(records, 0, len(deciders), deciders, actions)
        return actions
