"""``dig-envs serve``: the page, and the server that it talks to."""

import asyncio
import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from dig_envs import pictures
from dig_envs.language.guides import all_rules, guide_text, rules_in_short
from dig_envs.language.translations import ENGLISH, languages, translation
from dig_envs.pictures.legend import legend_of
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import (
    Guard,
    Inbox,
    Uploads,
    address_of,
    allowed_hosts,
    allowed_origins,
    refusal,
)
from dig_envs.server.invitations import link_of, qr_code
from dig_envs.server.listening import run_app
from dig_envs.server.places import Guest, Places
from dig_envs.server.programs import Programs
from dig_envs.server.table.connection import Connection, checked
from dig_envs.server.table.lobby import Invitation, Lobby
from dig_envs.server.table.messages import error_message
from dig_envs.server.table.session import TableSession

PAGE = Path(__file__).parent / "page"
FONTS = Path(pictures.__file__).parent / "fonts"
GAMES = Path(str(files("dig_envs.games")))
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}
REFUSED, TIMED_OUT = 4400, 4408  # codes with which a WebSocket is closed
AGAIN = ("full", "too-many")  # errors after which it may be opened again
WAITING = 100  # messages of a connection that wait for an answer

LONGEST_OPTIONS = 2000  # characters of the options for which a guide is asked


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page, name -> content and kind. Only these are ever sent."""
    paths = [
        path
        for folder in (PAGE, FONTS)
        for path in sorted(folder.iterdir())
        if path.suffix in KINDS
    ]
    return {path.name: (path.read_bytes(), KINDS[path.suffix]) for path in paths}


def translations() -> dict[str, dict[str, Any]]:
    """For each language but English the words of the page and of all games."""
    games = sorted(GAMES.iterdir())
    return {language: translation(language, PAGE, games) for language in languages(PAGE)}


def make_app(
    games: Path | None = None,
    bounds: Bounds | None = None,
    hosts: tuple[str, ...] | None = None,
    origins: tuple[str, ...] = (),
) -> Starlette:
    """The application.

    Args:
        games: the file in which games are kept; None: in memory.
        bounds: limits; default: the usual ones.
        hosts: the names by which the server may be addressed; default: those of this machine only.
        origins: of other pages that may use it, as browsers write them.

    Raises:
        TableError: the file cannot be used.
    """
    bounds, hosts = bounds or Bounds(), hosts or allowed_hosts("127.0.0.1", ())
    uploads = Uploads(bounds)
    lobby, programs = Lobby(games, bounds), Programs(bounds, uploads)

    @contextlib.asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(lobby.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            programs.close()
            await lobby.close()

    app = Starlette(
        routes=[
            Route("/", page_file),
            Route("/page/{name}", page_file),
            Route("/api/games", list_games),
            Route("/api/tables", list_tables),
            *(
                Route(f"/api/{name}", told(ask), methods=["POST"])
                for name, ask in (
                    ("tables", lobby.open),
                    ("seats", lobby.sit_down),
                    ("results", lobby.results),
                )
            ),
            Route("/api/invitations", invite, methods=["POST"]),
            Route("/games/{name}.svg", game_picture),
            Route("/api/guides/{name}", game_guide),
            WebSocketRoute("/ws", sit),
            Route("/rpc", programs.post, methods=["POST"]),
            WebSocketRoute("/rpc", programs.connect),
        ],
        middleware=[
            Middleware(Guard, hosts=hosts, strict=("/ws",), origins=origins),
            *(
                [
                    Middleware(
                        CORSMiddleware,
                        allow_origins=origins,
                        allow_methods=["GET", "POST"],
                        allow_headers=["Content-Type"],
                    )
                ]
                if origins
                else []
            ),
        ],
        lifespan=running,
        exception_handlers={HTTPException: in_words},  # type: ignore[dict-item]
    )
    app.state.lobby, app.state.uploads, app.state.hosts = lobby, uploads, hosts
    app.state.visitors = Places(bounds.connections, "connections to tables", waiting_since)
    app.state.translations = translations()
    app.state.files = page_files() | {
        f"{language}.json": (msgspec.json.encode(words), "application/json")
        for language, words in app.state.translations.items()
    }
    return app


async def in_words(request: Request, error: HTTPException) -> Response:
    """Say as JSON why a request cannot be answered."""
    return refusal(
        TableError("bad-request", f"{request.url.path}: {error.detail}"), error.status_code
    )


async def page_file(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    if name not in request.app.state.files:
        raise HTTPException(404)
    content, kind = request.app.state.files[name]
    return Response(content, media_type=kind)


async def list_games(request: Request) -> Response:
    return JSONResponse(await request.app.state.lobby.games())


async def list_tables(request: Request) -> Response:
    return JSONResponse(request.app.state.lobby.public())


async def game_picture(request: Request) -> Response:
    """The illustration of a game in its folder, which the page shows as an image; without one the
    picture of its README."""
    name = request.path_params["name"]
    if name not in list_environments():
        raise HTTPException(404)
    folder = Path(sys.modules[load_game(name).package].__file__ or "").parent
    file = next((f for f in (folder / "banner.svg", folder / "picture.svg") if f.exists()), None)
    if file is None:
        raise HTTPException(404)
    return Response(await asyncio.to_thread(file.read_bytes), media_type=KINDS[".svg"])


async def game_guide(request: Request) -> Response:
    """The rules of a game: in short, the guide, and all; block by block, the guide as far as it
    applies under the options that are given as JSON, else the usual ones. And the legend of the
    picture in a theme."""
    name = request.path_params["name"]
    if name not in list_environments():
        raise HTTPException(404)
    game, given = load_game(name), request.query_params.get("options", "{}")
    try:
        options = parsed(given) if len(given) <= LONGEST_OPTIONS else None
        if not isinstance(options, dict):
            raise TableError(
                "bad-request",
                f"options is an object, name -> value, of at most {LONGEST_OPTIONS} characters",
            )
        options = game.complete_options(options)
        asked = request.query_params.get("language", ENGLISH)
        table = request.app.state.translations.get(asked, {"games": []})
        language, words = ENGLISH, {}
        if game.name in table["games"]:
            language, words = asked, table["words"]  # it names a file
        text = await asyncio.to_thread(guide_text, game, options, language)
        legend = await asyncio.to_thread(
            legend_of, game, options, request.query_params.get("theme", "light"), words
        )
    except TableError as error:
        return refusal(error)
    except (ValueError, TypeError) as error:
        return refusal(TableError("bad-request", str(error)))
    svg = "" if legend is None else legend.svg(fonts=False)
    return JSONResponse(
        {
            "title": game.title,
            "short": rules_in_short(game),
            "lines": text.splitlines(),
            "all": all_rules(game),
            "legend": svg,
        }
    )


def told(ask: Callable[[Any], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """What tells a part of the lobby the JSON of a request, and answers with what it says."""

    async def tell(request: Request) -> Response:
        try:
            return JSONResponse(await ask(await sent_json(request)))
        except TableError as error:
            return refusal(error)

    return tell


async def invite(request: Request) -> Response:
    """The link of a seat for other machines, and its QR code; the secret is in the content, so that
    it is in no address."""
    lobby: Lobby = request.app.state.lobby
    try:
        token = checked(await sent_json(request), Invitation, "invitation").token
        lobby.store.find(token)
    except TableError as error:
        return refusal(error)
    origin = request.headers.get("origin") or str(request.base_url).rstrip("/")
    link = link_of(token, origin, request.app.state.hosts)
    return JSONResponse({"link": link, "picture": await asyncio.to_thread(qr_code, link)})


async def sent_json(request: Request) -> Any:
    """The JSON of a request; raises TableError."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise TableError("bad-request", "a table is sent as application/json")
    most = request.app.state.lobby.bounds.table_bytes
    return parsed(await request.app.state.uploads.content(request, most))


