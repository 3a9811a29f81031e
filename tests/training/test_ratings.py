"""The tables of ratings in the README of the policies."""

import json

import pytest
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import for_options
from dig_envs.agents.zoo import is_measured, policy_cards, zoo_policies
from dig_envs.arena import run
from dig_envs.arena.entrants import other_options
from dig_envs.arena.show import as_markdown, command
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game
from tests.arena.test_report import both_reports
from tests.games import SHIPPED
from tests.policies import shipped
from training.ratings import POLICIES, app, read_reports, with_ratings


def keep(folder, name, report):
    path = folder / report.settings["environment"].rpartition("_v")[0] / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(report.as_json()))
    return path


@pytest.fixture
def kept(tmp_path):
    """A folder of policies with reports of two games, and a README with a table of one of them."""
    robin, teams = both_reports()
    keep(tmp_path, "ratings.json", robin)
    keep(tmp_path, "ratings-3.json", robin)
    keep(tmp_path, "ratings.json", teams)
    text = "# Policies\n\n<!-- ratings: fossil_canyon -->\nold\n<!-- end of ratings: fossil_canyon -->\n\nThe end.\n"
    (tmp_path / "README.md").write_text(text)
    return tmp_path


def test_tables_are_renewed(kept):
    """Between the markers and nowhere else; a game without them is added at the end; again, nothing changes."""
    robin, teams = both_reports()
    result = CliRunner().invoke(app, ["--policies", str(kept)])
    assert result.exit_code == 0, result.output
    text = (kept / "README.md").read_text()
    assert text.startswith("# Policies\n\n<!-- ratings: fossil_canyon -->\n\n")
    assert "old" not in text
    assert text.count(as_markdown(robin)) == 2
    end = f"The end.\n\n### Cretaceous Creek\n\n<!-- ratings: cretaceous_creek -->\n\n{as_markdown(teams)}\n\n"
    assert text.endswith(f"{end}<!-- end of ratings: cretaceous_creek -->\n")
    assert "up to date" in CliRunner().invoke(app, ["--policies", str(kept)]).output
    assert (kept / "README.md").read_text() == text


def test_a_changed_report_changes_the_table(kept):
    CliRunner().invoke(app, ["--policies", str(kept)])
    before = (kept / "README.md").read_text()
    path = kept / "fossil_canyon" / "ratings.json"
    path.write_text(path.read_text().replace("b|c", "another"))
    after = with_ratings(before, read_reports(kept))
    assert after != before
    assert after.count("another") == 4  # in the table, twice in what was taken from whom, and in the command


def test_bad_reports(kept):
    """The error names the file; the README stays as it is."""
    before = (kept / "README.md").read_text()
    path = kept / "fossil_canyon" / "ratings.json"
    whole = path.read_text()
    for text in ("{", "[]", whole.replace("fossil_canyon_v0", "cretaceous_creek_v0"), whole.replace("fossil_canyon_v0", "x_v0")):
        path.write_text(text)
        with pytest.raises(ArenaError, match=r"fossil_canyon/ratings\.json"):
            read_reports(kept)
        result = CliRunner().invoke(app, ["--policies", str(kept)])
        assert result.exit_code == 2
        assert (kept / "README.md").read_text() == before


def test_readme_agrees_with_the_reports():
    """The tables in this repository are those of the reports that lie beside the policies."""
    text = (POLICIES / "README.md").read_text(encoding="utf-8")
    reports = read_reports(POLICIES)
    assert with_ratings(text, reports) == text
    for game in reports:
        assert f"<!-- ratings: {game} -->" in text


def test_ratings_are_of_the_weights_that_are_here():
    """Reports hold the hashes of the current weights. If a policy has changed, run ``python -m training.ratings --play``."""
    cards = policy_cards()
    for reports in read_reports(POLICIES).values():
        for agent in (agent for report in reports for agent in report.settings["agents"] if "weights_sha256" in agent):
            named = agent["agent"].partition(":")[0].removesuffix("+search")
            of_that_name = [cards[named]] if named in cards else cards.values()
            assert any(is_measured(card, agent["weights_sha256"]) for card in of_that_name)


@pytest.mark.parametrize("name", SHIPPED)
def test_commands_say_that_a_policy_plays_other_options(name):
    """Without it the command is refused."""
    game, policies = load_game(name), zoo_policies()
    for report in read_reports(POLICIES).get(game.name, []):
        for entry in report.settings["agents"]:
            if entry["agent"].partition(":")[0].removesuffix("+search") in policies:
                shipped(entry["agent"])
        options = report.settings["options"]
        agents = {entry["agent"]: load_agent(entry["agent"], game.env_name) for entry in report.settings["agents"]}
        others = [name for name, agent in agents.items() if other_options(game, for_options(agent, options), options)]
        assert bool(others) == ("--allow-unfamiliar" in command(report)), others


def test_playing_again(tmp_path):
    """The option ``--play`` repeats the same games and corrects a report that has become wrong."""
    report = run("fossil_canyon_v0", ["heuristic", "random"], 8, 3, {"num_players": 2, "max_turns": 20}, block=2, anchor="mean")
    path = keep(tmp_path, "ratings.json", report)
    (tmp_path / "README.md").write_text("# Policies\n")
    stale = report.as_json()
    stale["standings"][0]["score"]["mean"] = -1.0
    path.write_text(json.dumps(stale))
    result = CliRunner().invoke(app, ["--policies", str(tmp_path), "--play"])
    assert result.exit_code == 0, result.output
    assert json.loads(path.read_text()) == report.as_json()
    assert as_markdown(report) in (tmp_path / "README.md").read_text()
