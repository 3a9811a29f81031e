"""Words from outside in what servers answer: each message is one short line without hidden
characters."""

import asyncio

import pytest
from mcp import Client as McpClient

from dig_envs.engine.core.texts import LONGEST_MESSAGE, is_hidden
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.guard import refusal
from dig_envs.server.mcp.calls import Calls
from dig_envs.server.mcp.tables import Tables
from dig_envs.server.mcp.tools import make_server
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.table.messages import error_message
from tests.server.asking import Client

GAME = {"environment": "go_dig_v0"}
HOSTILE = {
    "escape": "a\x1b[2J\x9bb",
    "turned around": "a\u202eb",
    "invisible": "a\u3164\u200bb",
    "lines": "a\nb\rc",
    "long": "a" * 100_000,
}
hostile = pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)


def check(message: str) -> None:
    assert message
    assert len(message) <= LONGEST_MESSAGE + 100
    assert not any(map(is_hidden, message))


@hostile
def test_of_the_protocol(words: str) -> None:
    client = Client()
    for method, params in (
        ("describe", {"environment": words}),
        (words, {}),
        ("new", {**GAME, "options": {words: words}}),
        ("new", {**GAME, "options": {"num_players": words}}),
        ("new", {**GAME, words: 1}),
        ("act", {"game": words, "action": words}),
        ("load", {**GAME, "snapshot": {words: words}}),
        ("choose", {**GAME, "snapshot": {}, "agent": words}),
    ):
        check(str(client.refusal(method, **params)))


@hostile
def test_of_tools(words: str) -> None:
    async def story() -> None:
        calls = Calls(Limits(), Bounds())
        async with McpClient(make_server(Tables(Limits(), 5.0, True, False), calls)) as client:
            started = await client.call_tool("start_game", GAME)
            key = started.structured_content["keys"][0]["key"]
            for tool, arguments in (
                ("start_game", {"environment": words[:200]}),
                ("start_game", {**GAME, "opponents": words}),
                ("start_game", {**GAME, "options": {words: words}}),
                ("start_game", {**GAME, "options": {"num_players": words}}),
                ("read_rules", {"environment": words[:200]}),
                ("play", {"key": key, "action": words[:1000]}),
                ("look", {"key": words[:200]}),
                ("hint", {"key": key, "agent": words[:200]}),
            ):
                answer = await client.call_tool(tool, arguments)
                assert answer.is_error
                check(answer.content[0].text)

    asyncio.run(story())


@hostile
def test_of_tables(words: str) -> None:
    check(error_message(TableError("bad-request", words))["message"])
    body = bytes(refusal(TableError("bad-request", words)).body).decode()
    assert len(body) < 2 * LONGEST_MESSAGE
    assert not any(map(is_hidden, body))
