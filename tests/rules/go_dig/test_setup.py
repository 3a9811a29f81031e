"""Set-up: GD-1 to GD-3, GD-15, and the components."""

import json
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import GENERA
from dig_envs.games.go_dig import components as box
from tests.rules.go_dig import reference
from tests.rules.go_dig.positions import BASES, CARDS, GAME, POINTS, cards_of, deal, in_order, parts

SEEDS = 20 if JIT_DISABLED else 400
EMPTIED = (8767, 3, 2)  # a deal in which the seven cards of a player are complete skeletons: seed, players, seat


def dealt_hands(snapshot):
    """The hands as they were dealt, before skeletons were built."""
    zipped = zip(snapshot["hands"], snapshot["museums"], strict=True)
    return [hand + [part for genus in museum for part in parts(genus)] for hand, museum in zipped]


def test_the_box():
    """Components: 58 cards, 23 skeletons, 301 points, 34 types."""
    assert sum(CARDS.values()) == 58 == box.NUM_CARDS
    assert len(CARDS) == 34 == box.NUM_TYPES
    assert sum(number for _, number, _ in reference.BOX.values()) == 23 == box.NUM_SKELETONS
    assert sum(number * value for _, number, value in reference.BOX.values()) == 301 == box.MAX_SCORE
    assert list(box.TYPES) == reference.ORDER
    assert {genus: value for genus, (_, _, value) in reference.BOX.items()} == POINTS
    assert Counter(card for card in reference.ORDER for _ in range(reference.BOX[card[:3]][1])) == CARDS
    assert GAME.state.itemsize < 512


def test_the_actions():
    """39 requests in the order of the rules."""
    assert list(GAME.actions) == reference.ACTIONS
    assert GAME.actions[:2] == ("ask +1 TYR", "ask +1 BRA")
    assert GAME.actions[12:14] == ("ask +1 MOS", "ask +2 TYR")
    assert GAME.actions[38] == "ask +3 MOS"
    assert len(GAME.actions) == 39


def test_the_options():
    options = {option.name: (list(option.values), option.default) for option in GAME.options}
    assert options == {"num_players": ([2, 3, 4], 2), "max_turns": (list(range(1, 10_001)), 200)}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_gd_1_seven_cards_each(players):
    for seed in range(SEEDS):
        snapshot = deal(seed, num_players=players).snapshot
        assert cards_of(snapshot) == CARDS
        if all(hand for hand in snapshot["hands"]):
            assert [len(hand) for hand in dealt_hands(snapshot)] == [7] * players
            assert len(snapshot["pile"]) == 58 - 7 * players


def test_gd_1_every_card_comes_everywhere():
    """The order is uniform: each card is as often on top of the pile as it should be; another seed, another deal."""
    tops, hands = Counter(), set()
    for seed in range(SEEDS):
        snapshot = deal(seed).snapshot
        tops[snapshot["pile"][-1]] += 1
        hands.add(json.dumps(snapshot["hands"]))
    assert len(hands) == SEEDS
    if not JIT_DISABLED:
        assert set(tops) == set(CARDS)
        mosasaurus = sum(tops[part] for part in parts("MOS")) / SEEDS
        assert abs(mosasaurus - 8 / 58) < 4 * np.sqrt(8 / 58 * 50 / 58 / SEEDS)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_gd_2_gd_11_complete_skeletons_are_built(players):
    """In table order, with their points; what is known of the hands does not say how."""
    built = 0
    for seed in range(SEEDS):
        snapshot = deal(seed, num_players=players).snapshot
        for p, museum in enumerate(snapshot["museums"]):
            assert museum == sorted(museum, key=GENERA.index)
            assert snapshot["scores"][p] == sum(POINTS[genus] for genus in museum)
            assert not any(set(parts(genus)) <= set(snapshot["hands"][p]) for genus in GENERA)
            built += len(museum)
    assert built > 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_gd_3_gd_15_the_beginning(players):
    """Seat 0 begins; nothing is known but the number of cards."""
    for seed in range(SEEDS):
        snapshot = deal(seed, num_players=players).snapshot
        assert (snapshot["to_move"], snapshot["phase"], snapshot["turn"]) == (0, "ask", 1)
        assert snapshot["known"] == snapshot["asked"] == [[] for _ in range(players)]
        assert snapshot["maybe"] == [[len(hand)] * 13 for hand in snapshot["hands"]]
        assert snapshot["winners"] == []
        assert snapshot["truncated"] is False


@pytest.mark.parametrize("players", [2, 3, 4])
def test_set_up_as_in_the_reference(players):
    """The same from the same order of the cards, whole."""
    for seed in range(SEEDS):
        snapshot = deal(seed, num_players=players).snapshot
        del snapshot["rng"]
        hands = dealt_hands(snapshot)
        if any(len(hand) != 7 for hand in hands):
            continue
        cards = [*snapshot["pile"], *(card for hand in hands[::-1] for card in hand)]
        assert reference.deal(cards, snapshot["options"]) == snapshot


def test_gd_2_who_has_no_card_left_takes_one():
    """A deal in which all seven cards of a player are complete skeletons."""
    seed, players, seat = EMPTIED
    snapshot = deal(seed, num_players=players).snapshot
    assert sum(len(parts(genus)) for genus in snapshot["museums"][seat]) == 7
    assert len(snapshot["hands"][seat]) == 1
    assert len(snapshot["pile"]) == 58 - 7 * players - 1
    assert snapshot["maybe"][seat] == [1] * 13


def test_bases_are_in_order():
    """The worked examples' hands are written in type order."""
    for name in ("start", "late"):
        assert BASES[name]["hands"] == [in_order(hand) for hand in BASES[name]["hands"]]
