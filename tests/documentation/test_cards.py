"""Tables about policies say what the cards and the reports beside them say."""

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
        (folder / "card.json").write_text(json.dumps({"environment": "go_dig_v0", **content}))

    return put


COMPETITIVE = [
    row("go_dig/new", ["go_dig/new", "random"], 0.8),
    row("random", ["go_dig/new", "random"], 0.2),
    row("go_dig/new", ["go_dig/new", "heuristic"], 0.5),
    row("heuristic", ["go_dig/new", "heuristic"], 0.55),
]


def test_a_policy_against_others():
    """A line for each opponent; what the opponent won itself is not in this table. How it was made is said."""
    text = cards.card_table(card(COMPETITIVE))
    assert "100 games a line with 95 % intervals (`python -m training.train go_dig`, 1,500,000 decisions, 2030-01-31):" in text
    assert text.splitlines()[-2:] == [
        "| `num_players=2` | `random` | 80.0 % [70.0, 90.0] | 3.00 [2.50, 3.50] |",
        "|  | `heuristic` | 50.0 % [40.0, 60.0] | 3.00 [2.50, 3.50] |",
    ]


def test_a_team_by_level():
    rows = [row("a", ["a", "a"], 0.3, team=True, level="beginner"), row("a + b", ["a", "b"], 0.2, team=True, level="expert")]
    lines = cards.card_table(card(rows)).splitlines()[-2:]
    assert [line.split(" | ")[0] for line in lines] == [
        "| `num_players=2`, `level=beginner`",
        "| `num_players=2`, `level=expert`",
    ]
    assert [line.split(" | ")[1] for line in lines] == ["`a`", "`a` and `b`"]


def test_all_policies_but_drafts(policies):
    policies("ppo", card(COMPETITIVE, gate={"passed": False}))
    policies("mine-jax", card(COMPETITIVE, name="go_dig/mine-jax"))
    (line,) = cards.policies_table().splitlines()[2:]
    assert line == (
        "| `go_dig/new` | 1.5 million | 2030-01-31 | `num_players=2` | 80.0 % [70.0, 90.0] | 50.0 % [40.0, 60.0] | "
        "55.0 % [45.0, 65.0] | – | not passed |"
    )
    assert len(cards.cards_of(load_game("go_dig_v0"))) == 1


def seeds(*shares, shipped, best):
    runs = [{"seed": k, "steps_of_the_run": 2_000_000, "win_rate": share} for k, share in enumerate(shares)]
    own = {"win_rate": shipped}
    mean = {"mean": 0.5, "low": 0.4, "high": 0.6}
    ahead = {"mean": shipped - max(shares), "low": shipped - max(shares) - 0.1, "high": shipped - max(shares) + 0.1}
    told = {"one_of_the_runs": shipped in shares, "best": best, "ahead_of_best_run": ahead}
    return {"games": 300, "runs": runs, "win_rate": mean, "this_policy": own, **told}


def test_how_much_the_seed_matters(policies):
    """Each run, the mean, and whether the shipped policy is the best of them."""
    policies("none", card(COMPETITIVE, name="go_dig/none"))
    policies("one", card(COMPETITIVE, name="go_dig/one", seed=1, seeds=seeds(0.4, 0.6, 0.5, shipped=0.6, best=True)))
    policies("other", card(COMPETITIVE, name="go_dig/other", seed=1, seeds=seeds(0.4, 0.6, shipped=0.45, best=False)))
    differing = seeds(0.4, 0.6, shipped=0.55, best=False) | {"differs_in": ["learning_rate", "steps"]}
    policies("third", card(COMPETITIVE, name="go_dig/third", seed=1, seeds=differing))
    first, second, third = cards.seeds_table().splitlines()[2:]
    each = "40.0 % (seed 0), 60.0 % (seed 1), 50.0 % (seed 2)"
    assert first == f"| `go_dig/one` | 2.0 million | 300 | {each} | 50.0 % [40.0, 60.0] | seed 1: 60.0 % | yes |"
    assert second.endswith("| another run: 45.0 % | no: 15.0 [5.0, 25.0] points behind, more than chance explains |")
    different = "another run with another learning_rate and steps"
    assert third.endswith(f"| {different}: 55.0 % | no: 5.0 [-5.0, 15.0] points behind, which could be chance |")
    tables = cards.cards_of(load_game("go_dig_v0"))
    assert "differ" not in tables[0]
    assert "3 trainings of 2,000,000 decisions" in tables[1]
    assert "40.0, 60.0, 50.0 % of the same games" in tables[1]
    assert tables[1].endswith("The policy is one of them and wins 60.0 % of these games: none of them is better.")
    assert f"The policy comes from {different} and wins" in tables[3]
    assert tables[2].endswith(
        "The policy comes from another run and wins 45.0 % of these games: "
        "the best wins 15.0 [5.0, 25.0] points more, more than chance explains."
    )


def test_shipped_cards_tell_of_their_own_policies():
    """The folder of a policy, its name, and the name under which it played for the evaluation and for the seeds are one."""
    told = 0
    for game in cards.games():
        for path in sorted((cards.POLICIES / game.name).glob("*/card.json")):
            card = json.loads(path.read_text(encoding="utf-8"))
            assert card["name"] == f"{game.name}/{path.parent.name}"
            rows = card["evaluation"] + card.get("seeds", {}).get("this_policy", {}).get("evaluation", [])
            names = {name.removesuffix(":sample") for row in rows for name in row["line_up"]}
            assert card["name"] in names
            assert {name for name in names if "/" in name} == {card["name"]}
            told += 1
    assert told >= 20


def test_every_agent_of_a_ladder_has_its_column():
    names = ["random", "heuristic", "go_dig/ppo", "search:200ms", "go_dig/ppo+search:200ms"]
    for name, column in zip(names, cards.COLUMNS, strict=True):
        assert [other for other, wanted in cards.COLUMNS.items() if wanted(name)] == [column]
    lines = cards.ladders_table().splitlines()
    (line,) = [line for line in lines if line.startswith("| Go Dig | `num_players=2` | `200ms` | 0 | ")]
    assert line.split(" | ")[5].startswith("`ppo` "), "the policy's name before its rating"
    assert line.split(" | ")[7].startswith("`ppo` ")
    assert all(line.count(" | ") == lines[0].count(" | ") for line in lines)
