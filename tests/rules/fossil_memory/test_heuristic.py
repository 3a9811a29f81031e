"""The scripted player knows what it is doing."""

import pytest

from tests.rules.fossil_memory.positions import PLACES, base, start


def seen_at(*places):
    """`start` in a later turn, in which these places have been seen in turns without a skeleton,
    the last two in the last."""
    return base(
        "start", {"turn": 9, "seen": [place in places for place in PLACES], "shown": [*places[-2:]]}
    )


def test_it_takes_a_skeleton_that_it_knows():
    position = seen_at("1,5", "2,1", "1,6", "3,5")
    assert set(position.play_scripted(3)) == {"flip 1,5", "flip 1,6", "flip 2,1"}
    assert position["museums"] == [["BRA"], []]


def test_it_takes_the_most_valuable_of_several():
    position = seen_at("4,5", "4,6", "2,2", "2,3", "2,4", "1,1", "3,5")
    position.play_scripted(3)
    assert position["museums"] == [["TRI"], []]


def test_it_gives_nothing_away_for_little():
    """The scripted player flips a known card to end its turn, if a small gain would leave better
    skeletons to the other player."""
    known = "1,5", "1,6", "2,2", "2,3", "2,5", "2,6", "3,2", "3,3", "1,1", "1,2", "1,3", "3,5"
    position = seen_at(*known).flip("4,5")
    assert position.scripted.removeprefix("flip ") in known


@pytest.mark.parametrize("recall", ["recent", "none"])
def test_where_nothing_is_remembered_it_does_not_flip_the_same_cards_for_ever(recall):
    position = start(recall)
    flipped = set()
    while position["turn"] < 40 and position.mover >= 0:
        flipped.update(position.play_scripted(1))
    assert len(flipped) > 20
