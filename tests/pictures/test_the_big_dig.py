"""The picture of The Big Dig: what its things are called, and that neither seat sees the other's choice."""

from typing import Any

from dig_envs.games.the_big_dig.picture import touched
from dig_envs.pictures import picture
from dig_envs.pictures.drawing import sheet_of
from tests.rules.the_big_dig.positions import GAME, argument, arrange, arranged

CONJECTURE = argument(0, 1, ["2-3-A"], "18-1-A")
MODELS = ((["2-3-A"], ["3-3-A"]), (["2-3-A"],))


def things(snapshot: dict[str, Any], seat: int | None = 0) -> dict[str, str]:
    """The things of a view of a position, by name."""
    return sheet_of(GAME, snapshot if seat is None else GAME.to_view(snapshot, seat), seat).things


def test_a_space_says_its_marker_and_tokens():
    found = things(arranged("model", arguments=[CONJECTURE], tokens=[{"18-1-A": 2}, {"18-1-A": 1}]))
    assert found["space:18-1-A"] == "Predation: yes (18-1-A), conjectured, 2 tokens of Player 1, 1 token of Player 2"
    assert found["space:2-1-N"] == "Canines: not none (2-1-N), discovered"
    assert found["space:1-1-A"] == "Front Teeth: pegs (1-1-A)"
    assert found["argument:0"] == (
        "Turn 1, Player 1: Canines: large (2-3-A): conjecture Predation: yes (18-1-A) with support 56"
    )  # fmt: skip


def test_own_models_say_what_they_predict_and_those_of_the_other_only_when_they_have_been_used():
    snapshot = arranged("model", arguments=[CONJECTURE], models=MODELS)
    own, other = things(snapshot), things(snapshot, 1)
    assert own["model:0:1"].startswith("Model 1 of you: Canines: large (2-3-A); predicts with support ")
    assert "18-1-A 56" in own["model:0:1"]
    assert own["model:1:1"] == "Model 1 of Player 2: not shown yet"
    assert "2-3-A" in other["model:0:1"]
    assert other["model:0:2"] == "Model 2 of Player 1: not shown yet"
    assert "3-3-A" in things(snapshot, None)["model:0:2"]


def test_a_choice_is_in_the_picture_of_the_one_who_made_it_only():
    before, after = arrange("argument", models=MODELS), arrange("argument", models=MODELS).play("argue 1")
    shown = {seat: [picture(GAME, position.view(seat), seat) for position in (before, after)] for seat in (0, 1)}
    assert shown[0][0] != shown[0][1]
    assert shown[1][0] == shown[1][1]
    assert things(after.snapshot)["seat:0"] == "You, 20 points, 12 tokens in the bank, chosen so far: argue with model 1, to move"
    assert picture(GAME, GAME.to_public(before.snapshot), None) == picture(GAME, GAME.to_public(after.snapshot), None)


def test_the_support_of_the_model_that_is_argued_is_shown_beside_the_states():
    position = arrange("argument", models=MODELS)
    assert "state:18-1" not in things(position.snapshot)
    found = things(position.play("argue 1").snapshot)
    assert found["state:18-1"] == "Predation: yes, state 18-1; predicted: Predation: yes (18-1-A) with support 56"
    assert "state:2-1" not in found, "it is of the input's attribute"


def test_the_target_of_a_nullification_is_one_of_the_inputs():
    view = GAME.to_view(arranged("model"), 0)
    view["models"], view["pending"] = [[["2-3-A", "3-3-A"]], []], [["argue 1", "output 18-1"], None]
    assert touched(view, 0, ["target", "1"]) == ("space:2-3-A",)
    assert touched(view, 0, ["target", "2"]) == ("space:3-3-A",)


def test_decision_cards_are_played_one_by_one():
    found = things(arranged("research"))
    assert found["played:0:0"] == "Decision card act of you, played as number 1 of this turn"
    assert found["card:0:act"] == "Decision card act of you, not played yet"
    assert "card:0:act:2" not in found
    assert "card:0:act:2" in things(arranged("argumentation"))


def test_an_invalid_argument_says_so():
    found = things(arranged("model", arguments=[argument(0, 1, ["2-3-A"], "18-1-A", valid=False)]))
    assert found["argument:0"].endswith(", invalid")
    assert "conjectured" not in found["space:18-1-A"]
