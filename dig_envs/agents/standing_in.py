"""What is done about an agent that fails in a game with people, at a table of the server and in a
terminal: it is asked once more, then the scripted player moves in its place, and people are told.
"""

from typing import NamedTuple

from dig_envs.engine.core.errors import DigEnvsError

STAND_IN = "heuristic"
TRIES = 2  # of an agent for a move
MOST_REPLACED = 2  # moves in a row of the scripted player after which an agent is asked no more
FAILURES = (DigEnvsError, ValueError, RuntimeError)  # of agents


class Attempt(NamedTuple):
    """One attempt at a move: whether the scripted player makes it, and whether people are told if
    it fails."""

    stands_in: bool
    is_told: bool


class Replacements:
    """How often in a row the scripted player has moved in place of the agents of a game."""

    def __init__(self) -> None:
        self._replaced: dict[int, int] = {}  # by seat

    def attempts(self, seat: int) -> list[Attempt]:
        """The attempts at a move of a seat, to be made in turn until one succeeds; the last one is
        the scripted player's."""
        asked = TRIES if self._replaced.get(seat, 0) < MOST_REPLACED else 0
        own = [Attempt(False, number == TRIES) for number in range(1, asked + 1)]
        return [*own, Attempt(True, True)]

    def moved(self, seat: int, attempt: Attempt) -> None:
        """Note the attempt that succeeded."""
        if attempt.stands_in:
            self._replaced[seat] = self._replaced.get(seat, 0) + 1
        else:
            self._replaced.pop(seat, None)

    def words(self, seat: int, attempt: Attempt, who: str, why: str) -> str:
        """What people are told of an attempt that failed, without a full stop."""
        instead = "" if attempt.stands_in else ". The scripted player moves in its place"
        if not attempt.stands_in and self._replaced.get(seat, 0) + 1 == MOST_REPLACED:
            instead += " from now on"
        return f"{who} could not move: {why}{instead}"

    def clear(self) -> None:
        """Have all agents asked again, as after moves were taken back."""
        self._replaced.clear()
