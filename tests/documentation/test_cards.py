"""Tables about policies say what their cards say."""

import json

import pytest

from dig_envs.documentation import cards
from dig_envs.registry import load_game


def row(agent, line_up, share, team=False, **options):
    return {
        "options": {"num_players": 2, **options},
        "line_up": line_up,
        "team": team,
        "agent": agent,
        "games": 100,
        "win_rate": {"mean": share, "low": share - 0.1, "high": share + 0.1},
        "score": {"mean": 3.0, "low": 2.5, "high": 3.5},
    }


def card(evaluation, **facts):
    about = {"name": "go_dig/new", "training_command": "python -m training.train go_dig", "steps": 1_500_000, "date": "2030-01-31"}
    return about | {"evaluation": evaluation} | facts


@pytest.fixture
def policies(tmp_path, monkeypatch):
    """A folder for the policies of Go Dig."""
    monkeypatch.setattr(cards, "POLICIES", tmp_path)

    def put(name, content):
        folder = tmp_path / "go_dig" / name
        folder.mkdir(parents=True)
        (folder / "card.json").write_text(json.dumps(content))

    return put


COMPETITIVE = [
    row("go_dig/new", ["go_dig/new", "random"], 0.8),
    row("random", ["go_dig/new", "random"], 0.2),
    row("go_dig/new", ["go_dig/new", "heuristic"], 0.5),
    row("heuristic", ["go_dig/new", "heuristic"], 0.55),
]


def test_a_team_by_level(policies):
    """A line for each set of options; the policy's name stands in the first of them."""
    rows = [row("go_dig/new", ["go_dig/new"] * 2, share, team=True, level=level) for share, level in ((0.3, "a"), (0.2, "b"))]
    policies("new", card(rows))
    first, second = cards.policies_table(load_game("go_dig_v0")).splitlines()[2:]
    assert first.endswith("| `num_players=2`, `level=a` | – | – | – | 30.0 % [20.0, 40.0] | – |")
    assert second == "|  |  |  | `num_players=2`, `level=b` | – | – | – | 20.0 % [10.0, 30.0] |  |"


def test_all_policies_but_drafts(policies):
    policies("ppo", card(COMPETITIVE, gate={"passed": False}))
    policies("mine-jax", card(COMPETITIVE, name="go_dig/mine-jax"))
    (line,) = cards.policies_table(load_game("go_dig_v0")).splitlines()[2:]
    assert line == (
        "| `go_dig/new` | 1.5 million | 2030-01-31 | `num_players=2` | 80.0 % [70.0, 90.0] | 50.0 % [40.0, 60.0] | "
        "55.0 % [45.0, 65.0] | – | not passed |"
    )


def test_shipped_cards_tell_of_their_own_policies():
    """The folder of a policy, its name, and the name under which it played for the evaluation are one."""
    told = 0
    for game in cards.games():
        for path in sorted((cards.POLICIES / game.name).glob("*/card.json")):
            card = json.loads(path.read_text(encoding="utf-8"))
            assert card["name"] == f"{game.name}/{path.parent.name}"
            names = {name.removesuffix(":sample") for row in card["evaluation"] for name in row["line_up"]}
            assert card["name"] in names
            assert {name for name in names if "/" in name} == {card["name"]}
            told += 1
    assert told >= 20
