"""The READMEs of the games say what the games are: their tables are made from them."""

import pytest

from dig_envs.documentation.readmes import TABLES, actions_table, observation_table, readme_path, with_tables
from dig_envs.registry import load_game
from tests.games import every_game


@every_game
def test_the_readme_is_up_to_date(name):
    game = load_game(name)
    assert readme_path(game).exists(), f"{game.name} has no README.md; run: python -m dig_envs.documentation"
    text = readme_path(game).read_text(encoding="utf-8")
    assert with_tables(text, game) == text, "run: python -m dig_envs.documentation"
    assert text.startswith(f"# {game.title}")


TEMPLATE = (
    *("At a glance", "Options", "Actions", "Observation", "Events", "Rewards"),
    *("Statistics", "Strength", "Added rules", "Version history"),
)


@every_game
def test_every_page_of_a_game_has_the_same_sections_in_the_same_order(name):
    game = load_game(name)
    text = readme_path(game).read_text(encoding="utf-8")
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert len(set(headings)) == len(headings)
    wanted = [heading for heading in TEMPLATE if game.package.startswith("dig_envs.") or heading != "Statistics"]
    assert [heading for heading in headings if heading in TEMPLATE] == wanted
    assert game.package.startswith("tests.") or "](picture.svg)" in text.partition("\n## ")[0]


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_added_renewed_and_kept(table):
    game = load_game("fossil_canyon_v0")
    new = with_tables("# A game\n\nWords.\n", game)
    assert new.startswith("# A game\n\nWords.\n\n## Options\n")
    assert TABLES[table](game) in new
    assert with_tables(new, game) == new
    stale = new.replace(TABLES[table](game), "| old |")
    assert stale != new
    assert with_tables(stale, game) == new


@every_game
def test_tables_are_complete(name):
    game = load_game(name)
    fields = [line.split(" | ") for line in observation_table(game).splitlines()[2:]]
    assert [field[0] for field in fields] == [f"| `{key}`" for key in game.layout]
    position = 0
    for field in fields:
        start, stop = map(int, field[2].split(":"))
        assert start == position
        position = stop
    assert position == game.observation_size
    counts = [int(line.split(" | ")[1]) for line in actions_table(game).splitlines()[2:]]
    assert sum(counts) == len(game.actions)
