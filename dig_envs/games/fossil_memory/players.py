"""Players of Fossil Memory beside the scripted one, by their names."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.engine.game import Array, Game
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.remembering import NUM_CARDS, remember, remember_all

if TYPE_CHECKING:
    from dig_envs.games.fossil_memory.optimum import Solution


class RememberingPlayer(OneGame):
    """The scripted player with a memory of its own: with ``recall = "recent"`` it plays as that one
    does with ``"perfect"``.

    It remembers which cards it has been shown: ``memory`` (n, 24) has for each place the number of
    the card (its place in ``components.CARDS``), or 0. With ``"none"`` it misses what is turned up
    between its decisions.

    Args:
        game: Fossil Memory.
    """

    name = "remembering"
    memory_size = box.NUM_PLACES
    remember = staticmethod(remember)  # for exported games, which then ask the scripted player

    def __init__(self, game: Game) -> None:
        self.game: Game = game

    def notice(self, states: Array, seats: Array, memory: Array) -> None:
        """Note in the memories what the seats are shown, whether they are to decide or not."""
        remember_all(states.copy(), seats, memory)

    def in_mind(self, states: Array, seats: Array, memory: Array | None) -> Array:
        """The positions with ``recall = "perfect"`` in which the seats have seen what they
        remember; notes in the memories what they are shown.

        Raises:
            ValueError: the memory is not of this player.
        """
        positions: Array = states.copy()
        if not remember_all(positions, seats, memory):
            raise ValueError(f"memory must have numbers of cards, 0 to {NUM_CARDS - 1}")
        return positions

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``, and reads of the grid only
        what it remembers.

        Raises:
            ValueError: the memory is not of this player.
        """
        seats = decisions.seats
        positions = self.in_mind(decisions.states, seats, decisions.memory)
        actions = np.zeros(len(positions), np.int64)
        self.game.kernels.heuristic_actions(positions, 0, len(positions), seats, actions)
        return actions


class SolvedPlayer(OneGame):
    """A player that has computed the game (``optimum.py``): two players, perfect recall. It reads
    what its seat knows.

    The first game with other genera takes it about a second, or some seconds as ``answering``, and
    8 MB of memory: for all choices of genera four or twelve minutes, and 2 GB.

    Args:
        game: Fossil Memory.
    """

    name = "optimal"

    def __init__(self, game: Game) -> None:
        self.game: Game = game

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``.

        Raises:
            ValueError: a game for more than two, or without perfect recall.
        """
        records, seats = decisions.states, decisions.seats
        if (records["num_players"] != 2).any() or (records["recall"] != s.PERFECT).any():
            raise ValueError(f"{self.name} plays games for two players with recall=perfect only")
        places = np.zeros(len(records), np.int64)
        choices = (records["in_play"][:, None] == box.IN_PLAY[None]).all(axis=2).argmax(axis=1)
        for choice in np.unique(choices):
            rows = np.flatnonzero(choices == choice)
            places[rows] = self._solution(int(choice)).places(records[rows], seats[rows])
        return s.A_FLIP + places

    def _solution(self, choice: int) -> "Solution":
        from dig_envs.games.fossil_memory.optimum import optimum

        return optimum(choice)


class AnsweringPlayer(SolvedPlayer):
    """Plays the best response to the scripted player, whom it takes all others for."""

    name = "answering"

    def _solution(self, choice: int) -> "Solution":
        from dig_envs.games.fossil_memory.optimum import answer_to_scripted

        return answer_to_scripted(choice)


PLAYERS: dict[str, Any] = {
    player.name: player for player in (RememberingPlayer, SolvedPlayer, AnsweringPlayer)
}
# people play with recall="none", where the scripted player knows hardly anything
FOR_PEOPLE = RememberingPlayer.name
