"""Games that the server keeps for the program on the other side."""

import secrets
import threading
import time
from collections import deque
from itertools import count
from typing import Any

from dig_envs.engine.core.checks import check_action
from dig_envs.engine.core.errors import DigEnvsError, IllegalActionError
from dig_envs.engine.core.events import Event
from dig_envs.engine.event_log import EventLog, Mark
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.positions import check_seat, deciding, result


class NoGameError(DigEnvsError, ValueError):
    """There is no game of that name (any more)."""


class UndoError(DigEnvsError, ValueError):
    """There are not so many actions to take back."""


class Session:
    """A game in play: the position, and those before it; in a ``with`` statement for one thread at
    a time."""

    def __init__(self, name: str, game: Game, states: Array, undo: int) -> None:
        self.name = name
        self.game = game
        self.log = EventLog(game, states)
        self.used = time.monotonic()
        self._before: deque[Mark] = deque(maxlen=undo)  # the moments before the last actions
        self._lock = threading.Lock()

    def __enter__(self) -> "Session":
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def states(self) -> Array:
        """The position, a record array of length 1."""
        return self.log.states

    def act(self, seat: int | None, action: Any) -> tuple[int, list[Event]]:
        """Play an action, given by index or text, of a seat that is to decide, by default the first
        of them.

        Returns:
            Its index, and what the seat is told of it.

        Raises:
            IllegalActionError: the action is not legal, the seat is not to decide, or the game is
                over; nothing has changed.
        """
        seats = deciding(self.states)
        if not seats:
            raise IllegalActionError("the game is over")
        who = seats[0] if seat is None else check_seat(self.states, seat)
        given = self.game.action_index.get(action, action) if isinstance(action, str) else action
        index = check_action(
            given, self.game.mask_of(self.states, who), self.game.actions, f"seat {who}"
        )
        self._before.append(self.log.mark())
        self.log.play(who, index)
        return index, self.log.since(who)

    def undo(self, actions: int) -> None:
        """Take back the last actions; raises UndoError where not so many are kept."""
        if actions > len(self._before):
            raise UndoError(f"there are {len(self._before)} actions to take back, not {actions}")
        for _ in range(actions):
            before = self._before.pop()
        self.log.go_back(before)

    def situation(self) -> dict[str, Any]:
        """Return where the game stands, as far as everybody sees it."""
        state = self.states[0]
        return {
            "game": self.name,
            "environment": self.game.env_name,
            "phase": self.game.phases[int(state["phase"])],
            "turn": int(state["turn"]),
            "owing": deciding(self.states),
            **result(self.game, self.states),
        }

    def snapshot(self) -> Snapshot:
        """The complete position."""
        return save_position(self.game, self.states)


class Sessions:
    """The games of a dispatcher, from any thread.

    Args:
        limits: how many there are at a time.
        guessable: whether games are called ``game-1``, ``game-2`` …, as befits a connection of its
            own; otherwise by 128 random bits, which only those know who were told.
    """

    def __init__(self, limits: Limits, guessable: bool) -> None:
        self._limits, self._guessable = limits, guessable
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._numbers = count(1)

    def add(self, game: Game, states: Array) -> Session:
        """Keep a game; raises LimitError if there are too many and none was left alone for long."""
        with self._lock:
            if len(self._sessions) >= self._limits.games:
                self._drop_idle()
            name = f"game-{next(self._numbers)}" if self._guessable else secrets.token_urlsafe(16)
            self._sessions[name] = session = Session(name, game, states, self._limits.undo)
        return session

    def _drop_idle(self) -> None:
        """Close the game that was not asked for the longest time; raises LimitError if that is not
        long."""
        oldest = min(self._sessions.values(), key=lambda session: session.used, default=None)
        if oldest is None or time.monotonic() - oldest.used < self._limits.idle_seconds:
            raise LimitError(f"{self._limits.games} games are open already; close one of them")
        del self._sessions[oldest.name]

    def get(self, name: str) -> Session:
        """A game by its name; raises NoGameError."""
        with self._lock:
            session = self._sessions.get(name)
            if session is None:
                raise NoGameError("there is no such game; it may have been closed")
            session.used = time.monotonic()
            return session

    def names(self) -> list[str]:
        """The names of all open games, in the order in which they were opened; to ask for them does
        not count as a use."""
        with self._lock:
            return list(self._sessions)

    def close(self, name: str) -> None:
        """Forget a game; raises NoGameError."""
        self.get(name)
        with self._lock:
            self._sessions.pop(name, None)
