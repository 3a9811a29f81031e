"""Whole games of Go Dig, random and careful ones, step by step against the plain one (reference.py)
and the invariants."""

import copy
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.go_dig import reference
from tests.rules.go_dig.positions import CARDS, arrange, cards_of, deal, genus_of, is_complete
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


def follow(position, chance, carelessness, look):
    """Legal actions and whole snapshots to the end, which are complete; a turn ends when somebody
    else has the next one."""
    slow = position.snapshot
    while True:
        assert position.snapshot == slow
        assert position.legal == reference.legal(slow)
        if look:
            check_hands(slow)
            position.check_snapshot()
        if position.mover < 0:
            break
        mover, turn = position.mover, slow["turn"]
        text = position.choose(chance, carelessness)
        position.play(text)
        slow = reference.play(slow, text)
        assert slow["phase"] == "over" or slow["turn"] - turn == (slow["to_move"] != mover)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("careful", [False, True], ids=["random", "scripted"])
@pytest.mark.parametrize("limit", [1, 15, 200, 10_000])
def test_the_same_games(players, careful, limit):
    """GD-1 to GD-21, in whole games."""
    for seed in range(1 if JIT_DISABLED else 8):
        position = deal(seed, num_players=players, max_turns=limit)
        follow(
            position,
            np.random.default_rng(seed),
            0.1 if careful and not JIT_DISABLED else 1,
            seed < 2,
        )


ALL_KNOWN = {"known": [["ALL1", "ALL2"], []], "asked": [["ALL"], []], "maybe__0": [3] * 13}
POSITIONS = [
    ([["MOS1", "DIL1"], ["MOS2", "DIL2"]], {"rest_to": 0}),  # GD-12: all skeletons are built
    # GD-10, GD-12: by the last card of the pile
    ([["ALL1"], ["ALL2"]], {"on_top": ["ALL3"], "rest_to": 0}),
    ([["MOS1"], ["MOS2"]], {"rest_to": 0, "options__max_turns": 1}),  # GD-12: in the last turn
    ([["MOS1"], ["MOS2", "BRA1"]], {"on_top": ["TYR1"], "options__max_turns": 1}),  # GD-9, GD-14
    ([["MOS1"], [], ["MOS2", "DIL1"], ["DIL2"]], {"rest_to": 1}),  # GD-4: over empty seats
    # GD-9: out, with an empty pile
    ([["MOS1"], ["DIL1", "PAC1"], ["MOS2", "DIL2"], ["PAC2"]], {"rest_to": 1}),
    ([["MOS1", "DIL1"], ["MOS2"], ["DIL2"]], {"rest_to": 0}),  # GD-10: nothing with an empty pile
    ([["MOS1"], ["BRA1"]], {"on_top": ["TYR1", "MOS2"]}),  # GD-9: after the card that was shown
    # GD-11: two of a genus
    ([["MOS1", "MOS1", "TYR1"], ["MOS2", "MOS2", "MOS2"]], {"on_top": ["BRA1"]}),
    # GD-13: a tie
    ([["TYR1"], ["BRA1"]], {"museums": [["PAC", "DIL"], ["COE", "COE"]], "options__max_turns": 1}),
    # GD-20: known cards leave first
    ([["ALL1", "ALL1", "ALL2", "BRA1", "TYR1"], ["ALL3", "BRA2"]], ALL_KNOWN),
    # GD-20: an unknown part ends `asked`
    ([["ALL1", "ALL2", "ALL2", "BRA1"], ["ALL3", "BRA2"]], {"asked": [["ALL"], []]}),
    # GD-19
    ([["MOS1", "ALL1", "COE1"], ["BRA1"]], {"on_top": ["MOS2"], "maybe__0": [3, *[2] * 11, 2]}),
]


@pytest.mark.parametrize(("hands", "changes"), POSITIONS)
def test_the_same_from_rare_positions(hands, changes):
    """GD-4, GD-9 to GD-14 and GD-19 to GD-21 hold where few cards are left."""
    for seed in range(2 if JIT_DISABLED else 6):
        more = {"options__max_turns": 12, **changes}
        follow(
            arrange([list(hand) for hand in hands], **copy.deepcopy(more)),
            np.random.default_rng(seed),
            1,
            True,
        )
