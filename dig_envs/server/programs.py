"""The protocol for other programs (PROTOCOL.md) at ``/rpc``: over a WebSocket, one message a frame,
and over HTTP POST."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from dig_envs.engine.core.texts import message_text
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import Inbox, Uploads, address_of, refusal
from dig_envs.server.places import Guest, Places
from dig_envs.server.protocol.allowance import Allowance, GoneError, Minutes
from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.protocol.service import is_long
from dig_envs.server.protocol.sessions import Searches
from dig_envs.server.turns import Threads

TRY_LATER = 1013  # the code with which a WebSocket is closed
WAITING = 1000  # messages of a connection that wait for an answer, of so many whole ones' bytes:
WAITING_BYTES = 4


@dataclass(eq=False)
class Program(Guest):
    """A program that is connected. ``since``: when it last did something; ``busy``: whether it is
    being answered."""

    since: float = 0.0
    busy: bool = False
    asked: bool = False


class Programs:
    """Answers other programs, in threads of its own, so that the tables go on; programs take turns,
    message by message.

    Args:
        bounds: of the server; a search is as long as one at a table at most.
        uploads: the requests that are not all there yet.
    """

    def __init__(self, bounds: Bounds, uploads: Uploads) -> None:
        self._bounds, self._uploads = bounds, uploads
        self._limits = Limits(
            message_bytes=bounds.upload_bytes,
            ms=bounds.think_ms,
            list_ms=round(1000 * bounds.list_seconds),
            minute_ms=round(1000 * bounds.program_seconds),
        )
        self._searches = Searches()
        self._shared = Dispatcher(self._limits, shared=True, searches=self._searches)
        self._threads = Threads(bounds.workers, 4 * bounds.programs, "dig-envs-rpc")
        self._minutes = Minutes(bounds.program_seconds)
        self._connected = Places(bounds.programs, "programs", self._idle_since)
        self._requests = Places(bounds.programs, "requests", lambda request: None)

    def _idle_since(self, guest: Guest) -> float | None:
        """When a program has asked something for the last time, if it may make room for another."""
        assert isinstance(guest, Program)
        long_idle = time.monotonic() - guest.since >= self._bounds.program_idle_seconds
        return guest.since if not guest.busy and (long_idle or not guest.asked) else None

    # ------------------------------------------------------------ answering

    async def _answer(
        self, client: Hashable, address: str, dispatcher: Dispatcher, text: str | bytes
    ) -> str | None:
        """The answer to a text, message by message; when this is cancelled, what is being thought
        about it ends."""
        gone = threading.Event()
        allowance = Allowance(self._limits, self._minutes.of(address), gone.is_set)
        try:
            asked = await self._threads.run(client, False, partial(dispatcher.read, text))
            if isinstance(asked, str):
                return asked
            answers = [
                await self._threads.run(
                    client, is_long(message), partial(dispatcher.answer_one, message, allowance)
                )
                for message in asked.messages
            ]
            return await self._threads.run(client, False, partial(asked.put_together, answers))
        finally:
            gone.set()

    # ------------------------------------------------------------ HTTP

    async def post(self, request: Request) -> Response:
        """A message, or a list of them; 204 where nothing is to be answered."""
        address = address_of(request.scope)
        try:
            content = await self._uploads.content(request)
        except TableError as error:
            return refusal(error)
        guest = Guest(address, lambda: None)
        try:
            self._requests.enter(guest)
        except TableError as error:
            return refusal(error)
        answering = asyncio.create_task(self._answer(address, address, self._shared, content))
        leaving = asyncio.create_task(until_gone(request))
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                return Response(status_code=204)  # which nobody reads
            answer = answering.result()
        except TableError as error:
            return refusal(error)
        finally:
            self._requests.leave(guest)
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        return (
            Response(status_code=204)
            if answer is None
            else Response(answer, media_type="application/json")
        )

    # ------------------------------------------------------------ WebSockets

    async def connect(self, connection: WebSocket) -> None:
        """A connection with games of its own, which end with it; one message after the other."""
        await connection.accept()
        leave = asyncio.Event()
        program = Program(address_of(connection.scope), leave.set, time.monotonic())
        try:
            self._connected.enter(program)
        except TableError as error:
            await connection.close(TRY_LATER, message_text(str(error))[:100])
            return
        inbox = Inbox(connection, WAITING, WAITING_BYTES * self._bounds.upload_bytes)
        tasks = [
            asyncio.create_task(inbox.fill()),
            asyncio.create_task(self._serve(connection, program, inbox)),
            asyncio.create_task(leave.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._connected.leave(program)
            for task in tasks:
                task.cancel()
            filled, *_ = await asyncio.gather(*tasks, return_exceptions=True)
            if connection.application_state is connection.client_state is WebSocketState.CONNECTED:
                idle = "this program has asked nothing for long, and another needs its place"
                reason = str(filled) if isinstance(filled, TableError) else idle
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await connection.close(TRY_LATER, reason)

    async def _serve(self, connection: WebSocket, program: Program, inbox: Inbox) -> None:
        """Answer what was heard, one after the other."""
        dispatcher = Dispatcher(self._limits, searches=self._searches)
        while True:
            text = await inbox.next()
            program.busy = program.asked = True
            try:
                answer = await self._answer(program, program.address, dispatcher, text)
            except GoneError:
                return
            if answer is not None:
                await connection.send_text(answer)
            program.busy, program.since = False, time.monotonic()

    def close(self) -> None:
        """Answer nobody any more."""
        self._threads.close()


async def until_gone(request: Request) -> None:
    """Wait until who has sent a request does not wait for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
