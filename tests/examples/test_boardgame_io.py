"""The table of boardgame.io, with the package as npm installs it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dig_envs.registry import list_environments
from tests.export.node import NODE, needs_node

HERE = Path(__file__).parent
NPM = shutil.which("npm")
pytestmark = [pytest.mark.ecosystem, needs_node]


def run(folder, *words):
    done = subprocess.run(
        [*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=1000
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return a folder in which boardgame.io is installed, with the files of the example."""
    if NPM is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("table")
    (folder / "package.json").write_text('{"private": true}')
    words = [NPM, "install", "--no-audit", "--no-fund", "boardgame.io@0.50"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip(f"npm cannot fetch boardgame.io: {done.stderr[-500:]}")
    for file in (*(HERE / "boardgame_io").glob("*.mjs"), HERE / "boardgame_io_checks.mjs"):
        shutil.copy(file, folder)
    return folder


def install(program, package):
    run(program, NPM, "install", "--no-audit", "--no-fund", "--offline", package)
    return json.loads((package / "package.json").read_text())["name"]


SHORT = {"go_dig": {"maxTurns": 6}, "the_big_dig": {"turns": 1}}  # both decide at once in it


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(name, marks=() if name in SHORT else pytest.mark.slow)
        for name in (env.rpartition("_v")[0] for env in list_environments() if env.endswith("_v0"))
    ],
)
def test_a_table_is_played_and_tells_no_secrets(game, exported, program):
    """By clients that know their views, and by bots."""
    name = install(program, exported(game))
    said = run(
        program, NODE, "boardgame_io_checks.mjs", name, "{}", json.dumps(SHORT.get(game, {}))
    )
    assert json.loads(said)["moves"] > 20


def test_a_match_in_the_terminal(exported, program):
    """What is typed is checked, and the match goes on to its end."""
    name = install(program, exported("go_dig_v0"))
    said, typed = [], ["99"]
    words = [str(NODE), "match.mjs", name, "2", "maxTurns=4"]
    with subprocess.Popen(
        words, cwd=program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as match:
        for line in match.stdout:
            said.append(line.strip())
            if line.startswith(("0  Ask", "A number from the list")):
                print(typed.pop(0) if typed else "0", file=match.stdin, flush=True)
    assert match.returncode == 0
    assert "A number from the list." in said
    assert said[-1].startswith("Scores: ")
