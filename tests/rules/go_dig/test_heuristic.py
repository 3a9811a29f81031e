"""The scripted player: what a good player does, and that it wins."""

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.go_dig.positions import arrange, deal
from tests.rules.go_dig.reference import GENERA


def most(hand, **limits):
    """`maybe` of a hand: its size, but for some genera."""
    return [limits.get(genus, len(hand)) for genus in GENERA]


def test_it_takes_a_known_card_that_completes_a_skeleton():
    hand = ["ALL2", "MOS2", "TYR1", "BRA1", "QUE1"]
    changes = {"known": [[], ["ALL2", "MOS2"]], "maybe__1": [3] * 13}
    position = arrange([["ALL1", "MOS1", "QUE2"], hand], **changes)
    assert position.play_scripted(2) == ["ask +1 MOS", "ask +1 ALL"]


def test_who_asked_has_a_card():
    """A request of another shows that it holds the genus; that player is asked, and not a third
    one."""
    hand = ["BRA1", "PAC1", "COE1"]
    assert (
        arrange([["COE2", "TYR1", "ALL1", "MOS1"], hand], asked=[[], ["COE"]]).scripted
        == "ask +1 COE"
    )
    hands = [["COE2", "TYR1"], ["BRA1", "PAC1"], ["COE1", "BRA2"]]
    assert arrange(hands, asked=[[], [], ["COE"]]).scripted == "ask +2 COE"


def test_it_does_not_ask_again_who_has_none():
    """A failed request is remembered until the hand has changed."""
    hands = [["MOS1", "DIL1"], ["BRA1", "PAC1", "TYR1"], ["MOS2", "DIL2", "TYR2"]]
    changes = {"maybe__1": most(hands[1], MOS=0, DIL=0)}
    assert arrange(hands, **changes).scripted in {"ask +2 MOS", "ask +2 DIL"}


def test_it_always_has_a_request_and_ends_the_game():
    """The scripted player always has a request, and its games end within 200 turns, also after the
    pile is empty."""
    for seed in range(2 if JIT_DISABLED else 60):
        position = deal(seed, num_players=2 + seed % 3, max_turns=10_000)
        while position.mover >= 0:
            position.play_scripted(1)
            assert position["turn"] < 200
        assert not position["truncated"]
