"""The READMEs of the games say what the games are: their tables are made from the code."""

import re

import pytest

from dig_envs.documentation.games import readme_path, tables_of
from dig_envs.documentation.tables import with_tables
from dig_envs.registry import load_game, packages
from tests.games import every_game

MEASURED = ("levels", "strength")


@pytest.mark.parametrize("name", packages())
def test_the_readme_is_up_to_date(name):
    game = load_game(name)
    text = readme_path(game).read_text(encoding="utf-8")
    assert with_tables(text, tables_of(game)) == text, "run: python -m dig_envs.documentation"
    assert text.startswith(f"# {game.title}")
    for table in (*tables_of(game), *MEASURED):
        assert text.count(f"<!-- {table} -->") == text.count(f"<!-- end of {table} -->") == 1


TEMPLATE = (
    *("At a glance", "Options", "Actions", "Observation", "Events", "Rewards"),
    *("Statistics", "Strength", "Version history"),
)


@every_game
def test_every_page_of_a_game_has_the_same_sections_in_the_same_order(name):
    game = load_game(name)
    text = readme_path(game).read_text(encoding="utf-8")
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert len(set(headings)) == len(headings)
    wanted = [
        heading
        for heading in TEMPLATE
        if game.package.startswith("dig_envs.") or heading != "Statistics"
    ]
    assert [heading for heading in headings if heading in TEMPLATE] == wanted
    assert game.package.startswith("tests.") or "](picture.svg)" in text.partition("\n## ")[0]


@pytest.mark.parametrize(
    "table", ["options", "actions", "observation", "events", "at a glance", "styles"]
)
def test_a_stale_table_is_renewed_and_the_rest_stays(table):
    tables = tables_of(load_game("fossil_canyon_v0"))
    page = (
        f"# A game\n\nWords.\n\n<!-- {table} -->\n\n| old |\n\n<!-- end of {table} -->\n\nMore.\n"
    )
    new = with_tables(page, tables)
    assert new == page.replace("| old |", tables[table])
    assert with_tables(new, tables) == new


@every_game
def test_tables_are_complete(name):
    game = load_game(name)
    tables = tables_of(game)
    fields = [line.split(" | ") for line in tables["observation"].splitlines()[2:]]
    derived = {field.name for field in game.fields.fields if field.derived}
    marked = [f"| `{key}`{'†' * (key in derived)}" for key in game.layout]
    assert [field[0] for field in fields] == marked
    position = 0
    for field in fields:
        start, stop = map(int, field[2].split(":"))
        assert start == position
        position = stop
    assert position == game.observation_size
    rows = [line[2:].split(" | ")[0] for line in tables["actions"].splitlines()[2:]]
    spans = [[int(index) for index in row.split("–")] for row in rows]
    assert [index for span in spans for index in range(span[0], span[-1] + 1)] == list(
        range(len(game.actions))
    )
    events = re.findall(r"`(\w+)", tables["events"])
    assert events == [kind.name for kind in game.events.kinds]
    options = [line.split(" | ")[0] for line in tables["options"].splitlines()[2:]]
    assert options == [f"| `{option.name}`" for option in game.options]
