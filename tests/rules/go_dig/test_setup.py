"""Set-up: GD-1 to GD-3, GD-15, and the components."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from tests.rules.go_dig import reference
from tests.rules.go_dig.positions import CARDS, deal
from tests.rules.go_dig.reference import BOX, GENERA, ORDER, parts_of

SEEDS = 20 if JIT_DISABLED else 400
# a deal in which the seven cards of a player are complete skeletons: seed, players, seat
EMPTIED = (8767, 3, 2)


def test_the_box():
    """Components: 58 cards, 23 skeletons, 301 points, 34 types."""
    assert {
        name: tuple(row)
        for name, *row in zip(deck.GENERA, deck.PARTS, deck.SKELETONS, deck.VALUE, strict=True)
    } == BOX
    assert list(box.TYPES) == ORDER
    assert Counter(box.TYPES[t] for t in box.CARDS) == CARDS
    assert (CARDS.total(), len(ORDER), box.NUM_SKELETONS, box.MAX_SCORE) == (58, 34, 23, 301)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_set_up_as_in_the_reference(players):
    """GD-1, GD-2, GD-3, GD-11, GD-15: from the same order of the cards the same position, skeletons
    built in table order."""
    compared = built = 0
    for seed in range(SEEDS):
        snapshot = deal(seed, num_players=players).plain
        zipped = zip(snapshot["hands"], snapshot["museums"], strict=True)
        hands = [
            hand + [part for genus in museum for part in parts_of(genus)] for hand, museum in zipped
        ]
        if all(len(hand) == 7 for hand in hands):  # nobody had to take another card
            cards = [*snapshot["pile"], *(card for hand in hands[::-1] for card in hand)]
            assert reference.deal(cards, snapshot["options"]) == snapshot
            compared += 1
        built += sum(map(len, snapshot["museums"]))
    assert compared >= SEEDS - 2
    assert built > 0


def test_gd_1_every_card_comes_everywhere():
    """The order is uniform: each card is as often on top of the pile as it should be; another seed,
    another deal."""
    games = [deal(seed).snapshot for seed in range(SEEDS)]
    assert len({str(game["hands"]) for game in games}) == SEEDS
    if not JIT_DISABLED:
        tops = Counter(game["pile"][-1] for game in games)
        assert set(tops) == set(CARDS)
        mosasaurus = sum(tops[part] for part in parts_of("MOS")) / SEEDS
        assert abs(mosasaurus - 8 / 58) < 4 * np.sqrt(8 / 58 * 50 / 58 / SEEDS)


def test_gd_2_who_has_no_card_left_takes_one():
    """A deal in which all seven cards of a player are complete skeletons."""
    seed, players, seat = EMPTIED
    snapshot = deal(seed, num_players=players).snapshot
    assert sum(BOX[genus][0] for genus in snapshot["museums"][seat]) == 7
    assert len(snapshot["hands"][seat]) == 1
    assert len(snapshot["pile"]) == 58 - 7 * players - 1
    assert snapshot["maybe"][seat] == [1] * len(GENERA)
