"""The console program in C#, where Mono is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DIG_ENVS = Path(sys.executable).parent / "dig-envs"
pytestmark = [
    pytest.mark.skipif(
        shutil.which("mcs") is None or shutil.which("mono") is None,
        reason="Mono is not installed: apt-get install mono-mcs mono-runtime",
    ),
    pytest.mark.skipif(not DIG_ENVS.exists(), reason="the package is not installed"),
]
LIBRARIES = "-r:System.Runtime.Serialization,System.Xml,System.Xml.Linq"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("csharp")
    out = folder / "Table.exe"
    words = ["mcs", LIBRARIES, "-warnaserror", f"-out:{out}", str(HERE / "csharp" / "Table.cs")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def play(program, *words, typed):
    own = {**os.environ, "PATH": f"{DIG_ENVS.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["mono", str(program), *words],
        input=typed,
        capture_output=True,
        text=True,
        timeout=300,
        env=own,
    )


# The Big Dig has views with null and with keys that are no names of XML.
@pytest.mark.parametrize("game", ["go_dig_v0", "the_big_dig_v0"])
def test_a_game_is_played_to_its_end(game, program):
    done = play(program, game, "2", "heuristic", typed="what\n99999\n" + "0\n" * 500)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines.count(next(line for line in lines if line.startswith("A number below "))) >= 2
    assert lines[-1].startswith("Scores: ")
    assert "won" in lines[-2]


def test_what_the_engine_refuses_is_said(program):
    done = play(program, "go_dig_v0", "9", typed="")
    assert (done.returncode, done.stderr) == (1, "option 'num_players': 9 is not one of 2 … 4\n")
    done = play(program, "go_dig_v0", "2", typed="")
    assert (done.returncode, done.stderr) == (1, "The game was left.\n")
