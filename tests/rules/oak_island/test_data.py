"""The data table: what is read, what is refused, and that policies of another table are refused."""

import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest

from dig_envs import PolicyMismatchError
from dig_envs.agents.onnx import check_card
from dig_envs.engine.compiler import sources
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.engine.compiler.sources import source_hash
from dig_envs.games.oak_island.data import BOX_FILE, DataError, read_box
from tests.rules.oak_island.positions import CHARACTERS, GAME
from tests.rules.oak_island.reference import TABLE

TEXT = BOX_FILE.read_text(encoding="utf-8")


def written(tmp_path, old, new):
    """The package's table with one piece of text changed, in a file of its own."""
    assert old in TEXT
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    return path


def copied_package(tmp_path):
    """A copy of the sources."""
    ignored = shutil.ignore_patterns("__pycache__", "policies", "compiled")
    return shutil.copytree(sources.PACKAGE, tmp_path / "dig_envs", ignore=ignored)


# ------------------------------------------------------------ the table that comes with the package


def test_it_is_that_of_the_rules():
    box = read_box(BOX_FILE)
    assert list(box.characters) == CHARACTERS
    assert dict(box.bag) == {"red": 8, "blue": 16, "green": 12, "brown": 60}
    for location in box.locations:
        rows, cost, cubes, extra = TABLE[location.name]
        assert [(row.need, set(row.characters)) for row in location.rows] == [
            (need, set(names)) for need, names in rows
        ]
        assert (location.cost, location.cubes, location.extra) == (cost, cubes, extra)


def test_the_defaults_of_the_options_are_those_of_the_table():
    defaults = {option.name: option.default for option in GAME.options}
    assert {name: defaults[f"bag_{name}"] for name in ("red", "blue", "green", "brown")} == dict(
        read_box(BOX_FILE).bag
    )


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[bag]", "[bags]", "the table must have exactly the entries characters, bag, locations"),
        ("red = 8", "red = 21", "bag.red must be a number from 0 to 20"),
        ("red = 8", "red = true", "bag.red must be a number"),
        ("red = 8", "", "bag must have exactly the entries red, blue, green, brown"),
        ('"Billy", "Marty"', '"Billy", "Billy"', "characters has a name twice"),
        (
            '"Billy", "Marty"',
            '"Billy", "Matty"',
            "locations.lots.rows.0.of: 'Marty' is not one of the characters Billy, Matty",
        ),
        ('"Billy", "Marty"', '"Billy", "Marty Lagina"', "characters: 'Marty Lagina' is not a name"),
        ('"Billy", "Marty"', '"Billy", 7', "characters must be a list of 1 to 12 names"),
        (
            "[locations.swamp]",
            "[locations.bog]",
            "locations must have exactly the entries lots, swamp",
        ),
        ("cost = 100", "cost = 150", "locations.swamp.cost must be a multiple of 100, not 150"),
        ("cost = 100", "cost = -100", "locations.swamp.cost must be a number from 0 to 2000"),
        ("cost = 100", "cost = 100.0", "locations.swamp.cost must be a number"),
        ("cubes = 4", "cubes = 0", "locations.caisson.cubes must be a number from 1 to 10"),
        ("extra = 4", "extra = 7", "locations.caisson.extra must be a number from 0 to 6"),
        ("extra = 0", "extra = 1", "locations.lots.extra must be a number from 0 to 0"),
        (
            "extra = 4",
            "",
            "locations.caisson must have exactly the entries rows, cost, cubes, extra",
        ),
        ("need = 2", "need = 3", "locations.swamp.rows.1.need must be a number from 1 to 2"),
        (
            'of = ["Gary"]',
            "of = []",
            "locations.lots.former_rows.0.of must be a list of 1 to 8 names",
        ),
        (
            'of = ["Gary"] }',
            'of = ["Gary"], who = 1 }',
            "locations.lots.former_rows.0 must have exactly the entries need, of",
        ),
        (
            'rows = [\n    { need = 1, of = ["Gary"] },',
            "rows = [\n    7,",
            "locations.lots.former_rows.0 must have exactly",
        ),
        ("[bag]", "[bag", "cannot be read"),
    ],
)
def test_what_is_refused(tmp_path, old, new, message):
    path = written(tmp_path, old, new)
    with pytest.raises(DataError) as error:
        read_box(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))


