"""Tables for the tests, and people who sit at them without a browser."""

import asyncio
import json
import multiprocessing
import threading
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from starlette.testclient import TestClient

from dig_envs.adapters.aec import RawAEC
from dig_envs.server.app import make_app
from dig_envs.server.bounds import Bounds
from dig_envs.server.table.connection import Connection
from dig_envs.server.table.session import TableSession
from dig_envs.server.table.store import Store
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.server.thinking import carry_out, draw, serve_tasks
from dig_envs.server.workers import Worker

ADDRESS = "http://127.0.0.1"
ORIGIN = {"origin": ADDRESS}
SOCKET = "ws://127.0.0.1/ws"
BOUNDS = Bounds(workers=1, tables_per_minute=6000)

# Options that keep a game short, where an option does.
SHORT = {
    "diggity_v0": {"gold_cards": 2},
    "dino_dig_v0": {"max_turns": 3},
    "fossil_canyon_v0": {"max_turns": 2},
    "fossil_memory_v0": {"max_turns": 8},
    "go_dig_v0": {"max_turns": 12},
    "oak_island_v0": {"max_rounds": 1},
    "oak_island_v1": {"max_rounds": 1},
    "the_big_dig_v0": {"turns": 1},
    "twenty_questions_v0": {"questions": 6},
}


def table_of(name, players=None, seed=3, **options):
    """A new table; everybody is a person unless said otherwise."""
    env = RawAEC(name, **({"num_players": len(players)} if players else {}), **options)
    env.reset(seed=seed)
    return Table(env.game, env.snapshot(), players or [HUMAN] * env.num_seats)


def scripted(table, seat):
    """The scripted player's action in a seat."""
    seats, actions = np.array([seat], np.int64), np.zeros(1, np.int64)
    table.game.kernels.heuristic_actions(table.world(seat), 0, 1, seats, actions)
    return int(actions[0])


def play_on(table, moves, order=None):
    """So many moves of scripted players (or until the end), by whichever seat ``order`` (a
    generator) draws; yields before each."""
    for _ in range(moves):
        if table.over:
            return
        seats = table.to_act()
        seat = seats[0] if order is None else int(order.choice(seats))
        yield seat
        table.act(seat, scripted(table, seat))


def played(table, moves, order=None):
    """The table after so many moves of scripted players."""
    for _ in play_on(table, moves, order):
        pass
    return table


def until_decides(table, seat):
    """The table after the first legal actions of the others, when it is this seat's decision
    alone."""
    while table.deciding != [seat]:
        other = table.deciding[0]
        table.act(other, table.legal(other)[0])
    return table


class Silent:
    """Workers that never decide, and draw at once."""

    async def think(self, task, client=None, seconds=0.0):
        await asyncio.Event().wait()

    async def advise(self, task, client=None, seconds=0.0):
        await asyncio.Event().wait()

    async def draw(self, task, client=None, again=False):
        return draw(task)

    async def look(self, task, client=None):
        return carry_out(task, {})

    async def replay(self, task, client=None):
        return carry_out(task, {})

    async def prepare(self, task):
        pass


def session_of(table, workers=None):
    """The session of a table, kept in memory."""
    store = Store(None, BOUNDS)
    game_id, _ = store.add(table)
    return TableSession(game_id, table, store, workers or Silent(), Silent(), BOUNDS)


def found_scores(session):
    """Find where the scores come from, which is done in a thread otherwise."""
    if session.table.over:
        session.table.scoring()


def connected(session, seat, theme=""):
    """A connection to a table, which has been told everything."""
    connection = Connection(seat, theme, BOUNDS)
    session.connections.add(connection)
    found_scores(session)
    at_once(session.due(connection))
    return connection


def at_once(coroutine):
    """The result of a coroutine that waits for nothing, in an event loop or not."""
    with pytest.raises(StopIteration) as end:
        coroutine.send(None)
    return end.value.value


def position_of(session, connection):
    """The message that tells a connection the position now."""
    found_scores(session)
    return at_once(session._position(connection))


class InThread(Worker):
    """Thinks in a thread of this process, which is there at once."""

    pid = None

    def _start(self):
        if self._process is None:
            self._pipe, theirs = multiprocessing.Pipe()
            self._process = threading.Thread(target=serve_tasks, args=(theirs,), daemon=True)
            self._process.start()

    def end(self):
        if self._process is not None:
            self._pipe.close()
        self._process = self._pipe = None


@contextmanager
def serving(games=None, bounds=BOUNDS, worker=Worker):
    """A client of a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dig_envs.server.workers.Worker", worker)
        app = make_app(games, bounds)
        with TestClient(app, base_url=ADDRESS) as client:
            yield client


def opened(client, env, players, **more):
    """Open a table; seat -> secret."""
    answer = client.post("/api/tables", json={"env": env, "players": players, **more})
    assert answer.status_code == 200, answer.text
    return {link["seat"]: link["token"] for link in answer.json()["links"]}


class Player:
    """Somebody at a table, over a WebSocket; pictures are not wanted."""

    def __init__(self, client, token):
        self._context = client.websocket_connect(SOCKET, headers=ORIGIN)
        self.socket = self._context.__enter__()
        self.heard = []
        self.position = {}
        self.log = []
        self.send({"token": token, "theme": ""})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with suppress(CancelledError):  # the client does not wait until the server has noticed
            self._context.__exit__(*error)

    def send(self, message):
        self.socket.send_text(message if isinstance(message, str) else json.dumps(message))

    def next(self):
        """The next message."""
        message = self.socket.receive_json()
        self.heard.append(message)
        if message["type"] == "position":
            self.position = message
        elif message["type"] == "log":
            self.log[message["from"] :] = message["lines"]
        return message

    def until(self, kind, good=lambda message: True):
        """The next message of a kind that is good."""
        while True:
            message = self.next()
            if message["type"] == kind and good(message):
                return message

    def asked(self, kind, **more):
        """The answer to a message, which is of the same kind unless ``kind`` ends otherwise, such
        as ``save``."""
        self.send({"type": kind, **more})
        return self.until({"save": "saved"}.get(kind, kind))

    def refused(self, message):
        """Send something that is refused; the error's code."""
        self.send(message)
        return self.until("error")["code"]

    def act(self):
        """Play the first legal action, if there is one, and wait for another position."""
        before = self.position["version"]
        if self.position["legal"]:
            self.send({"type": "act", "action": self.position["legal"][0]["action"], "at": before})
        return self.until("position", lambda later: later["version"] != before)
