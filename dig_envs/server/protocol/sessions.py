"""Games that the server keeps for the program on the other side."""

import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

from dig_envs.agents.deciding import legal_or_forfeit
from dig_envs.agents.loading import check_num_players, load_agent
from dig_envs.agents.names import searches
from dig_envs.agents.protocol import Agent
from dig_envs.agents.search import Progress
from dig_envs.engine.core.checks import check_action
from dig_envs.engine.core.errors import DigEnvsError, IllegalActionError
from dig_envs.engine.core.words import NO_NAMES, Viewer
from dig_envs.engine.event_log import EventLog, Mark
from dig_envs.engine.game import Array, Game, Snapshot, deciding
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.server.protocol.answers import Event, LegalAction, Played, Situation
from dig_envs.server.protocol.choosing import AgentError, ask, kept_agent, mover
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.positions import check_seat, result
from dig_envs.text.telling import copied

KEPT_SEARCHES = 8  # agents of open games with a tree in memory; the least recently used goes


class NoGameError(DigEnvsError, ValueError):
    """There is no game of that name (any more)."""


class UndoError(DigEnvsError, ValueError):
    """There are not so many actions to take back."""


@dataclass(eq=False)
class Player:
    """An agent that plays a seat of an open game.

    ``spec``: its name as :func:`~dig_envs.agents.loading.load_agent` takes it. ``memory``: what it
    remembers of the game, float32 bytes. ``search``: of one that searches, the agent with its tree,
    as long as that is kept.
    """

    spec: str
    memory: bytes = b""
    search: Agent | None = None


