"""Attacks on a server, for ``python -m dig_envs.server.load --attack NAME``: how long others wait meanwhile."""

import asyncio
import contextlib
import json
import multiprocessing
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from dig_envs.registry import load_game
from dig_envs.server.bounds import Bounds
from dig_envs.server.protocol.positions import deal
from dig_envs.server.table.lobby import new_table
from dig_envs.server.table.store import Store
from dig_envs.server.table.table import HUMAN

LONG = "dino_dig_v0"  # a game of thousands of moves, with players that move at random
QUIET = "go_dig_v0"  # the game that the others play
BETWEEN = 0.05  # seconds between two things that one of the others does
OTHERS = 4  # of each kind


@dataclass
class Waits:
    """Seconds that others have waited, by what for, and how often they were sent away."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    refused: int = 0

    @contextlib.contextmanager
    def measured(self, what: str) -> Iterator[None]:
        """Measure what is done meanwhile."""
        began = time.monotonic()
        yield
        self.seconds.setdefault(what, []).append(time.monotonic() - began)

    def lines(self) -> Iterator[str]:
        """Median, 95 % and the longest, in milliseconds."""
        if self.refused:
            yield f"  they were sent away {self.refused} times"
        for what, took in sorted(self.seconds.items()):
            middle, late, worst = np.percentile(1000 * np.array(took), [50, 95, 100])
            yield f"  {what}: median {middle:.0f} ms, 95 % within {late:.0f} ms, longest {worst:.0f} ms ({len(took)} times)"


@dataclass(frozen=True)
class Target:
    """The target of attacks: the server at ``url``, with a long game that is over, the secret of a seat in it, and its moves."""

    url: str
    token: str
    moves: int

    @property
    def socket(self) -> str:
        """The address for WebSockets."""
        return self.url.replace("http", "ws")

    def sit(self, token: str) -> Any:
        """A connection to a table, on which the token has still to be sent."""
        return connect(f"{self.socket}ws", origin=self.url.rstrip("/"), max_size=None)  # type: ignore[arg-type]


def long_game(path: Path) -> tuple[str, int]:
    """Put a long game that is over into a new file of games; returns the secret of a seat, and how many moves it had."""
    game, luck = load_game(LONG), np.random.default_rng(1)
    options = {option.name: option.values[-1] for option in game.options if option.name == "max_turns"}
    table = new_table(game, {"options": options, "seed": 1}, [HUMAN, "random"])
    while not table.over:
        seat = table.to_act()[0]
        table.act(seat, int(luck.choice(table.legal(seat))))
    store = Store(path, Bounds())
    game_id, tokens = store.add(table)
    store.rewrite(game_id, table)
    store.close()
    return tokens[0], len(table.moves)


# ---------------------------------------------------------------- others


def fetch(url: str) -> None:
    """Load a file of the page."""
    with urllib.request.urlopen(f"{url}page/main.js", timeout=600) as answer:
        answer.read()


def ask(url: str, method: str) -> None:
    """Ask a question at /rpc."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}rpc", body), timeout=600) as answer:
        answer.read()


