"""Tables of measurements say what the stored files say; what is stale or missing is marked, and
stops nothing."""

import json
import re
from hashlib import sha256

import pytest

from dig_envs.documentation import results, tables
from dig_envs.documentation.tables import STALE, is_stale, rows_of, with_tables
from dig_envs.engine.core.errors import OptionError
from dig_envs.registry import load_game

GAME = "go_dig_v0"


@pytest.fixture
def warnings(monkeypatch):
    """The lines that would be printed on standard error."""
    lines = []
    monkeypatch.setattr(tables, "warn", lines.append)
    return lines


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder in the place of the checkout; a function writes JSON into it."""
    monkeypatch.setattr(tables, "ROOT", tmp_path)

    def put(path, content):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
        return file

    return put


def unmarked(text):
    """Return a page without what is said of stale rows, which depends on the games of today."""
    return text.replace(f"\n\n{STALE}", "").replace(f" {tables.MARK}", "")


def test_pages_and_charts_are_made_from_the_stored_files(warnings):
    files = results.renewed()
    assert {path.suffix for path in files} == {".md", ".svg"}
    different = [
        path.name
        for path, text in files.items()
        if unmarked(path.read_text(encoding="utf-8")) != unmarked(text)
    ]
    assert different == [], "run: python -m dig_envs.documentation"
    missing = re.compile("No such file|there is no |none were measured")
    told = [line for line in warnings if "stays as it is" in line]
    assert [line for line in told if not missing.search(line)] == [], "files that are broken"


def test_missing_measurements_change_no_page(warnings, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", "nowhere")
    monkeypatch.setattr(results, "BOARD", tables.ROOT / "nowhere")
    for path, text in results.renewed().items():
        if path.parent.name == "results" or path.suffix == ".svg":
            assert text == path.read_text(encoding="utf-8")
    told = {
        name
        for name in results.TABLES
        if f"the table {name!r} stays as it is" in "\n".join(warnings)
    }
    assert told == {*results.TABLES}


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '[{"environment": "go_dig_v0"}]', '[{"environment": 3, "options": {}}]'],
)
def test_a_damaged_file_changes_no_table(content, root, warnings):
    root(f"{results.RESULTS}/speed.json", {}).write_text(content)
    page = "<!-- speed -->\n\n| as it was |\n\n<!-- end of speed -->\n"
    assert with_tables(page, results.TABLES) == page
    assert (
        len([line for line in warnings if line.startswith("the table 'speed' stays as it is")]) == 1
    )


def test_other_blocks_and_halves_of_blocks_are_left_alone():
    page = "<!-- other -->\nx\n<!-- end of other -->\n<!-- mine -->\nwords\n"
    assert with_tables(page, {"mine": "new"}) == page


def row(**facts):
    return {
        "path": tables.ROOT / "policies" / "x.json",
        "environment": GAME,
        "options": {"num_players": 2, "max_turns": 200},
    } | facts


@pytest.mark.parametrize(
    ("facts", "stale"),
    [
        ({}, ""),
        ({"options": {"num_players": 3}}, ""),
        ({"options": {"num_players": 2, "wind": 1}}, "wind"),
        ({"options": {"num_players": 20}}, "num_players"),
        ({"environment": "no_game_v0"}, "no_game_v0"),
        ({"observation_layout": "0", "action_list": "0"}, "another observation or other actions"),
        (
            {
                "observation_layout": load_game(GAME).layout_hash,
                "action_list": load_game(GAME).actions_hash,
            },
            "",
        ),
    ],
)
def test_what_is_stale(facts, stale, warnings):
    assert is_stale(row(**facts)) == bool(stale)
    assert [
        stale in line and line.startswith("policies/x.json is stale: ") for line in warnings
    ] == [True] * bool(stale)


def test_an_option_that_went_marks_the_rows_and_stops_nothing(warnings, monkeypatch):
    game = load_game(GAME)
    before = {name: made() for name, made in results.TABLES.items()}
    monkeypatch.setattr(type(game), "complete_options", refuse)
    after = {name: made() for name, made in results.TABLES.items()}
    for name in ("speed", "jax", "cuda", "leaderboard"):
        assert after[name].count(STALE) == 1
        assert unmarked(after[name]) == unmarked(before[name])
    assert (
        "dig_envs/documentation/results/speed.json is stale: go_dig has no option 'max_turns'"
        in warnings
    )


COMPLETE = type(load_game(GAME)).complete_options


def refuse(game, options):
    if game.env_name == GAME and "max_turns" in options:
        raise OptionError("go_dig has no option 'max_turns'")
    return COMPLETE(game, options)


def test_rows_have_what_stands_above_them(root):
    options = {"num_players": 2, "max_turns": 200}
    report = {
        "settings": {"environment": GAME, "options": options, "games": 1},
        "standings": [{"agent": "a", "games": 2}],
    }
    root("x/1.json", report)
    (found,) = rows_of("x/*.json", "standings")
    assert (
        found["environment"],
        found["agent"],
        found["games"],
        found["file"],
        found["stale"],
    ) == (GAME, "a", 2, "1.json", False)
    with pytest.raises(FileNotFoundError, match=r"there is no y/\*\.json"):
        rows_of("y/*.json")


def test_the_leaderboard_is_of_the_files_beside_it():
    rows = json.loads(results.BOARD.read_text(encoding="utf-8"))["rows"]
    files = results.BOARD.with_name("leaderboard").glob("*.json")
    assert {row["report"]: row["sha256"] for row in rows} == {
        file.name: sha256(file.read_bytes()).hexdigest() for file in files
    }
