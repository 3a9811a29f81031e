"""The knowledge of a seat in Bone Bids: views and observations; and which snapshots are refused."""

import pytest

from dig_envs.engine.core.errors import SnapshotError
from tests.rules.bone_bids.positions import Position, base, deal, refused


def test_bb_1_bb_3_a_hidden_hand_and_a_secret_bid_change_nothing_for_others():
    """A card of the pile instead of one in the hand of seat 0, and another bid, look the same to
    seat 1; not to seat 0."""
    one, other = base("start"), base("start", {"hands.0.0": "2", "pile.3": "1"})
    for position in (one, other):
        position.play_as(0, *sorted(position.legal_for(0))[:1])
    assert one["pending"] != other["pending"]
    assert one.known_to(1) == other.known_to(1)
    assert one.known_to(0) != other.known_to(0)


def test_that_a_seat_has_bid_is_seen():
    """In the observation of seat 1 the bid of seat 0 changes one flag only: it shows that there is
    a bid, not which."""
    before, after = base("start"), base("start").play("bid 6")
    assert (before.observation(1) != after.observation(1)).sum() == 1


def test_re_dealing_keeps_what_a_seat_knows():
    """The own hand, sizes and the cards that are out stay; the hands of others become all that they
    can be."""
    position = base("start").play("bid 6", "bid 3", "bid 1")
    known, found = position.known_to(1), set()
    for seed in range(200):
        twin = position.redeal(1, seed)
        twin.check_snapshot()
        assert twin.known_to(1) == known
        assert twin["pending.0"] == twin["hands.0.0"], "a bid is a card of the new hand"
        found.add(twin["hands.0.0"])
    assert found == {"1", "2", "3", "4", "5", "6"}


@pytest.mark.parametrize("players", [2, 4])
def test_observations_in_the_words_of_the_view(players):
    """Each field of the observation equals the value that is computed a second time from the seat's
    view."""
    for position in deal(5, num_players=players, hand_size=5).on_the_way(
        lambda now: now.play(now.scripted)
    ):
        position.check_observations(expected)


def expected(view, seat):
    """The fields as their meanings say."""
    order = [(seat + k) % len(view["scores"]) for k in range(len(view["scores"]))]
    bids = view["phase"] == "bid"
    return {
        "plays": [1 for _ in order],
        "score": [view["scores"][p] / 30 for p in order],
        "phase": [bids, not bids],
        "turn": view["turn"] / 5,
        "num_players": [len(order) == n for n in (2, 3, 4)],
        "hand": [view["hands"][seat].count(card) / 4 for card in "123456"],
        "out": [view["out"].count(card) / 4 for card in "123456"],
        "own_bid": [view["pending"][seat] == card for card in "123456"],
        "has_bid": [bids and p < view["to_move"] for p in order],  # here all bid in seat order
        "worth": view["worth"] / 6,
        "cards_left": len(view["hands"][seat]) / 5,
        "hand_size": view["options"]["hand_size"] / 5,
    }


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"turn": 3}, "turn"),
        ({"worth": 0}, "worth"),
        ({"worth": 7}, "worth"),
        ({"scores": [6, 0]}, "scores"),
        ({"hands.0": ["1"]}, "hands"),
        ({"pending": ["6", None]}, "pending"),
        ({"pile.0": "2"}, "pile"),
        ({"out": ["1"]}, "pile"),
        ({"winners": [0]}, "winners"),
    ],
)
def test_what_is_refused(changes, key):
    refused("start", changes, key)


def test_a_bid_must_be_a_card_of_the_hand():
    bid = base("start").play("bid 6").snapshot
    Position({**bid, "pending": ["1", None]})
    with pytest.raises(SnapshotError, match=r"'pending.0'"):
        Position({**bid, "pending": ["5", None]})
