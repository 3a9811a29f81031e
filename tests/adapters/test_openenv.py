"""A game as an environment of OpenEnv, played by its client over its server."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
import time

import pytest

from dig_envs.adapters.text_game import TextGame
from dig_envs.engine.core.state import ANSWERS
from tests.adapters.answering import scripted

pytest.importorskip("openenv", reason="OpenEnv is not installed: pip install 'dig_envs[openenv]'")
import httpx
import uvicorn
from openenv.core import GenericEnvClient

from dig_envs.adapters.openenv import DigAction, DigClient, DigEnvironment, make_app

pytestmark = pytest.mark.ecosystem

SECONDS = 60
SEVERAL = [
    ("go_dig_v0", 2),
    ("fossil_canyon_v0", 3),
    ("the_big_dig_v0", 2),
    ("cretaceous_creek_v0", 2),
    ("oak_island_v0", 4),
]


@contextlib.contextmanager
def served(name, **settings):
    """The address of a server in this process."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(make_app(name, **settings), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        until = time.monotonic() + SECONDS
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(SECONDS)
            assert not thread.is_alive()


@pytest.mark.parametrize(("name", "players"), SEVERAL)
def test_a_whole_game_over_the_server(name, players):
    """Client and server play the game that the same answers make here."""
    own = TextGame(name, {"num_players": players}, seats=[0], opponents=["heuristic"])
    own.reset(7)
    with served(name, num_players=players) as address, DigClient(base_url=address).sync() as client:
        result = client.reset(seed=7)
        assert "answer" in result.observation.system
        while not result.done:
            assert result.reward == 0
            assert result.observation.seat == own.seat == 0
            assert (result.observation.system, result.observation.prompt) == (
                own.system,
                own.message(0),
            )
            answer = f"I choose:\n<answer>{scripted(own.env, 0)}</answer>"
            own.answer(answer)
            result = client.step(DigAction(answer=answer))
            assert result.observation.outcome == "legal", result.observation.message
        assert own.over
        assert result.reward == own.returns[0]
        assert result.observation.returns == own.returns
        assert result.observation.prompt.startswith("The game is over")
        assert result.observation.legal == []
        state = client.state()
        assert (state.over, state.scores, state.seats) == (True, own.scores, [0])
        assert state.options["num_players"] == players
        assert state.step_count == sum(1 for both in own.env._played if both % ANSWERS == 0)


def test_several_games_at_once_and_a_reset_by_seed():
    async def games(address):
        async with DigClient(base_url=address) as one, DigClient(base_url=address) as other:
            first, second = await one.reset(seed=1), await other.reset(seed=2)
            assert first.observation.prompt != second.observation.prompt
            await one.step(DigAction(answer=str(first.observation.legal[0])))
            assert (await other.reset(seed=1)).observation == first.observation
            assert (await one.reset(seed=1)).observation == first.observation
            three = await one.reset(seed=1, options={"num_players": 3})
            assert "Player 3" in three.observation.prompt
            with pytest.raises(RuntimeError, match="num_players"):
                await other.reset(options={"num_players": 9})

    with served("go_dig_v0", sessions=4) as address:
        asyncio.run(games(address))


def test_the_clients_of_openenv_itself():
    with served("go_dig_v0") as address:
        with GenericEnvClient(base_url=address).sync() as client:
            result = client.reset(seed=1)
            result = client.step({"answer": str(result.observation["legal"][0])})
            assert result.observation["outcome"] == "legal"
        schema = httpx.get(f"{address}/schema", timeout=SECONDS, trust_env=False).json()
        assert schema["action"]["required"] == ["answer"]
        assert (
            httpx.get(f"{address}/health", timeout=SECONDS, trust_env=False).json()["status"]
            == "healthy"
        )


def test_nothing_hidden_is_told():
    """In positions that a seat cannot tell apart the observations are the same."""
    env = DigEnvironment("go_dig_v0", seats=[0, 1])
    env.reset(seed=3)
    position, changed = env._game.env, 0
    for _ in range(8):
        told, before = env._observation(), position.snapshot()
        for deal in range(3):
            position.determinize(f"player_{told.seat}", deal)
            changed += position.snapshot() != before
            again = env._observation()
            # without events, which begin anew
            assert again.prompt.split("\n## ")[0] == told.prompt.split("\n## ")[0]
            assert again.legal == told.legal
            position.restore(before)
        env.step(DigAction(answer=str(told.legal[0])))
    assert changed


def test_wrong_arguments_are_refused_before_anybody_connects():
    for wrong in ({"num_players": 9}, {"seats": [5]}, {"opponents": "nobody"}):
        with pytest.raises(ValueError, match=r"num_players|seat|nobody"):
            make_app("go_dig_v0", **wrong)
    with pytest.raises(RuntimeError, match="reset"):
        DigEnvironment("go_dig_v0").step(DigAction(answer="0"))


def test_the_command(tmp_path):
    """The server of the command line, in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [
        sys.executable,
        "-m",
        "dig_envs.adapters.openenv",
        "go_dig_v0",
        "--option",
        "num_players=3",
        "--port",
        str(port),
    ]
    process = subprocess.Popen([*words, "--opponents", "random,heuristic"])
    try:
        until = time.monotonic() + SECONDS
        while True:
            try:
                assert (
                    httpx.get(
                        f"http://127.0.0.1:{port}/health", timeout=5, trust_env=False
                    ).status_code
                    == 200
                )
                break
            except httpx.TransportError:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.2)
        with DigClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
            assert "Player 3" in client.reset(seed=1).observation.prompt
    finally:
        process.terminate()
        process.wait(SECONDS)
