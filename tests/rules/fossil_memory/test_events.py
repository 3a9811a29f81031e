"""Sentences about what happens that tests/playthroughs do not record: the words for each viewer,
and what is to be decided."""

import pytest

from dig_envs.text.sentences import headline
from tests.rules.fossil_memory.positions import GAME, RECALLS, start


def flips(*places: str) -> list[str]:
    return [f"flip {place}" for place in places]


@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_fm3_fm4_fm5_everybody_sees_every_card(recall, viewer):
    """FM-3, FM-4, FM-5: all viewers are told every card; cards of a turn in vain are turned down
    before the next is turned up."""
    one = "You" if viewer == 0 else "Player 1"
    other, turns, has = ("You", "turn", "have") if viewer == 1 else ("Player 2", "turns", "has")
    assert start(recall).happens(*flips("3,5", "1,1", "4,6"), viewer=viewer) == [
        f"{one} turn{'s' * (viewer != 0)} up Pachycephalosaurus part 1 in row 3, column 5.",
        f"{one} turn{'s' * (viewer != 0)} up Tyrannosaurus part 1 in row 1, column 1.",
        (
            "It is no part of a Pachycephalosaurus: "
            f"{'you take' if viewer == 0 else 'Player 1 takes'} nothing."
        ),
        f"{other} {has} the turn.",
        f"{other} {turns} the 2 cards in sight face down.",
        f"{other} {turns} up Mosasaurus part 2 in row 4, column 6.",
    ]


def test_fm3_fm6_the_headline_says_which_parts_are_missing():
    position = start()
    assert headline(GAME, position.view(1), 1) == "Player 1: turn up a card"
    position.flip("1,2")
    assert (
        headline(GAME, position.view(0), 0)
        == "You: turn up another card; Tyrannosaurus lacks parts 1, 3 and 4"
    )
    position.flip("1,4", "1,1")
    assert (
        headline(GAME, position.view(0), 0)
        == "You: turn up another card; Tyrannosaurus lacks part 3"
    )
