"""The rules of Bone Bids, BB-1 to BB-5: what happens, and what must not."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.bone_bids.positions import Position, base, deal

SEEDS = 40 if JIT_DISABLED else 600
BOX = Counter("123456" * 4)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("cards", [1, 5])
def test_bb_1_the_deal(players, cards):
    """Everybody has as many cards, the pile the rest; nothing is out, and nobody has bid."""
    start = deal(1, num_players=players, hand_size=cards).snapshot
    assert [len(hand) for hand in start["hands"]] == [cards] * players
    assert Counter(start["pile"]) + sum(map(Counter, start["hands"]), Counter()) == BOX
    assert (start["out"], start["pending"], start["scores"]) == (
        [],
        [None] * players,
        [0] * players,
    )


def test_bb_1_bb_2_chance_is_uniform():
    """Each card is as often in a hand, and each worth on the die, within four standard
    deviations."""
    games = [deal(seed, num_players=2, hand_size=1).snapshot for seed in range(SEEDS)]
    for found in (
        Counter(game["hands"][1][0] for game in games),
        Counter(game["worth"] for game in games),
    ):
        assert len(found) == 6
        assert all(abs(count - SEEDS / 6) < 4 * (SEEDS * 5 / 36) ** 0.5 for count in found.values())


def test_bb_2_the_die_is_thrown_once_a_round():
    """BB-2: the worth on the die stays the same when somebody bids, and over many games it takes
    all values from 1 to 6."""
    position = base("start").play("bid 6")
    assert (position["turn"], position["worth"]) == (1, 5)
    worths = {
        deal(seed).play(*["bid " + deal(seed)[f"hands.{p}.0"] for p in range(3)])["worth"]
        for seed in range(SEEDS)
    }
    assert worths == {1, 2, 3, 4, 5, 6}


def test_bb_3_only_a_card_of_the_own_hand():
    """BB-3: a seat may bid only a card of its own hand, and a seat that has bid in a round has no
    further action in it."""
    position = base("start").play_as(1, "bid 3")
    assert (position.legal_for(0), position.legal_for(1)) == ({"bid 1", "bid 6"}, set())
    assert (position["pending"], position["hands"], position["out"]) == (
        [None, "3"],
        [["1", "6"], ["3", "6"]],
        [],
    )


def three(*hands: str) -> Position:
    """Three players with one card each; the bone is worth 5."""
    pile = list((BOX - Counter(hands)).elements())
    changes = {
        "options": {"num_players": 3, "hand_size": 1},
        "scores": [0, 0, 0],
        "pending": [None, None, None],
    }
    return base("start", {**changes, "hands": [[card] for card in hands], "pile": pile})


@pytest.mark.parametrize(
    ("cards", "scores"),
    [
        ("126", [0, 0, 5]),
        ("661", [0, 0, 5]),
        ("646", [0, 5, 0]),
        ("666", [0, 0, 0]),
        ("211", [5, 0, 0]),
    ],
)
def test_bb_4_the_highest_bid_that_nobody_else_made(cards, scores):
    position = three(*cards).play(*(f"bid {card}" for card in cards))
    assert position["scores"] == scores
    assert position["out"] == sorted(cards)


def test_bb_4_no_card_comes_back():
    """After every round the cards are where they were, but for the bids."""
    position = deal(3, num_players=4, hand_size=5)
    while position.mover >= 0:
        before = position.snapshot
        position.play(position.scripted)
        after = position.snapshot
        assert Counter(after["pile"]) == Counter(before["pile"])
        assert (
            Counter(after["out"])
            + sum(map(Counter, after["hands"]), Counter())
            + Counter(after["pile"])
            == BOX
        )


def test_bb_5_most_points_win():
    """BB-5: the most points win when all hands are empty, ties are shared, and no seat is to move
    any more."""
    position = three("6", "5", "1").play("bid 6", "bid 5", "bid 1")
    assert (position["phase"], position["winners"], position.mover) == ("over", [0], -1)
    tie = three("6", "6", "6").play("bid 6", "bid 6", "bid 6")
    assert (tie["phase"], tie["winners"], tie["truncated"]) == ("over", [0, 1, 2], False)


def test_bb_5_not_before_the_hands_are_empty():
    """BB-5: while hands hold cards the game goes on, however far a player is ahead."""
    position = base("start", {"worth": 6}).play("bid 6", "bid 3")
    assert (position["phase"], position["scores"], position["winners"]) == ("bid", [6, 0], [])


@pytest.mark.parametrize(("worth", "bid"), [(3, "bid 1"), (4, "bid 6")])
def test_the_scripted_player(worth, bid):
    """The highest card for a good bone, the lowest for a poor one."""
    assert base("start", {"worth": worth}).scripted == bid
