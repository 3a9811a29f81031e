"""The scripted player: what a good player does, and that it wins."""

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.games import needs_compiling
from tests.rules.go_dig.positions import Position, arrange, deal
from tests.rules.go_dig.reference import GENERA


def most(hand, **limits):
    """`maybe` of a hand: its size, but for some genera."""
    return [limits.get(genus, len(hand)) for genus in GENERA]


def test_it_takes_a_known_card_that_completes_a_skeleton():
    """The scripted player asks for a known card that completes a skeleton before it asks for one that completes none."""
    hand = ["ALL2", "MOS2", "TYR1", "BRA1", "QUE1"]
    changes = {"known": [[], ["ALL2", "MOS2"]], "maybe__1": [3] * 13}
    position = arrange([["ALL1", "MOS1", "QUE2"], hand], **changes)
    assert position.play_scripted(2) == ["ask +1 MOS", "ask +1 ALL"]


def test_it_takes_the_more_valuable_one_first():
    changes = {"known": [[], ["ALL2", "MOS2"]], "maybe__1": [2] * 13}
    position = arrange([["ALL1", "ALL3", "MOS1", "QUE2"], ["ALL2", "MOS2", "TYR1", "BRA1"]], **changes)
    assert position.play_scripted(2) == ["ask +1 ALL", "ask +1 MOS"]


def test_who_asked_has_a_card():
    """A request of another shows that it holds the genus; that player is asked, and not a third one."""
    hand = ["BRA1", "PAC1", "COE1"]
    assert arrange([["COE2", "TYR1", "ALL1", "MOS1"], hand], asked=[[], ["COE"]]).scripted == "ask +1 COE"
    hands = [["COE2", "TYR1"], ["BRA1", "PAC1"], ["COE1", "BRA2"]]
    assert arrange(hands, asked=[[], [], ["COE"]]).scripted == "ask +2 COE"


def test_it_does_not_ask_again_who_has_none():
    """A failed request is remembered until the hand has changed."""
    hands = [["MOS1", "DIL1"], ["BRA1", "PAC1", "TYR1"], ["MOS2", "DIL2", "TYR2"]]
    changes = {"maybe__1": most(hands[1], MOS=0, DIL=0)}
    assert arrange(hands, **changes).scripted in {"ask +2 MOS", "ask +2 DIL"}


def test_a_card_drawn_since_makes_it_possible_but_not_likely():
    """One of five cards may be of the genus here, all of five there."""
    hands = [["MOS1"], ["BRA1", "PAC1", "TYR1", "ALL1", "QUE1"], ["BRA2", "PAC1", "TYR2", "ALL1", "QUE1"]]
    assert arrange(hands, maybe__1=most(hands[1], MOS=1)).scripted == "ask +2 MOS"
    assert arrange(hands, maybe__2=most(hands[2], MOS=1)).scripted == "ask +1 MOS"


def test_it_counts_cards():
    """With an empty pile and one place left it knows where the last card is."""
    hands = [["COE1", "ANK1"], ["ANK2", "MOS1"], ["COE2", "ANK3", "MOS2"]]
    changes = {"maybe__1": most(hands[1], COE=0)}
    assert arrange(hands, rest_to=0, **changes).scripted == "ask +2 COE"


def test_it_does_not_ask_for_what_is_all_in_its_hand():
    """All TYR that there are: no one else can have one, and the pile is empty."""
    hands = [["TYR1", "TYR2", "TYR3", "DIL1"], ["TYR4", "DIL2"]]
    position = arrange(hands, rest_to=0)
    assert set(position.play_scripted(2)) == {"ask +1 TYR", "ask +1 DIL"}


def test_it_rather_asks_for_what_it_is_known_to_have():
    """If two requests promise about the same, the scripted player asks for the genus that others know it to hold."""
    hands = [["PAC1", "COE1"], ["BRA1", "ALL1", "TYR1", "QUE1", "ANK1"], ["BRA2", "ALL1", "TYR2", "QUE1", "ANK1"]]
    assert arrange(hands).scripted[-3:] == "PAC"
    assert arrange(hands, asked=[["PAC", "COE"], [], []]).scripted[-3:] == "PAC"
    assert arrange(hands, asked=[["COE"], [], []]).scripted[-3:] == "COE"


def test_it_always_has_a_request_and_ends_the_game():
    """The scripted player always has a request, and its games end within 200 turns, also after the pile is empty."""
    for seed in range(2 if JIT_DISABLED else 60):
        position = deal(seed, num_players=2 + seed % 3, max_turns=10_000)
        while position.mover >= 0:
            position.play_scripted(1)
            assert position["turn"] < 200
        assert not position["truncated"]


@needs_compiling
@pytest.mark.parametrize(("players", "at_least"), [(2, 0.82), (3, 0.84), (4, 0.84)])
def test_it_beats_random_players(players, at_least):
    assert Position.wins_against_random(players, 100 * players) >= at_least