def parsed(text: str | bytes) -> Any:
    """JSON from outside; raises TableError."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        # of surrogates without their other half, too, which no answer could repeat
        raise TableError("bad-request", "the message is not JSON") from None


# ---------------------------------------------------------------- a seat in the browser


@dataclass(eq=False)
class Visitor(Guest):
    """A connection to ``/ws``. ``since``: when it began; ``greeted``: whether it has said whose it
    is."""

    since: float
    greeted: bool = False


def waiting_since(guest: Guest) -> float | None:
    """Since when a visitor has not said whose it is."""
    assert isinstance(guest, Visitor)
    return None if guest.greeted else guest.since


async def sit(websocket: WebSocket) -> None:
    """Serve somebody who plays or watches: the first message says whose seat it is."""
    lobby: Lobby = websocket.app.state.lobby
    visitors: Places = websocket.app.state.visitors
    await websocket.accept()
    greeting = asyncio.create_task(greeted(websocket, lobby.bounds))
    visitor = Visitor(address_of(websocket.scope), greeting.cancel, time.monotonic())
    try:
        with visitors.taken(visitor):
            await asyncio.wait([greeting], timeout=lobby.bounds.greeting_seconds)
            if not greeting.done():
                await websocket.close(TIMED_OUT, "nothing was said")
                return
            if greeting.cancelled():
                raise TableError("full", "too many connections have not said whose they are")
            said, visitor.greeted = greeting.result(), True
            await converse(websocket, *await lobby.enter(said, visitor.address))
    except TableError as error:
        with contextlib.suppress(WebSocketDisconnect):
            await send(websocket, error_message(error) | {"final": error.code not in AGAIN})
            await websocket.close(REFUSED, error.code)
    except WebSocketDisconnect:
        return
    finally:
        greeting.cancel()


async def converse(websocket: WebSocket, session: TableSession, connection: Connection) -> None:
    """Tell a connection of a table what it is to be told, and do what it asks, until it ends."""
    inbox = Inbox(websocket, WAITING, WAITING * session.bounds.message_bytes)
    tasks = [
        asyncio.create_task(inbox.fill()),
        asyncio.create_task(tell(websocket, session, connection)),
        asyncio.create_task(listen(inbox, session, connection)),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        session.leave(connection)
        for task in tasks:
            task.cancel()
        filled, *_ = await asyncio.gather(*tasks, return_exceptions=True)
        if isinstance(filled, TableError):
            raise filled
        if (
            websocket.application_state is WebSocketState.CONNECTED
            and websocket.client_state is WebSocketState.CONNECTED
        ):
            with contextlib.suppress(RuntimeError):
                await websocket.close()


async def greeted(websocket: WebSocket, bounds: Bounds) -> Any:
    """The first message; raises as :func:`message_of`, and WebSocketDisconnect if there will be
    none."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1006))
    text = message.get("text")
    return message_of(message["bytes"] if text is None else text, bounds)


