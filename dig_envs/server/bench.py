"""How many questions a second are answered, over standard input and output, a WebSocket and HTTP POST.

``python -m dig_envs.server.bench`` starts an engine and a server of its own and asks one question after the other.
"""

import http.client
import json
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import Any

from websockets.sync.client import connect

ENVIRONMENT = "go_dig_v0"
SECONDS = 2.0  # for each measurement
SERVE = (sys.executable, "-m", "dig_envs.cli", "serve", "--port", "0", "--memory")


class Line(ABC):
    """A way to ask."""

    _number = 0

    @abstractmethod
    def answer(self, text: str) -> str | bytes:
        """What is answered to a message."""

    @abstractmethod
    def close(self) -> None:
        """End it."""

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; raises RuntimeError for an error."""
        self._number += 1
        said = json.loads(self.answer(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})))
        if "error" in said:
            raise RuntimeError(said["error"]["message"])
        return said["result"]


class Engine(Line):
    """A ``dig-envs engine`` in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "dig_envs.cli", "engine"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, text: str) -> bytes:
        """One line for one line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(text.encode() + b"\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        """End its input, and wait for it; raises CalledProcessError unless all was well."""
        self._process.communicate()
        if self._process.returncode:
            raise subprocess.CalledProcessError(self._process.returncode, self._process.args)


class Server:
    """A server of tables in a process of its own; ``url`` is its address, ``host`` that with the port alone.

    Args:
        command: that begins it, and prints its address first; default: ``dig-envs serve`` with its games in memory.
    """

    def __init__(self, command: Sequence[str] = SERVE) -> None:
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self.url = self._process.stdout.readline().split()[0]
        self.host = self.url.removeprefix("http://").rstrip("/")

    def close(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait()


class Socket(Line):
    """A WebSocket to a server."""

    def __init__(self, host: str) -> None:
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(f"ws://{host}/rpc", max_size=None))

    def answer(self, text: str) -> str | bytes:
        """One frame for one frame."""
        self._socket.send(text)
        return self._socket.recv()

    def close(self) -> None:
        """Close it."""
        self._open.close()


class Post(Line):
    """HTTP POST to a server, over one connection."""

    def __init__(self, host: str) -> None:
        self._connection = http.client.HTTPConnection(host)

    def answer(self, text: str) -> bytes:
        """One response for one request."""
        self._connection.request("POST", "/rpc", text.encode(), {"Content-Type": "application/json"})
        return self._connection.getresponse().read()

    def close(self) -> None:
        """Close it."""
        self._connection.close()


def rate(run: Callable[[], object], seconds: float = SECONDS) -> float:
    """How often a second something can be done."""
    run()  # what has to be compiled or loaded
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        run()
        count += 1
    return count / passed


def measure(line: Line, seconds: float = SECONDS) -> dict[str, float]:
    """Round trips a second, by what is asked."""
    game = line.call("new", environment=ENVIRONMENT, seed=1)["game"]
    position = {"environment": ENVIRONMENT, "snapshot": line.call("save", game=game)}
    action = line.call("legal", game=game)[0]["action"]

    def play() -> None:
        line.call("act", game=game, action=action)
        line.call("undo", game=game)

    return {
        "hello": rate(lambda: line.call("hello"), seconds),
        "legal": rate(lambda: line.call("legal", game=game), seconds),
        "view": rate(lambda: line.call("view", game=game, seat=0), seconds),
        "act, undo": 2 * rate(play, seconds),
        "choose by heuristic": rate(lambda: line.call("choose", **position, agent="heuristic"), seconds),
    }


def measure_all(seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    """The same for each way to ask."""
    with closing(Server()) as server:
        ways: dict[str, Callable[[], Line]] = {
            "standard input and output": Engine,
            "WebSocket": lambda: Socket(server.host),
            "POST": lambda: Post(server.host),
        }
        found = {}
        for way, begin in ways.items():
            with closing(begin()) as line:
                found[way] = measure(line, seconds)
    return found


if __name__ == "__main__":
    table = measure_all()
    print(f"| asked | {' | '.join(table)} |")
    print("| --- |" + " --- |" * len(table))
    for asked in next(iter(table.values())):
        print(f"| {asked} | {' | '.join(f'{rates[asked]:.0f}' for rates in table.values())} |")
