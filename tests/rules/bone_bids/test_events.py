"""What is said of what happens: each kind of event, and who is told how much of it."""

from tests.rules.bone_bids.positions import base

BIDS = ("bid 5", "bid 5", "bid 1")


def test_bb_3_a_bid_is_told_to_its_own_player_only():
    for viewer, told in enumerate(["You bid 5.", "Player 1 has chosen."]):
        events = base("start").happens("bid 5", viewer=viewer)
        assert events[0] == told
    assert not any("5" in text for text in events)
