"""How fast a server answers: one program, many games at once, and others during an attack.

    python -m tests.server.load speed
    python -m tests.server.load games --games 100 --minutes 10 --pause 2
    python -m tests.server.load --attack replays

Each starts a server of its own. ``games`` also prints the server's memory. ``--attack`` prints what
others wait for before and during an attack by 31 connections, each at a table of its own where a
game of The Big Dig, the game whose positions cost most to compute, is over.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from dig_envs.server.bounds import Bounds
from dig_envs.server.table.store import Store
from dig_envs.server.table.table import HUMAN
from dig_envs.text.markdown import markdown_table
from tests.server.asking import Caller, Server, engine, post, serve_command, web_socket
from tests.server.tables import played, table_of

QUIET = "go_dig_v0"  # the game of everybody else
HEAVY = "the_big_dig_v0"  # the game of the attackers
ATTACKERS = 31
EACH = 18.0  # messages a second of an attacker: as many as are answered without a pause
BETWEEN = 0.05  # seconds until who was sent away tries again
REPORTS = 10  # of the memory


# ---------------------------------------------------------------- one program


def rate(run: Callable[[], object], seconds: float) -> float:
    """How often a second something can be done."""
    run()  # what has to be compiled or loaded
    times, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        run()
        times += 1
    return times / passed


def speed_of(client: Caller, seconds: float) -> dict[str, float]:
    """Round trips a second, by the question."""
    game = client.call("new", environment=QUIET, seed=1)["game"]
    position = {"environment": QUIET, "snapshot": client.call("save", game=game)}
    action = client.call("legal", game=game)[0]["action"]

    def play() -> None:
        client.call("act", game=game, action=action)
        client.call("undo", game=game)

    def choose() -> None:
        client.call("choose", **position, agent="heuristic")

    return {
        "`hello`": rate(lambda: client.call("hello"), seconds),
        "`legal`": rate(lambda: client.call("legal", game=game), seconds),
        "`view`": rate(lambda: client.call("view", game=game, seat=0), seconds),
        "`act`, `undo`": 2 * rate(play, seconds),
        "`choose` by `heuristic`": rate(choose, seconds),
    }


def speed(seconds: float) -> dict[str, dict[str, float]]:
    """Round trips a second, by the way to ask and by the question."""
    with closing(Server(serve_command(None))) as server:
        ways = {
            "standard input and output": engine(),
            "WebSocket": web_socket(server.host),
            "POST": post(server.host),
        }
        found = {}
        for way, opened in ways.items():
            with opened as client:
                found[way] = speed_of(client, seconds)
    return found


# ---------------------------------------------------------------- many at once


@dataclass
class Waits:
    """Seconds that people waited, by what for; refusals; how many games they finished."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    games: int = 0

    @contextmanager
    def measured(self, what: str) -> Iterator[None]:
        """Measure what is done meanwhile."""
        began = time.monotonic()
        try:
            yield
        finally:  # also of who waits still when the measurement ends
            self.seconds.setdefault(what, []).append(time.monotonic() - began)

    def report(self) -> None:
        """Print the waits in milliseconds."""
        print(f"{self.games} games to their end, refused: {dict(self.refused)}")
        for what, took in sorted(self.seconds.items()):
            middle, late, worst = np.percentile(1000 * np.array(took), [50, 95, 100])
            spread = f"median {middle:.0f} ms, 95 % within {late:.0f} ms, longest {worst:.0f} ms"
            print(f"  {what}: {spread} ({len(took)} times)")


def fetch(url: str, content: Any = None) -> bytes:
    """The answer to a GET request, or to a POST request with JSON."""
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        raise ConnectionError(f"{error.code}: {error.read().decode()}") from None


def open_table(url: str, env: str, players: list[str]) -> str:
    """Open a table; returns the secret of the first person's seat, or of whoever watches agents."""
    links = json.loads(fetch(f"{url}api/tables", {"env": env, "players": players}))["links"]
    return str(links[0]["token"])


