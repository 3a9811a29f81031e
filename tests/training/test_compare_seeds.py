"""Runs with different seeds compared: what the card of a policy says of them, which one is chosen, and what is refused."""

import json
import shutil

import pytest

from dig_envs.agents.onnx import read_card
from dig_envs.documentation.cards import seeds_words
from dig_envs.registry import load_game
from tests.training.tiny import LEG, changed, done, invoke, said, train
from training.compare_seeds import (
    NORMAL_95,
    PICTURE,
    POINTS,
    app,
    check_as_long,
    difference,
    differing,
    draw,
    mean_curve,
    rank,
    settings_apart,
)
from training.seeds import seed_stream

ENV = "go_dig_v0"
WORDS = (*changed(opponents='{"heuristic": 1}', gate_games=8, games="[{}, {}]", warm_start='""'), "--steps", str(2 * LEG))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two finished runs of Go Dig that differ in their seeds, and one whose notes say that its learning rate differs, too."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        done(train(folder / f"run{seed}", folder / f"zoo{seed}" / "x", *WORDS, "--seed", str(seed), env=ENV))
    shutil.copytree(folder / "run1", folder / "other")
    noted = json.loads((folder / "other" / "run.json").read_text())
    noted["settings"]["learning_rate"] *= 2
    (folder / "other" / "run.json").write_text(json.dumps(noted))
    return folder


def compare(*words):
    """The command, with few games."""
    return invoke(app, [*map(str, words), "--games", "20"])


