"""BD-26 to BD-34: the final scoring, seen from outside; above all which arguments stand in the end."""

import itertools

import pytest

from tests.rules.the_big_dig.positions import argument, arrange
from tests.rules.the_big_dig.reference import is_compatible, spaces_on

BOTH = ["2-3-A", "3-3-A"]
PREDATOR = argument(0, 1, ["2-3-A"], "18-1-A")
DOUBT = argument(1, 2, BOTH, "18-1", "2-3-A")  # certain: both inputs may be discovered
HIP, HAND = argument(0, 1, ["2-3-A"], "11-1-A"), argument(1, 1, ["2-3-A"], "9-3-N")
HIP_DOUBT = argument(1, 2, ["2-3-A", "9-3-N"], "11-1", "2-3-A")  # with a conjectured input


def finish(*arguments, drawn=("2-3", "3-3"), tokens=None, **changes):
    """The end of a game with these arguments: in the last phase seat 0 moves nothing, and seat 1 adds a wild guess."""
    tokens = tokens or [{}, {}]
    base = {"to_move": 0 if tokens[0] else 1, "turn": 6, "evaluation": ["move", "add"], "scores": [0, 20]}
    position = arrange("placement", drawn=drawn, arguments=list(arguments), tokens=tokens, **{**base, **changes})
    if tokens[0]:
        position.play("done")
    return position.play("put 27-1-A")


def validity(position):
    return [a["valid"] for a in position["arguments"]]


# ---------------------------------------------------------------- which arguments stand


def test_bd26_a_certain_nullification():
    """BD-26: both inputs discovered: the conjecture becomes invalid and loses its marker, both if twins, own or not."""
    position = finish(PREDATOR, DOUBT)
    assert (validity(position), position["conjectured"]) == ([False, True], [])
    position = finish(PREDATOR, {**PREDATOR, "by": 1}, DOUBT)
    assert (validity(position), position["conjectured"]) == ([False, False, True], [])
    assert validity(finish({**PREDATOR, "by": 1}, DOUBT)) == [False, True]


def test_bd26_others_with_the_same_output_stand():
    """BD-26, BD-25: the marker stays with a conjecture that the nullification is not aimed at."""
    other = argument(0, 3, ["2-1-N"], "18-1-A")
    position = finish(PREDATOR, DOUBT, other)
    assert (validity(position), position["conjectured"]) == ([False, True, True], ["18-1-A"])
    assert position["final"][0]["valuable"] == 5


def test_bd26_only_valid_nullifications():
    """BD-26: one whose input turned out false does nothing and earns nothing, and its target is not targeted any more."""
    target, marker = argument(0, 1, ["2-3-A"], "10-3-N"), argument(1, 1, ["2-3-A"], "1-2-N", valid=False)
    doubt = argument(1, 2, ["1-2-N", "2-3-A"], "10-3", "2-3-A", valid=False)
    position = finish(target, marker, doubt, drawn=["2-3", "1-2"])
    assert (validity(position), position["final.1.nullifications"]) == ([True, False, False], 0)
    assert [f["valuable"] for f in position["final"]] == [5, 0]


def test_bd27_chains():
    """BD-27: to the end of the chain, also through models with two inputs and over both players."""
    chain = [
        PREDATOR,
        argument(0, 2, ["2-3-A"], "9-4-N"),
        argument(1, 2, ["18-1-A"], "1-3-N"),
        argument(0, 3, ["2-3-A", "18-1-A"], "26-3-N"),
        argument(1, 3, BOTH, "18-1", "2-3-A"),
        argument(0, 4, ["9-4-N", "26-3-N"], "5-2-N"),
        argument(1, 4, ["1-3-N"], "6-1-N"),
    ]
    position = finish(*chain)
    assert validity(position) == [False, True, False, False, True, False, False]
    assert position["conjectured"] == ["9-4-N"]
    assert [f["valuable"] for f in position["final"]] == [5, 0]


def test_bd27_a_chain_ends_where_another_conjecture_holds_the_marker():
    """BD-27: what leans on a space with another valid conjecture stands."""
    chain = [PREDATOR, argument(0, 2, ["2-1-N"], "18-1-A"), DOUBT, argument(1, 3, ["18-1-A"], "1-3-N")]
    position = finish(*chain)
    assert (validity(position), position["conjectured"]) == ([False, True, True, True], ["1-3-N", "18-1-A"])


def test_bd27_a_circle_holds_itself():
    """BD-27: an argument is invalid only when an input has no marker; two that support each other's inputs stand."""
    forth, back = argument(0, 2, ["18-1-A"], "26-3-N"), argument(1, 2, ["26-3-N"], "18-1-A")
    doubts = [argument(1, 3, BOTH, "18-1", "2-3-A"), argument(1, 4, BOTH, "26-3", "2-3-A")]
    position = finish(PREDATOR, argument(1, 1, ["2-3-A"], "26-3-N"), forth, back, *doubts)
    assert validity(position) == [False, False, True, True, True, True]
    assert position["conjectured"] == ["18-1-A", "26-3-N"]


