"""The lobby: all tables of a server, where new ones are opened, connections find theirs, and those without anybody are closed."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.options import Option
from dig_envs.engine.game import Array, Game
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.protocol.choosing import searches
from dig_envs.server.protocol.positions import deal
from dig_envs.server.table.connection import Connection, check_theme
from dig_envs.server.table.players import check_player, offered_agents
from dig_envs.server.table.session import TableSession
from dig_envs.server.table.store import Place, Store
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.server.thinking import Prepare
from dig_envs.server.workers import Workers

SWEEP_SECONDS = 5.0  # between looks for tables where nobody is
KEYS = ("env", "options", "players", "seed", "position")
MANY = 20  # values of an option from which on they are told as a range
MINUTE = 60.0


class Lobby:
    """The tables of a server.

    Args:
        path: of the file with the games; None: they are kept in memory only.
        bounds: limits.
    """

    def __init__(self, path: Path | None, bounds: Bounds) -> None:
        self.bounds = bounds
        self.store = Store(path, bounds)
        self.workers = Workers(bounds)
        self.artists = Workers(replace(bounds, workers=bounds.artists, queue=bounds.connections))
        self._sessions: dict[str, TableSession] = {}  # of the tables that are in memory
        self._opening: dict[str, asyncio.Lock] = {}
        self._new = Rate(bounds.tables_per_minute / MINUTE, burst=2 * bounds.tables_per_minute)
        self._connections = 0

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
            for game_id in [game_id for game_id, session in self._sessions.items() if session.idle]:
                if game_id not in self._opening:
                    del self._sessions[game_id]

    def games(self) -> list[dict[str, Any]]:
        """The games that can be played, each with its options and the agents for it."""
        return [describe(load_game(name), self.bounds) for name in list_environments()]

    # ------------------------------------------------------------ new tables

    async def open(self, wanted: Any) -> dict[str, Any]:
        """Open a table.

        Args:
            wanted: ``env``; ``players``, for each seat ``human`` or an agent's name; ``options``, or ``position``, a saved one to
                begin with; ``seed``, where at most one person plays.

        Returns:
            ``links``: the secrets of the people's seats and of the place of who opened the table (``seat`` null).

        Raises:
            TableError: it is not possible; the message says why.
        """
        if not self._new.allows():
            raise TableError("too-many", f"at most {self.bounds.tables_per_minute:g} new tables per minute; try again soon")
        if not isinstance(wanted, dict) or any(key not in KEYS for key in wanted):
            raise TableError("bad-request", f"a table is an object with some of {', '.join(KEYS)}")
        if wanted.get("env") not in list_environments():
            raise TableError("bad-request", f"no environment {shown_in_message(wanted.get('env'))}")
        game = load_game(wanted["env"])
        names = wanted.get("players")
        if not isinstance(names, list) or len(names) > game.max_players:
            raise TableError("bad-request", f"players is a list of at most {game.max_players} names")
        players = [check_player(name, game, self.bounds) for name in names]
        agents = tuple(sorted({player for player in players if player != HUMAN}))
        try:
            await self.workers.prepare(Prepare(game, len(players), agents, any(map(searches, agents))))
            table = await asyncio.to_thread(new_table, game, wanted, players)
        except TableError:
            raise
        except (ValueError, TypeError, RuntimeError) as error:
            raise TableError("bad-request", str(error)) from None
        game_id, tokens = self.store.add(table)
        return {"game": game_id, "links": [{"seat": seat, "token": token} for seat, token in tokens.items()]}

    # ------------------------------------------------------------ coming and going

    async def enter(self, greeting: Any) -> tuple[TableSession, Connection]:
        """Let a connection in by its first message, which says whose it is: ``{"token": …, "theme": …}``.

        Raises:
            TableError: the secret opens nothing, or there are too many connections.
        """
        if self._connections >= self.bounds.connections:
            raise TableError("full", f"{self.bounds.connections} connections are open; try again later")
        if not isinstance(greeting, dict):
            raise TableError("bad-request", "the first message is an object with the token of a seat")
        place = self.store.find(greeting.get("token"))
        connection = Connection(place.seat, check_theme(greeting.get("theme", "light")), self.bounds)
        self._connections += 1
        try:
            session = await self._session(place)
            session.join(connection)
        except BaseException:
            self._connections -= 1
            raise
        return session, connection

    def leave(self, session: TableSession, connection: Connection) -> None:
        """Forget a connection that is gone."""
        self._connections -= 1
        session.leave(connection)

    async def _session(self, place: Place) -> TableSession:
        """The session of a table, opened again if need be."""
        lock = self._opening.setdefault(place.game, asyncio.Lock())
        try:
            async with lock:
                if place.game not in self._sessions:
                    table = await self._stored_table(place.game)
                    session = TableSession(place.game, table, self.store, self.workers, self.artists, self.bounds)
                    self._sessions[place.game] = session
                return self._sessions[place.game]
        finally:
            if not lock.locked():
                self._opening.pop(place.game, None)

    async def _stored_table(self, game_id: str) -> Table:
        """The table of a game of the store; raises TableError if it cannot be played here any more."""
        stored = self.store.read(game_id)
        if stored.env not in list_environments():
            raise TableError("store", f"this game was played in {stored.env}, which is not there any more")
        try:
            await self.workers.prepare(Prepare(load_game(stored.env), len(stored.players), (), False))
        except (ValueError, RuntimeError) as error:
            raise TableError("failed", f"{stored.env} cannot be played here: {error}") from None
        return await asyncio.to_thread(stored.table)


# ---------------------------------------------------------------- games and deals


def describe(game: Game, bounds: Bounds) -> dict[str, Any]:
    """A game for the form of new tables, as JSON."""
    return {
        "env": game.env_name,
        "title": game.title,
        "cooperative": game.cooperative,
        "options": [
            {
                "name": option.name,
                "meaning": option.meaning,
                "default": option.default,
                "values": option_values(option),
                "described": option.describe_values(),
            }
            for option in game.options
        ],
        "agents": offered_agents(game, bounds),
        "think_ms": bounds.think_ms,
    }


def option_values(option: Option) -> Any:
    """The values of an option as JSON: a list, or of many numbers an object with ``first`` and ``last``."""
    values = option.values
    if isinstance(values, range) and values.step == 1 and len(values) > MANY:
        return {"first": values.start, "last": values.stop - 1}
    return [list(value) if isinstance(value, tuple) else value for value in values]


def new_table(game: Game, wanted: Mapping[str, Any], players: list[str]) -> Table:
    """A new table with a saved position or a new deal; raises OptionError, SnapshotError or TableError if it cannot be."""
    loaded = wanted.get("position") is not None
    if loaded and (wanted.get("options") or wanted.get("seed") is not None):
        raise TableError("bad-request", "a saved position has its own options and needs no seed")
    states = game.from_snapshot(wanted["position"]) if loaded else dealt(game, wanted, players)
    return Table(game, save_position(game, states), players, loaded=loaded)


def dealt(game: Game, wanted: Mapping[str, Any], players: list[str]) -> Array:
    """A new deal."""
    options, seed = wanted.get("options", {}), wanted.get("seed")
    if not isinstance(options, dict):
        raise TableError("bad-request", "options is an object: name -> value")
    if seed is not None and players.count(HUMAN) > 1:
        raise TableError("bad-request", "who gives a seed knows the deal: it is for games with at most one person")
    if isinstance(seed, str) and seed.isdecimal():
        seed = int(seed)
    return deal(game, {**options, "num_players": len(players)}, seed)
