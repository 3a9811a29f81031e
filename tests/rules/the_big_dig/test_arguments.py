"""BD-13 to BD-18: conjectures and nullifications, what may be argued, what an argument does and earns."""

import itertools

import pytest

from tests.rules.the_big_dig.positions import argument, arrange, wild_cards
from tests.rules.the_big_dig.reference import REGIONS, attribute, predictions

PREDATOR = argument(0, 1, ["2-3-A"], "18-1-A")  # large canines, so a predator: the rulebook's example
NOT_PREDATOR = argument(1, 1, ["3-3-A"], "18-1-N")
BOTH = ["2-3-A", "3-3-A"]  # nothing is known of the predation of animals with large canines and molars
DOUBT = argument(1, 2, BOTH, "18-1", "2-3-A")
DOUBT_OF_HIP = ["2-3-A", "9-3-N"]  # with the second input nothing is known of 11-1


def outputs(position, model="argue 1"):
    """The states that the mover can argue for with a model."""
    return {text.removeprefix("output ") for text in position.copy().play(model).legal}


def supported(inputs, *discovered):
    """The states with support above 0, apart from those of discovered attributes."""
    return {s for s, (_, support) in predictions(tuple(inputs)).items() if support and attribute(s) not in discovered}


# ---------------------------------------------------------------- conjectures


def test_bd13_an_input_known_to_be_false():
    """BD-13: the spaces of a discovered attribute without D are not marked."""
    position = arrange("argument", models=[[["2-1-A"], ["2-3-N"], ["2-2-N"]], []])
    assert position.legal == {"argue 3", "no argument"}


def test_bd13_support_above_0_on_undiscovered_attributes():
    """BD-13: the outputs of a model, for inputs with D and with C."""
    position = arrange("argument", drawn=["2-3", "9-2"], models=[[["2-3-A"]], []])
    assert outputs(position) == supported(["2-3-A"], 2, 9)
    conjectured = arrange("argument", arguments=[PREDATOR], models=[[["18-1-A"]], []])
    assert outputs(conjectured) == supported(["18-1-A"], 2), "the attribute of a C marker is not discovered"


def test_bd13_the_output_is_the_space_that_the_model_predicts():
    """BD-13: assertion or negation, as predicted."""
    for state, sign, support in (("18-1", "A", 56), ("18-2", "N", 56), ("26-3", "N", 62), ("5-1", "A", 13), ("5-2", "N", 44)):
        position = arrange("argument", models=[[["2-3-A"]], []]).play("argue 1", f"output {state}", "no argument")
        assert position["conjectured"] == [f"{state}-{sign}"]
        expected = {"by": 0, "turn": 5, "inputs": ["2-3-A"], "output": f"{state}-{sign}", "support": support}
        assert position["arguments"] == [{**expected, "target": None, "valid": True}]


# ---------------------------------------------------------------- nullifications


def test_bd14_without_a_target_support_0_is_no_argument():
    """BD-14: neither with two inputs nor with one."""
    position = arrange("argument", drawn=["2-3", "3-3"], models=[[BOTH, ["2-3-A"]], []])
    assert outputs(position) == supported(BOTH, 2, 3)
    assert outputs(position, "argue 2") == supported(["2-3-A"], 2, 3)


def test_bd14_a_model_with_one_input_never_nullifies():
    """BD-14: {3-3-A} has support 0 for 27-3, of which {2-3-A} says something."""
    assert predictions(("3-3-A",))["27-3"][1] == 0
    stands = argument(0, 1, ["2-3-A"], "27-3-N")
    position = arrange("argument", drawn=["2-3", "3-3"], arguments=[stands], models=[[["3-3-A"]], []])
    assert "27-3" not in outputs(position)


def test_bd14_aimed_at_a_conjecture_with_that_input_only():
    """BD-14: not at one with two inputs or with another input, nor about another state."""
    base = {"drawn": ["2-3", "3-3"], "models": [[], [BOTH]], "spent": [["pass"], ["act"]], "to_move": 1}
    assert "18-1" in outputs(arrange("argument", arguments=[PREDATOR], **base))
    assert "18-2" not in outputs(arrange("argument", arguments=[PREDATOR], **base)), "18-2 is another state"
    other = argument(0, 1, ["2-1-N"], "18-1-A")
    assert "18-1" not in outputs(arrange("argument", arguments=[other], **base))
    two = [argument(0, 1, ["2-3-A"], "26-3-N"), argument(0, 2, ["2-3-A", "26-3-N"], "18-1-A")]
    assert "18-1" not in outputs(arrange("argument", arguments=two, **base))


