"""The server of the Model Context Protocol, asked by the SDK's own client."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import typer
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

import dig_envs
from dig_envs.agents.loading import load_agent
from dig_envs.agents.zoo import policies_of
from dig_envs.commands.main import app
from dig_envs.engine.core.state import as_records
from dig_envs.engine.game import deciding
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.mcp.calls import Calls
from dig_envs.server.mcp.tables import NoSeatError, Table, Tables
from dig_envs.server.mcp.tools import Tools, make_server
from dig_envs.server.protocol.allowance import Allowance, GoneError
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.positions import decide
from tests.games import SHIPPED, needs_compiling

COMMAND = ["-m", "dig_envs.commands.main", "mcp"]
ENVIRONMENT = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "DIG_ENVS_QUIET": "1"}
SECONDS = 60  # that an answer may take
GAME = {"environment": "go_dig_v0", "seed": 1}


class Player:
    """Calls tools; answers are the JSON, and the text is kept as ``said``."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.said = ""

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The answer of a tool as JSON."""
        answer = await self.client.call_tool(tool, arguments)
        (content,) = answer.content
        self.said = content.text
        assert not answer.is_error, self.said
        return answer.structured_content

    async def refusal(self, tool: str, **arguments: Any) -> str:
        """Return the message with which a tool refuses a call."""
        answer = await self.client.call_tool(tool, arguments)
        assert answer.is_error, answer.content
        assert answer.structured_content is None
        return str(answer.content[0].text)

    async def start(self, **arguments: Any) -> str:
        """Start a game and return the key of the first seat."""
        return str((await self.call("start_game", **arguments))["keys"][0]["key"])

    async def play_on(self, key: str, decisions: int) -> Any:
        """Play so many decisions at most as the scripted player would; returns the last answer."""
        stand = await self.call("look", key=key)
        while not stand["over"] and decisions:
            assert stand["your_decision"]
            advice = await self.call("hint", key=key)
            stand = await self.call("play", key=key, action=advice["moves"][0]["label"])
            decisions -= 1
        return stand

    async def transcript(self, key: str) -> str:
        """The resource."""
        return str((await self.client.read_resource(f"dig://transcripts/{key}")).contents[0].text)


def tables(
    think_seconds: float = 20.0, seeds: bool = True, shared: bool = False, **limits: Any
) -> Tables:
    return Tables(Limits(**{"games": 20, **limits}), think_seconds, seeds, shared)


def served(games: Tables) -> Any:
    return make_server(games, Calls(games.limits, Bounds()))


def talk(
    conversation: Callable[[Player], Awaitable[None]],
    games: Tables | None = None,
    server: Any = None,
    **how: Any,
) -> None:
    """Hold a conversation with a server in this process, or with another one."""

    async def hold() -> None:
        async with Client(
            server or served(games or tables()), read_timeout_seconds=SECONDS, **how
        ) as client:
            await conversation(Player(client))

    asyncio.run(hold())


# ---------------------------------------------------------------- over standard input and output


@needs_compiling
def test_a_whole_game_over_standard_input_and_output():
    async def conversation(player: Player) -> None:
        names = {tool.name for tool in (await player.client.list_tools()).tools}
        assert {
            "list_environments",
            "read_rules",
            "start_game",
            "look",
            "legal_actions",
            "play",
            "hint",
            "mistakes",
            "end_game",
        } <= names
        key = await player.start(**GAME)
        assert "Legal actions" in player.said
        stand = await player.play_on(key, 100)
        assert "The game is over" in player.said
        assert sorted(stand["returns"]) == [-1, 1]
        found = (await player.call("mistakes", key=key, most=1))["mistakes"]
        for one in found:
            assert any(one["better"][worth] > one["played"][worth] for worth in ("chance", "score"))
        assert ("none that stands out" in player.said) == (not found)
        transcript = await player.transcript(key)
        assert "The seed of the deal was given." in transcript
        assert transcript.count("You ask Player 2") > 5
        assert transcript.strip().endswith("won.")
        assert (await player.call("list_games"))["games"][0]["keys"][0]["key"] == key
        await player.call("end_game", key=key)
        assert (await player.call("list_games"))["games"] == []
        assert "no seat" in await player.refusal("look", key=key)

    talk(
        conversation,
        server=stdio_client(
            StdioServerParameters(command=sys.executable, args=COMMAND, env=ENVIRONMENT)
        ),
    )


def test_no_websockets_are_needed():
    """The extra ``mcp`` does not bring the package."""
    code = "import sys; sys.modules['websockets'] = None; import dig_envs.server.mcp.running"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=SECONDS)


# ---------------------------------------------------------------- over HTTP


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | ENVIRONMENT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


@contextlib.asynccontextmanager
async def connected(address: str, mode: str = "auto") -> AsyncIterator[Player]:
    async with Client(address, read_timeout_seconds=SECONDS, mode=mode) as client:
        yield Player(client)


@needs_compiling
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_clients_play_several_games_at_once_over_http(address, mode):
    async def conversation() -> None:
        async with connected(address, mode) as one, connected(address) as other:
            first, second = (
                await one.start(**GAME),
                await other.start(environment="fossil_canyon_v0", seed=1, opponents="random"),
            )
            both = await one.start(environment="go_dig_v0", seats=[0, 1], seed=2)
            assert len({first, second, both}) == 3
            await asyncio.gather(one.play_on(first, 100), other.play_on(second, 5))
            assert (await one.call("look", key=first))["over"]
            assert (await one.call("look", key=both))["your_decision"]
            listed = (await other.call("list_games"))["games"]
            assert len(listed) == 3
            told = str(listed) + other.said
            assert not any(key in told for key in (first, second, both)), (
                "who has no key must not find one"
            )
            for player, key in ((one, first), (other, second), (one, both)):
                await player.call("end_game", key=key)

    asyncio.run(conversation())


# ---------------------------------------------------------------- what a seat is told


def play(table: Table, seat: int) -> None:
    """Play the scripted player's action, and let the agents play."""
    action, _ = decide(
        table.game, load_agent("heuristic", table.game.env_name), table.session.states, seat
    )
    table.act(seat, action)
    assert not table.let_agents_play(SECONDS, Allowance(Limits()))


