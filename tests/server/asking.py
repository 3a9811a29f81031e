"""Programs on the other side of the protocol, and servers in processes of their own, for tests."""

import http.client
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any

import pytest
from websockets.sync.client import connect

from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.protocol.rpc import RpcError

COMMAND = (sys.executable, "-m", "dig_envs.commands.main")
Ask = Callable[[str], str | bytes | None]  # sends a message, returns the answer


class Caller:
    """Calls methods of the protocol by name."""

    def __init__(self, ask: Ask) -> None:
        self._ask, self._numbers = ask, count(1)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; raises RpcError."""
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        answer = json.loads(self._ask(json.dumps(message)) or "null")
        if "error" in answer:
            error = answer["error"]
            raise RpcError(error["code"], error["message"], error.get("data", {}).get("type", ""))
        return answer["result"]


class Client(Caller):
    """Calls methods of a dispatcher by name."""

    def __init__(self, limits: Limits | None = None, shared: bool = False) -> None:
        self.dispatcher = Dispatcher(limits, shared)
        super().__init__(self.dispatcher.answer)

    def send(self, message: Any) -> Any:
        """The answer to a text, or to anything else as JSON."""
        text = message if isinstance(message, str | bytes) else json.dumps(message)
        said = self.dispatcher.answer(text)
        assert said is None or "\n" not in said
        return None if said is None else json.loads(said)

    def refusal(self, method: str, **params: Any) -> RpcError:
        """The error that a method is answered with."""
        with pytest.raises(RpcError) as refused:
            self.call(method, **params)
        return refused.value


@contextmanager
def engine() -> Iterator[Caller]:
    """A ``dig-envs engine`` in a process of its own."""
    pipe, command = subprocess.PIPE, [*COMMAND, "engine"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        sent, received = process.stdin, process.stdout
        assert sent is not None
        assert received is not None

        def ask(text: str) -> bytes:
            sent.write(text.encode() + b"\n")
            sent.flush()
            return received.readline()

        yield Caller(ask)
        sent.close()
    assert process.returncode == 0


@contextmanager
def web_socket(host: str) -> Iterator[Caller]:
    """A WebSocket to a server."""
    with connect(f"ws://{host}/rpc", max_size=None) as socket:

        def ask(text: str) -> str | bytes:
            socket.send(text)
            return socket.recv()

        yield Caller(ask)


@contextmanager
def post(host: str) -> Iterator[Caller]:
    """HTTP POST to a server, over one connection."""
    with closing(http.client.HTTPConnection(host)) as connection:

        def ask(text: str) -> bytes:
            connection.request("POST", "/rpc", text.encode(), {"Content-Type": "application/json"})
            return connection.getresponse().read()

        yield Caller(ask)


def serve_command(games: Path | None, proxies: tuple[str, ...] = (), **bounds: Any) -> list[str]:
    """A command that serves tables with these limits, its games in a file or in memory."""
    path = f"Path({str(games)!r})" if games else "None"
    lines = (
        "from pathlib import Path",
        "from dig_envs.server.app import serve",
        "from dig_envs.server.bounds import Bounds",
        f"serve('127.0.0.1', 0, {path}, (), Bounds(**{bounds!r}), {proxies!r})",
    )
    return [sys.executable, "-c", "\n".join(lines)]


def mcp_command(
    proxies: tuple[str, ...] = (), ms: int = 2000, minute_ms: int = 60_000, **bounds: Any
) -> list[str]:
    """A command that serves games to language models over HTTP with these limits."""
    lines = (
        "from dig_envs.server.bounds import Bounds",
        "from dig_envs.server.mcp.running import run_http",
        "from dig_envs.server.mcp.tables import Tables",
        "from dig_envs.server.protocol.limits import Limits",
        f"tables = Tables(Limits(ms={ms}, minute_ms={minute_ms}), 20.0, True, True)",
        f"run_http(tables, '127.0.0.1', 0, (), Bounds(**{bounds!r}), {proxies!r})",
    )
    return [sys.executable, "-c", "\n".join(lines)]


class Server:
    """A server in a process of its own. ``url``: its address; ``host``: with the port.

    Args:
        command: that begins it and prints its address first. log: takes its standard error.
    """

    def __init__(self, command: Sequence[str], log: IO[str] | None = None) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        self._output = self.process.stdout
        self.url = self._output.readline().split()[0]
        self.host = self.url.removeprefix("http://").partition("/")[0]

    def close(self) -> None:
        """Stop it, if it still runs."""
        self.process.terminate()
        self.process.wait()
        self._output.close()