def test_what_is_no_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_box(tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        read_box(tmp_path / "binary.toml")


def test_every_number_of_the_table_is_in_its_hash(tmp_path):
    hashes = {read_box(BOX_FILE).hash}
    edits = [
        ("red = 8", "red = 7"),
        ("cost = 400", "cost = 500"),
        ("need = 2", "need = 1"),
        ("extra = 4", "extra = 3"),
        ("cubes = 4", "cubes = 5"),
    ]
    for old, new in edits:
        hashes.add(read_box(written(tmp_path, old, new)).hash)
    assert len(hashes) == len(edits) + 1
    assert (
        read_box(written(tmp_path, "# Those who are placed", "# Who is placed")).hash in hashes
    ), "comments do not count"


def test_policies_of_another_table_are_refused(tmp_path):
    """The environment reports other hashes; those of its compiled code, too."""
    other = replace(GAME, data_hash=read_box(written(tmp_path, "cost = 400", "cost = 300")).hash)
    card = {
        "environment": GAME.env_name,
        "observation_layout": GAME.layout_hash,
        "action_list": GAME.actions_hash,
        "num_players": [2],
    }
    check_card(card, GAME, tmp_path)
    assert (other.layout_hash, other.actions_hash) != (GAME.layout_hash, GAME.actions_hash)
    with pytest.raises(PolicyMismatchError, match=r"observation_layout is .*, here "):
        check_card(card, other, tmp_path)


def test_the_table_belongs_to_the_compiled_code(tmp_path):
    package = copied_package(tmp_path)
    before = source_hash(cache_key(GAME).modules, folders={"dig_envs": package})
    assert before == source_hash(cache_key(GAME).modules)
    table = package / "games" / "oak_island" / "box.toml"
    table.write_text(TEXT.replace("cost = 400", "cost = 300"), encoding="utf-8")
    assert source_hash(cache_key(GAME).modules, folders={"dig_envs": package}) != before


PLAY = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import dig_envs
from dig_envs.registry import load_game
assert dig_envs.__file__.startswith({folder!r})
game = load_game("oak_island")
env = dig_envs.make("oak_island_v0", num_players=3, max_rounds=2)
for seed in range(2):
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    position = env.unwrapped.snapshot()
    env.unwrapped.restore(position)
print(game.data_hash, game.layout_hash, len(game.actions), game.observation_size)
"""


def test_a_game_with_another_table(tmp_path):
    """Other characters, prices and numbers of cubes: a copy of the package with that table plays,
    and reports other hashes."""
    package = copied_package(tmp_path)
    text = TEXT.replace('"Terry", "Charles"]\n\n', '"Terry", "Charles", "Doug"]\n\n', 1).replace(
        "cost = 0\ncubes = 1", "cost = 100\ncubes = 2", 1
    )
    text = (
        text.replace("extra = 4", "extra = 6")
        .replace("cost = 400", "cost = 300")
        .replace("brown = 60", "brown = 20")
    )
    assert len(tomllib.loads(text)["characters"]) == 9
    (package / "games" / "oak_island" / "box.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", PLAY.format(folder=str(tmp_path))]
    environment = {"NUMBA_DISABLE_JIT": "1", "PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    data, layout, actions, size = done.stdout.split()
    assert data != GAME.data_hash
    assert layout != GAME.layout_hash
    assert int(actions) == len(GAME.actions) + 5 + 2
    assert int(size) == GAME.observation_size + 6
