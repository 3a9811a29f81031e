"""All tables of a server: opening new ones, finding them again, and closing those where nobody is."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.checks import check_seed, shown_in_message
from dig_envs.engine.game import Game, Snapshot
from dig_envs.engine.positions import save_position
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.choosing import searches
from dig_envs.server.players import agents_of, check_player
from dig_envs.server.room import Guest, Room, check_theme
from dig_envs.server.store import Place, Store
from dig_envs.server.table import HUMAN, Table
from dig_envs.server.thinking import Preparation
from dig_envs.server.workers import Workers

SWEEP_SECONDS = 5.0  # between looks for tables where nobody is
KEYS = ("env", "options", "players", "seed", "position")
MINUTE = 60.0


class House:
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
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._new = Rate(bounds.tables_per_minute / MINUTE, burst=2 * bounds.tables_per_minute)
        self._guests = 0

    @property
    def num_rooms(self) -> int:
        """Tables that are in memory."""
        return len(self._rooms)

    async def close(self) -> None:
        """Stop all that goes on; the games are kept."""
        for room in self._rooms.values():
            await room.close()
        for workers in (self.workers, self.artists):
            await asyncio.to_thread(workers.close)
        self.store.close()

    async def sweep(self) -> None:
        """Close tables where nobody is and nothing goes on, again and again."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            for number in [number for number, room in self._rooms.items() if room.idle]:
                if number not in self._opening:
                    del self._rooms[number]

    # ------------------------------------------------------------ what there is

    def games(self) -> list[dict[str, Any]]:
        """What can be played: each game with its options and the agents for it."""
        return [self._about(load_game(name)) for name in list_environments()]

    def _about(self, game: Game) -> dict[str, Any]:
        return {
            "env": game.env_name,
            "title": game.title,
            "cooperative": game.cooperative,
            "options": [
                {
                    "name": option.name,
                    "meaning": option.meaning,
                    "default": option.default,
                    "values": option_values(option.values),
                    "described": option.describe_values(),
                }
                for option in game.options
            ],
            "agents": agents_of(game),
            "think_ms": self.bounds.think_ms,
        }

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
        search = any(searches(agent) for agent in agents)
        try:
            await self.workers.prepare(Preparation(game.env_name, len(players), agents, search))
            table = await asyncio.to_thread(begun, game, wanted, players)
        except TableError:
            raise
        except (ValueError, TypeError, RuntimeError) as error:
            raise TableError("bad-request", str(error)) from None
        number, tokens = self.store.add(table)
        return {"game": number, "links": [{"seat": seat, "token": token} for seat, token in tokens.items()]}

    # ------------------------------------------------------------ coming and going

    async def enter(self, greeting: Any) -> tuple[Room, Guest]:
        """A connection says whose it is: ``{"token": …, "theme": …}``.

        Raises:
            TableError: the secret opens nothing, or there are too many connections.
        """
        if self._guests >= self.bounds.connections:
            raise TableError("full", f"{self.bounds.connections} connections are open; try again later")
        if not isinstance(greeting, dict):
            raise TableError("bad-request", "the first message is an object with the token of a seat")
        place = self.store.find(greeting.get("token"))
        guest = Guest(place.seat, check_theme(greeting.get("theme", "light")), self.bounds)
        self._guests += 1
        try:
            room = await self._room(place)
            room.join(guest)
        except BaseException:
            self._guests -= 1
            raise
        return room, guest

    def leave(self, room: Room, guest: Guest) -> None:
        """A connection is gone."""
        self._guests -= 1
        room.leave(guest)

    async def _room(self, place: Place) -> Room:
        """The room of a table, opened again if need be."""
        lock = self._opening.setdefault(place.game, asyncio.Lock())
        try:
            async with lock:
                if place.game not in self._rooms:
                    kept = self.store.read(place.game)
                    if kept.env not in list_environments():
                        raise TableError("store", f"this game was played in {kept.env}, which is not there any more")
                    try:
                        await self.workers.prepare(Preparation(kept.env, len(kept.players), (), False))
                    except (ValueError, RuntimeError) as error:
                        raise TableError("failed", f"{kept.env} cannot be played here: {error}") from None
                    table = await asyncio.to_thread(kept.table)
                    self._rooms.setdefault(place.game, Room(place.game, table, self.store, self.workers, self.artists, self.bounds))
                return self._rooms[place.game]
        finally:
            if not lock.locked():
                self._opening.pop(place.game, None)


def begun(game: Game, wanted: Mapping[str, Any], players: list[str]) -> Table:
    """A new table; raises OptionError, SnapshotError or TableError if it cannot be."""
    if wanted.get("position") is not None:
        if wanted.get("options") or wanted.get("seed") is not None:
            raise TableError("bad-request", "a saved position has its own options and needs no seed")
        states = game.from_snapshot(wanted["position"])
        return Table(game, save_position(game, states), players, loaded=True)
    return Table(game, dealt(game, wanted, players), players)


def dealt(game: Game, wanted: Mapping[str, Any], players: list[str]) -> Snapshot:
    """A new deal."""
    options, seed = wanted.get("options", {}), wanted.get("seed")
    if not isinstance(options, dict):
        raise TableError("bad-request", "options is an object: name -> value")
    if seed is not None and players.count(HUMAN) > 1:
        raise TableError("bad-request", "who gives a seed knows the deal: it is for games with at most one person")
    env = RawAEC(game.env_name, **game.complete_options({**options, "num_players": len(players)}))
    env.reset(seed=None if seed is None else check_seed(int(seed) if isinstance(seed, str) and seed.isdecimal() else seed))
    return env.snapshot()


def option_values(values: Any) -> Any:
    """The values of an option as JSON: a list, or an object with ``first`` and ``last``."""
    if isinstance(values, range) and values.step == 1 and len(values) > 20:
        return {"first": values.start, "last": values.stop - 1}
    return [list(value) if isinstance(value, tuple) else value for value in values]