def test_bd14_both_inputs_must_be_marked():
    """BD-14: D or C."""
    target, marker = argument(0, 1, ["2-3-A"], "11-1-A"), argument(0, 2, ["2-3-A"], "9-3-N")
    base = {"models": [[], [DOUBT_OF_HIP]], "spent": [["pass"], ["act"]], "to_move": 1}
    assert arrange("argument", arguments=[target], **base).legal == {"no argument"}
    position = arrange("argument", arguments=[target, marker], **base).play("argue 1", "output 11-1")
    assert position["arguments.2"] == argument(1, 5, DOUBT_OF_HIP, "11-1", "2-3-A")


def test_bd14_the_output_attribute_must_not_be_discovered():
    """BD-14: the target may be about a discovered attribute, the nullification not."""
    base = {"models": [[], [BOTH]], "spent": [["pass"], ["act"]], "to_move": 1}
    target = argument(0, 1, ["2-3-A"], "10-3-N")
    assert predictions(tuple(BOTH))["10-3"][1] == 0
    assert "10-3" in outputs(arrange("argument", drawn=["2-3", "3-3"], arguments=[target], **base))
    assert "10-3" not in outputs(arrange("argument", drawn=["2-3", "3-3", "10-2"], arguments=[target], **base))


def test_bd14_either_sign():
    """BD-14: the output is a state; the target asserts or negates it."""
    base = {"drawn": ["2-3", "3-3"], "models": [[BOTH], []]}
    position = arrange("argument", arguments=[NOT_PREDATOR], **base)
    position.play("argue 1", "output 18-1", "no argument")
    assert position["arguments.1"] == argument(0, 5, BOTH, "18-1", "3-3-A")
    assert position["arguments.1.output"] == "18-1"


def test_bd14_a_nullification_changes_nothing_on_the_board():
    """BD-14, BD-17: no marker, no token; tokens on spaces of the output's attribute stay; the target stays valid."""
    tokens = [{"18-1-A": 2, "18-1-N": 1}, {"18-1-N": 2, "18-2-A": 1}]
    base = {"drawn": ["2-3", "3-3"], "models": [[], [BOTH]], "spent": [["pass"], ["act"]], "to_move": 1}
    position = arrange("argument", arguments=[PREDATOR], tokens=tokens, **base).play("argue 1", "output 18-1")
    assert (position["tokens"], position["conjectured"], position["scores"]) == (tokens, ["18-1-A"], [20, 21])
    assert [a["valid"] for a in position["arguments"]] == [True, True]


def test_bd14_own_conjectures_may_be_targets():
    """BD-14 (house): the player's own."""
    position = arrange("argument", drawn=["2-3", "3-3"], arguments=[PREDATOR], models=[[BOTH], []])
    position.play("argue 1", "output 18-1", "no argument")
    assert position["arguments.1"] == argument(0, 5, BOTH, "18-1", "2-3-A")
    assert position["scores"] == [21, 20]


def test_bd14_one_nullification_is_aimed_at_twins():
    """BD-14: at both if both players made the conjecture at once; twins share their fate."""
    twins = [PREDATOR, {**PREDATOR, "by": 1}]
    base = {"drawn": ["2-3", "3-3"], "models": [[BOTH], []]}
    position = arrange("argument", arguments=twins, **base).play("argue 1", "output 18-1", "no argument")
    assert position["arguments.2"] == argument(0, 5, BOTH, "18-1", "2-3-A")
    again = arrange(
        "argument", arguments=[*twins, argument(0, 2, BOTH, "18-1", "2-3-A")], models=[[], [BOTH]], drawn=["2-3", "3-3"]
    )
    again.play("no argument")
    assert "18-1" not in outputs(again), "there is no second one at the other twin"


# ---------------------------------------------------------------- once per game


def test_bd15_a_conjecture_once_per_game():
    """BD-15: by either player; a model with other inputs may say the same."""
    for by in (0, 1):
        position = arrange("argument", arguments=[{**PREDATOR, "by": by}], models=[[["2-3-A"], ["2-1-N"]], []])
        assert outputs(position) == supported(["2-3-A"], 2) - {"18-1"}
        assert outputs(position, "argue 2") == supported(["2-1-N"], 2)


