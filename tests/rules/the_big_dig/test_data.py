"""The data files and the companion app: what is read, what is refused, and how other data are installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dig_envs.games.the_big_dig import app
from dig_envs.games.the_big_dig.board import SPACES, STATES
from dig_envs.games.the_big_dig.components import FAUNA, SUPPORT
from dig_envs.games.the_big_dig.data import DECKS_FILE, FAUNA_FILE, DataError, read_decks, read_fauna
from dig_envs.games.the_big_dig.rules.models import predict
from dig_envs.games.the_big_dig.scripts import install


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def written(tmp_path: Path, content: list[str]) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(content) + "\n", encoding="utf-8")
    return path


# ---------------------------------------------------------------- the board and the data that come with the package


def test_bd7_the_same_in_compiled_code():
    """Every model's predictions are the same in the app, in the table and in the rules."""
    tables = app.tables_of(FAUNA, SUPPORT)
    found = np.zeros(74, np.int8)
    chance = np.random.default_rng(0)
    for low, high in np.sort(chance.integers(148, size=(400, 2))):
        if tables.support[low, high].max() < 0:
            continue
        predict(low, high, found)
        support = tables.support[low, high]
        assert np.array_equal(found, np.where(support < 0, -128, np.where(tables.asserted[low, high], support, -support)))
        said = {one.space: one for one in app.predictions([SPACES[low], SPACES[high]][: 1 + (low != high)])}
        assert sorted(said) == sorted(
            f"{STATES[s]}-{'NA'[int(tables.asserted[low, high, s])]}" for s in np.flatnonzero(support >= 0)
        )
        for space, one in said.items():
            state = STATES.index(space[:-2])
            assert (one.support, one.with_state) == (support[state], tables.with_state[low, high, state])
            assert one.species == tables.species[low, high]


def test_bd5_the_app_refuses_what_is_no_model():
    for inputs, reason in [
        ([], "one input or two"),
        ("2-3-A", "one input or two"),
        (["2-3-A", "3-3-A", "5-1-A"], "one input or two"),
        (["2-4-A"], "no space '2-4-A'"),
        (["2-3-A", "2-1-N"], "same attribute"),
    ]:
        with pytest.raises(app.ModelError, match=reason):
            app.predictions(inputs)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows[0].replace("species", "name"), "line 1: the columns must be"),
        (lambda rows: rows[1].rpartition(",")[0], "line 2: has 27 values instead of 28"),
        (lambda rows: rows[1].rpartition(",")[0] + ",4", "line 2: column 27: '4' is not a state number from 1 to 3"),
        (lambda rows: rows[1].rpartition(",")[0] + ",x", "line 2: column 27: 'x' is not a state number from 1 to 3"),
        (lambda rows: rows[2].partition(",")[0] + "," + rows[1].partition(",")[2], "line 3: the species .* occurs twice"),
        (lambda rows: "," + rows[1].partition(",")[2], "line 2: the species has no name"),
    ],
)
def test_a_bad_fauna(tmp_path, change, reason):
    rows = lines(FAUNA_FILE)
    place = 0 if "line 1" in reason else 1
    rows[place] = change(rows)
    with pytest.raises(DataError, match=reason):
        read_fauna(written(tmp_path, rows))


def test_a_fauna_without_species_or_with_too_many(tmp_path):
    rows = lines(FAUNA_FILE)
    with pytest.raises(DataError, match="has 0 species"):
        read_fauna(written(tmp_path, rows[:1]))
    many = [f"Species {i},{rows[1].partition(',')[2]}" for i in range(128)]
    with pytest.raises(DataError, match="has 128 species; from 1 to 127"):
        read_fauna(written(tmp_path, [rows[0], *many]))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("starter,state,1-2,1,no", "fifth,state,1-2,1,no", "line 2: deck 'fifth' is not one of starter"),
        ("starter,state,1-2,1,no", "starter,card,1-2,1,no", "line 2: kind 'card' is not one of state, request, rock"),
        ("starter,state,1-2,1,no", "starter,state,1-9,1,no", "line 2: '1-9' is no card of the kind 'state'"),
        ("starter,state,1-2,1,no", "starter,state,1-2,one,no", "line 2: count 'one' is not a number"),
        ("starter,state,1-2,1,no", "starter,state,1-2,2,no", "deck starter: has 9 cards of the kind 'state' instead of 8"),
        ("starter,state,1-2,1,no", "starter,state,2-1,1,no", "deck starter: has two states of the same attribute"),
        ("starter,state,1-2,1,no", "starter,state,18-1,1,no", "deck starter: has a behavioural attribute"),
        ("starter,state,1-2,1,no", "starter,state,1-2,1,yes", "deck starter: has more than one starter discovery"),
        ("starter,state,1-2,1,no", "starter,state,1-2,1,maybe", "starter_discovery must be yes or no"),
        ("starter,state,2-3,1,yes", "starter,state,2-3,1,no", "deck starter: has no starter discovery"),
        ("starter,request,diet,1,no", "starter,request,skull,1,no", "deck starter: has the same special request twice"),
        ("starter,request,diet,1,no", "starter,request,diet,1,yes", "the starter discovery is an attribute state card"),
        ("starter,rock,rock,15,no", "starter,rock,rock,14,no", "deck starter: has 14 cards of the kind 'rock' instead of 15"),
    ],
)
def test_bad_decks(tmp_path, old, new, reason):
    text = DECKS_FILE.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(DataError, match=reason):
        read_decks(written(tmp_path, text.replace(old, new).splitlines()))


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_fauna(tmp_path / "missing.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        read_decks(binary)


# ---------------------------------------------------------------- installing other data


@pytest.fixture
def own_copy(tmp_path, monkeypatch):
    """The package's data files in a folder of the test's own."""
    fauna, decks = tmp_path / "own" / "fauna.csv", tmp_path / "own" / "decks.csv"
    fauna.parent.mkdir()
    shutil.copyfile(FAUNA_FILE, fauna)
    shutil.copyfile(DECKS_FILE, decks)
    monkeypatch.setattr(install, "FAUNA_FILE", fauna)
    monkeypatch.setattr(install, "DECKS_FILE", decks)
    return fauna, decks


def test_install_replaces_the_data(own_copy, tmp_path):
    rows = lines(FAUNA_FILE)[:61]
    summary = install.install(written(tmp_path, rows), None)
    assert summary.startswith("60 species with 27 attributes; decks starter, second, third, fourth; 10676 models")
    assert lines(own_copy[0]) == rows
    assert lines(own_copy[1]) == lines(DECKS_FILE)
    assert {path.name for path in own_copy[0].parent.iterdir()} == {"fauna.csv", "decks.csv"}


def test_install_changes_nothing_if_one_file_is_bad(own_copy, tmp_path):
    bad = written(tmp_path, lines(DECKS_FILE)[:-1])
    with pytest.raises(DataError, match="deck fourth"):
        install.install(FAUNA_FILE, bad)
    assert lines(own_copy[0]) == lines(FAUNA_FILE)
    assert lines(own_copy[1]) == lines(DECKS_FILE)


def test_the_command_without_files_checks_the_packages_own():
    command = [sys.executable, "-m", "dig_envs.games.the_big_dig.scripts.install"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("120 species")
    assert done.stderr == ""


def test_the_command_ends_with_one_line_that_says_what_is_wrong(tmp_path):
    path = written(tmp_path, [*lines(FAUNA_FILE)[:3], "Nobody,1"])
    command = [sys.executable, "-m", "dig_envs.games.the_big_dig.scripts.install", "--fauna", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"error: {path}, line 4: has 2 values instead of 28\n"
