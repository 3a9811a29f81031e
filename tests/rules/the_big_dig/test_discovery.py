"""BD-24, BD-25: discoveries, what they pay and which arguments they make invalid."""

import pytest

from tests.rules.the_big_dig.positions import argument, arrange
from tests.rules.the_big_dig.reference import attribute, discovered_by, spaces_on


def discover(card, deck="starter", **changes):
    """The position after a turn that begins with the discovery of a state."""
    changes.setdefault("tokens", [{}, {}])
    changes["tokens"][1].setdefault("27-1-A", 1)  # so that somebody is asked
    position = arrange("placement", deck=deck, on_top=[card], turn=3, to_move=1 - bool(changes["tokens"][0]), **changes)
    while position["phase"] == "placement":
        position.play("done")
    return position


# ---------------------------------------------------------------- points and tokens


@pytest.mark.parametrize(("card", "deck"), [("6-2", "starter"), ("9-2", "starter"), ("12-2", "starter"), ("7-1", "third")])
def test_bd24_worth_of_a_token(card, deck):
    """BD-24: 5 AP on the assertion of the state, 2 on the negations of the others, -5 anywhere else; all tokens return."""
    drawn = ["2-3"] if deck == "starter" else ["2-2"]
    for space in spaces_on(attribute(card)):
        worth = -5 if space not in discovered_by(card) else 5 if space[-1] == "A" else 2
        position = discover(card, deck, drawn=drawn, tokens=[{space: 2, "27-1-A": 1}, {}])
        assert position["scores"] == [20 + 2 * worth, 20], space
        assert position["tokens"] == [{"27-1-A": 1}, {"27-1-A": 1}], "tokens on other attributes stay"
        assert set(discovered_by(card)) <= set(position["discovered"])


def test_bd24_gains_first_then_losses_down_to_0():
    """BD-24: score = max(0, score + gains - losses), each player alone."""
    tokens = [{"6-2-A": 1, "6-1-N": 1, "6-1-A": 2}, {"6-1-A": 3, "6-2-A": 1}]
    assert discover("6-2", tokens=tokens, scores=[1, 12])["scores"] == [0, 2]
    tokens = [{"6-2-A": 1, "6-1-N": 1, "6-1-A": 2}, {"6-1-A": 3, "6-2-A": 1}]
    assert discover("6-2", tokens=tokens, scores=[5, 0])["scores"] == [2, 0]


