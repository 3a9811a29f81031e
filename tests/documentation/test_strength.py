"""Which arenas the games' pages show."""

import pytest

from dig_envs.benchmark.suite import SUITES
from dig_envs.documentation import readmes
from dig_envs.documentation.readmes import WITH_SEARCH, levels_table, reports_of, strength_table
from dig_envs.registry import load_game
from tests.games import SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_agents_that_search_are_shown_apart_from_the_others(name):
    reports = reports_of(load_game(name))
    assert reports
    for options, report in reports.items():
        searches = ["search:" in entry.agent for entry in report.standings]
        assert any(searches) == (WITH_SEARCH in options)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_shows_the_usual_options_with_and_without_search(name):
    game = load_game(name)
    usual = f"`num_players={game.complete_options({})['num_players']}`"
    assert {usual, f"{usual}, `{WITH_SEARCH}`"} <= reports_of(game).keys()


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_shows_no_policy_that_has_been_replaced(name):
    shown = [entry.agent for report in reports_of(load_game(name)).values() for entry in report.standings]
    members = [member for task in SUITES["full"].tasks for member in task.population]
    former = {member.player for member in members if member.player != member.agent and "/" in member.agent}
    assert former
    assert not [agent for agent in shown if agent.startswith(tuple(former))]


@pytest.mark.parametrize("name", SHIPPED)
def test_ratings_on_a_page_have_an_anchor_and_the_first_line_of_a_group_names_its_options(name):
    game = load_game(name)
    reports = reports_of(game)
    for report in reports.values():
        assert game.cooperative or report.anchor == "random"
    lines = strength_table(game).split("\n\n")[1].splitlines()[2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| `")] == list(reports)
    assert len(lines) == sum(len(report.standings) for report in reports.values())


def level(elo, over=None):
    return {"agent": "heuristic", "elo": [elo, elo - 5, elo + 5]} | (
        {"over_the_one_below": [over, over - 0.02, over + 0.02]} if over else {}
    )


@pytest.mark.parametrize(
    ("rating", "points", "told"), [(-10, 0.53, True), (-3, 0.53, False), (-10, 0.51, False), (10, 0.53, False)]
)
def test_a_level_that_beats_the_one_below_it_and_is_rated_lower_is_explained(rating, points, told, monkeypatch):
    """Only where both are sure: in points against that level, and in the ratings, which count all games."""
    levels = {"easy": level(-300), "medium": level(-200, 0.7), "hard": level(0, 0.7), "best": level(rating, points)}
    measured = {"levels": levels, "best": {"agent": "go_dig/ppo"}, "options": {}, "command": "…", "machine": "…", "date": "…"}
    monkeypatch.setattr(readmes, "read_levels", lambda: {"go_dig_v0": measured | {"games_per_pair": 100}})
    text = levels_table(load_game("go_dig_v0"))
    assert "| `best` |" in text
    assert ("`best` takes more than half of the points from `hard`, but fewer than `hard` from `easy` and `medium`" in text) == told
