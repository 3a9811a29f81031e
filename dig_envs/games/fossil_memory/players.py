"""Players of Fossil Memory beside the scripted one, by their names."""

from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.memory import check_memory
from dig_envs.engine.game import Array, Game
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s


class RememberingPlayer(OneGame):
    """The scripted player with a memory of its own: with ``recall = "recent"`` it plays as that one does with ``"perfect"``.

    It remembers at which places it has been shown a card: ``memory`` (n, 24) is 1 there. (The cards do not move, so that the
    places say which cards they are.) With ``"none"`` it misses what is turned up between its decisions.

    Args:
        game: Fossil Memory.
    """

    name = "remembering"
    memory_size = box.NUM_PLACES

    def __init__(self, game: Game) -> None:
        self.game = game

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """One action for each decision; needs ``states`` and ``seats``, and reads of the grid only what it remembers."""
        records, deciders = check_positions(self.game, states, seats, self.name)
        kept = check_memory(memory, len(records), self.memory_size, self.name)
        kept[np.asarray(observation)[:, self.game.layout["known"].slice] != 0] = 1.0
        actions = np.zeros(len(records), np.int64)
        self.game.kernels.heuristic_actions(as_remembered(records, kept), 0, len(records), deciders, actions)
        return actions


def as_remembered(states: Array, memory: Array) -> Array:
    """Copies of positions in which everything remembered is kept by the game itself (FM-11, ``perfect``)."""
    positions = states.copy()
    positions["recall"] = s.PERFECT
    positions["recent"], positions["recent_len"] = 0, 0
    positions["seen"] = (memory != 0) & (states["grid"] != box.TAKEN)
    return positions


PLAYERS: dict[str, Any] = {RememberingPlayer.name: RememberingPlayer}
