"""How fast a server answers: one program, and many games at once.

    python -m tests.server.load speed
    python -m tests.server.load games --games 100 --minutes 10 --pause 2

Each starts a server of its own. ``games`` also prints the server's memory.
"""

import argparse
import asyncio
import json
import random
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

from dig_envs.server.table.table import HUMAN
from dig_envs.text.markdown import markdown_table
from tests.server.asking import Caller, Server, engine, post, serve_command, web_socket

GAME = "go_dig_v0"
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
    game = client.call("new", environment=GAME, seed=1)["game"]
    position = {"environment": GAME, "snapshot": client.call("save", game=game)}
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


def main(words: list[str] | None = None) -> None:
    """The command."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("kind", nargs="?", choices=("speed", "games"), default="games")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each question of `speed`")
    parser.add_argument("--minutes", type=float, default=0.5, help="of games")
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
    with closing(Server(serve_command(None, tables=10**6, tables_per_minute=10**6))) as server:
        asyncio.run(games(server, given.games, given.agent, given.pause, 60 * given.minutes))


if __name__ == "__main__":
    main()
