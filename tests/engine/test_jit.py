"""Compiled or not, the games are the same; and changed sources never meet an old cache."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from dig_envs.engine import jit
from dig_envs.engine.jit import JIT_DISABLED
from tests.engine import playthrough
from tests.games import every_game

CHECKOUT = Path(__file__).parent.parent.parent
current_hash = jit.source_hash.__wrapped__
current_root = jit.cache_root.__wrapped__


def run_python(*arguments, folder=CHECKOUT, **variables):
    """What a Python process prints that finds the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def other_way():
    """What the playthroughs give in another process, uncompiled (compiled, if the tests run uncompiled)."""
    disabled = "0" if JIT_DISABLED else "1"
    return json.loads(run_python("-m", "tests.engine.playthrough", NUMBA_DISABLE_JIT=disabled))


@every_game
def test_plain_python_plays_the_same_games_as_compiled_code(name, other_way):
    assert playthrough.digest(name) == other_way[name]


# ---------------------------------------------------------------- the cache


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of the compiled sources, for which hashes are taken."""
    package = tmp_path / "dig_envs"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "policies"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    return package


def test_the_hash_follows_every_compiled_source(sources):
    first = current_hash()
    assert current_hash() == first
    seen = {first}
    for path in ("engine/lists.py", "games/cretaceous_creek/components.py", "games/cretaceous_creek/heuristic.py"):
        with (sources / path).open("a") as file:
            file.write("\n# changed\n")
        seen.add(current_hash())
    (sources / "games" / "new_table.csv").write_text("1,2\n")
    seen.add(current_hash())
    (sources / "games" / "new_table.csv").rename(sources / "games" / "renamed.csv")
    seen.add(current_hash())
    assert len(seen) == 6


def test_the_hash_ignores_what_is_not_compiled(sources):
    first = current_hash()
    with (sources / "adapters" / "aec.py").open("a") as file:
        file.write("\n# changed\n")
    (sources / "games" / "notes.md").write_text("digging")
    assert current_hash() == first


def test_the_hash_follows_the_versions_of_numba_and_numpy(sources, monkeypatch):
    seen = {current_hash()}
    monkeypatch.setattr(numba, "__version__", "0.0")
    seen.add(current_hash())
    monkeypatch.setattr(np, "__version__", "0.0")
    seen.add(current_hash())
    assert len(seen) == 3


def test_changed_sources_have_another_cache_folder(sources, tmp_path, monkeypatch):
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "source_hash", current_hash)
    first = current_root()
    assert first.parent == tmp_path / "cache"
    assert current_root() == first
    with (sources / "engine" / "random.py").open("a") as file:
        file.write("\n# changed\n")
    second = current_root()
    assert second != first
    assert second.is_dir()


def test_old_caches_are_removed_but_for_a_few(sources, tmp_path, monkeypatch):
    """What is younger than a day stays: another process may be writing to it."""
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "source_hash", current_hash)
    for number in range(jit.KEPT_CACHES + 3):
        old = tmp_path / "cache" / f"numba-{number}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    young = [tmp_path / "cache" / f"numba-young-{number}" for number in range(2)]
    for folder in (*young, tmp_path / "cache" / "of_others"):
        folder.mkdir()
    current = current_root()
    kept = {f"numba-{number}" for number in range(5, jit.KEPT_CACHES + 3)}
    names = {path.name for path in (tmp_path / "cache").iterdir()}
    assert names == {*kept, *(folder.name for folder in young), current.name, "of_others"}
    for number in range(jit.KEPT_CACHES):
        (tmp_path / "cache" / f"numba-younger-{number}").mkdir()
    current_root()
    names = {path.name for path in (tmp_path / "cache").iterdir()}
    assert {folder.name for folder in young} <= names
    assert not any(f"numba-{number}" in names for number in range(jit.KEPT_CACHES + 3))


def test_where_nothing_can_be_written_the_cache_is_temporary(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    folder = current_root()
    assert folder.is_dir()
    assert tmp_path not in folder.parents
    folder.rmdir()


def test_a_change_in_another_file_reaches_compiled_code(tmp_path):
    """A number in a game's table, used by a function that is compiled into a kernel in a third file."""
    shutil.copytree(jit.PACKAGE, tmp_path / "dig_envs", ignore=shutil.ignore_patterns("__pycache__", "policies"))
    play = (
        "import numpy as np; from dig_envs.registry import load_game; from dig_envs.engine.state import new_records;"
        "game = load_game('cretaceous_creek'); states = new_records(1, game.state);"
        "template = game.template(game.complete_options({}));"
        "game.kernels.start(states, 0, 1, np.zeros(1, np.uint64), template, np.zeros(1, np.int64));"
        "print(states['deck_len'][0])"
    )
    cache = str(tmp_path / "cache")
    assert run_python("-c", play, folder=tmp_path, DIG_ENVS_CACHE_DIR=cache).split() == ["4"]
    components = tmp_path / "dig_envs" / "games" / "cretaceous_creek" / "components.py"
    text = components.read_text()
    assert "[0, 4, 8, 12, 16]" in text
    components.write_text(text.replace("[0, 4, 8, 12, 16]", "[0, 7, 8, 12, 16]"))
    assert run_python("-c", play, folder=tmp_path, DIG_ENVS_CACHE_DIR=cache).split() == ["7"]
    assert len(list((tmp_path / "cache").glob("numba-*"))) == (0 if JIT_DISABLED else 2)


def test_other_users_of_numba_keep_their_cache_folder():
    """The setting by which Numba finds its cache is changed only while a kernel is decorated."""
    before = numba.config.CACHE_DIR

    @jit.kernel("test_jit")
    def double(x):
        return 2 * x

    assert double(21) == 42
    assert before == numba.config.CACHE_DIR
