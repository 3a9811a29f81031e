"""``dig-envs engine --workers``: messages about several games are answered at the same time, so
that nobody waits for a search in another game."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import BinaryIO

from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.engine import lines_of
from dig_envs.server.protocol.rpc import Asked
from dig_envs.server.protocol.service import given_in, is_long
from dig_envs.server.turns import Threads

AHEAD = 1000  # messages that may wait for an answer before the next one is read
READ_AHEAD = 4  # lines
SWITCH_SECONDS = 0.001  # for which a thread that thinks may keep the others waiting


class SideBySide:
    """Answers messages as they come.

    What takes long (an agent decides, a picture is drawn) goes on in threads while the messages
    after it are answered. Messages about the same game are answered in order, and a list before
    what comes after it.
    Compiled code runs in threads as fast as in processes, and the searches keep their trees.

    Args:
        dispatcher: that answers. workers: how many agents think at a time.
        send: sends an answer, a line without its end.
    """

    def __init__(self, dispatcher: Dispatcher, workers: int, send: Callable[[str], None]) -> None:
        self._dispatcher, self._send = dispatcher, send
        self._threads = Threads(workers, 2 * AHEAD, "dig-envs-engine")
        self._places = asyncio.Semaphore(AHEAD)
        self._gone = threading.Event()
        self._last: dict[str, asyncio.Task[None]] = {}  # of each game that is not at rest

    async def serve(self, lines: AsyncIterator[bytes]) -> None:
        """Answer lines until there are no more and all is answered; raises what ``send`` raises,
        and then no agent thinks any more."""
        try:
            async with asyncio.TaskGroup() as group:
                async for line in lines:
                    await self._hear(line, group)
        except* OSError as errors:
            raise errors.exceptions[0] from None
        finally:
            self._gone.set()
            self._threads.close()

    async def _hear(self, line: bytes, group: asyncio.TaskGroup) -> None:
        asked = self._dispatcher.read(line)
        if isinstance(asked, str):
            self._send(asked)
            return
        given = (given_in(message).get("game") for message in asked.messages)
        games = {game for game in given if isinstance(game, str)}
        before = [self._last[game] for game in games if game in self._last]
        if asked.listed or not (before or is_long(asked.messages[0])):
            await self._answer(asked, before)
            return
        await self._places.acquire()
        task = group.create_task(self._answer(asked, before))
        for game in games:
            self._last[game] = task
        task.add_done_callback(partial(self._rest, games))

    def _rest(self, games: Iterable[str], task: asyncio.Task[None]) -> None:
        """Note that an answer is there."""
        self._places.release()
        for game in games:
            if self._last[game] is task:
                del self._last[game]

    async def _answer(self, asked: Asked, before: Iterable[asyncio.Task[None]]) -> None:
        """Answer messages after those before them."""
        for task in before:
            await asyncio.wait([task])
        allowance = Allowance(self._dispatcher.limits, gone=self._gone.is_set)
        answers = [
            await self._threads.run(
                None, is_long(message), partial(self._dispatcher.answer_one, message, allowance)
            )
            for message in asked.messages
        ]
        said = asked.put_together(answers)
        if said is not None:
            self._send(said)


def serve_side_by_side(
    source: BinaryIO, sink: BinaryIO, dispatcher: Dispatcher, workers: int
) -> None:
    """Answer the messages of a stream, one a line, until it ends and all is answered."""
    sys.setswitchinterval(SWITCH_SECONDS)

    def send(said: str) -> None:
        sink.write(said.encode() + b"\n")
        sink.flush()

    async def serve() -> None:
        lines = lines_as_they_come(source, dispatcher.limits.message_bytes)
        await SideBySide(dispatcher, workers, send).serve(lines)

    asyncio.run(serve())


async def lines_as_they_come(source: BinaryIO, longest: int) -> AsyncIterator[bytes]:
    """The lines of a stream, as :func:`lines_of` gives them, which a thread of its own reads."""
    loop, room = asyncio.get_running_loop(), threading.Semaphore(READ_AHEAD)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def read() -> None:
        with suppress(RuntimeError):  # nobody takes them any more
            for line in chain(lines_of(source, longest), [None]):
                room.acquire()
                loop.call_soon_threadsafe(lines.put_nowait, line)

    # it is not waited for when somebody stops the program
    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line
        room.release()
