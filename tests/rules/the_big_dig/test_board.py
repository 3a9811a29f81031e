"""BD-1 to BD-4: the board, the box, compatible spaces, markers and tokens."""

import re

import pytest

from tests.rules.tables import table
from tests.rules.the_big_dig.positions import GAME, argument, arrange
from tests.rules.the_big_dig.reference import ACTIONS, SPACES, attribute, decks, fauna, spaces_on


def test_actions():
    """The section "Actions"."""
    assert GAME.actions == ACTIONS
    assert len(GAME.actions) == 540


def test_bd1_every_species_has_one_state_of_each_attribute():
    """BD-1 and the table of the board: 27 attributes, 74 states, and how many living species have each."""
    assert len(fauna()) == 120
    rows = [[int(count) for count in re.findall(r"\((\d+)\)", row["states: number, name (living species that have it)"])]
            for row in table(GAME, "no.")]  # fmt: skip
    assert (len(rows), sum(map(len, rows)), len(SPACES)) == (27, 74, 148)
    for number, counts in enumerate(rows, 1):
        assert [sum(species[number] == s for species in fauna()) for s in range(1, len(counts) + 1)] == counts


def test_decks():
    """The four decks."""
    for row in table(GAME, "deck"):
        requests = [f"request {region}" for region in row["special requests"].split(", ")]
        states = row["attribute state cards"].replace("*", "").split()
        assert sorted(decks()[row["deck"]]) == sorted([*states, *requests, *["rock"] * int(row["rocks"])])
    assert decks()["starter_discovery"] == ["2-3"]


@pytest.mark.parametrize(
    ("deck", "drawn", "inputs", "output", "compatible"),
    [
        ("starter", ["10-2", "12-2"], ["10-2-A", "12-2-A"], "25-2-A", {"25-1-N", "25-2-A", "25-3-N"}),
        ("second", ["2-1"], ["2-1-A"], "25-2-N", {"25-1-A", "25-1-N", "25-2-N", "25-3-A", "25-3-N"}),
        ("starter", ["2-3"], ["2-3-A"], "18-1-A", {"18-1-A", "18-2-N"}),
        ("second", ["13-1"], ["13-1-A"], "7-1-N", {"7-1-N", "7-2-A", "7-2-N"}),
        ("starter", ["8-3", "9-2"], ["8-2-N", "9-2-A"], "14-2-A", {"14-2-A", "14-1-N", "14-3-N", "14-4-N"}),
        ("starter", ["2-3"], ["2-3-A"], "9-4-N", {*spaces_on(9)} - {"9-4-A"}),
    ],
)
def test_bd2_compatible_spaces(deck, drawn, inputs, output, compatible):
    """BD-2, seen through BD-17: the creator's tokens on spaces that are incompatible with the output go, no others."""
    row = dict.fromkeys(spaces_on(attribute(output)), 1)
    tokens = [{**row, "27-1-A": 2, "27-1-N": 1}, dict(row)]
    position = arrange("argument", deck=deck, drawn=drawn, models=[[inputs], []], tokens=tokens)
    position.play("argue 1", f"output {output[:-2]}", "no argument")
    kept = {space: 2 if space == output else 1 for space in row if space in compatible}
    assert position["tokens.0"] == {**kept, "27-1-A": 2, "27-1-N": 1}
    assert position["tokens.1"] == row, "the other player's tokens stay"


def test_bd2_yes_and_no_are_two_states():
    """BD-1, BD-2: 18-1-A and 18-2-N are different spaces, each with its own marker."""
    position = arrange("argument", models=[[["2-3-A"]], [["2-3-A"]]])
    position.play("argue 1", "output 18-1", "argue 1", "output 18-2")
    assert position["conjectured"] == ["18-1-A", "18-2-N"]
    assert position["tokens"] == [{"18-1-A": 1}, {"18-2-N": 1}]
    assert position["scores"] == [21, 21]


def test_bd3_one_marker_per_space():
    """BD-3: another conjecture with the same output adds a token, not a second marker."""
    position = arrange("argument", arguments=[argument(1, 1, ["2-3-A"], "18-1-A")], models=[[["2-1-N"]], []])
    position.play("argue 1", "output 18-1", "no argument")
    assert position["conjectured"] == ["18-1-A"]
    assert position["tokens"] == [{"18-1-A": 1}, {}]
    assert position["arguments.1"] == argument(0, 5, ["2-1-N"], "18-1-A")


def test_bd3_incompatible_conjectures_stand_side_by_side():
    """BD-3, BD-13: C markers on an attribute, compatible or not, do not matter."""
    arguments = [argument(0, 1, ["2-3-A"], "18-1-A"), argument(1, 1, ["2-3-A"], "18-2-N")]
    position = arrange("argument", drawn=["2-3", "3-3"], arguments=arguments, models=[[["3-3-A"]], []])
    position.play("argue 1", "output 18-1", "no argument")
    assert position["conjectured"] == ["18-1-A", "18-1-N", "18-2-N"]


def test_bd4_tokens_anywhere():
    """BD-4: tokens of both on a space, without a marker, and incompatible ones of the same player."""
    position = arrange("evaluation", tokens=[{"5-1-A": 1}, {"5-1-N": 1, "5-1-A": 2}])
    position.play("add", "add", "put 5-1-N", "put 5-1-A")
    assert position["tokens"] == [{"5-1-A": 1, "5-1-N": 1}, {"5-1-N": 1, "5-1-A": 3}]


def test_bd4_twelve_tokens():
    """BD-4: with all twelve on the board nothing can be added; the bank comes back when they are removed."""
    position = arrange("evaluation", tokens=[{"5-1-A": 7, "18-1-A": 5}, {"5-1-A": 11}])
    assert "add" in position.legal, "it may be chosen even if it can have no effect (BD-21)"
    position.play("add", "add")
    assert position.mover == 1, "seat 0 has no token to add and is not asked"
    position.play("put 5-1-A")
    assert position["tokens"] == [{"5-1-A": 7, "18-1-A": 5}, {"5-1-A": 12}]
