"""The scripted player of a game."""

from typing import Any

import numpy as np

from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import own_copy


class HeuristicAgent:
    """Plays what the game's scripted player would (``dig_envs/games/<game>/heuristic.py``); deterministic.

    Args:
        game: the game that it plays.
    """

    name = "heuristic"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, env: Any) -> int:
        """The action for ``env.agent_selection``."""
        position = env.unwrapped
        seats = np.array([position.seat_of(env.agent_selection)], np.int64)
        return int(self._choose(position.states, seats)[0])

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        if states is None or seats is None:
            raise ValueError("the heuristic decides on positions: pass states and seats (BatchEnv.states, BatchEnv.mover)")
        return self._choose(states, np.asarray(seats, np.int64))

    def _choose(self, states: Array, seats: Array) -> Array:
        actions = np.zeros(len(seats), np.int64)
        states, seats = own_copy(states), own_copy(seats)
        self.game.kernels.heuristic_actions(states, 0, len(seats), seats, actions)
        return actions