def same_seed(run, folder):
    """A run with the seed of another one and other weights, by what its card says."""
    copy = folder / "copy"
    shutil.copytree(run, copy)
    (path,) = copy.glob("policy/*/*/card.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"weights_sha256": "0" * 64}))
    return copy


def test_the_card_tells_of_the_seeds(runs):
    policy = runs / "zoo0" / "x"
    before = read_card(policy)
    result = done(compare(policy, runs / "run0", runs / "run1"))
    card = read_card(policy)
    seeds = card.pop("seeds")
    assert card == before, "nothing else has changed"
    assert [one["seed"] for one in seeds["runs"]] == [0, 1]
    assert [len(one["evaluation"]) for one in seeds["runs"]] == [1, 1], "games with the same options are played once"
    assert seeds["one_of_the_runs"]
    first, second = seeds["runs"]
    assert first["weights_sha256"] == card["weights_sha256"] != second["weights_sha256"]
    assert seeds["this_policy"] == {key: first[key] for key in ("win_rate", "score", "evaluation")}, "the same deals for all"
    assert seeds["best"] == (rank(first) >= rank(second))
    assert seeds["win_rate"]["low"] <= seeds["win_rate"]["mean"] <= seeds["win_rate"]["high"]
    assert seeds["deals_from"] not in {seed_stream("final evaluation", seed) for seed in (0, 1)}, (
        "not the deals of the runs' own cards"
    )
    ahead = seeds["ahead_of_best_run"]
    assert ahead["mean"] == round(first["win_rate"] - max(first["win_rate"], second["win_rate"]), 5)
    assert not seeds["best"] or ahead["mean"] >= 0
    assert all(len(one["curve"]) == POINTS for one in seeds["runs"])
    assert seeds["made_by"]["environment"] == ENV
    assert (policy / PICTURE).stat().st_size > 1000
    assert "seed 0:" in said(result)


def test_the_best_run_takes_the_place_of_a_weaker_policy(runs):
    """With the weaker policy's name: on the card, in its evaluation and in what is said of the seeds."""
    both = [runs / "run0", runs / "run1"]
    policies = [runs / "zoo0" / "x", runs / "zoo1" / "x"]
    for one in policies:
        done(compare(one, *both))
    weaker, better = sorted(policies, key=lambda one: rank(read_card(one)["seeds"]["this_policy"]))
    assert not read_card(weaker)["seeds"]["best"]
    done(compare(weaker, *both, "--choose"))
    card, chosen = read_card(weaker), read_card(better)
    assert (card["seed"], card["weights_sha256"]) == (chosen["seed"], chosen["weights_sha256"])
    assert (weaker / "policy.onnx").read_bytes() == (better / "policy.onnx").read_bytes()
    assert card["seeds"]["best"]
    assert rank(card["seeds"]["this_policy"]) == max(map(rank, card["seeds"]["runs"]))
    own, other = (f"{one.parent.name}/{one.name}" for one in (weaker, better))
    told = json.dumps([card["name"], card["evaluation"], card["seeds"]["this_policy"]])
    assert f'"{own}"' in told
    assert f'"{own}:sample"' in told
    assert other not in told
    assert (weaker / "curve.png").read_bytes() != (better / "curve.png").read_bytes(), "its name is above the curve"


def test_runs_are_added_one_after_the_other(runs, tmp_path):
    """A run that joins the two on the card gives what all three give at once, although the folders of the two are gone."""
    third = tmp_path / "run2"
    done(train(third, tmp_path / "zoo2" / "x", *WORDS, "--seed", "2", env=ENV))
    policy = runs / "zoo0" / "x"
    both = [runs / "run0", runs / "run1"]
    done(compare(policy, *both, third))
    at_once = read_card(policy)["seeds"]
    done(compare(policy, *both))
    result = done(compare(policy, third, "--add"))
    assert read_card(policy)["seeds"] == at_once
    assert [f"seed {k}:" in said(result) for k in range(3)] == [True] * 3

    before = json.dumps(read_card(policy))
    done(compare(policy, third, runs / "run0", "--add"))
    assert json.dumps(read_card(policy)) == before, "runs that the card has are not judged again"
    for words, said_then in (
        ([same_seed(third, tmp_path), "--add"], "two runs have the same seed: 0, 1, 2, 2"),
        ([runs / "other", "--add"], "differ in more than their seeds: learning_rate"),
        ([third, "--add", "--games", "21"], "played 20 games"),
        ([third], "two runs at least"),
    ):
        refused = invoke(app, [str(policy), *map(str, words), *([] if "--games" in words else ["--games", "20"])])
        assert refused.exit_code == 2
        assert said_then in said(refused)
    assert json.dumps(read_card(policy)) == before


def test_another_opponent(runs, tmp_path):
    """All policies play against it, the card says so, and runs that played against another one are not added."""
    policy = tmp_path / "zoo" / "x"
    shutil.copytree(runs / "zoo0" / "x", policy)
    done(compare(policy, runs / "run0", runs / "run1", "--against", "random"))
    seeds = read_card(policy)["seeds"]
    assert seeds["against"] == "random"
    rows = [*seeds["this_policy"]["evaluation"], *(row for run in seeds["runs"] for row in run["evaluation"])]
    assert {tuple(row["line_up"])[1:] for row in rows} == {("random",)}
    assert "same games against `random`, " in seeds_words(seeds)
    refused = compare(policy, runs / "run0", "--add")
    assert refused.exit_code == 2
    assert "played against random: these need --against random, too" in said(refused)
    done(compare(policy, runs / "run0", runs / "run1"))
    assert "against" not in seeds_words(read_card(policy)["seeds"]), "the scripted player goes without saying"


def test_runs_of_an_older_card_are_compared_anew(runs):
    """A card from before ``--add`` does not say how its runs were made."""
    policy = runs / "zoo1" / "x"
    done(compare(policy, runs / "run0", runs / "run1"))
    card = read_card(policy)
    del card["seeds"]["made_by"]
    (policy / "card.json").write_text(json.dumps(card))
    refused = compare(policy, runs / "run0", "--add")
    assert refused.exit_code == 2
    assert "compare all of them anew, without --add" in said(refused)


def test_difference_of_two_policies():
    """Two shares of independent games: 60 and 50 % of 100 in one set of options, 40 and 40 % in the other."""
    some, other = (
        {"win_rate": (a + b) / 2, "evaluation": [{"win_rate": {"mean": share}, "games": 100} for share in (a, b)]}
        for a, b in ((0.6, 0.4), (0.5, 0.4))
    )
    half = NORMAL_95 * ((0.24 + 0.24 + 0.25 + 0.24) / 100) ** 0.5 / 2
    assert difference(some, other) == {"mean": 0.05, "low": round(0.05 - half, 5), "high": round(0.05 + half, 5)}
    assert difference(other, other)["mean"] == 0


def test_what_is_refused(runs, tmp_path):
    policy = runs / "zoo0" / "x"
    before = json.dumps(read_card(policy))
    for folders, words in (
        ([runs / "run0"], "two runs at least"),
        ([runs / "run0", runs / "run0"], "two runs have the same seed: 0, 0"),
        ([runs / "run0", runs / "other"], "differ in more than their seeds: learning_rate"),
        ([runs / "run0", tmp_path], "is no finished run"),
    ):
        result = compare(policy, *folders)
        assert result.exit_code == 2
        assert words in said(result)
    assert json.dumps(read_card(policy)) == before


def test_the_mean_of_curves_reaches_as_far_as_all_of_them():
    points = mean_curve([[(0, 0.0), (100, 1.0)], [(50, 0.5), (200, 0.5)]])
    assert (points[0]["steps"], points[-1]["steps"]) == (50, 100)
    assert len(points) == POINTS
    assert (points[0]["mean"], points[0]["low"], points[0]["high"]) == (0.5, 0.5, 0.5)
    assert points[-1]["mean"] == 0.75
    assert points[-1]["low"] == 0.0, "two seeds say little"


def test_the_mean_of_curves_that_have_one_point_is_one_point():
    assert mean_curve([[(100, 0.0)], [(100, 0.5)]]) == [{"steps": 100, "mean": 0.25, "low": 0.0, "high": 1.0}]


def test_curves_without_common_steps_have_no_mean():
    with pytest.raises(ValueError, match="ends after 100 decisions, that of another one begins after 150"):
        mean_curve([[(0, 0.0), (100, 1.0)], [(150, 0.5), (200, 0.5)]])


def test_in_what_a_training_differs_from_the_runs():
    """The settings of expert iteration are none of a training by PPO."""
    common = {"method": "masked PPO", "settings": {"learning_rate": 0.1, "start_from": "", "expert_window": 1, "newer": 2}}
    card = {"settings": {"learning_rate": 0.1, "start_from": "", "expert_window": 2, "minutes": 3}, "steps_of_the_run": 98}
    runs = [{"steps_of_the_run": 100}]
    assert differing(card, common, runs) == []
    other = {"settings": card["settings"] | {"learning_rate": 0.2}, "steps_of_the_run": 200}
    assert differing(other, common, runs) == ["learning_rate", "steps"]
    assert differing(card, common | {"method": "expert iteration"}, runs) == ["expert_window"]


@pytest.mark.parametrize(("units", "names"), [(24, []), (32, ["memory"])])
def test_an_older_card_names_the_kind_of_memory(units, names):
    assert settings_apart({"memory": {"kind": "grid", "units": 24}}, {"memory": {"units": units}}) == names


def test_a_policy_of_another_training_is_told(runs, tmp_path):
    """The card and the last line say in what it differs from the runs besides its seed."""
    policy = tmp_path / "zoo" / "x"
    done(train(tmp_path / "run", policy, *WORDS, *changed(learning_rate=0.0123), "--seed", "3", env=ENV))
    result = done(compare(policy, runs / "run0", runs / "run1"))
    assert read_card(policy)["seeds"]["differs_in"] == ["learning_rate"]
    assert "the policy, of another run that differs in learning_rate, too," in said(result)
    done(compare(policy, runs / "run0", runs / "run1", "--choose"))
    seeds = read_card(policy)["seeds"]
    assert seeds["differs_in"] == ([] if seeds["one_of_the_runs"] else ["learning_rate"])


def test_runs_that_ended_early_are_not_compared():
    check_as_long([1000, 990])
    with pytest.raises(ValueError, match=r"how many decisions they made: 1,000, 600"):
        check_as_long([1000, 600])


def test_the_picture_of_curves_with_one_point(tmp_path):
    """The one evaluation of each run is a point, the mean one with an interval."""
    runs = [{"seed": seed, "curve": [[100, value]]} for seed, value in ((0, 0.2), (1, 0.4))]
    seeds = {"runs": runs, "curve": mean_curve([run["curve"] for run in runs]), "curve_of": "win rate"}
    draw(load_game(ENV), seeds, tmp_path / PICTURE)
    assert (tmp_path / PICTURE).stat().st_size > 1000
