"""A program on the other side of the protocol, for tests."""

import json
from typing import Any

from dig_envs.server.dispatcher import Dispatcher
from dig_envs.server.limits import Limits


class Refused(Exception):
    """An error that was answered."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        self.kind = error.get("data", {}).get("type")


class Client:
    """Calls methods of a dispatcher by name."""

    def __init__(self, limits: Limits | None = None, shared: bool = False) -> None:
        self.dispatcher = Dispatcher(limits, shared)
        self._number = 0

    def send(self, text: str | bytes) -> Any:
        """The answer to a text, as JSON."""
        said = self.dispatcher.answer(text)
        assert said is None or "\n" not in said
        return None if said is None else json.loads(said)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method; raises Refused."""
        self._number += 1
        said = self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}))
        assert said["id"] == self._number
        if "error" in said:
            raise Refused(said["error"])
        return said["result"]

    def refusal(self, method: str, **params: Any) -> Refused | None:
        """The error that a method is answered with; None if there is a result."""
        try:
            self.call(method, **params)
        except Refused as error:
            return error
        return None
