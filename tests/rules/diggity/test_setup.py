"""Set-up, DG-1 to DG-4, and the order of chance."""

from collections import Counter

import pytest

from tests.rules.diggity import reference
from tests.rules.diggity.positions import cards_of, deal

VALUES = {1: 2, 2: 3, 3: 4, 4: 4, 5: 2, 6: 1}


@pytest.mark.parametrize(
    ("options", "played", "aside"),
    [
        ({}, 16, 0),
        ({"gold_cards": 8}, 8, 8),
        ({"gold_cards": 1}, 1, 15),
        ({"high_gold": False}, 13, 0),
        ({"gold_cards": 14, "high_gold": False}, 13, 0),
        ({"gold_cards": 8, "high_gold": False}, 8, 5),
    ],
)
def test_the_gold_deck(options, played, aside):
    """DG-1: the gold deck has the number of cards that the options ask for, or all there are; the others are set aside."""
    position = deal(1, **options)
    gold, others = position["gold"], position["gold_aside"]
    assert (len(gold), len(others)) == (played, aside)
    high = {5, 6} if options.get("high_gold") is False else set()
    assert Counter(gold + others) == {value: count for value, count in VALUES.items() if value not in high}


@pytest.mark.parametrize(("players", "size"), [(2, 5), (3, 4), (4, 3)])
def test_hands(players, size):  # DG-2
    position = deal(3, num_players=players)
    assert [len(hand) for hand in position["hands"]] == [size] * players
    assert Counter(cards_of(position.snapshot)) == Counter(reference.BOX)
    assert len(position["pile"]) == 64 - players * size


def test_the_box():
    """16 cards of each symbol."""
    assert len(reference.BOX) == 64
    assert {symbol: sum(card[0] == symbol for card in reference.BOX) for symbol in "CTSL"} == dict.fromkeys("CTSL", 16)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_tool_piles(players):  # DG-3
    position = deal(0, num_players=players)
    assert position["piles"] == dict.fromkeys(reference.TOOLS, players)
    assert position["tools"] == [[]] * players


def test_who_begins():  # DG-4
    position = deal(0, num_players=3)
    assert (position["to_move"], position["player"], position["turn"], position["phase"]) == (0, 0, 1, "play")
    for seat in (1, 2, 0):
        position.play("card 0")
        while position["phase"] != "play":
            position.play(min(position.legal - {"stop"}))
        assert position["player"] == seat
