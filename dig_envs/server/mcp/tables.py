"""Games in progress: which seats are played through tools, each known by a key, and the agents that
play the others."""

import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from dig_envs.agents.deciding import legal_or_forfeit
from dig_envs.agents.loading import load_seats
from dig_envs.agents.names import searches
from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.checks import check_integer, check_seed, shown_in_message
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.engine.game import Game, deciding
from dig_envs.registry import load_game
from dig_envs.server.places import Guest, Places
from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.choosing import permitted_agent, with_budget
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.positions import decide, result
from dig_envs.server.protocol.sessions import NoGameError, Session, Sessions


class NoSeatError(DigEnvsError, ValueError):
    """There is no such seat, or its game was ended."""


@dataclass(eq=False)
class Owner(Guest):
    """Who has started a game, at an address. ``session``: the game, once it is dealt."""

    session: Session | None = None


@dataclass
class Table:
    """A game and who plays it.

    Attributes:
        session: the game; work with it in a ``with`` statement.
        options: of the game, all of them.
        players: for each seat the agent that plays it; None: it is played through tools.
        keys: seat -> the key by which it is played; of the seats that are played through tools.
        seeded: whether the seed was given: who gave it can know the deal.
        searching: whether an agent searches. owner: who has started it.
    """

    session: Session
    options: Mapping[str, Any]
    players: Sequence[Agent | None]
    keys: Mapping[int, str]
    seeded: bool
    searching: bool
    owner: Owner
    memory: dict[int, bytes] = field(default_factory=dict)  # what agents remember, by seat
    public: Mapping[str, Any] = field(default_factory=dict)  # what everybody may know of it now

    def __post_init__(self) -> None:
        self._note()

    def _note(self) -> None:
        """Keep what everybody may know, so that nobody who asks for it waits for agents."""
        states = self.session.states
        self.public = {"deciding": deciding(states), **result(self.game, states)}

    @property
    def game(self) -> Game:
        return self.session.game

    def agent_to_decide(self) -> int | None:
        """The first seat of an agent that is to decide; None: none is."""
        return next(
            (seat for seat in deciding(self.session.states) if self.players[seat] is not None), None
        )

    def act(self, seat: int, action: Any) -> int:
        """Play an action of a seat, and return its index; raises IllegalActionError."""
        _, index = self.session.act(seat, action)
        self._note()
        return index

    def let_agents_play(self, seconds: float, allowance: Allowance) -> str:
        """Play the decisions of agents until none is due, or until so much time has passed or none
        is left: then the next call goes on.

        Returns:
            Why they go on later; "" if none is due.

        Raises:
            GoneError: nobody waits for the answer any more. ForfeitError: an agent chose what is
                not legal.
        """
        until = time.monotonic() + seconds
        while (seat := self.agent_to_decide()) is not None:
            if time.monotonic() >= until:
                return "agents have not finished their decisions"
            memory, player = self.memory.get(seat, b""), self.players[seat]
            assert player is not None
            try:
                with allowance.thinking():
                    action, self.memory[seat] = decide(
                        self.game, player, self.session.states, seat, memory
                    )
            except LimitError as error:
                return str(error)
            with legal_or_forfeit(player.name):
                self.act(seat, action)
        return ""