def sit(url: str, path: str = "ws") -> Any:
    """A WebSocket to the server."""
    origin: Any = url.rstrip("/")
    return connect(f"{url.replace('http', 'ws')}{path}", origin=origin, max_size=None)


async def play(url: str, env: str, agent: str, pause: float, waits: Waits) -> None:
    """Play a game against an agent, with pictures: random actions, ``pause`` seconds apart."""
    token = await asyncio.to_thread(open_table, url, env, [HUMAN, agent])
    async with sit(url) as socket:
        await socket.send(json.dumps({"token": token, "theme": "light"}))
        await socket.send(json.dumps({"type": "pace", "delay": 0.0}))
        position = await next_position(socket, "")
        while not position["over"]:
            await asyncio.sleep(2 * pause * random.random())
            act = {
                "type": "act",
                "action": random.choice(position["legal"])["action"],
                "at": position["version"],
            }
            with waits.measured("from an action to the next own decision"):
                await socket.send(json.dumps(act))
                position = await next_position(socket, position["version"])
    waits.games += 1


async def next_position(socket: Any, version: str) -> dict[str, Any]:
    """The next position after a version in which there is something to decide, or the last."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == "error":
            raise ConnectionError(message["message"])
        if message.get("trouble"):
            raise ConnectionError(message["trouble"])
        new = message["type"] == "position" and message["version"] != version
        if new and (message["legal"] or message["over"]):
            return message


async def together(people: Sequence[Callable[[Waits], Awaitable[None]]], seconds: float) -> Waits:
    """What people wait for who do something again and again, also after having been sent away."""
    waits = Waits()

    async def again(one: Callable[[Waits], Awaitable[None]]) -> None:
        while True:
            try:
                await one(waits)
            except (OSError, WebSocketException) as error:
                waits.refused[f"{type(error).__name__}: {error}"] += 1
                await asyncio.sleep(BETWEEN)

    tasks = [asyncio.create_task(again(one)) for one in people]
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return waits


def memory(pid: int) -> float:
    """MiB that a process and its children hold; 0 where the system does not say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        threads = Path(f"/proc/{pid}/task").glob("*/children")
        children = [path.read_text().split() for path in threads]
    except OSError:
        return 0.0
    own = next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)
    return own + sum(memory(int(child)) for each in children for child in each)


async def games(server: Server, count: int, agent: str, pause: float, seconds: float) -> None:
    """Play so many games side by side, and print what people waited for and the server's memory."""
    names = [game["env"] for game in json.loads(fetch(f"{server.url}api/games"))]
    for env in names:  # compiled, and in memory
        await asyncio.to_thread(open_table, server.url, env, [HUMAN, agent])
    people = [partial(play, server.url, names[i % len(names)], agent, pause) for i in range(count)]
    playing = asyncio.create_task(together(people, seconds))
    for report in range(REPORTS):
        print(
            f"after {report * seconds / REPORTS:.0f} s: {memory(server.process.pid):.0f} MiB",
            flush=True,
        )
        await asyncio.sleep(seconds / REPORTS)
    (await playing).report()


# ---------------------------------------------------------------- during an attack


def number_of_move(count: int) -> int:
    """A move of a game of so many, to which the server has to play on the most others."""
    return random.choice([move for move in range(count + 1) if move % 32 >= 26])


# What an attacker sends again and again, by the name of the attack, at a game of so many moves.
ATTACKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "replays": lambda moves: {"type": "replay", "moves": number_of_move(moves), "seat": None},
    "searches": lambda moves: {"type": "analyse", "moves": number_of_move(moves) - 1, "ms": 1},
    "pictures": lambda _: {"type": "theme", "theme": random.choice(["light", "dark"])},
    "names": lambda _: {"type": "name", "name": f"{random.random():.9f}"},
    "positions": lambda _: {"type": "save"},
    "nonsense": lambda _: {"type": "replay", "moves": "many"},
}


