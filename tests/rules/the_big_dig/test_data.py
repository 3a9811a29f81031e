"""The data files and the companion app: what is read, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from dig_envs.games.the_big_dig import app
from dig_envs.games.the_big_dig.board import SPACES, STATES
from dig_envs.games.the_big_dig.components import FAUNA, support_by_counts
from dig_envs.games.the_big_dig.data import (
    DECKS_FILE,
    FAUNA_FILE,
    DataError,
    read_decks,
    read_fauna,
)
from dig_envs.games.the_big_dig.rules.models import NO_PREDICTION, predict


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def written(tmp_path: Path, content: list[str]) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(content) + "\n", encoding="utf-8")
    return path


# ------------------------------------------------ the board and the data that come with the package


def test_bd7_the_same_in_compiled_code():
    """Every model's predictions are the same in the app and in the rules, from the living species
    that it counts."""
    found, compared = np.zeros(len(STATES), np.int8), 0
    chance = np.random.default_rng(0)
    for low, high in np.sort(chance.integers(len(SPACES), size=(400, 2))):
        attributes = [SPACES[space].split("-")[0] for space in (low, high)]
        if low != high and attributes[0] == attributes[1]:
            continue
        predict(low, high, found)
        expected = np.full(len(STATES), NO_PREDICTION)
        for one in app.predictions([SPACES[low], SPACES[high]][: 1 + (low != high)]):
            assert one.with_state <= one.species <= len(FAUNA)
            assert one.support == support_by_counts(one.species, one.with_state)
            expected[STATES.index(one.space[:-2])] = (
                one.support if one.space.endswith("A") else -one.support
            )
        assert np.array_equal(found, expected)
        assert [state.split("-")[0] in attributes for state in STATES] == (
            expected == NO_PREDICTION
        ).tolist()
        compared += 1
    assert compared > 300


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
        (
            lambda rows: rows[1].rpartition(",")[0] + ",4",
            "line 2: column 27: '4' is not a state number from 1 to 3",
        ),
        (
            lambda rows: rows[1].rpartition(",")[0] + ",x",
            "line 2: column 27: 'x' is not a state number from 1 to 3",
        ),
        (
            lambda rows: rows[2].partition(",")[0] + "," + rows[1].partition(",")[2],
            "line 3: the species .* occurs twice",
        ),
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
        (
            "starter,state,1-2,1,no",
            "fifth,state,1-2,1,no",
            "line 2: deck 'fifth' is not one of starter",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,card,1-2,1,no",
            "line 2: kind 'card' is not one of state, request, rock",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,1-9,1,no",
            "line 2: '1-9' is not a card of the kind 'state'",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,1-2,one,no",
            "line 2: count 'one' is not a number",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,1-2,2,no",
            "deck starter: has 9 cards of the kind 'state' instead of 8",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,2-1,1,no",
            "deck starter: has two states of the same attribute",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,18-1,1,no",
            "deck starter: has a behavioural attribute",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,1-2,1,yes",
            "deck starter: has more than one starter discovery",
        ),
        (
            "starter,state,1-2,1,no",
            "starter,state,1-2,1,maybe",
            "starter_discovery must be yes or no",
        ),
        (
            "starter,state,2-3,1,yes",
            "starter,state,2-3,1,no",
            "deck starter: has no starter discovery",
        ),
        (
            "starter,request,diet,1,no",
            "starter,request,skull,1,no",
            "deck starter: has the same special request twice",
        ),
        (
            "starter,request,diet,1,no",
            "starter,request,diet,1,yes",
            "the starter discovery is an attribute state card",
        ),
        (
            "starter,rock,rock,15,no",
            "starter,rock,rock,14,no",
            "deck starter: has 14 cards of the kind 'rock' instead of 15",
        ),
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