def open_table(url: str, env: str, players: list[str]) -> dict[int | None, str]:
    """Open a table; returns the secrets of its places, by seat."""
    body = json.dumps({"env": env, "players": players}).encode()
    request = urllib.request.Request(f"{url}api/tables", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return {link["seat"]: link["token"] for link in json.load(answer)["links"]}


async def again(one: Callable[[Target, Waits], Awaitable[None]], target: Target, waits: Waits) -> None:
    """Do something again and again, also after having been sent away."""
    while True:
        try:
            await one(target, waits)
        except (OSError, WebSocketException):
            waits.refused += 1
            await asyncio.sleep(BETWEEN)


async def visit(target: Target, waits: Waits) -> None:
    """Load the page and ask a question."""
    with waits.measured("a file of the page"):
        await asyncio.to_thread(fetch, target.url)
    with waits.measured("hello at /rpc"):
        await asyncio.to_thread(ask, target.url, "hello")
    await asyncio.sleep(BETWEEN)


async def play(target: Target, waits: Waits) -> None:
    """Play a game against the scripted player, which moves at once, with pictures."""
    tokens = await asyncio.to_thread(open_table, target.url, QUIET, [HUMAN, "heuristic"])
    async with target.sit(tokens[0]) as socket:
        await socket.send(json.dumps({"token": tokens[0], "theme": "light"}))
        await socket.send(json.dumps({"type": "pace", "delay": 0.0}))
        position = await next_position(socket, partial(is_next, ""))
        while not position["over"]:
            act = {"type": "act", "action": position["legal"][0]["action"], "at": position["version"]}
            with waits.measured("from an action to the next own decision"):
                await socket.send(json.dumps(act))
                position = await next_position(socket, partial(is_next, position["version"]))
            await asyncio.sleep(BETWEEN)


def is_next(version: str, position: dict[str, Any]) -> bool:
    """Whether a position is another one than that of a version, with something to do, or the last."""
    return bool(position["version"] != version and (position["legal"] or position["over"]))


async def next_position(socket: ClientConnection, good: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The next position that is good."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == "position" and good(message):
            return message


# ---------------------------------------------------------------- attackers


async def flood(target: Target, rate: float, message: Callable[[int], dict[str, Any]]) -> None:
    """Send so many messages a second to the table of the long game over one connection, and read all answers."""
    async with target.sit(target.token) as socket:
        await socket.send(json.dumps({"token": target.token, "theme": "light"}))
        reading = asyncio.create_task(drain(socket))
        try:
            for number in range(10**9):
                await socket.send(json.dumps(message(number)))
                await asyncio.sleep(1 / rate)
        finally:
            reading.cancel()


async def drain(socket: ClientConnection) -> None:
    """Read what comes, and forget it."""
    with contextlib.suppress(ConnectionClosed):
        async for _ in socket:
            pass


async def replays(target: Target, rate: float) -> None:
    """Ask for moves of the long game all over it."""
    await flood(target, rate, lambda number: {"type": "replay", "moves": target.moves - number % 100, "seat": number % 2})


async def saves(target: Target, rate: float) -> None:
    """Save the long game."""
    await flood(target, rate, lambda number: {"type": "save"})


async def themes(target: Target, rate: float) -> None:
    """Have the position drawn in the other colours."""
    await flood(target, rate, lambda number: {"type": "theme", "theme": ("light", "dark")[number % 2]})


async def reloads(target: Target, rate: float) -> None:
    """Connect, be told everything, and leave."""
    while True:
        async with target.sit(target.token) as socket:
            await socket.send(json.dumps({"token": target.token, "theme": "light"}))
            await asyncio.wait_for(socket.recv(), 60)
        await asyncio.sleep(1 / rate)


async def searches(target: Target, rate: float) -> None:
    """Let two agents that search for as long as they may play at a table of their own."""
    agent = f"search:{Bounds().think_ms}ms"
    tokens = await asyncio.to_thread(open_table, target.url, QUIET, [agent, agent])
    async with target.sit(tokens[None]) as socket:
        await socket.send(json.dumps({"token": tokens[None], "theme": ""}))
        await socket.send(json.dumps({"type": "pace", "delay": 0.0, "paused": False}))
        await drain(socket)


async def lists(target: Target, rate: float) -> None:
    """Ask at /rpc for a list of a hundred searches, leave, and ask again."""
    game = load_game(QUIET)
    snapshot = game.to_snapshot(deal(game, {}, 1)[0])
    params = {"environment": QUIET, "snapshot": snapshot, "agent": "search", "budget": {"ms": Bounds().think_ms}}
    text = json.dumps([{"jsonrpc": "2.0", "id": number, "method": "choose", "params": params} for number in range(100)])
    while True:
        with contextlib.suppress(ConnectionClosed, TimeoutError):
            async with connect(f"{target.socket}rpc", max_size=None) as socket:
                await socket.send(text)
                await asyncio.wait_for(socket.recv(), 10)
        await asyncio.sleep(1 / rate)


async def pictures(target: Target, rate: float) -> None:
    """Ask at /rpc for lists of a hundred pictures."""
    game = load_game(QUIET)
    params = {"environment": QUIET, "snapshot": game.to_snapshot(deal(game, {}, 1)[0])}
    text = json.dumps([{"jsonrpc": "2.0", "id": number, "method": "picture", "params": params} for number in range(100)])
    while True:
        with contextlib.suppress(ConnectionClosed):
            async with connect(f"{target.socket}rpc", max_size=None) as socket:
                while True:
                    await socket.send(text)
                    await socket.recv()


async def halves(target: Target, rate: float) -> None:
    """Begin requests at /rpc and never end them: headers without an end, and bodies."""
    host, port = target.url.removeprefix("http://").rstrip("/").split(":")
    beginnings = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
    )
    held = []
    with contextlib.suppress(OSError):
        for number in range(300):
            _, writer = await asyncio.open_connection(host, int(port))
            held.append(writer)
            writer.write(beginnings[number % 2])
            await asyncio.sleep(1 / rate)
    await asyncio.Event().wait()


Attack = Callable[[Target, float], Awaitable[None]]
ATTACKS: dict[str, Attack] = {
    attack.__name__: attack for attack in (replays, saves, themes, reloads, searches, lists, pictures, halves)
}


async def measure(target: Target, attack: str, attackers: int, rate: float, seconds: float) -> tuple[Waits, list[str]]:
    """Return how long others wait while a process of its own attacks (empty: none), and what ended attackers, if any."""
    waits, context = Waits(), multiprocessing.get_context("spawn")
    ended, theirs = context.Pipe(duplex=False)
    attacking = context.Process(target=attack_together, args=(target, attack, attackers, rate, theirs), daemon=True)
    if attack:
        attacking.start()
        await asyncio.to_thread(ended.recv)  # it is under way
    others = [asyncio.create_task(again(one, target, waits)) for one in (visit, play) for _ in range(OTHERS)]
    await asyncio.wait(others, timeout=seconds)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if attack:
        attacking.kill()
        attacking.join()
    reasons = []
    while ended.poll():
        reasons.append(str(ended.recv()))
    return waits, reasons


def attack_together(target: Target, attack: str, attackers: int, rate: float, told: Any) -> None:
    """Attack over so many connections; tells that it is under way, and then why attackers were sent away."""

    async def all_of_it() -> None:
        attacking = [asyncio.create_task(attacked(ATTACKS[attack], target, rate)) for _ in range(attackers)]
        await asyncio.sleep(2.0)
        told.send("")
        for ended in asyncio.as_completed(attacking):
            told.send(await ended)
        await asyncio.Event().wait()

    asyncio.run(all_of_it())


async def attacked(attack: Attack, target: Target, rate: float) -> str:
    """Attack until the server has closed the connection; returns why it ended."""
    try:
        await attack(target, rate)
    except (OSError, WebSocketException) as error:
        return f"{type(error).__name__}: {error}"
    return "it ended"


def prepare(url: str) -> None:
    """Have all games compiled that are played, and a search."""
    for players in ([HUMAN, "heuristic"], [HUMAN, "search:10ms"]):
        open_table(url, QUIET, players)
