"""How many questions a second an engine answers over standard input and output: ``python -m dig_envs.server.bench``."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ENVIRONMENT = "go_dig_v0"
SECONDS = 2.0  # for each measurement


class Engine:
    """A ``dig-envs engine`` in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "dig_envs.cli", "engine"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; raises RuntimeError for an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        if "error" in said:
            raise RuntimeError(said["error"]["message"])
        return said["result"]

    def close(self) -> int:
        """End its input; its exit status."""
        self._process.communicate()
        return self._process.returncode


def rate(run: Callable[[], object], seconds: float = SECONDS) -> float:
    """How often a second something can be done."""
    run()  # what has to be compiled or loaded
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        run()
        count += 1
    return count / passed


def measure(seconds: float = SECONDS) -> dict[str, float]:
    """Round trips a second, by what is asked."""
    engine = Engine()
    game = engine.call("new", environment=ENVIRONMENT, seed=1)["game"]
    snapshot = engine.call("save", game=game)
    position = {"environment": ENVIRONMENT, "snapshot": snapshot}
    action = engine.call("legal", game=game)[0]["action"]

    def play() -> None:
        engine.call("act", game=game, action=action)
        engine.call("undo", game=game)

    rates = {
        "hello": rate(lambda: engine.call("hello"), seconds),
        "legal": rate(lambda: engine.call("legal", game=game), seconds),
        "view": rate(lambda: engine.call("view", game=game, seat=0), seconds),
        "act or undo": 2 * rate(play, seconds),
        "choose heuristic": rate(lambda: engine.call("choose", **position, agent="heuristic"), seconds),
    }
    engine.close()
    return rates


if __name__ == "__main__":
    for asked, found in measure().items():
        print(f"{asked:<18}{found:>8.0f} round trips a second")
