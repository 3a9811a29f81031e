"""The card of a policy: every step that made its weights, and whether anything says that they
learned."""

import json

import pytest

from dig_envs import load_agent
from dig_envs.agents.onnx import read_card
from dig_envs.agents.zoo import zoo_policies
from dig_envs.benchmark.exploiting import shape_of
from dig_envs.registry import load_game
from tests.policies import shipped
from tests.training.tiny import LEG, changed, done, train
from training.card import NO_BETTER, beats_random, in_words
from training.cells import make_cells
from training.export import read_network
from training.settings import Settings

NAME = "fossil_canyon_v0"


def interval(low, high):
    return {"mean": (low + high) / 2, "low": low, "high": high}


def test_history_over_several_runs(tmp_path):
    """Imitation, then PPO from its weights, in the same place; the last card tells it all."""
    words = changed(opponents='{"random": 1}', gate_threshold=0.0, gate_games=8, games="[{}]")
    out = tmp_path / "zoo" / "x"
    done(train(tmp_path / "first", out, *words, "--steps", str(LEG), "--seed", "1", env=NAME))
    card = read_card(out)
    assert [(stage["stage"], stage["steps"]) for stage in card["history"]] == [
        ("imitation of 'heuristic'", LEG)
    ]
    assert card["gate"]["passed"] is False
    goes_on = [*words, *changed(start_from=out, warm_start='""')]
    done(
        train(tmp_path / "second", out, *goes_on, "--steps", str(4 * LEG), "--seed", "2", env=NAME)
    )
    last = read_card(out)
    assert last["gate"]["passed"], "random players are beaten now and then"
    imitation, ppo = last["history"]
    assert (imitation["stage"], imitation["steps"], imitation["seed"]) == (
        "imitation of 'heuristic'",
        LEG,
        1,
    )
    assert (imitation["policy"], imitation["weights_sha256"]) == ("zoo/x", card["weights_sha256"])
    assert "--seed 1" in imitation["command"]
    assert (ppo["stage"], ppo["steps"], ppo["seed"]) == (
        "masked PPO against random",
        last["steps"],
        2,
    )
    assert last["algorithm"] == "imitation of 'heuristic'; then masked PPO against random"
    assert json.loads((tmp_path / "second" / "run.json").read_text())["history"] == [imitation]


@pytest.mark.parametrize(("low", "passed"), [(0.5, True), (0.2, False), (0.1, False)])
def test_a_team_has_to_be_surely_better_than_random(low, passed):
    rows = [
        {"options": {"level": level}, "agent": agent, "score": interval(*scores)}
        for level, better in (("a", 0.9), ("b", low))
        for agent, scores in (
            ("random", (0.0, 0.2)),
            ("zoo/x", (better, better + 0.3)),
            ("heuristic", (0.0, 9.0)),
        )
    ]
    gate = beats_random(rows, "zoo/x")
    assert gate == {"passed": passed, "against": "random"} | ({} if passed else {"note": NO_BETTER})


def test_the_last_words_are_about_games():
    """How many of 100 games the policy wins, by opponent; rows of sampled actions are left out."""
    rows = [
        {
            "options": {},
            "team": False,
            "agent": agent,
            "line_up": list(line_up),
            "won": interval(won, won),
        }
        for line_up in (("zoo/x", "random"), ("zoo/x:sample", "random"), ("zoo/x", "heuristic"))
        for agent, won in zip(line_up, (0.9 if "random" in line_up else 0.4, 0.1), strict=True)
    ]
    assert in_words(load_game("dino_dig_v0"), rows, "zoo/x") == (
        "of 100 games your player wins 90 against random players, 40 against scripted players; "
        "a player that is exactly as good as its opponents wins 50"
    )
    team = [
        {
            "options": {},
            "team": True,
            "agent": names[0],
            "line_up": list(names),
            "won": interval(won, won),
        }
        for names, won in ((("random",) * 2, 0.0), (("heuristic",) * 2, 0.5), (("zoo/x",) * 2, 0.6))
    ]
    assert in_words(load_game("cretaceous_creek_v0"), team, "zoo/x") == (
        "of 100 games a team of random players wins 0, a team of scripted players wins 50, "
        "a team of players like yours wins 60"
    )


def test_a_policy_that_learned_nothing_says_so(tmp_path):
    """A policy that has not improved says so on its card and on the screen."""
    words = ["--steps", str(LEG), *changed(warm_start='""', learning_rate=0, learning_rate_end=0)]
    result = done(train(tmp_path / "run", tmp_path / "zoo" / "x", *words))
    assert read_card(tmp_path / "zoo" / "x")["gate"] == {
        "passed": False,
        "against": "random",
        "note": NO_BETTER,
    }
    assert f"not passed: {NO_BETTER}" in result.output


@pytest.mark.parametrize("name", sorted(zoo_policies()))
def test_shipped_policies_load_and_can_be_trained_on(name):
    """The network that trains reads the weights of each, with the cells of its card; former kinds
    of networks are refused, and play on."""
    card = load_agent(shipped(name)).card
    game, settings = load_game(card["environment"]), card["settings"]
    shape = shape_of(card)
    asked = make_cells(game, Settings.of(**shape))
    if not shape:
        with pytest.raises(ValueError, match="these settings ask for"):
            read_network(zoo_policies()[name], game, asked)
    else:
        assert read_network(zoo_policies()[name], game, asked).layers == settings["layers"]
