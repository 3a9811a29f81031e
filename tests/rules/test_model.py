"""A copy of the model begins a new game: complete, under its own name, and never over another
game."""

import ast
import shutil

import pytest

from tests.model.copy import MODEL, ROOT, copies, prefixes

NEW = ("no_such_game", "ZZ", "No Such Game")


@pytest.fixture
def checkout(tmp_path):
    """Return a folder with the files that the copy is made from."""
    for origin in MODEL:
        target = tmp_path / origin
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ROOT / origin, target) if (ROOT / origin).is_dir() else shutil.copy(
            ROOT / origin, target
        )
    return tmp_path


def test_a_copy_is_complete_and_has_its_own_name(checkout):
    files = {
        path.relative_to(checkout).as_posix(): text for path, text in copies(*NEW, checkout).items()
    }
    ours = {path.name for origin in MODEL for path in (ROOT / origin).glob("*.*")}
    assert {path.rpartition("/")[2] for path in files} == ours | {
        "no_such_game_v0.py",
        "test_no_such_game.py",
    }
    for path, text in files.items():
        left = [
            word
            for word in ("bone_bids", "Bone Bids", "BB-", "_bb_", "tests.model")
            if word in text
        ]
        assert left == [], path
        if path.endswith(".py"):
            ast.parse(text)
    assert "- **ZZ-1** " in files["dig_envs/games/no_such_game/RULES.md"]
    assert "(../../engine/RULES.md)" in files["dig_envs/games/no_such_game/RULES.md"]
    assert "noqa" not in files["tests/rules/no_such_game/positions.py"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("NoSuchGame", "ZZ", "x"), "NAME is lower-case"),
        (("go_dig", "ZZ", "x"), "there is a game 'go_dig' already"),
        (("no_such_game", "GD", "x"), "PREFIX is two capitals other than BB, "),
        (("no_such_game", "P", "x"), "not 'P'"),
        (("no_such_game", "ZZ", " "), "TITLE is"),
    ],
)
def test_what_is_refused(words, told):
    with pytest.raises(ValueError, match=told):
        copies(*words)


def test_prefixes_that_are_taken():
    assert {"BB", "GD", "CC"} <= prefixes()
    assert "ZZ" not in prefixes()
