"""The limits of what a program on the other side of the protocol may ask for."""

from dataclasses import dataclass

from dig_envs.engine.core.errors import DigEnvsError


class LimitError(DigEnvsError, ValueError):
    """A limit of this server was reached; the message names it."""


@dataclass(frozen=True)
class Limits:
    """Limits of a :class:`~dig_envs.server.protocol.dispatcher.Dispatcher`.

    Attributes:
        message_bytes: of one message. batch: messages together in one list. depth: of lists and
            objects within each other.
        games: open at a time. idle_seconds: after which a game may be closed to make room for
            another.
        undo: positions kept of each game. sims, ms, threads: of one search; ``ms`` also of a search
            that counts simulations.
        list_ms, minute_ms: of thinking, for all messages of a list, and in a minute on average; 0:
            no limit.
        models: names of language models that may be asked, just as they stand here.
    """

    message_bytes: int = 1 << 20
    batch: int = 100
    depth: int = 32
    games: int = 100
    idle_seconds: float = 600.0
    undo: int = 200
    sims: int = 10_000
    ms: int = 10_000
    list_ms: int = 0
    minute_ms: int = 0
    threads: int = 2
    models: tuple[str, ...] = ()


MEANINGS = {  # of the limits that other programs are told
    "message_bytes": "bytes of a message",
    "batch": "messages in a list",
    "depth": "lists and objects within each other",
    "games": "open games",
    "undo": "positions kept of each game, to take actions back",
    "sims": "simulations of a search",
    "ms": (
        "milliseconds of a search; one that counts simulations decides then by those that it has "
        "made"
    ),
    "list_ms": "milliseconds of thinking for a list of messages; 0: no limit",
    "minute_ms": (
        "milliseconds of thinking in a minute, for all programs at one address; 0: no limit"
    ),
}
