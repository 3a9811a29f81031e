"""A program on the other side of the protocol, for tests."""

import json
from typing import Any

import pytest

from dig_envs.server import speed
from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.protocol.rpc import RpcError


class Client(speed.Client):
    """Calls methods of a dispatcher by name."""

    def __init__(self, limits: Limits | None = None, shared: bool = False) -> None:
        self.dispatcher = Dispatcher(limits, shared)
        super().__init__(self.dispatcher.answer)

    def send(self, message: Any) -> Any:
        """The answer to a text, or to anything else as JSON."""
        said = self.dispatcher.answer(message if isinstance(message, str | bytes) else json.dumps(message))
        assert said is None or "\n" not in said
        return None if said is None else json.loads(said)

    def refusal(self, method: str, **params: Any) -> RpcError:
        """The error that a method is answered with."""
        with pytest.raises(RpcError) as refused:
            self.call(method, **params)
        return refused.value
