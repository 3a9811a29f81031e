"""The program of the README takes a seat of a table by its link."""

import json
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from websockets.sync.client import connect

import dig_envs.server
from tests.server.asking import Server, serve_command

README = Path(dig_envs.server.__file__).with_name("README.md")


@pytest.fixture(scope="module")
def server():
    with closing(Server(serve_command(None, workers=1))) as server:
        yield server


def opened(server, env, players, options):
    """The secrets of the people's seats of a new table."""
    asked = {"env": env, "players": players, "options": options}
    request = urllib.request.Request(
        f"http://{server.host}/api/tables",
        json.dumps(asked).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        links = json.load(answer)["links"]
    return {link["seat"]: link["token"] for link in links}


def positions(server, secret, theme):
    """The first position that a link gets."""
    address = f"http://{server.host}"
    with connect(f"ws://{server.host}/ws", origin=address, max_size=None) as socket:
        socket.send(json.dumps({"token": secret, "theme": theme}))
        for text in socket:
            if (message := json.loads(text))["type"] == "position":
                return message
    return None


# in The Big Dig both decide at the same time
@pytest.mark.parametrize(
    ("env", "options"), [("go_dig_v0", {"max_turns": 6}), ("the_big_dig_v0", {"turns": 1})]
)
def test_two_programs_play_a_game(server, env, options, tmp_path):
    _, _, section = README.read_text().partition("### A program with a seat")
    (tmp_path / "player.py").write_text(section.split("```python\n")[1].partition("```")[0])
    secrets = opened(server, env, ["human", "human"], options)
    seen = positions(server, secrets[0], "")
    assert seen["view"]["game"] == seen["env"].removesuffix("_v0")
    assert "rng" not in seen["view"]
    assert "view" not in positions(server, secrets[0], "light")  # pages have no use for it
    assert "view" not in positions(server, secrets[None], "")
    links = [f"http://{server.host}/#{secrets[seat]}" for seat in range(2)]
    words = [
        [sys.executable, str(tmp_path / "player.py"), link, f"{env}/heuristic"] for link in links
    ]
    programs = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in words]
    for program in programs:
        *refused, last = program.communicate(timeout=300)[0].splitlines()
        assert program.returncode == 0
        assert all(line.startswith("changed ") for line in refused)
        assert last
