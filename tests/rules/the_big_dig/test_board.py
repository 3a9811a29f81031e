"""BD-1 to BD-4: the board, the box, compatible spaces, markers and tokens."""

import pytest

from tests.rules.the_big_dig.positions import GAME, argument, arrange
from tests.rules.the_big_dig.reference import ACTIONS, SPACES, attribute, decks, fauna, spaces_on

LIVING = (  # of 120 species, how many have each state (the table "The board")
    *((42, 51, 27), (37, 41, 42), (32, 31, 57), (39, 33, 48), (58, 32, 30), (36, 41, 43), (58, 62), (35, 39, 46)),
    *((45, 31, 28, 16), (39, 37, 44), (66, 54), (65, 55), (49, 34, 37), (32, 38, 23, 27), (37, 83), (46, 74), (40, 80)),
    *((65, 55), (25, 34, 61), (24, 45, 51), (37, 47, 36), (32, 44, 44), (37, 83), (36, 84), (42, 44, 34), (58, 32, 30)),
    (46, 41, 33),
)
CARDS = {
    "starter": ("1-2 2-3 3-3 6-2 8-3 9-2 10-2 12-2", "diet", "skull"),
    "second": ("1-2 2-1 3-2 7-2 9-4 10-1 11-2 13-1", "senses", "movement"),
    "third": ("2-2 3-2 5-1 7-1 9-3 10-1 11-2 13-3", "hindlimb", "movement"),
    "fourth": ("1-3 6-1 7-1 8-3 9-3 11-1 12-1 13-3", "forelimb", "diet"),
}


def test_actions():
    """The section "Actions": every text at its index."""
    assert GAME.actions == ACTIONS
    first = {"input 1-1-A": 0, "single": 148, "act": 149, "pass": 150, "argue 1": 151, "no argument": 163, "output 1-1": 164}
    later = {"target 1": 238, "add": 240, "move": 241, "remove": 242, "put 1-1-A": 243, "lift 1-1-A": 391, "done": 539}
    for text, index in {**first, **later, "input 27-3-N": 147}.items():
        assert GAME.action_index[text] == index
    assert len(GAME.actions) == 540


def test_bd1_every_species_has_one_state_of_each_attribute():
    """BD-1 and the table of the board: 27 attributes, 74 states, and how many living species have each."""
    assert len(LIVING) == 27
    assert len(fauna()) == 120
    assert sum(map(len, LIVING)) == 74
    assert len(SPACES) == 148
    for number, counts in enumerate(LIVING, 1):
        assert [sum(species[number] == s for species in fauna()) for s in range(1, len(counts) + 1)] == list(counts)


def test_decks():
    """The four decks."""
    for name, (states, *regions) in CARDS.items():
        expected = [*states.split(), *(f"request {region}" for region in regions), *["rock"] * 15]
        assert sorted(decks()[name]) == sorted(expected)
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


def test_bd3_a_discovered_attribute_has_d_markers_only():
    """BD-3, BD-24: one assertion, the negations of the other states, and nothing else."""
    arguments = [argument(0, 1, ["2-3-A"], "9-1-N"), argument(1, 1, ["2-3-A"], "9-4-N"), argument(0, 2, ["2-3-A"], "9-3-N")]
    position = arrange("placement", arguments=arguments, on_top=["9-2"], tokens=[{"9-2-A": 1}, {}]).play("done")
    assert position["discovered"] == ["2-1-N", "2-2-N", "2-3-A", "9-1-N", "9-2-A", "9-3-N", "9-4-N"]
    assert position["conjectured"] == []


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