def test_bd15_a_nullification_once_per_game():
    """BD-15: by either player; with the other target it is another one."""
    for by in (0, 1):
        stands = [PREDATOR, NOT_PREDATOR, {**DOUBT, "by": by}]
        position = arrange("argument", drawn=["2-3", "3-3"], arguments=stands, models=[[BOTH], []])
        number = position["models.0"].index(BOTH) + 1
        twin = position.copy().play(f"argue {number}", "output 18-1")
        assert twin.mover == 1, "one possible target is left, so that nobody is asked"
        assert twin.play("no argument")["arguments.3"] == argument(0, 5, BOTH, "18-1", "3-3-A")
        exhausted = [*stands, argument(0, 3, BOTH, "18-1", "3-3-A")]
        position = arrange("argument", drawn=["2-3", "3-3"], arguments=exhausted, models=[[BOTH], []])
        assert "18-1" not in outputs(position, f"argue {number}")


def test_bd15_the_same_nullification_by_both_at_once():
    """BD-15: with the same target or each with its own."""
    base = {"drawn": ["2-3", "3-3"], "arguments": [PREDATOR, NOT_PREDATOR], "models": [[BOTH], [BOTH]]}
    for mine, yours in itertools.product((1, 2), repeat=2):
        position = arrange("argument", **base)
        position.play("argue 1", "output 18-1", f"target {mine}")
        number = position["models.1"].index(BOTH) + 1
        position.play(f"argue {number}", "output 18-1", f"target {yours}")
        assert [a["target"] for a in position["arguments"][2:]] == [BOTH[mine - 1], BOTH[yours - 1]]
        assert position["scores"] == [21, 21]


# ---------------------------------------------------------------- choosing


def test_bd16_models_that_allow_an_argument_now():
    """BD-16: not one whose possible outputs have all been argued, nor one without marked inputs."""
    position = arrange("argument", models=[[["2-3-A"], ["27-1-A"], ["2-1-N"], ["2-1-A", "5-1-A"]], [["2-3-A"]]])
    assert position.legal == {"argue 1", "argue 3", "no argument"}
    position.play("argue 1")
    assert "no argument" not in position.legal, "the model has been chosen"
    assert all(text.startswith("output ") for text in position.legal)


def test_bd16_no_argument_is_always_legal():
    """BD-16: it gives nothing, and the card is spent."""
    position = arrange("argument", models=[[["2-3-A"]], []]).play("no argument", "no argument")
    assert (position["arguments"], position["scores"], position["phase"]) == ([], [20, 20], "research")
    assert position["spent"] == [["act"], ["act"]]


def test_bd16_only_those_who_act():
    """BD-12, BD-16: whoever passed is not asked."""
    position = arrange("argument", to_move=1, spent=[["pass"], ["act"]], models=[[["2-3-A"]], [["2-3-A"]]])
    position.play("argue 1", "output 18-1")
    assert (position["phase"], position.mover) == ("research", 1)
    assert [a["by"] for a in position["arguments"]] == [1]


# ---------------------------------------------------------------- carrying out


def test_bd17_the_board_as_it_was():
    """BD-13, BD-17, BD-18: what seat 0 has just chosen is no input, and pays nothing, for seat 1."""
    position = arrange("argument", models=[[["2-3-A"]], [["18-1-A"], ["2-3-A", "18-1-A"], ["2-3-A"]]])
    position.play("argue 1", "output 18-1")
    assert position.legal == {"argue 3", "no argument"}
    position.play("argue 3", "output 18-1")
    assert position["scores"] == [21, 21]


def test_bd17_a_nullification_cannot_be_aimed_at_a_conjecture_of_the_same_phase():
    """BD-14, BD-17: it does not stand on the board yet."""
    position = arrange("argument", drawn=["2-3", "3-3"], models=[[["2-3-A"]], [BOTH]]).play("argue 1", "output 18-1")
    assert "18-1" not in outputs(position)


def test_bd17_opposite_conjectures_at_once():
    """BD-17: both stand; each removes the own incompatible tokens only."""
    tokens = [{"5-2-A": 1, "5-1-N": 1}, {"5-1-A": 2, "5-3-A": 1}]
    position = arrange("argument", drawn=["2-3", "3-3"], models=[[["2-3-A"]], [["3-3-A"]]], tokens=tokens)
    position.play("argue 1", "output 5-1", "argue 1", "output 5-1")
    assert position["conjectured"] == ["5-1-A", "5-1-N"]
    assert position["tokens"] == [{"5-1-A": 1}, {"5-3-A": 1, "5-1-N": 1}]