def finished_games(path: Path, count: int) -> tuple[list[str], int]:
    """Write so many games that are over to a file; returns secrets of their seats and the moves of
    one."""
    store = Store(path, Bounds(tables=10**6))
    table, tokens = played(table_of(HEAVY), 10**6), []
    for _ in range(count):
        game_id, places = store.add(table)
        store.rewrite(game_id, table)
        tokens.append(places[0])
    store.close()
    return tokens, len(table.moves)


async def attack(url: str, token: str, kind: str, moves: int, there: Any) -> None:
    """Release a semaphore, then send the messages of an attack, and take the answers, until
    cancelled."""

    async def take(socket: Any) -> None:
        async for _ in socket:
            pass

    async with sit(url) as socket:
        await socket.send(json.dumps({"token": token, "theme": "light"}))
        await next_position(socket, "")
        there.release()
        taking = asyncio.create_task(take(socket))
        while not taking.done():
            await socket.send(json.dumps(ATTACKS[kind](moves)))
            await asyncio.sleep(1 / EACH)


def attackers(url: str, tokens: list[str], kind: str, moves: int, there: Any) -> None:
    """Attack, in a process of its own, until it is ended."""

    async def all_of_them() -> None:
        people = [lambda _, token=token: attack(url, token, kind, moves, there) for token in tokens]
        await together(people, 10**6)

    asyncio.run(all_of_them())


async def look(url: str, waits: Waits) -> None:
    """Get the page, and ask a question of a program."""
    with waits.measured("the page"):
        await asyncio.to_thread(fetch, url)
    with waits.measured("`hello` of a program"):
        content = {"jsonrpc": "2.0", "id": 1, "method": "hello"}
        await asyncio.to_thread(fetch, f"{url}rpc", content)
    await asyncio.sleep(BETWEEN)


async def attacked(
    server: Server, tokens: list[str], kind: str, moves: int, seconds: float
) -> None:
    """Print what others wait for, before and during an attack."""
    people = [partial(look, server.url), *[partial(play, server.url, QUIET, "heuristic", 0.1)] * 4]
    await together(people, seconds / 2)  # compiled, and in memory
    (await together(people, seconds / 2)).report()
    context = multiprocessing.get_context("spawn")
    there, asked = context.Semaphore(0), (server.url, tokens, kind, moves)
    process = context.Process(target=attackers, args=(*asked, there), daemon=True)
    process.start()
    for _ in tokens:
        await asyncio.to_thread(there.acquire)
    print(f"attack: {kind}, {len(tokens)} connections, memory {memory(server.process.pid):.0f} MiB")
    (await together(people, seconds)).report()
    process.kill()
    waits = Waits()
    await look(server.url, waits)
    print("after the attack")
    waits.report()


def main(words: list[str] | None = None) -> None:
    """The command."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("kind", nargs="?", choices=("speed", "games"), default="games")
    parser.add_argument("--attack", choices=ATTACKS, help="what others wait for meanwhile")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each question of `speed`")
    parser.add_argument("--minutes", type=float, default=0.5, help="of games, and of an attack")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--agent", default="heuristic", help="such as search:50ms")
    parser.add_argument("--pause", type=float, default=0.2, help="mean seconds of thinking")
    given = parser.parse_args(words)
    if given.kind == "speed":
        table = speed(given.seconds)
        asked = next(iter(table.values()))
        rows = [(name, *(f"{rates[name]:.0f}" for rates in table.values())) for name in asked]
        print(markdown_table(("asked", *table), rows))
        return
    with tempfile.TemporaryDirectory() as folder:
        path, seconds = Path(folder) / "games.sqlite", 60 * given.minutes
        tokens, moves = finished_games(path, ATTACKERS) if given.attack else ([], 0)
        with closing(Server(serve_command(path, tables=10**6, tables_per_minute=10**6))) as server:
            if given.attack:
                asyncio.run(attacked(server, tokens, given.attack, moves, seconds))
            else:
                asyncio.run(games(server, given.games, given.agent, given.pause, seconds))


if __name__ == "__main__":
    main()
