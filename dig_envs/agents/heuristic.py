"""The scripted player of a game, and its styles."""

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.engine.game import Array, Game


class HeuristicAgent(OneGame):
    """The game's scripted player (``dig_envs/games/<game>/heuristic.py``), deterministic.

    Args:
        game: the game that it plays.
        style: one of those in the game's ``styles.py``; empty: the usual one.

    Raises:
        ValueError: there is no such style; the message lists those that there are.
    """

    def __init__(self, game: Game, style: str = "") -> None:
        self.game: Game = game
        self.style = style
        self.name = f"heuristic:style={style}" if style else "heuristic"
        self._weights = game.style(style).weights if style else None

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        records, seats = decisions.states, decisions.seats
        actions = np.zeros(len(seats), np.int64)
        if self._weights is None:
            self.game.kernels.heuristic_actions(records, 0, len(seats), seats, actions)
        else:
            self.game.kernels.styled_actions(records, 0, len(seats), seats, self._weights, actions)
        return actions