def test_bd24_c_markers_on_the_attribute_are_removed():
    """BD-24: all of them, true or false; those on other attributes stay."""
    outputs = ["9-4-N", "9-1-N", "6-2-N", "18-1-A"]
    arguments = [argument(turn % 2, turn // 2 + 1, ["2-3-A"], output) for turn, output in enumerate(outputs)]
    position = discover("9-2", arguments=arguments)
    assert position["conjectured"] == ["6-2-N", "18-1-A"]
    assert position["discovered"] == ["2-1-N", "2-2-N", "2-3-A", "9-1-N", "9-2-A", "9-3-N", "9-4-N"]


# ---------------------------------------------------------------- arguments


def valid_after(card, *arguments, **changes):
    return [a["valid"] for a in discover(card, arguments=list(arguments), **changes)["arguments"]]


def test_bd24_outputs():
    """BD-24: conjectures whose output turns out false become invalid, the true ones stay, also those found true before."""
    true, false = argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 1, ["2-3-A"], "9-1-N")
    assert valid_after("9-2", true, false) == [True, True]
    assert valid_after("6-2", true, false) == [False, True]


def test_bd24_inputs():
    """BD-24: conjectured inputs that turn out false, also one of two; those that turn out true stay."""
    marker = argument(0, 1, ["2-3-A"], "6-2-N")
    on_it = argument(1, 2, ["6-2-N"], "13-1-N")
    with_another = argument(0, 2, ["2-3-A", "6-2-N"], "18-1-A")
    assert valid_after("6-2", marker, on_it, with_another) == [False, False, False]
    true = argument(0, 1, ["2-3-A"], "9-1-N")
    assert valid_after("9-2", true, argument(1, 2, ["9-1-N"], "13-3-N")) == [True, True]


def test_bd24_the_inputs_of_a_nullification():
    """BD-24: it is valid while they are; an invalid one no longer threatens its target."""
    target, marker = argument(0, 1, ["2-3-A"], "11-1-A"), argument(1, 1, ["2-3-A"], "9-3-N")
    assert valid_after("9-2", target, marker, argument(0, 2, ["2-3-A", "9-3-N"], "11-1", "2-3-A")) == [True, True, True]
    target, marker = argument(0, 1, ["2-3-A"], "10-3-N"), argument(1, 1, ["2-3-A"], "1-2-N")
    doubt = argument(0, 2, ["1-2-N", "2-3-A"], "10-3", "2-3-A")
    assert valid_after("1-2", target, marker, doubt) == [True, False, False]
    assert valid_after("10-2", target, marker, doubt) == [True, True, True]


def test_bd25_the_marker_stays_with_another_valid_conjecture():
    """BD-25: another one for the same space, by either player."""
    marker = argument(0, 1, ["2-3-A"], "6-2-N")
    one, other = argument(1, 2, ["6-2-N"], "13-1-N"), argument(0, 3, ["2-3-A"], "13-1-N")
    position = discover("6-2", arguments=[marker, one, other])
    assert [a["valid"] for a in position["arguments"]] == [False, False, True]
    assert position["conjectured"] == ["13-1-N"]
    alone = discover("6-2", arguments=[marker, one])
    assert (alone["conjectured"], [a["valid"] for a in alone["arguments"]]) == ([], [False, False])


def test_bd25_together():
    """BD-24, BD-25: two that lose their input at once do not support each other's marker."""
    marker = argument(0, 1, ["2-3-A"], "6-2-N")
    one, other = argument(1, 2, ["6-2-N"], "13-1-N"), argument(0, 3, ["2-3-A", "6-2-N"], "13-1-N")
    assert discover("6-2", arguments=[marker, one, other])["conjectured"] == []


def test_bd25_tokens_stay():
    """BD-25: tokens on the output of a conjecture that becomes invalid."""
    marker, one = argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 2, ["6-2-N"], "13-1-N")
    position = discover("6-2", arguments=[marker, one], tokens=[{"13-1-N": 2}, {"13-1-N": 1}])
    assert position["tokens"] == [{"13-1-N": 2}, {"13-1-N": 1, "27-1-A": 1}]


def test_bd25_no_chain_during_the_turns():
    """BD-25: an argument whose input loses its marker stays valid, keeps its own marker, and is an input still."""
    chain = [argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 2, ["6-2-N"], "13-1-N"), argument(0, 2, ["13-1-N"], "23-2-A")]
    position = discover("6-2", arguments=chain, models=[[], [["23-2-A"], ["13-1-N"]]])
    assert [a["valid"] for a in position["arguments"]] == [False, False, True]
    assert position["conjectured"] == ["23-2-A"]
    position.play("input 1-1-A", "single", "input 1-2-A", "single", "pass", "act")
    assert position.legal == {"argue 1", "no argument"}, "23-2-A is marked, 13-1-N is not any more"


def test_bd25_the_marker_may_come_back():
    """BD-25: with another conjecture for the space, and then the argument stands again until the end."""
    chain = [argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 2, ["6-2-N"], "13-1-N"), argument(0, 2, ["13-1-N"], "23-2-A")]
    wrong = [{**chain[0], "valid": False}, {**chain[1], "valid": False}, chain[2]]
    position = arrange("argument", drawn=["2-3", "6-2"], arguments=wrong, models=[[], [["2-3-A"]]], turn=6)
    position.play("no argument", "argue 1" if position["models.1.0"] == ["2-3-A"] else "argue 2", "output 13-1")
    assert position["conjectured"] == ["13-1-N", "23-2-A"]
    again = position.copy()
    again.play("pass", "pass", "move", "move", "done")
    assert (again["phase"], [a["valid"] for a in again["arguments"]]) == ("over", [False, False, True, True])


def test_bd25_invalid_stays_invalid():
    """BD-25: a later discovery that its output is true does not bring an argument back."""
    marker, on_it = argument(0, 1, ["2-3-A"], "6-2-N", valid=False), argument(1, 2, ["6-2-N"], "9-1-N", valid=False)
    assert valid_after("9-2", marker, on_it, drawn=["2-3", "6-2"]) == [False, False]
