"""How many questions a second are answered, over standard input and output, a WebSocket and HTTP POST.

``python -m dig_envs.server.speed`` starts an engine and a server of its own and asks one question after the other.
"""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from typing import Any

from websockets.sync.client import connect

from dig_envs.server.protocol.rpc import RpcError
from dig_envs.text.markdown import markdown_table

ENVIRONMENT = "go_dig_v0"
SECONDS = 2.0  # for each measurement
COMMAND = (sys.executable, "-m", "dig_envs.commands.main")
SERVE = (*COMMAND, "serve", "--port", "0", "--memory")
Ask = Callable[[str], str | bytes]  # sends a message, returns the answer


class Client:
    """Calls methods of the protocol by name."""

    def __init__(self, ask: Ask) -> None:
        self._ask, self._numbers = ask, count(1)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; raises RpcError."""
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        answer = json.loads(self._ask(json.dumps(message)))
        if "error" in answer:
            error = answer["error"]
            raise RpcError(error["code"], error["message"], error.get("data", {}).get("type", ""))
        return answer["result"]


@contextmanager
def engine() -> Iterator[Client]:
    """A ``dig-envs engine`` in a process of its own; raises CalledProcessError at the end unless all was well."""
    process = subprocess.Popen([*COMMAND, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    sent, received = process.stdin, process.stdout

    def ask(text: str) -> bytes:
        sent.write(text.encode() + b"\n")
        sent.flush()
        return received.readline()

    try:
        yield Client(ask)
    finally:
        process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)


@contextmanager
def web_socket(host: str) -> Iterator[Client]:
    """A WebSocket to a server."""
    with connect(f"ws://{host}/rpc", max_size=None) as socket:

        def ask(text: str) -> str | bytes:
            socket.send(text)
            return socket.recv()

        yield Client(ask)


@contextmanager
def post(host: str) -> Iterator[Client]:
    """HTTP POST to a server, over one connection."""
    with closing(http.client.HTTPConnection(host)) as connection:

        def ask(text: str) -> bytes:
            connection.request("POST", "/rpc", text.encode(), {"Content-Type": "application/json"})
            return connection.getresponse().read()

        yield Client(ask)


class Server:
    """A server of tables in a process of its own. ``url``: its address; ``host``: that of the machine, with the port.

    Args:
        command: that begins it, and prints its address first; default: ``dig-envs serve`` with its games in memory.
    """

    def __init__(self, command: Sequence[str] = SERVE) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self._output = self.process.stdout
        self.url = self._output.readline().split()[0]
        self.host = self.url.removeprefix("http://").rstrip("/")

    def close(self) -> None:
        """Stop it, if it still runs."""
        self.process.terminate()
        self.process.wait()
        self._output.close()


def rate(run: Callable[[], object], seconds: float) -> float:
    """Return how often a second something can be done."""
    run()  # what has to be compiled or loaded
    times, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        run()
        times += 1
    return times / passed


def measure(client: Client, seconds: float) -> dict[str, float]:
    """Round trips a second, by the question."""
    game = client.call("new", environment=ENVIRONMENT, seed=1)["game"]
    position = {"environment": ENVIRONMENT, "snapshot": client.call("save", game=game)}
    action = client.call("legal", game=game)[0]["action"]

    def play() -> None:
        client.call("act", game=game, action=action)
        client.call("undo", game=game)

    return {
        "`hello`": rate(lambda: client.call("hello"), seconds),
        "`legal`": rate(lambda: client.call("legal", game=game), seconds),
        "`view`": rate(lambda: client.call("view", game=game, seat=0), seconds),
        "`act`, `undo`": 2 * rate(play, seconds),
        "`choose` by `heuristic`": rate(lambda: client.call("choose", **position, agent="heuristic"), seconds),
    }


def measure_all(seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    """Round trips a second, by the way to ask and by the question."""
    with closing(Server()) as server:
        ways: dict[str, AbstractContextManager[Client]] = {
            "standard input and output": engine(),
            "WebSocket": web_socket(server.host),
            "POST": post(server.host),
        }
        found = {}
        for way, opened in ways.items():
            with opened as client:
                found[way] = measure(client, seconds)
    return found


if __name__ == "__main__":
    table = measure_all()
    questions = next(iter(table.values()))
    rows = [(question, *(f"{rates[question]:.0f}" for rates in table.values())) for question in questions]
    print(markdown_table(("asked", *table), rows))
