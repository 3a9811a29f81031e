"""The lobby: all tables of a server, where new ones are opened, connections find theirs, and those
without anybody are closed."""

import asyncio
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from dig_envs.agents.measured import equal_levels
from dig_envs.agents.names import searches
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.options import Option, defaults_for_people
from dig_envs.engine.core.words import LONGEST_NAME, NO_NAMES, Names, Viewer, look_of
from dig_envs.engine.game import Array, Game
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.registry import list_environments, load_game, newest_version
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.protocol.positions import names_of_seats
from dig_envs.server.table.connection import Connection, check_layout, check_theme, checked
from dig_envs.server.table.players import check_player, offered_agents
from dig_envs.server.table.session import TableSession
from dig_envs.server.table.store import MOST_RESULTS, Place, Result, Store
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.server.thinking import Prepare
from dig_envs.server.workers import Workers
from dig_envs.text.lessons import lesson_of

SWEEP_SECONDS = 5.0  # between looks for tables where nobody is
MANY = 20  # values of an option from which on they are told as a range
MINUTE = 60.0
LIST_SECONDS = 10.0  # for which the list of games is good: agents may be added meanwhile
PATIENCE = 5  # by which the priority of thinking is lower than that of answering


@dataclass
class FreeSeats:
    """A public table: what is played, who was to play, the seats that are still free, and since
    when (seconds since 1970)."""

    env: str
    title: str
    players: tuple[str, ...]
    seats: set[int]
    since: float


class Wanted(msgspec.Struct, forbid_unknown_fields=True):
    """A new table, as it is asked for: the environment; for each seat ``human`` or an agent's name;
    options, or a saved position to begin with; a seed, where at most one person plays; the names of
    the seats, empty for the usual one; whether everybody who can reach the server may sit down in
    the seats of people but the first; whether the game begins only when somebody says so."""

    env: str
    players: list[str]
    options: dict[str, Any] | None = None
    position: dict[str, Any] | None = None
    seed: int | str | None = None
    names: list[str] | None = None
    public: bool = False
    wait: bool = False


class FreeSeat(msgspec.Struct, forbid_unknown_fields=True):
    """A seat of a public table that somebody wants to take."""

    game: str
    seat: int


class Results(msgspec.Struct, forbid_unknown_fields=True):
    """Results that somebody wants to keep under a name; ``anew``: in place of those that are kept
    there."""

    name: str
    results: Annotated[list[Result], msgspec.Meta(max_length=MOST_RESULTS)] = []
    anew: bool = False


class Invitation(msgspec.Struct, forbid_unknown_fields=True):
    """The secret of a seat to which somebody shall be invited."""

    token: str


class Greeting(msgspec.Struct, forbid_unknown_fields=True):
    """The first message of a connection: the secret of a seat, and how pictures shall look."""

    token: str
    theme: str = "light"
    layout: str = "wide"


