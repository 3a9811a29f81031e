"""The scripted player knows what it is doing."""

from tests.rules.the_big_dig.positions import argument, arrange

DRAWN = ["2-3", "3-3", "rock", "rock", "rock"]
TARGET = argument(1, 1, ["2-3-A"], "18-1-A")
DUG_OUT = ["2-3", *["rock"] * 12]  # as many as four turns can draw, in which both explore
EXPLORERS = [["act", "pass", "act"], ["pass", "act", "act"]]


def test_it_nullifies_the_others_conjecture_that_it_can_break():
    """Both inputs are discovered, so that the other's five points are lost for certain."""
    models = [[["2-3-A", "3-3-A"], ["2-3-A"]], []]
    position = arrange("argument", drawn=DRAWN, arguments=[TARGET], models=models)
    assert position.play_scripted(2) == ["argue 1", "output 18-1"]
    assert position.snapshot["pending"][0] == ["argue 1", "output 18-1"]


def test_it_does_not_nullify_its_own_conjecture():
    mine = {**TARGET, "by": 0}
    position = arrange("argument", drawn=DRAWN, arguments=[mine], models=[[["2-3-A", "3-3-A"]], []])
    assert position.play_scripted(2) != ["argue 1", "output 18-1"]


def test_it_argues_whenever_it_can():
    assert arrange("argumentation", models=[[["2-3-A"]], []]).scripted == "act"
    assert arrange("argumentation", models=[[["5-1-A"]], []]).scripted == "pass"


def test_it_moves_tokens_before_a_discovery_that_is_sure_to_come():
    """The deck is known: 6-2 is in it, and few other cards are left to come."""
    tokens = [{"6-1-A": 3, "27-1-A": 1}, {}]
    position = arrange("evaluation", drawn=DUG_OUT, spent=EXPLORERS, tokens=tokens, turn=4)
    assert position.scripted == "move"
    position.play("move", "remove")
    assert position.play_scripted(2) == ["lift 6-1-A", "put 6-2-A"]


def test_it_takes_back_tokens_that_only_cost_points():
    """The scripted player takes back tokens that lie on a discovered attribute, where they can only
    cost points."""
    tokens = [{"2-1-A": 2}, {}]
    position = arrange(
        "placement", drawn=DRAWN, tokens=tokens, turn=6, evaluation=["remove", "remove"]
    )
    assert position.play_scripted(2) == ["lift 2-1-A", "lift 2-1-A"]
