"""The sentences about what happens: each kind of event, and who is told how much of it."""

from tests.rules.bone_bids.positions import base


def test_bb_3_a_bid_is_told_to_its_own_player_only():
    for viewer, told in enumerate(["You bid 6.", "Player 1 has chosen."]):
        events = base("start").happens("bid 6", viewer=viewer)
        assert events[0] == told
    assert not any("6" in text for text in events)


def test_bb_4_bb_5_revealed_won_and_the_end():
    told = base("start").happens("bid 6", "bid 3")
    assert told[4:] == [
        "Player 1 has bid 6.",
        "Player 2 has bid 3.",
        "Player 1 wins the bone: 5 points.",
        told[7],
    ]
    assert told[7].startswith("A bone worth ")  # BB-2: the next die
