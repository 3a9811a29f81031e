"""The picture of Bone Bids: what it says of hands and bids, and what it does not."""

from tests.games import needs_compiling
from tests.pictures.looking import things, touched_by
from tests.rules.bone_bids.positions import base

pytestmark = needs_compiling


def test_a_hand_is_shown_to_its_player_alone():
    there = things(base("start"), 0)
    assert there["hand:0:6"] == "You: 1 card 6"
    assert there["seat:1"] == "Player 2; 0 points; 2 cards in hand"
    assert not [name for name in there if name.startswith("hand:1:")]


def test_a_bid_is_shown_to_who_made_it():
    position = base("start").play("bid 6")
    assert things(position, 0)["bid:0"] == "Your bid: 6"
    assert not [
        name for seat in (1, None) for name in things(position, seat) if name.startswith("bid:")
    ]


def test_a_bid_belongs_to_the_card():
    assert touched_by(base("start"), "bid 6") == ("hand:0:6",)