class Tables:
    """All games in progress, from any thread.

    Args:
        limits: on games and on agents.
        think_seconds: that agents may use before a call is answered.
        seeds: whether a game may be dealt from a given seed.
        shared: whether several programs that do not trust each other use them: then keys are 128
            random bits, and one address has half of the games at most.
    """

    def __init__(self, limits: Limits, think_seconds: float, seeds: bool, shared: bool) -> None:
        self.limits, self.think_seconds, self.seeds, self.shared = (
            limits,
            think_seconds,
            seeds,
            shared,
        )
        self._sessions = Sessions(limits, guessable=True)
        self._tables: dict[str, Table] = {}
        self._seats: dict[str, tuple[str, int]] = {}  # key -> game and seat
        self._known: set[str] = set()  # environments whose code is compiled
        self._places = Places(limits.games, "games", self._idle_since)
        self._lock = threading.Lock()

    def start(
        self,
        environment: str,
        options: Mapping[str, Any],
        seats: Sequence[int],
        opponents: Sequence[str],
        seed: Any,
        address: str = "",
    ) -> Table:
        """Deal a game, and return it; no agent has played yet.

        Args:
            environment: its name. options: of the game.
            seats: that are played through tools. opponents: agents for the other seats in their
                order; one name serves all.
            seed: of the deal and of agents that draw at random; None: a new one.
            address: who starts it.

        Raises:
            ValueError: an unknown environment, a wrong seat or seed, or agents and seats differ in
                number.
            OptionError, AgentError, LimitError, PolicyMismatchError, ImportError, TableError: as
                the message says.
        """
        game = load_game(environment)
        if seed is not None and not self.seeds:
            raise LimitError("this server deals at random: leave the seed out")
        word = secrets.randbits(64) if seed is None else check_seed(seed)
        complete = game.complete_options(options)
        played = self._checked_seats(seats, complete["num_players"])
        players = self._agents(game, complete["num_players"], played, opponents, word)
        owner = Owner(address, lambda: None)
        states = game.deal(complete, word)
        with self._lock:
            self._forget_closed()
            if self.shared:
                self._places.enter(owner)
            try:
                owner.session = session = self._sessions.add(game, states)
            except LimitError:
                self._places.leave(owner)
                raise
            owner.leave = partial(self._sessions.close, session.name)
        self._known.update((environment, game.env_name))
        keys = {
            seat: secrets.token_urlsafe(16) if self.shared else f"{session.name}-seat-{seat}"
            for seat in played
        }
        searching = any(map(searches, opponents))
        table = Table(session, complete, players, keys, seed is not None, searching, owner)
        with self._lock:
            self._forget_closed()
            self._tables[session.name] = table
            self._seats.update({key: (session.name, seat) for seat, key in keys.items()})
        return table

    def _idle_since(self, guest: Guest) -> float | None:
        """When a game was used for the last time, if it may make room for another."""
        session = cast(Owner, guest).session
        long_idle = session and time.monotonic() - session.used >= self.limits.idle_seconds
        return session.used if session and long_idle else None

    def knows(self, environment: str) -> bool:
        """Whether a game of this environment was dealt before, so that its code is compiled."""
        return environment in self._known

    def _checked_seats(self, seats: Sequence[int], num_players: int) -> list[int]:
        checked = sorted({check_integer(seat, "seat", 0, num_players - 1) for seat in seats})
        if not checked:
            raise ValueError("seats is empty: name at least one seat to play")
        return checked

    def _agents(
        self, game: Game, num_players: int, played: Sequence[int], names: Sequence[str], word: int
    ) -> list[Agent | None]:
        """The agents of all seats; None for those that are played through tools."""
        others = [seat for seat in range(num_players) if seat not in played]
        specs = [
            permitted_agent(with_budget(name, None, game, self.limits), game, self.limits)
            for name in names
        ]
        agents = load_seats(specs, game.env_name, others, num_players, word)
        return [agents.get(seat) for seat in range(num_players)]

    def seat(self, key: str) -> tuple[Table, int]:
        """The game and the seat of a key; raises NoSeatError."""
        with self._lock:
            name, seat = self._seats.get(key, ("", -1))
            table = self._tables.get(name)
        try:
            self._sessions.get(name)  # it is in use
        except NoGameError:
            table = None
        if table is None:
            raise NoSeatError(
                f"there is no seat {shown_in_message(key)}; start_game names the seats of a game, "
                "which may have ended"
            )
        return table, seat

    def all(self) -> list[Table]:
        """All games in progress, in the order in which they were started."""
        with self._lock:
            self._forget_closed()
            return list(self._tables.values())

    def end(self, key: str) -> Table:
        """Forget the game of a seat, for all of its seats, and return it; raises NoSeatError."""
        table, _ = self.seat(key)
        self._sessions.close(table.session.name)
        with self._lock:
            self._forget_closed()
        return table

    def _forget_closed(self) -> None:
        """Forget the games that were ended, or had to make room for others."""
        open_games = set(self._sessions.names())
        for name in self._tables.keys() - open_games:
            self._places.leave(self._tables[name].owner)
        self._tables = {name: table for name, table in self._tables.items() if name in open_games}
        self._seats = {key: place for key, place in self._seats.items() if place[0] in open_games}
