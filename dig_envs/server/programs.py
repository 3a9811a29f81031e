"""The protocol for other programs (PROTOCOL.md) at ``/rpc``: over a WebSocket, one message a frame, and over HTTP POST."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import body
from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.limits import Limits

TRY_LATER = 1013  # the code with which a WebSocket is closed


class Programs:
    """Answers other programs, in threads of its own, so that the tables go on.

    Args:
        bounds: of the server; a search is as long as one at a table at most.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._limits = Limits(message_bytes=bounds.upload_bytes, ms=bounds.think_ms)
        self._shared = Dispatcher(self._limits, shared=True)
        self._threads = ThreadPoolExecutor(bounds.workers, "dig-envs-rpc")
        self._connections = 0
        self._requests = 0

    async def _answer(self, dispatcher: Dispatcher, text: str | bytes) -> str | None:
        return await asyncio.get_running_loop().run_in_executor(self._threads, dispatcher.answer, text)

    async def post(self, request: Request) -> Response:
        """A message, or a list of them; 204 where nothing is to be answered."""
        if self._requests >= self._bounds.programs:
            return JSONResponse({"error": {"code": "busy", "message": f"{self._requests} requests are under way"}}, 503)
        self._requests += 1
        try:
            content = await body(request, self._bounds.upload_bytes)
            answer = await self._answer(self._shared, content)
        except TableError as error:
            return JSONResponse({"error": {"code": error.code, "message": str(error)}}, 413)
        finally:
            self._requests -= 1
        return Response(status_code=204) if answer is None else Response(answer, media_type="application/json")

    async def connect(self, connection: WebSocket) -> None:
        """A connection with games of its own, which end with it; one message after the other."""
        await connection.accept()
        if self._connections >= self._bounds.programs:
            await connection.close(TRY_LATER, f"{self._connections} programs are connected")
            return
        self._connections += 1
        dispatcher = Dispatcher(self._limits)
        try:
            while True:
                answer = await self._answer(dispatcher, await connection.receive_text())
                if answer is not None:
                    await connection.send_text(answer)
        except (WebSocketDisconnect, KeyError):  # KeyError: bytes instead of text
            return
        finally:
            self._connections -= 1

    def close(self) -> None:
        """Answer nobody any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