def test_bd27_nullifications_in_a_chain():
    """BD-27, BD-28, BD-33: a nullification whose input loses its marker earns nothing, and its target counts again."""
    position = finish(HIP, HAND, HIP_DOUBT, argument(0, 3, BOTH, "9-3", "2-3-A"))
    assert validity(position) == [True, False, False, True]
    assert [f["nullifications"] for f in position["final"]] == [5, 0]
    assert [f["valuable"] for f in position["final"]] == [5, 0]


def test_bd27_markers_lost_in_a_discovery():
    """BD-25, BD-27: what stayed valid on an input without marker falls in the end."""
    wrong = [{**argument(0, 1, ["2-3-A"], "6-2-N"), "valid": False}, {**argument(1, 2, ["6-2-N"], "13-1-N"), "valid": False}]
    position = finish(*wrong, argument(0, 2, ["13-1-N"], "23-2-A"), drawn=["2-3", "6-2"])
    assert (validity(position), position["conjectured"]) == ([False, False, False], [])


# ---------------------------------------------------------------- points


def test_bd28_each_valid_nullification():
    """BD-28: 5 AP each, also two at the same conjecture."""
    twins = [{**DOUBT, "by": 0}, DOUBT]
    assert [f["nullifications"] for f in finish(PREDATOR, *twins)["final"]] == [5, 5]
    two = [PREDATOR, argument(1, 1, ["3-3-A"], "18-1-N"), DOUBT, argument(1, 3, BOTH, "18-1", "3-3-A")]
    position = finish(*two)
    assert ([f["nullifications"] for f in position["final"]], validity(position)) == ([0, 10], [False, False, True, True])


@pytest.mark.parametrize(("score", "lost"), [(0, 0), (2, 2), (3, 3), (50, 3)])
def test_bd29_wild_guesses(score, lost):
    """BD-29: 1 AP per token on a space without any marker, down to 0; not on D or C markers."""
    tokens = [{"5-1-A": 2, "2-1-A": 1, "18-1-A": 2}, {}]
    position = finish(PREDATOR, tokens=tokens, scores=[score, 0])
    assert position["final.0.wild"] == -lost
    assert position["scores.0"] == score - lost + 2 + 5


def test_bd29_after_the_nullifications():
    """BD-28, BD-29: in this order, so that the points for nullifications can be lost."""
    position = finish(PREDATOR, {**DOUBT, "by": 0}, tokens=[{"5-1-A": 7}, {}], scores=[1, 0])
    assert (position["final.0.nullifications"], position["final.0.wild"], position["scores.0"]) == (5, -6, 0)


def test_bd29_markers_that_were_just_removed():
    """BD-26, BD-29: a token on the output of a conjecture that has just become invalid is a wild guess."""
    position = finish(PREDATOR, DOUBT, tokens=[{"18-1-A": 1}, {}], scores=[20, 20])
    assert (position["final.0.wild"], position["tokens.0"]) == (-1, {"18-1-A": 1})


def test_bd29_before_the_best_guesses():
    """BD-29, BD-31: a token on a marker that only then is removed is no wild guess."""
    guesses = [argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["3-3-A"], "5-1-N")]
    position = finish(*guesses, tokens=[{"5-1-A": 1}, {"5-1-N": 5}], scores=[20, 20])
    assert (position["conjectured"], position["final.0.wild"]) == (["5-1-N"], 0)


@pytest.mark.parametrize(
    ("tokens", "stay"),
    [
        ([{"5-1-A": 1}, {"5-1-N": 1}], ["5-1-A"]),  # 13 to 11
        ([{"5-1-A": 1}, {"5-1-N": 2}], ["5-1-N"]),  # 13 to 22
        ([{"5-1-A": 1, "5-1-N": 1}, {"5-1-A": 1, "5-1-N": 1}], ["5-1-A"]),  # 26 to 22
        ([{}, {"5-1-N": 1}], ["5-1-N"]),  # 0 to 11
        ([{"5-2-N": 3}, {}], ["5-1-A", "5-1-N"]),  # 0 to 0
        ([{"5-1-A": 11}, {"5-1-N": 11}], ["5-1-A"]),
    ],
)
def test_bd30_bd31_the_best_guess(tokens, stay):
    """BD-30, BD-31: support times tokens of both players; those tied for the greatest stay, also at 0."""
    guesses = [argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["3-3-A"], "5-1-N")]
    position = finish(*guesses, tokens=tokens)
    assert position["conjectured"] == stay
    assert validity(position) == [True, True], "the conjecture stays valid, but its marker is gone"
    assert [f["valuable"] for f in position["final"]] == [5 * ("5-1-A" in stay), 5 * ("5-1-N" in stay)]


