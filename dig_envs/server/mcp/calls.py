"""Calls of tools, carried out in threads: clients take turns, what is short never waits for what is
long, and calls about the same game wait for each other."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

from dig_envs.server.bounds import Bounds
from dig_envs.server.places import Guest, Places
from dig_envs.server.protocol.allowance import Allowance, Minutes
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.turns import Threads

Result = TypeVar("Result")
# the address from which a call comes; "" over standard input and output
client_address: ContextVar[str] = ContextVar("client_address", default="")


class Calls:
    """Carries out calls.

    Args:
        limits: on agents. ``minute_ms``: of thinking for one address; 0: no limit.
        bounds: on threads, and on calls that wait.
    """

    def __init__(self, limits: Limits, bounds: Bounds) -> None:
        self._limits = limits
        self._threads = Threads(bounds.workers, 4 * bounds.programs, "dig-envs-mcp")
        self._minutes = Minutes(limits.minute_ms / 1000) if limits.minute_ms else None
        self._long = Places(bounds.programs, "calls for which agents think", lambda guest: None)
        self._games: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def carry_out(self, work: Callable[[Allowance], Result], long: bool, game: str) -> Result:
        """The result of a call; agents stop their search once nobody waits for it.

        Args:
            work: what is done, within an allowance. long: whether agents may think for long.
            game: that it is about; "" for none.

        Raises:
            TableError: too many calls wait, or too many of this address for which agents think.
        """
        address, gone = client_address.get(), threading.Event()
        minute = self._minutes.of(address) if self._minutes else None
        allowance = Allowance(self._limits, minute, gone.is_set, address)
        # without a game it is the lock of this call alone
        lock = self._games.setdefault(game, asyncio.Lock()) if game else asyncio.Lock()
        place = self._long.taken(Guest(address, gone.set)) if long else nullcontext()
        try:
            with place:
                async with lock:
                    return await self._threads.run(address, long, partial(work, allowance))
        finally:
            gone.set()

    def close(self) -> None:
        """Begin nothing any more."""
        self._threads.close()
