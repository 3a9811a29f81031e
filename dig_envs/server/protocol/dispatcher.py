"""The object that answers messages of the protocol: what ``dig-envs engine`` and ``dig-envs serve``
mount."""

import logging
from functools import partial
from typing import Any

from dig_envs.engine.core.errors import (
    EventError,
    IllegalActionError,
    OptionError,
    PolicyMismatchError,
    SnapshotError,
)
from dig_envs.server.protocol import rpc
from dig_envs.server.protocol.allowance import Allowance, GoneError
from dig_envs.server.protocol.choosing import AgentError
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.service import METHODS, Service
from dig_envs.server.protocol.sessions import NoGameError, Sessions, UndoError

# The errors of Python that have a code of their own, with what they mean.
ERRORS: dict[type[Exception], tuple[int, str]] = {
    OptionError: (-32001, "an unknown option, or a value that it does not allow"),
    IllegalActionError: (-32002, "an action that is not legal now; nothing has changed"),
    SnapshotError: (-32003, "a malformed or impossible snapshot; the message names the key"),
    NoGameError: (-32004, "no such game, or it was closed"),
    AgentError: (-32005, "an agent that there is not or that may not be asked, or a wrong setting"),
    PolicyMismatchError: (
        -32006,
        "a policy that was not made for this environment or number of players",
    ),
    LimitError: (-32007, "a limit of this server"),
    UndoError: (-32008, "not so many actions to take back"),
    ImportError: (-32009, "the server lacks a library that this needs"),
    EventError: (-32010, "events that do not follow, or of which some are missing"),
}

log = logging.getLogger(__name__)


class Dispatcher:
    """Answers messages of the protocol, from any thread; those about the same game wait for each
    other.

    A connection of its own (standard input and output, a WebSocket) has a dispatcher of its own,
    whose games end with it. Requests without a connection (HTTP POST) share one with
    ``shared=True``: there, a game is known only to those who were told its name, 128 random bits,
    and one that was left alone for long makes room for another.

    Args:
        limits: what may be asked for.
        shared: whether several programs that do not trust each other use it.
    """

    def __init__(self, limits: Limits | None = None, shared: bool = False) -> None:
        self.limits = limits or Limits()
        self._sessions = Sessions(self.limits, guessable=not shared)

    def answer(self, text: str | bytes) -> str | None:
        """The answer to a message or a list of messages: one line of JSON without its end, or None.
        It never raises."""
        asked = self.read(text)
        if isinstance(asked, str):
            return asked
        allowance = Allowance(self.limits)
        return asked.put_together(
            [self.answer_one(message, allowance) for message in asked.messages]
        )

    def read(self, text: str | bytes) -> rpc.Asked | str:
        """The messages of a text, for :meth:`answer_one`; if it has none, what is answered to that.
        It never raises."""
        return rpc.read(text, self.limits)

    def answer_one(self, message: Any, allowance: Allowance) -> rpc.Message | None:
        """The answer to one message; None to a notification. ``allowance``: of the list it is from.
        Raises only GoneError."""
        return rpc.answer_one(
            message, partial(self._handle, Service(self.limits, self._sessions, allowance))
        )

    def _handle(self, service: Service, name: str, params: Any) -> Any:
        """The result of a method; every error as an RpcError, but for GoneError."""
        called = METHODS.get(name)
        if called is None:
            raise rpc.RpcError(
                rpc.UNKNOWN_METHOD, f"no method {name[:40]!r}; there are {', '.join(METHODS)}"
            )
        try:
            return called.call(service, params)
        except (rpc.RpcError, GoneError):
            raise
        except Exception as error:
            raise as_rpc_error(error, name) from None


def as_rpc_error(error: Exception, method: str) -> rpc.RpcError:
    """An error of Python in the protocol: those of the package with a code of their own and in the
    same words."""
    for kind, (code, _) in ERRORS.items():
        if isinstance(error, kind):
            return rpc.RpcError(code, str(error), kind.__name__)
    if isinstance(error, ValueError | TypeError) and not isinstance(error, UnicodeError):
        return rpc.RpcError(rpc.INVALID_PARAMS, str(error), type(error).__name__)
    log.error("%s failed", method, exc_info=error)
    return rpc.RpcError(rpc.INTERNAL_ERROR, f"{method} failed inside the server; its log says why")
