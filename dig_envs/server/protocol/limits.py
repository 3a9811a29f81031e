"""The limits of what a program on the other side of the protocol may ask for."""

from dataclasses import dataclass

from dig_envs.engine.core.errors import DigEnvsError


class LimitError(DigEnvsError, ValueError):
    """A limit of this server was reached; the message names it."""


@dataclass(frozen=True)
class Limits:
    """Limits of a :class:`~dig_envs.server.protocol.dispatcher.Dispatcher`.

    Attributes:
        message_bytes: of one message. batch: messages together in one list. depth: of lists and objects within each other.
        games: open at a time. idle_seconds: after which a game may be closed to make room for another.
        undo: positions kept of each game. sims, ms, threads: of one search.
        agents: that may be asked, by what is before the colon of a name; None: all that
            :func:`~dig_envs.server.protocol.choosing.permitted_agent` knows.
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
    threads: int = 2
    agents: frozenset[str] | None = None
    models: tuple[str, ...] = ()


MEANINGS = {  # of the limits that other programs are told
    "message_bytes": "bytes of a message",
    "batch": "messages in a list",
    "depth": "lists and objects within each other",
    "games": "open games",
    "undo": "positions kept of each game, to take actions back",
    "sims": "simulations of a search",
    "ms": "milliseconds of a search",
}