class Lobby:
    """The tables of a server.

    Args:
        path: of the file with the games; None: they are kept in memory only.
        bounds: limits.
    """

    def __init__(self, path: Path | None, bounds: Bounds) -> None:
        self.bounds = bounds
        self.store = Store(path, bounds)
        # one is always there for who does not search
        self.workers = Workers(bounds, bounds.workers + 1, bounds.workers, PATIENCE)
        self.artists = Workers(
            replace(bounds, queue=2 * bounds.connections),
            bounds.artists,
            max(1, bounds.artists - 1),
        )
        self._sessions: dict[str, TableSession] = {}  # of the tables that are in memory
        self._opening: dict[str, asyncio.Lock] = {}
        self._listing = asyncio.Lock()
        self._listed: tuple[float, list[dict[str, Any]]] = -math.inf, []
        most = bounds.tables_per_minute
        self._new = Rate(most / MINUTE, burst=2 * most)
        self._asked = Rate(most / MINUTE, burst=2 * most)  # for results
        # of the tables that their owners have made public, as long as the server runs
        self._free: dict[str, FreeSeats] = {}

    async def close(self) -> None:
        """Stop all that goes on; the games are kept."""
        for session in self._sessions.values():
            await session.close()
        for workers in (self.workers, self.artists):
            await asyncio.to_thread(workers.close)
        self.store.close()

    async def sweep(self) -> None:
        """Close tables where nobody is and nothing goes on, again and again."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.close_idle()

    def close_idle(self) -> None:
        """Close tables where nobody is and nothing goes on."""
        for game_id in [game_id for game_id, session in self._sessions.items() if session.idle]:
            if game_id not in self._opening:
                del self._sessions[game_id]

    async def games(self) -> list[dict[str, Any]]:
        """The games that can be played, each with its options and the agents for it, which takes
        long to find."""
        async with self._listing:
            if time.monotonic() - self._listed[0] > LIST_SECONDS:
                found = await asyncio.to_thread(described, self.bounds)
                self._listed = time.monotonic(), found
        return self._listed[1]

    # ------------------------------------------------------------ new tables

    async def open(self, given: Any) -> dict[str, Any]:
        """Open a table.

        Args:
            given: which, as JSON: :class:`Wanted`.

        Returns:
            ``links``: the secrets of the people's seats (of a public table the first one only) and
                of the place of who opened the table (``seat`` null).

        Raises:
            TableError: it is not possible; the message says why.
        """
        self._check_rate()
        wanted = checked(given, Wanted, "table")
        if wanted.env not in list_environments():
            there = ", ".join(list_environments())
            raise TableError(
                "bad-request", f"no environment {shown_in_message(wanted.env)}; there are {there}"
            )
        game = load_game(wanted.env)
        if len(wanted.players) > game.max_players:
            raise TableError(
                "bad-request", f"players is a list of at most {game.max_players} names"
            )
        try:
            players = await asyncio.to_thread(
                lambda: [check_player(name, game, self.bounds) for name in wanted.players]
            )
            agents = tuple(sorted({player for player in players if player != HUMAN}))
            await self.workers.prepare(
                Prepare(game, len(players), agents, any(map(searches, agents)))
            )
            table = await asyncio.to_thread(new_table, game, wanted, players)
        except TableError:
            raise
        except (ValueError, TypeError, RuntimeError) as error:
            raise TableError("bad-request", str(error)) from None
        waits = wanted.wait and len(table.people) > 1 and not table.over
        game_id, tokens = self.store.add(table, waits)
        if wanted.public and len(table.people) > 1:
            self._free[game_id] = FreeSeats(
                game.env_name, game.title, table.players, set(table.people[1:]), time.time()
            )
            tokens = {seat: token for seat, token in tokens.items() if seat not in table.people[1:]}
        return {
            "game": game_id,
            "links": [{"seat": seat, "token": token} for seat, token in tokens.items()],
        }

    def _check_rate(self) -> None:
        if not self._new.allows():
            most = self.bounds.tables_per_minute
            raise TableError("too-many", f"at most {most:g} new tables per minute; try again soon")

    def public(self) -> list[dict[str, Any]]:
        """The public tables with free seats at which somebody waits."""
        found = []
        for game_id, free in list(self._free.items()):
            session = self._sessions.get(game_id)
            if not free.seats or (session is not None and session.table.over):
                del self._free[game_id]
            elif session is not None and session.connections:
                names = session.table.names
                seats = [
                    {
                        "seat": seat,
                        "name": names.of(seat),
                        "player": player,
                        "free": seat in free.seats,
                    }
                    for seat, player in enumerate(free.players)
                ]
                found.append(
                    {
                        "game": game_id,
                        "env": free.env,
                        "title": free.title,
                        "since": free.since,
                        "seats": seats,
                    }
                )
        return found

    async def sit_down(self, given: Any) -> dict[str, Any]:
        """Give somebody the secret of a free seat of a public table, which is taken then.

        Args:
            given: which, as JSON: :class:`FreeSeat`.

        Raises:
            TableError: it is not free, or there are too many requests.
        """
        self._check_rate()
        wanted = checked(given, FreeSeat, "seat")
        free = self._free.get(wanted.game)
        if free is None or wanted.seat not in free.seats:
            raise TableError("taken", "this seat is not free any more")
        token = self.store.new_place(wanted.game, wanted.seat)
        free.seats.discard(wanted.seat)
        links = [{"seat": wanted.seat, "token": token}]
        return {"game": wanted.game, "title": free.title, "links": links}

    async def results(self, given: Any) -> list[dict[str, Any]]:
        """Keep results under a name, which needs no password.

        Args:
            given: which, as JSON: :class:`Results`.

        Returns:
            All that are kept under it, the oldest first, with the ``title`` of their games.

        Raises:
            TableError: they are wrong, or there are too many requests.
        """
        if not self._asked.allows():
            raise TableError("too-many", "too many people ask for their results; try again soon")
        wanted = checked(given, Results, "results")
        try:
            for others in ((), (NO_NAMES.of(0),)):  # a usual name is none for one of these seats
                Names((*others, wanted.name))
        except ValueError:
            raise TableError(
                "bad-request",
                f"a name for results has 1 to {LONGEST_NAME} visible characters, and is not "
                "'you', 'nobody' or 'Player' with a number",
            ) from None
        there = list_environments()  # those of a browser may be older
        known = [result for result in wanted.results if result.env in there]
        kept = self.store.add_results(look_of(wanted.name), known, wanted.anew)
        return [
            msgspec.structs.asdict(result) | {"title": load_game(result.env).title}
            for result in kept
            if result.env in there
        ]

    async def open_again(self, table: Table) -> tuple[str, dict[Viewer, str]]:
        """Open a table like another one, where all have moved on by one seat; raises TableError if
        there are too many games."""
        self._check_rate()
        return self.store.add(await asyncio.to_thread(dealt_again, table))

    # ------------------------------------------------------------ coming and going

    async def enter(self, given: Any, address: str = "") -> tuple[TableSession, Connection]:
        """Let a connection in by its first message, a :class:`Greeting` as JSON. ``address``: where
        it comes from.

        Raises:
            TableError: the secret opens nothing, or there are too many connections to this table.
        """
        greeting = checked(given, Greeting, "greeting")
        place = self.store.find(greeting.token)
        theme, layout = check_theme(greeting.theme), check_layout(greeting.layout)
        connection = Connection(place.seat, theme, self.bounds, layout, address)
        session = await self._session(place)
        session.join(connection)
        return session, connection

    async def _session(self, place: Place) -> TableSession:
        """The session of a table, opened again if need be."""
        lock = self._opening.setdefault(place.game, asyncio.Lock())
        try:
            async with lock:
                if place.game not in self._sessions:
                    table = await self._stored_table(place.game)
                    session = TableSession(
                        place.game,
                        table,
                        self.store,
                        self.workers,
                        self.artists,
                        self.bounds,
                        self.open_again,
                        self.store.waits(place.game),
                    )
                    self._sessions[place.game] = session
                return self._sessions[place.game]
        finally:
            if not lock.locked():
                self._opening.pop(place.game, None)

    async def _stored_table(self, game_id: str) -> Table:
        """The table of a game of the store; raises TableError if it cannot be played here any
        more."""
        stored = await asyncio.to_thread(self.store.read, game_id)
        if stored.env not in list_environments():
            raise TableError(
                "store", f"this game was played in {stored.env}, which is not there any more"
            )
        try:
            await self.workers.prepare(
                Prepare(load_game(stored.env), len(stored.players), (), False)
            )
        except (ValueError, RuntimeError) as error:
            raise TableError("failed", f"{stored.env} cannot be played here: {error}") from None
        return await asyncio.to_thread(stored.table)


# ---------------------------------------------------------------- games and deals


def described(bounds: Bounds) -> list[dict[str, Any]]:
    """All games for the form of new tables, as JSON."""
    return [describe(load_game(name), bounds) for name in list_environments()]


def describe(game: Game, bounds: Bounds) -> dict[str, Any]:
    """A game for the form of new tables, as JSON; the title of an older version says so."""
    newest = game.version == newest_version(game.name)
    lesson = lesson_of(game) if newest else None
    return {
        "env": game.env_name,
        "title": game.title if newest else f"{game.title}, version {game.version}",
        "newest": newest,
        "sentence": game.sentence,
        "minutes": game.minutes,
        "age": game.age,
        "weight": game.weight,
        "family": dict(game.family),
        "cooperative": game.cooperative,
        "lesson": lesson and {"seed": lesson.seed, "options": lesson.options},
        "partner": game.partner,
        "equal": equal_levels(game),
        "options": [
            {
                "name": option.name,
                "meaning": option.meaning,
                "default": option.default if option.for_people is None else option.for_people,
                "values": option_values(option),
                "described": option.describe_values(),
            }
            for option in game.options
        ],
        "agents": offered_agents(game, bounds),
    }


def option_values(option: Option) -> Any:
    """The values of an option as JSON: a list, or of many numbers an object with ``least``,
    ``most`` and ``step``."""
    few = isinstance(option.values, range) and len(option.values) <= MANY
    return list(option.values) if few else option.to_json()["values"]


def new_table(game: Game, wanted: Wanted, players: list[str]) -> Table:
    """A new table with a saved position or a new deal; raises OptionError, SnapshotError or
    TableError if it cannot be."""
    loaded = wanted.position is not None
    if loaded and (wanted.options or wanted.seed is not None):
        raise TableError("bad-request", "a saved position has its own options and needs no seed")
    states = game.from_snapshot(wanted.position) if loaded else dealt(game, wanted, players)
    return Table(
        game,
        save_position(game, states),
        players,
        loaded=loaded,
        names=NO_NAMES if wanted.names is None else names_of_seats(wanted.names, len(players)),
    )


def dealt_again(table: Table) -> Table:
    """A table with a new deal, where all have moved on by one seat."""
    states = table.game.deal(table.start["options"], None)
    players = [table.players[seat - 1] for seat in range(table.num_seats)]
    names = moved_on(table.names, table.num_seats)
    return Table(table.game, save_position(table.game, states), players, names=names)


def moved_on(names: Names, seats: int) -> Names:
    """The names of the seats when all have moved on by one; who was called by the number of the
    seat is so again."""
    moved = []
    for seat in range(seats):
        before = (seat - 1) % seats
        name = names.of(before)
        moved.append(NO_NAMES.of(seat) if name == NO_NAMES.of(before) else name)
    return Names(tuple(moved))


def dealt(game: Game, wanted: Wanted, players: list[str]) -> Array:
    options: dict[str, Any] = wanted.options or {}
    seed: Any = wanted.seed
    if options.get("num_players", len(players)) != len(players):
        asked = shown_in_message(options["num_players"])
        raise TableError(
            "bad-request", f"options.num_players is {asked}, but players names {len(players)}"
        )
    if seed is not None and players.count(HUMAN) > 1:
        raise TableError(
            "bad-request",
            "a seed tells what is hidden: leave it out, as more than one person plays",
        )
    if isinstance(seed, str):
        if not seed.isdecimal():
            raise TableError(
                "bad-request", f"seed is an integer or its digits, not {shown_in_message(seed)}"
            )
        seed = int(seed)
    usual = defaults_for_people(game.options) if HUMAN in players else {}
    return game.deal({**usual, **options, "num_players": len(players)}, seed)
