"""The reports of arenas beside the policies."""

import json

import pytest
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import for_options
from dig_envs.agents.zoo import is_measured, policy_cards, zoo_policies
from dig_envs.arena import run
from dig_envs.arena.entrants import other_options
from dig_envs.arena.show import command
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game
from tests.arena.test_report import both_reports
from tests.games import SHIPPED
from tests.policies import shipped
from training.ratings import POLICIES, app, is_here, read_reports

NOT_HERE = "cretaceous_creek/nobody"


def keep(folder, name, report):
    path = folder / report.settings["environment"].rpartition("_v")[0] / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(report.as_json()))
    return path


@pytest.mark.parametrize("damage", ["{", "[]", "cretaceous_creek_v0", "x_v0"])
def test_bad_reports(tmp_path, damage):
    """The error names the file, and no report is replaced."""
    robin, teams = both_reports()
    path, other = keep(tmp_path, "ratings.json", robin), keep(tmp_path, "ratings.json", teams)
    good = other.read_text()
    path.write_text(
        path.read_text().replace("fossil_canyon_v0", damage) if damage.endswith("_v0") else damage
    )
    with pytest.raises(ArenaError, match=r"fossil_canyon/ratings\.json"):
        read_reports(tmp_path)
    assert CliRunner().invoke(app, ["--policies", str(tmp_path)]).exit_code == 2
    assert other.read_text() == good


def test_ratings_are_of_the_weights_that_are_here():
    """Reports hold the hashes of the current weights. If a policy has changed, run
    ``python -m training.ratings``."""
    cards = policy_cards()
    for reports in read_reports(POLICIES).values():
        for agent in (
            agent
            for report in reports
            for agent in report.settings["agents"]
            if "weights_sha256" in agent
        ):
            named = agent["agent"].partition(":")[0].removesuffix("+search")
            of_that_name = [cards[named]] if named in cards else cards.values()
            assert any(is_measured(card, agent["weights_sha256"]) for card in of_that_name)


@pytest.mark.parametrize("name", SHIPPED)
def test_commands_say_that_a_policy_plays_other_options(name):
    """Without it the command is refused."""
    game, policies = load_game(name), zoo_policies()
    reports = read_reports(POLICIES).get(game.name, [])
    for report in (one for one in reports if one.settings["environment"] == name):
        for entry in report.settings["agents"]:
            if entry["agent"].partition(":")[0].removesuffix("+search") in policies:
                shipped(entry["agent"])
        options = report.settings["options"]
        names = [entry["agent"] for entry in report.settings["agents"]]
        agents = {name: load_agent(name, game.env_name) for name in names}
        others = [
            name
            for name, agent in agents.items()
            if other_options(game, for_options(agent, options), options)
        ]
        assert bool(others) == ("--allow-unfamiliar" in command(report)), others


def test_who_is_here():
    names = [
        "heuristic",
        "cretaceous_creek/two-players+search:sims=4",
        NOT_HERE,
        f"{NOT_HERE}+search:sims=4",
    ]
    assert [is_here(name, "cretaceous_creek_v0") for name in names] == [True, True, False, False]


def test_playing_again(tmp_path):
    """The same games are played, and a report that has become wrong is corrected."""
    report = run(
        "fossil_canyon_v0",
        ["heuristic", "random"],
        8,
        3,
        {"num_players": 2, "max_turns": 20},
        block=2,
        anchor="mean",
    )
    path = keep(tmp_path, "ratings.json", report)
    stale = report.as_json()
    stale["standings"][0]["score"]["mean"] = -1.0
    path.write_text(json.dumps(stale))
    result = CliRunner().invoke(app, ["--policies", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert json.loads(path.read_text()) == report.as_json()
