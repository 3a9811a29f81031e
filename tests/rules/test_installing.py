"""The commands that install other data for a game: all of it is checked first, and what is wrong is told in one line."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Game, its files of data, how the command's summary begins; the file that is changed and its option; a good change of a piece
# of text, with what the summary says then; a bad one, with what is told.
OAK, BIG = ("oak_island", ["BOX_FILE"], "8 characters"), ("the_big_dig", ["FAUNA_FILE", "DECKS_FILE"], "120 species")
CASES = [
    (*OAK, "BOX_FILE", "--box", ("cost = 400", "cost = 300"), "caisson 4+4 for $300; bag: 1 yellow, 8 red", ("red = 8", "red = 80"),
     "bag.red must be a number from 0 to 20"),
    (*BIG, "FAUNA_FILE", "--fauna", ("Braetes dilidus", "Another"), "120 species with 27 attributes; decks starter, second, third",
     ("Braetes dilidus,1", "Braetes dilidus"), "line 3: has 27 values instead of 28"),
]  # fmt: skip
every_case = pytest.mark.parametrize(
    ("game", "files", "own", "file", "option", "good", "summary", "bad", "told"), CASES, ids=["oak_island", "the_big_dig"]
)


def run(game, *arguments):
    command = [sys.executable, "-m", f"dig_envs.games.{game}.scripts.install", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def contents(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@every_case
def test_installing(game, files, own, file, option, good, summary, bad, told, tmp_path, monkeypatch):
    """In a folder of the test's own: a bad file changes nothing, a good one takes the place of the other and nothing else."""
    module = importlib.import_module(f"dig_envs.games.{game}.scripts.install")
    text = getattr(module, file).read_text(encoding="utf-8")
    (tmp_path / "own").mkdir()
    for name in files:
        monkeypatch.setattr(module, name, Path(shutil.copy(getattr(module, name), tmp_path / "own")))
    before, given = contents(tmp_path / "own"), tmp_path / "given"
    arguments = [given if name == file else None for name in files]
    given.write_text(text.replace(*bad, 1), encoding="utf-8")
    with pytest.raises(module.DataError, match=told):
        module.install(*arguments)
    assert contents(tmp_path / "own") == before
    given.write_text(text.replace(*good, 1), encoding="utf-8")
    assert given.read_text(encoding="utf-8") != text
    assert summary in module.install(*arguments)
    assert contents(tmp_path / "own") == {**before, getattr(module, file).name: given.read_text(encoding="utf-8")}


@every_case
def test_the_command(game, files, own, file, option, good, summary, bad, told, tmp_path):
    """Without files it checks the package's own; what is wrong with others it says in one line, and installs nothing."""
    module = importlib.import_module(f"dig_envs.games.{game}.scripts.install")
    text = getattr(module, file).read_text(encoding="utf-8")
    (tmp_path / "given").write_text(text.replace(*bad, 1), encoding="utf-8")
    done = run(game, option, str(tmp_path / "given"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert getattr(module, file).read_text(encoding="utf-8") == text
    done = run(game)
    assert (done.returncode, done.stderr, done.stdout[: len(own)]) == (0, "", own)