def replaced(games: Tables, key: str, states: Any) -> None:
    """Put another position into the place of the one that is played."""
    table, _ = games.seat(key)
    table.session.states[:] = states


@needs_compiling
@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_hidden_is_told(name):
    """In positions that a seat cannot tell apart every tool says the same, to the letter."""
    games, checked = tables(), []

    async def conversation(player: Player) -> None:
        key = await player.start(environment=name, seed=5)
        table, seat = games.seat(key)
        for decision in range(10):
            if table.session.states["over"][0]:
                break
            if decision in (1, 9):
                before = table.session.states.copy()
                said = await everything(player, key)
                for deal in range(2):
                    other = as_records(before.copy())
                    table.game.kernels.determinize_one(other, seat, np.uint64(deal))
                    if (other["owes"] != before["owes"]).any():
                        continue  # whether others have chosen already may show
                    replaced(games, key, other)
                    checked.append(other.tobytes() != before.tobytes())
                    assert await everything(player, key) == said
                replaced(games, key, before)
            play(table, seat)

    talk(conversation, games)
    assert any(checked), "no deal was another one"


async def everything(player: Player, key: str) -> list[Any]:
    """All that a seat can be told."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("look", {}),
        ("legal_actions", {"count": 200}),
        ("hint", {"agent": "heuristic"}),
        ("play", {"action": "nothing of the kind"}),
    ]
    answers = [await player.client.call_tool(tool, {"key": key, **more}) for tool, more in calls]
    found: list[Any] = [(answer.content[0].text, answer.structured_content) for answer in answers]
    listed = await player.call("list_games")
    return [*found, listed, player.said, await player.transcript(key)]


@needs_compiling
@pytest.mark.parametrize("name", ["fossil_canyon_v0", "the_big_dig_v0"])
def test_a_choice_that_is_made_together_is_not_told_before_all_have_chosen(name):
    """Whatever the other seat chooses, this one is told the same."""
    found = {}

    async def until_together(player: Player, games: Tables) -> tuple[list[str], list[int]]:
        """Go on at random to a decision of both; returns the keys and what the second seat may
        choose."""
        answer = await player.call(
            "start_game", environment=name, seed=3, seats=[0, 1], options={"num_players": 2}
        )
        keys = [each["key"] for each in answer["keys"]]
        table, _ = games.seat(keys[0])
        for _ in range(500):
            owing = deciding(table.session.states)
            legal = table.game.legal_actions(table.session.states, 1)
            if len(owing) == 2 and len(legal) > 1:
                return keys, legal
            await player.call(
                "play",
                key=keys[owing[0]],
                action=table.game.legal_actions(table.session.states, owing[0])[0],
            )
        raise AssertionError("no decision of both was found")

    for number in range(2):
        games = tables()

        async def conversation(player: Player, games: Tables = games, number: int = number) -> None:
            keys, legal = await until_together(player, games)
            await player.call("play", key=keys[1], action=legal[number])
            told = await everything(player, keys[0])
            assert table_waits(games, keys[0]), "the first seat has not chosen yet"
            found[number] = told

        talk(conversation, games)
    assert found[0] == found[1]


def table_waits(games: Tables, key: str) -> bool:
    table, seat = games.seat(key)
    return seat in deciding(table.session.states)


# ---------------------------------------------------------------- the tools


def test_environments_and_rules():
    async def conversation(player: Player) -> None:
        found = (await player.call("list_environments"))["environments"]
        assert [entry["environment"] for entry in found] == list_environments()
        go_dig = next(entry for entry in found if entry["environment"] == "go_dig_v0")
        assert {"heuristic", "random", "search", *policies_of(load_game("go_dig"))} <= set(
            go_dig["agents"]
        )
        assert go_dig["options"][0] == {
            "name": "num_players",
            "values": [2, 3, 4],
            "default": 2,
            "meaning": "players",
        }
        assert "num_players = 2 (players): 2, 3, 4" in player.said
        rules = (
            await player.call("read_rules", environment="go_dig_v0", options={"num_players": 3})
        )["rules"]
        assert rules == player.said
        assert "num_players` 3" in rules
        resources = {str(entry.uri) for entry in (await player.client.list_resources()).resources}
        assert resources == {f"dig://rules/{name}" for name in list_environments()}
        usual = (await player.client.read_resource("dig://rules/go_dig_v0")).contents[0].text
        assert usual == (await player.call("read_rules", environment="go_dig_v0"))["rules"]
        templates = (await player.client.list_resource_templates()).resource_templates
        assert [entry.uri_template for entry in templates] == ["dig://transcripts/{key}"]
        with pytest.raises(MCPError, match="no seat"):
            await player.client.read_resource("dig://transcripts/game-1-seat-0")

    talk(conversation)


def test_actions_by_index_notation_and_words():
    games = tables()

    async def conversation(player: Player) -> None:
        for form in ("action", "text", "label"):
            key = await player.start(**GAME)
            first = (await player.call("legal_actions", key=key, count=1))["legal"][0]
            played = await player.call("play", key=key, action=first[form])
            assert played["played"] == first["text"]
            assert played["events"][0]["seat"] == 0
            assert first["label"].removeprefix("Ask ") in player.said
        key = await player.start(**GAME)
        before = games.seat(key)[0].session.states.tobytes()
        legal = {
            entry["action"] for entry in (await player.call("legal_actions", key=key))["legal"]
        }
        illegal = next(action for action in range(20) if action not in legal)
        for action in (
            illegal,
            "dance",
            -1,
            10**30,
            "",
            "x" * 1001,
            load_game("go_dig_v0").actions[illegal],
        ):
            assert await player.refusal("play", key=key, action=action)
        assert "not legal" in await player.refusal("play", key=key, action=illegal)
        assert "names no action" in await player.refusal("play", key=key, action="dance")
        assert games.seat(key)[0].session.states.tobytes() == before

    talk(conversation, games)


def test_legal_actions_come_in_pages():
    async def conversation(player: Player) -> None:
        key = await player.start(**GAME)
        whole = (await player.call("legal_actions", key=key))["legal"]
        pages = [
            (await player.call("legal_actions", key=key, start=start, count=2))["legal"]
            for start in range(0, len(whole), 2)
        ]
        assert [entry for page in pages for entry in page] == whole
        word = whole[-1]["label"].split()[-1]
        some = await player.call("legal_actions", key=key, containing=word.upper())
        assert some["found"] == len(some["legal"]) < some["legal_in_all"] == len(whole)
        assert all(word in entry["label"] for entry in some["legal"])
        assert (await player.call("legal_actions", key=key, start=10_000))["legal"] == []
        assert "Nothing there" in player.said
        for wrong in ({"count": 0}, {"count": 201}, {"start": -1}):
            assert await player.refusal("legal_actions", key=key, **wrong)

    talk(conversation)


@needs_compiling
@pytest.mark.parametrize(
    ("name", "opponents", "options"),
    [
        ("go_dig_v0", ["random", "heuristic"], {"num_players": 3}),
        ("fossil_memory_v0", ["fossil_memory/remembering"], {}),
    ],
    ids=["several", "remembering"],
)
def test_a_seed_gives_the_game_of_any_other_environment(name, opponents, options):
    """The deal is that of the environment with this seed, and agents play and remember as they do
    there."""
    games = tables()

    async def conversation(player: Player) -> None:
        env = dig_envs.make(name, **({"num_players": 2} | options))
        env.reset(seed=7)
        agents = [
            load_agent(opponent, name, 7 + seat + 1) for seat, opponent in enumerate(opponents, 1)
        ]
        key = await player.start(environment=name, seed=7, opponents=opponents, options=options)
        table, _ = games.seat(key)
        for _ in range(30):
            stand = await player.call("look", key=key)
            assert table.session.states.tobytes() == env.unwrapped.states.tobytes()
            if stand["over"]:
                break
            action = (await player.call("hint", key=key))["moves"][0]["action"]
            await player.call("play", key=key, action=action)
            env.step(action)
            while (
                mover := env.unwrapped.seat_of(env.agent_selection)
            ) and not env.unwrapped.states["over"][0]:
                env.step(agents[mover - 1].act(env))

    talk(conversation, games)


def test_agents_that_are_slow_are_waited_for_in_another_call():
    games = tables(think_seconds=0.0)

    async def conversation(player: Player) -> None:
        key = await player.start(**GAME, seats=[1])
        stand = await player.call("look", key=key)
        assert not stand["your_decision"]
        assert "Call look again" in player.said
        assert "wait" in await player.refusal("play", key=key, action=0)
        assert (await player.call("legal_actions", key=key))["legal"] == []
        assert "no decision" in await player.refusal("hint", key=key)
        games.think_seconds = 20.0
        stand = await player.call("look", key=key)
        assert stand["your_decision"]
        assert "waiting" not in stand
        assert stand["events"][0]["seat"] == 0

    talk(conversation, games)


@needs_compiling
def test_a_partner_gives_the_hints_that_suit_it():
    """In a cooperative game the best action depends on who plays on."""

    async def conversation(player: Player) -> None:
        game, partner = {"environment": "cretaceous_creek_v0"}, "cretaceous_creek/policy"
        key = await player.start(**game, opponents=partner, options={"num_players": 2})
        assert (await player.call("hint", key=key))["agent"] == partner
        asked = await player.call("hint", key=key, agent="heuristic")
        assert asked["agent"] == "heuristic"

    talk(conversation)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "agent",
    [
        "exec:touch /tmp/it", "python:os:getcwd", "llm:model", "/etc/passwd",
        "policies/go_dig/policy", "../go_dig/policy", "human", "",
        "random:1", "search:sims=99999999", "search:60s",
        "search:guide=/tmp", "go_dig/policy:threads=9", "random,random", "x" * 300,
    ],
)  # fmt: skip
def test_agents_from_outside_are_names_of_a_list(agent):
    async def conversation(player: Player) -> None:
        assert await player.refusal("start_game", **GAME, opponents=agent)
        assert (await player.call("list_games"))["games"] == []
        key = await player.start(**GAME)
        assert await player.refusal("hint", key=key, agent=agent)

    talk(conversation)


@pytest.mark.parametrize(
    "wrong",
    [
        {"environment": "chess_v0"}, {"options": {"num_players": 9}}, {"options": {"wings": 2}},
        {"options": [1]}, {"seats": []}, {"seats": [2]}, {"seats": [-1]}, {"seats": ["first"]},
        {"seed": 2**64}, {"seed": 1.5}, {"seed": "7"}, {"seed": True}, {"opponents": []},
        {"opponents": ["random", "random"]}, {"opponents": 5}, {"opponents": "oak_island/policy"},
    ],
)  # fmt: skip
def test_a_wrong_game_is_not_started(wrong):
    async def conversation(player: Player) -> None:
        assert await player.refusal("start_game", **(GAME | wrong))
        assert (await player.call("list_games"))["games"] == []

    talk(conversation)


def test_the_limits_of_games():
    games = tables(games=2, idle_seconds=1000.0, seeds=False)
    with pytest.raises(LimitError, match="at random"):
        games.start("go_dig_v0", {}, [0], ["random"], 1)
    one, two = (games.start("go_dig_v0", {}, [0], ["random"], None) for _ in range(2))
    with pytest.raises(LimitError, match="2 games are open"):
        games.start("go_dig_v0", {}, [0], ["random"], None)
    assert games.all() == [one, two]
    games.end(one.keys[0])
    games.start("go_dig_v0", {}, [0], ["random"], None)
    with pytest.raises(NoSeatError):
        games.seat(one.keys[0])


def test_a_game_that_cannot_be_kept_takes_no_place():
    games = tables(games=2, idle_seconds=1000.0, shared=True)
    add, games._sessions.add = games._sessions.add, Mock(side_effect=LimitError("no"))  # type: ignore[method-assign]
    for _ in range(3):
        with pytest.raises(LimitError, match="no"):
            games.start("go_dig_v0", {}, [0], ["random"], None)
    games._sessions.add = add  # type: ignore[method-assign]
    assert games.start("go_dig_v0", {}, [0], ["random"], None) in games.all()


def test_a_game_whose_keys_nobody_learns_is_ended():
    games = tables()
    gone = Tools(games, Allowance(Limits(), gone=lambda: True))
    with pytest.raises(GoneError):
        gone.start_game("go_dig_v0", seats=[1], seed=1)
    assert games.all() == []


def test_a_game_that_was_left_alone_makes_room():
    games = tables(games=1, idle_seconds=0.0, shared=True)
    old = games.start("go_dig_v0", {}, [0, 1], [], None)
    new = games.start("go_dig_v0", {}, [0], ["random"], None)
    assert games.all() == [new]
    assert len({*old.keys.values(), *new.keys.values()}) == 3
    for key in old.keys.values():
        with pytest.raises(NoSeatError):
            games.seat(key)


def test_one_address_has_half_of_the_games():
    games = tables(games=4, idle_seconds=1000.0, shared=True)

    def start(address: str) -> Table:
        return games.start("go_dig_v0", {}, [0], ["random"], None, address)

    mine = [start("a") for _ in range(2)]
    with pytest.raises(TableError, match="one address has at most 2 games"):
        start("a")
    other = start("b")
    games.end(mine[0].keys[0])
    again = start("a")
    assert games.all() == [mine[1], other, again]
    # what was left alone makes room, of the same address first
    for table in (mine[1], other):
        table.session.used -= 2000.0
    new = start("a")
    assert mine[1] not in games.all()
    assert other in games.all()
    assert new in games.all()


def test_the_page_has_all_tools_and_options():
    page = (Path(dig_envs.__file__).parent / "server" / "mcp" / "README.md").read_text(
        encoding="utf-8"
    )
    rows = {
        name: set(re.findall(r"`(\w+)`", parameters))
        for name, parameters in re.findall(r"^\| `(\w+)` \| (.*?) ?\|", page, re.M)
    }

    async def conversation(player: Player) -> None:
        tools = (await player.client.list_tools()).tools
        assert rows == {tool.name: set(tool.input_schema["properties"]) for tool in tools}
        for tool in tools:
            assert tool.description
            assert tool.annotations is not None
            for parameter in tool.input_schema["properties"].values():
                assert "description" in parameter

    talk(conversation)
    command = typer.main.get_command(app).commands["mcp"]  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in parameter.opts}
    assert set(re.findall(r"`(--[\w-]+)`", page)) < options