def test_bd31_a_tie_above_0():
    """BD-31: 11 tokens with support 13 and 13 tokens with support 11: both markers stay."""
    guesses = [argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["3-3-A"], "5-1-N")]
    for tokens in ([{"5-1-A": 11, "5-1-N": 1}, {"5-1-N": 12}], [{"5-1-A": 6, "5-1-N": 6}, {"5-1-A": 5, "5-1-N": 7}]):
        position = arrange("placement", turn=6, drawn=["2-3", "3-3"], arguments=guesses, tokens=tokens).play("done", "done")
        assert position["conjectured"] == ["5-1-A", "5-1-N"]
        assert [f["confident"] for f in position["final"]] == [12, 12]
        assert [f["valuable"] for f in position["final"]] == [5, 5]


def test_bd30_supports_add_up():
    """BD-30: over all valid conjectures of the output that are not targeted, twins twice."""
    one, other = argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["3-3-A"], "5-1-N")
    tokens = [{"5-1-A": 1}, {"5-1-N": 1}]
    assert finish(one, other, tokens=tokens)["conjectured"] == ["5-1-A"], "13 to 11"
    twins = [argument(0, 2, ["3-3-A"], "5-1-N"), argument(1, 2, ["3-3-A"], "5-1-N")]
    assert finish(one, *twins, tokens=tokens)["conjectured"] == ["5-1-N"], "13 to 2 times 11"


def test_bd30_targeted_conjectures_do_not_count():
    """BD-30: their marker stays only if nothing is stronger."""
    hip = [HIP, HAND, HIP_DOUBT, argument(0, 3, ["2-3-A"], "11-2-N")]
    position = finish(*hip, tokens=[{"11-1-A": 9}, {"11-2-N": 1}])
    assert position["conjectured"] == ["9-3-N", "11-2-N"]


def test_bd30_one_marker_on_an_attribute_stays():
    """BD-30: the comparison is only for attributes with more than one C marker; no tokens are needed."""
    assert finish(PREDATOR)["conjectured"] == ["18-1-A"]


@pytest.mark.parametrize("marker", ["18-1-A", "5-2-N", "5-1-A", "9-4-N"])
def test_bd32_confident_guesses(marker):
    """BD-32: a token on each space of the attribute pays 1 if it is compatible with the marker, the own space included."""
    number = int(marker.split("-")[0])
    stands = argument(1, 1, ["2-3-A"], marker)
    position = finish(stands, tokens=[dict.fromkeys(spaces_on(number), 1), {}], scores=[20, 20])
    expected = sum(is_compatible(space, marker) for space in spaces_on(number))
    assert position["final.0.confident"] == expected
    assert position["final.1.confident"] == 0


def test_bd32_several_markers():
    """BD-32: with several markers left on the attribute a token can earn several times; other attributes pay nothing."""
    guesses = [argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["2-3-A"], "5-2-N")]
    position = finish(*guesses, tokens=[{"5-3-N": 2, "6-1-A": 1}, {"5-3-A": 1}], scores=[20, 20])
    assert position["conjectured"] == ["5-1-A", "5-2-N"], "both have support 0, without tokens"
    assert [f["confident"] for f in position["final"]] == [4, 1]


def test_bd32_discovered_attributes_pay_nothing():
    """BD-32 (house): only C markers; a token on a space known to be false is a wild guess."""
    position = finish(tokens=[{"2-1-A": 1}, {}], scores=[20, 20])
    assert position["final.0"] == {"nullifications": 0, "wild": -1, "confident": 0, "valuable": 0}


def test_bd33_valuable_contributions():
    """BD-33: 5 AP for each on a D or C marker, for twins each; nothing for those whose marker is gone."""
    found = argument(0, 1, ["2-3-A"], "9-1-N")
    twins = [argument(by, 2, ["2-3-A"], "18-1-A") for by in (0, 1)]
    position = finish(found, *twins, drawn=["2-3", "9-2"])
    assert [f["valuable"] for f in position["final"]] == [10, 5]


@pytest.mark.parametrize(("scores", "winners"), [([30, 20], [0]), ([20, 30], [1]), ([19, 20], [0, 1]), ([0, 0], [0, 1])])
def test_bd34_winners(scores, winners):
    """BD-34: the most AP; equal scores share the win. Seat 1's last token is a wild guess, which costs it a point."""
    position = finish(scores=scores)
    assert position["winners"] == winners
    assert (position["phase"], position.mover, position["truncated"], position.legal) == ("over", -1, False, set())


def test_the_parts_add_up():
    """Snapshot: `final` is null before, and then is what the scores gained."""
    twists = [[HIP, HAND, HIP_DOUBT], [PREDATOR, DOUBT], [PREDATOR]]
    for arguments, score in itertools.product(twists, (0, 3, 30)):
        base = {"arguments": arguments, "drawn": ["2-3", "3-3"], "turn": 6, "scores": [score, score]}
        position = arrange("placement", **base, tokens=[{"5-1-A": 2, "18-1-A": 1}, {}])
        assert position["final"] is None
        position.play("done")
        for p in (0, 1):
            assert position["scores"][p] == score + sum(position["final"][p].values())
