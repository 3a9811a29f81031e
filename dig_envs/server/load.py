"""Many games at once on one server, to see how long answers take and whether its memory stays flat.

``python -m dig_envs.server.load --games 100 --minutes 10`` starts a server of its own, opens so many tables, and lets a person at
each of them play against an agent, one game after the other: a legal action, ``--pause`` seconds after the position is there.

``--attack NAME`` measures instead what others wait for while ``--attackers`` connections ask for too much (``attacks.py``), first
without them and then with them.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from dig_envs.registry import list_environments
from dig_envs.server.attacks import ATTACKS, Target, long_game, measure, prepare
from dig_envs.server.speed import Server

REPORTS = 10  # of the memory, in the time that it takes
SERVER = """
import sys
from pathlib import Path
from dig_envs.server.app import serve
from dig_envs.server.bounds import Bounds
serve("127.0.0.1", 0, Path(sys.argv[1]), (), Bounds(tables=10**6, tables_per_minute=10**6))
"""


@dataclass(frozen=True)
class Settings:
    """So many games side by side, for so long, against an agent; people think for ``pause`` seconds in the mean."""

    games: int
    minutes: float
    agent: str
    pause: float
    no_pictures: bool


@dataclass
class Seen:
    """Times, games, errors and memory while the games were played.

    ``answers``: seconds from an action to the next position, ``waits``: to the next own decision; ``memory``: seconds since the
    beginning, and MiB of the server and of its processes then.
    """

    answers: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    games: int = 0
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float, float]] = field(default_factory=list)


def open_table(url: str, env: str, agent: str) -> str:
    """Open a table for a person against an agent; returns the secret of the person's seat."""
    body = json.dumps({"env": env, "players": ["human", agent]}).encode()
    request = urllib.request.Request(f"{url}api/tables", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        links = json.load(answer)["links"]
    return str(next(link["token"] for link in links if link["seat"] == 0))


async def play(url: str, env: str, until: float, settings: Settings, seen: Seen, luck: random.Random) -> None:
    """Play games at one table after the other, until the time is up."""
    while time.monotonic() < until:
        token = await asyncio.to_thread(open_table, url, env, settings.agent)
        async with connect(url.replace("http", "ws") + "ws", origin=url.rstrip("/"), max_size=None) as socket:  # type: ignore[arg-type]
            await socket.send(json.dumps({"token": token, "theme": "" if settings.no_pictures else "light"}))
            await socket.send(json.dumps({"type": "pace", "delay": 0.0}))
            finished = await play_one(socket, until, settings.pause, seen, luck)
            seen.games += finished  # not before: others count meanwhile


async def play_one(socket: ClientConnection, until: float, pause: float, seen: Seen, luck: random.Random) -> bool:
    """Play a game; returns whether it came to its end in time."""
    asked, answered, done = 0.0, True, ""
    while time.monotonic() < until:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == "error":
            seen.errors.append(message["message"])
            return False
        if message["type"] != "position" or message["version"] == done:
            continue
        if not answered:
            seen.answers.append(time.monotonic() - asked)
            answered = True
        if asked and (message["legal"] or message["over"]):
            seen.waits.append(time.monotonic() - asked)
            asked = 0.0
        if message["over"]:
            return True
        if message["legal"]:
            await asyncio.sleep(2 * pause * luck.random())
            done, asked, answered = message["version"], time.monotonic(), False
            action = luck.choice(message["legal"])["action"]
            await socket.send(json.dumps({"type": "act", "action": action, "at": done}))
    return False


def resident(pid: int) -> float:
    """The memory of a process in MiB; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    try:
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]  # each thread has its own
    except OSError:
        return []
    return [int(child) for text in lists for child in text.split()]


async def watch(pid: int, seconds: float, seen: Seen) -> None:
    """Write down the server's memory now and then."""
    began = time.monotonic()
    while True:
        seen.memory.append((time.monotonic() - began, resident(pid), sum(map(resident, children(pid)))))
        await asyncio.sleep(seconds / REPORTS)


async def load(url: str, pid: int, settings: Settings) -> Seen:
    """Play side by side until the time is up."""
    seen, seconds, names = Seen(), 60 * settings.minutes, list_environments()
    for env in names:  # compiled, and in memory
        await asyncio.to_thread(open_table, url, env, settings.agent)
    until = time.monotonic() + seconds
    watching = asyncio.create_task(watch(pid, seconds, seen))
    tables = [play(url, names[i % len(names)], until, settings, seen, random.Random(i)) for i in range(settings.games)]
    await asyncio.gather(*tables)
    watching.cancel()
    return seen


def report(settings: Settings, seen: Seen) -> None:
    """Print all that was seen."""
    rate = len(seen.waits) / (60 * settings.minutes)
    print(
        f"{settings.games} games at once for {settings.minutes:g} min against {settings.agent}: {seen.games} to their end, ", end=""
    )
    print(f"{len(seen.waits)} decisions, {rate:.0f} per second, {len(seen.errors)} errors {sorted(set(seen.errors))[:3]}")
    for event, took in (("answer", seen.answers), ("own decision", seen.waits)):
        middle, late, worst = np.percentile(1000 * np.array(took or [np.nan]), [50, 95, 100])
        print(f"from an action to the next {event}: median {middle:.0f} ms, 95 % within {late:.0f} ms, longest {worst:.0f} ms")
    for seconds, own, others in seen.memory:
        print(f"after {seconds:5.0f} s: server {own:.0f} MiB, its processes {others:.0f} MiB")


def attack(target: Target, name: str, attackers: int, rate: float, seconds: float) -> None:
    """Measure what others wait for, without an attack and with it, and print it."""
    prepare(target.url)
    waits, _ = asyncio.run(measure(target, "", 0, rate, seconds))
    print(f"nobody else, {seconds:g} s; others wait for", *waits.lines(), sep="\n")
    waits, ended = asyncio.run(measure(target, name, attackers, rate, seconds))
    print(
        f"{attackers} times {name}, {rate:g} a second, a game of {target.moves} moves, {seconds:g} s; others wait for",
        *waits.lines(),
        sep="\n",
    )
    if ended:
        print(f"  {len(ended)} attackers were sent away: {sorted(set(ended))[:3]}")


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", type=int, default=100)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--agent", default="heuristic", help="agent that plays against the people, such as search:50ms")
    options.add_argument("--pause", type=float, default=0.0, help="mean seconds that a person thinks")
    options.add_argument("--no-pictures", action="store_true", help="ask for no pictures, as a program would")
    options.add_argument("--attack", choices=sorted(ATTACKS), help="attack half of the time, and measure how long others wait")
    options.add_argument("--attackers", type=int, default=8, help="connections that attack")
    options.add_argument("--rate", type=float, default=40.0, help="messages per second of each of them")
    given = vars(options.parse_args())
    name, attackers, rate = given.pop("attack"), given.pop("attackers"), given.pop("rate")
    settings = Settings(**given)
    command = [sys.executable, "-c", SERVER]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        token, moves = long_game(path) if name else ("", 0)
        with closing(Server([*command, str(path)])) as server:
            if name:
                attack(Target(server.url, token, moves), name, attackers, rate, 30 * settings.minutes)
                return
            report(settings, asyncio.run(load(server.url, server.process.pid, settings)))


if __name__ == "__main__":
    main()