def message_of(content: str | bytes, bounds: Bounds) -> Any:
    """The content of a message; raises TableError if it is too long, or not text in JSON."""
    if isinstance(content, bytes):
        raise TableError("bad-request", "a message is text, not binary")
    if len(content) > bounds.message_bytes:
        raise TableError("bad-request", f"a message has at most {bounds.message_bytes} bytes")
    return parsed(content)


async def listen(inbox: Inbox, session: TableSession, connection: Connection) -> None:
    """Do what comes in, one after the other."""
    while True:
        content = await inbox.next()
        try:
            message = message_of(content, session.bounds)
        except TableError as error:
            message = error
        await session.handle(connection, message)


async def tell(websocket: WebSocket, session: TableSession, connection: Connection) -> None:
    """Send what there is to be told; only the newest position if several are due."""
    while True:
        await connection.wake.wait()
        connection.wake.clear()
        for message in await session.due(connection):
            await send(websocket, message)


async def send(websocket: WebSocket, message: Any) -> None:
    await websocket.send_text(json.dumps(message, ensure_ascii=False))
    # others come first, however much there is to send, and whether it has ended is noticed
    await asyncio.sleep(0)


# ---------------------------------------------------------------- the command


def without_tracebacks(record: logging.LogRecord) -> bool:
    """A filter of the log: the sender of a text frame that is no text is told so, and nothing is
    wrong with the server."""
    return not (record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError))


def serve(
    host: str,
    port: int,
    games: Path | None,
    names: tuple[str, ...],
    bounds: Bounds,
    proxies: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
) -> None:
    """Serve until somebody stops it; prints the address once it is reachable.

    Args:
        host, port: where to listen; port 0 for a free one.
        games: the file in which games are kept; None: in memory.
        names: by which other machines may address this one.
        bounds: limits. proxies: the addresses of proxies in front of it.
        origins: of other pages that may use it.

    Raises:
        TableError: the file cannot be used. OSError: the port is taken. ValueError: a wrong name,
            proxy or origin.
    """
    app = make_app(games, bounds, allowed_hosts(host, names), allowed_origins(origins))
    logging.getLogger("uvicorn.error").addFilter(without_tracebacks)
    run_app(
        app,
        host,
        port,
        bounds,
        proxies,
        note=f"games are kept in {games}" if games else "games are kept in memory only",
        with_web_sockets=True,
        ws_max_size=bounds.upload_bytes,
        # it would take the time of all others: 0.1 s for a list of a hundred pictures
        ws_per_message_deflate=False,
    )


def usual_file() -> Path:
    """The default file that keeps games, in the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "dig_envs" / "games.sqlite"
