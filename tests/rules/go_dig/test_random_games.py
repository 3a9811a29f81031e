"""Whole games of Go Dig, random and careful ones, step by step against the plain one (reference.py) and the invariants."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.go_dig import reference
from tests.rules.go_dig.positions import CARDS, cards_of, deal, genus_of, is_complete
from tests.rules.go_dig.reference import GENERA


def check_hands(snapshot):
    """The invariants of the section "Snapshot" in the rules."""
    assert cards_of(snapshot) == CARDS
    assert snapshot["phase"] == "over" or sum(bool(hand) for hand in snapshot["hands"]) >= 2
    for p, hand in enumerate(snapshot["hands"]):
        assert hand or not snapshot["pile"]
        assert not is_complete(hand)
        known = Counter(snapshot["known"][p])
        assert not known - Counter(hand)
        unknown = Counter(genus_of(card) for card in (Counter(hand) - known).elements())
        for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True):
            assert unknown[genus] <= most <= len(hand) - known.total()
            assert unknown[genus] or genus not in snapshot["asked"][p]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("careful", [False, True], ids=["random", "scripted"])
@pytest.mark.parametrize("limit", [1, 15, 200, 10_000])
def test_the_same_games(players, careful, limit):
    """Legal actions and whole snapshots, which are complete; a turn ends when somebody else has the next one."""
    for seed in range(1 if JIT_DISABLED else 8):
        position, chance = deal(seed, num_players=players, max_turns=limit), np.random.default_rng(seed)
        slow = position.snapshot
        while True:
            assert position.snapshot == slow
            assert position.legal == reference.legal(slow)
            if seed < 2:
                check_hands(slow)
                position.check_snapshot()
            if position.mover < 0:
                break
            mover, turn = position.mover, slow["turn"]
            text = position.choose(chance, 0.1 if careful and not JIT_DISABLED else 1)
            position.play(text)
            slow = reference.play(slow, text)
            assert slow["phase"] == "over" or slow["turn"] - turn == (slow["to_move"] != mover)