def test_bd17_an_empty_bank():
    """BD-17 (house): a marker without token; the incompatible ones return only afterwards."""
    position = arrange("argument", models=[[["2-3-A"]], [["2-3-A"]]], tokens=[{"27-1-A": 12}, {"18-1-N": 12}])
    position.play("argue 1", "output 18-1", "argue 1", "output 18-1")
    assert (position["conjectured"], position["scores"]) == (["18-1-A"], [21, 21])
    assert position["tokens"] == [{"27-1-A": 12}, {}]


def test_bd17_the_last_token():
    """BD-17: the twelfth one can be placed."""
    position = arrange("argument", models=[[["2-3-A"]], []], tokens=[{"18-1-A": 11}, {}])
    assert position.play("argue 1", "output 18-1", "no argument")["tokens"] == [{"18-1-A": 12}, {}]


def test_bd17_seat_0_is_first_in_the_list():
    """Snapshot: arguments in order of creation, seat 0 first where both argue in the same phase."""
    position = arrange("argument", arguments=[argument(1, 1, ["2-3-A"], "1-3-N")], models=[[["2-3-A"]], []])
    position.play("argue 1", "output 26-3", "argue 1", "output 18-1")
    assert [(a["by"], a["output"]) for a in position["arguments"]] == [(1, "1-3-N"), (0, "26-3-N"), (1, "18-1-A")]


# ---------------------------------------------------------------- points

BORDERS = {  # outputs of {2-3-A} at the borders of the regions
    "1-3": "skull", "6-2": "skull", "8-1": "forelimb", "9-4": "forelimb", "10-1": "hindlimb", "14-4": "hindlimb",
    "15-1": "diet", "18-2": "diet", "19-1": "senses", "20-1": "senses", "21-1": "movement", "27-3": "movement",
}  # fmt: skip


@pytest.mark.parametrize("active", list(REGIONS))
def test_bd18_the_active_request_doubles_its_region(active):
    """BD-18: twice the amount on the attributes of the region, and on no other."""
    others = [region for region in REGIONS if region != active]
    cards = wild_cards(["2-3"], [active, others[0]])
    for state, region in BORDERS.items():
        position = arrange("argument", cards=cards, drawn=["2-3", f"request {active}"], models=[[["2-3-A"]], []])
        position.play("argue 1", f"output {state}", "no argument")
        assert position["scores"] == [22 if region == active else 21, 20], state


def test_bd18_only_the_last_request_is_active():
    """BD-9, BD-18: the earlier one is discarded."""
    base = {"models": [[["2-3-A"]], []]}
    for drawn, points in ((["request diet", "request skull"], 1), (["request skull", "request diet"], 2), (["rock"], 1)):
        position = arrange("argument", drawn=["2-3", *drawn], **base).play("argue 1", "output 18-1", "no argument")
        assert position["scores"] == [20 + points, 20]


@pytest.mark.parametrize(("drawn", "factor"), [([], 1), (["request movement"], 2)])
def test_bd18_conjectured_inputs(drawn, factor):
    """BD-18: 1 AP, and 1 for each input with a C marker, whoever put it there; D markers pay nothing."""
    stands = [argument(1, 1, ["2-3-A"], "18-1-A"), argument(0, 1, ["2-3-A"], "5-2-N")]
    cards = wild_cards(["2-3"], ["movement", "skull"])
    models = [[["2-3-A"], ["18-1-A"], ["2-3-A", "18-1-A"], ["5-2-N", "18-1-A"], ["2-1-N"]], []]
    for number, points in ((1, 1), (2, 2), (3, 2), (4, 3), (5, 1)):
        position = arrange("argument", cards=cards, drawn=["2-3", *drawn], arguments=stands, models=models)
        position.play(f"argue {number}", "output 27-3", "no argument")
        assert position["scores"] == [20 + factor * points, 20]


def test_bd18_nullifications_earn_the_same():
    """BD-18: with conjectured inputs and requests."""
    target, marker = argument(0, 1, ["2-3-A"], "11-1-A"), argument(0, 2, ["2-3-A"], "9-3-N")
    for regions, points in ((["diet", "forelimb"], 2), (["diet", "hindlimb"], 4)):
        drawn = ["2-3", *(f"request {region}" for region in regions)]
        base = {
            "cards": wild_cards(["2-3"], regions),
            "drawn": drawn,
            "arguments": [target, marker],
            "models": [[], [DOUBT_OF_HIP]],
        }
        position = arrange("argument", **base, spent=[["pass"], ["act"]], to_move=1).play("argue 1", "output 11-1")
        assert position["scores"] == [20, 20 + points]