class Session:
    """A game in play: the position, those before it, and the agents that play seats of it.

    In a ``with`` statement for one thread at a time; :meth:`let_agent_act` needs none.
    """

    def __init__(self, name: str, game: Game, states: Array, undo: int) -> None:
        self.name = name
        self.game = game
        self.names = NO_NAMES
        self.log = EventLog(game, states)
        self.players: dict[int, Player] = {}
        self.used = time.monotonic()
        # the moments before the last actions, and what agents remembered then
        self._before: deque[tuple[Mark, dict[Player, bytes]]] = deque(maxlen=undo)
        self._changes = 0  # how often the position was changed
        self._lock, self._thinking = threading.Lock(), threading.Lock()

    def __enter__(self) -> "Session":
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def states(self) -> Array:
        """The position, a record array of length 1."""
        return self.log.states

    @property
    def num_seats(self) -> int:
        return int(self.states["num_players"][0])

    def act(self, seat: int | None, action: Any) -> tuple[int, int]:
        """Play an action, given by index or text, of a seat that is to decide, by default the first
        of them; returns the seat and the action's index.

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
        memories = {player: player.memory for player in self.players.values()}
        self._before.append((self.log.mark(), memories))
        self._changes += 1
        self.log.play(who, index)
        return who, index

    def seat(self, seat: int, spec: str | None) -> None:
        """Let an agent play a seat from now on, by a name that is permitted; None: no agent.

        Raises:
            PolicyMismatchError: a policy that was not trained for so many players.
        """
        if spec is None:
            self.players.pop(seat, None)
        else:
            check_num_players([kept_agent(spec, self.game)], self.num_seats)
            self.players[seat] = Player(spec)

    def let_agent_act(
        self, seat: int | None, kept: "Searches", ms: int, progress: Progress
    ) -> Played:
        """Let the agent of a seat that is to decide, by default the first of them, play its action;
        others are not kept waiting meanwhile.

        Args:
            kept: the trees of searches. ms: the most that a search may take. progress: as for
                :func:`~dig_envs.server.protocol.choosing.choose`.

        Raises:
            AgentError: no agent plays the seat. ValueError: the seat is not to decide.
            LimitError: an agent of this game thinks already. IllegalActionError: the game has
                changed meanwhile. Nothing has changed then, nor after any other error of an agent.
        """
        with self:
            states, changes = copied(self.states), self._changes
            who = mover(states, seat)
            player = self.players.get(who)
        if player is None:
            raise AgentError(f"no agent plays seat {who}: seat one by `play`, or say the action")
        if not self._thinking.acquire(blocking=False):
            raise LimitError("an agent of this game is thinking already: wait for its action")
        try:
            agent = kept.agent(player, self.game)
            chosen, memory = ask(self.game, agent, states, who, ms / 1000, progress, player.memory)
        finally:
            self._thinking.release()
        with self:
            if changes != self._changes:
                raise IllegalActionError("the game has changed while the agent was thinking")
            with legal_or_forfeit(player.spec):
                moved = self.act(who, chosen["action"])
            player.memory = memory
            return self.played(*moved)

    def undo(self, actions: int) -> None:
        """Take back the last actions; raises UndoError where not so many are kept."""
        if actions > len(self._before):
            raise UndoError(f"there are {len(self._before)} actions to take back, not {actions}")
        for _ in range(actions):
            before, memories = self._before.pop()
        self._changes += 1
        self.log.go_back(before)
        for player in self.players.values():
            player.memory = memories.get(player, b"")

    def events(self, viewer: Viewer, first: int | None = None) -> tuple[int, list[Event]]:
        """What a viewer is told, and the number of the first event, as :meth:`EventLog.numbered`
        gives them."""
        number, told = self.log.numbered(viewer, first)
        return number, [
            {"index": number + place, **event.to_json(self.names)}  # type: ignore[typeddict-item]
            for place, event in enumerate(told)
        ]

    def legal(self, seat: int) -> list[LegalAction]:
        """The legal actions of a seat; none if it is not to decide."""
        return cast("list[LegalAction]", self.game.legal_texts(self.states, seat, self.names))

    def seat_or_mover(self, seat: int | None) -> int | None:
        """A seat, by default the first that is to decide; None if none is."""
        if seat is not None:
            return check_seat(self.states, seat)
        return next(iter(deciding(self.states)), None)

    def played(self, seat: int, action: int) -> Played:
        """The public situation after an action, and the events for its seat."""
        return {
            **self.situation(),
            "seat": seat,
            "action": action,
            "played": self.game.actions[action],
            "events": self.events(seat)[1],
        }

    def situation(self) -> Situation:
        state = self.states[0]
        return {
            "game": self.name,
            "environment": self.game.env_name,
            "phase": self.game.phases[int(state["phase"])],
            "turn": int(state["turn"]),
            "owing": deciding(self.states),
            "agents": [
                self.players[seat].spec if seat in self.players else None
                for seat in range(self.num_seats)
            ],
            **result(self.game, self.states),
        }

    def snapshot(self) -> Snapshot:
        return save_position(self.game, self.states)


class Searches:
    """The trees of agents in open games, from any thread: those that were asked last are kept; the
    others begin a new one at their next decision."""

    def __init__(self) -> None:
        self._players: list[Player] = []
        self._lock = threading.Lock()

    def agent(self, player: Player, game: Game) -> Agent:
        """The agent of a player, which is asked now."""
        if not searches(player.spec):
            return kept_agent(player.spec, game)
        with self._lock:
            others = [one for one in self._players if one is not player]
            for one in others[: -KEPT_SEARCHES + 1]:
                one.search = None
            self._players = [*others[-KEPT_SEARCHES + 1 :], player]
            search = player.search
        player.search = search or load_agent(player.spec, game.env_name)
        return player.search

    def forget(self, session: Session) -> None:
        with self._lock:
            self._players = [one for one in self._players if one not in session.players.values()]


class Sessions:
    """The games of a dispatcher, from any thread.

    Args:
        limits: how many there are at a time.
        guessable: whether games are called ``game-1``, ``game-2`` …, as befits a connection of its
            own; otherwise by 128 random bits, which only those know who were told.
        searches: those of all dispatchers of a server; default: its own.
    """

    def __init__(self, limits: Limits, guessable: bool, searches: Searches | None = None) -> None:
        self._limits, self._guessable = limits, guessable
        self.searches = searches or Searches()
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
        self.searches.forget(oldest)
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
        self.searches.forget(self.get(name))
        with self._lock:
            self._sessions.pop(name, None)
