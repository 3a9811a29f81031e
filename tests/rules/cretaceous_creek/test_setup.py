"""CC-1 to CC-6: components, deal, camps, initial dig, and the chance in them."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.cretaceous_creek import components as box
from tests.rules.cretaceous_creek.positions import EVENTS, FOSSILS, Position, deal, fossils_of

LEVELS = ("beginner", "intermediate", "advanced", "expert")
DEALS = 1500 if JIT_DISABLED else 6000


def test_box():
    """The component tables: 30 fossils of 19 types, 18 event cards."""
    assert Counter(box.TYPES[t] for t in box.FOSSILS) == FOSSILS
    assert (len(box.TYPES), FOSSILS.total()) == (19, 30)
    assert Counter(box.EVENT_NAMES[card] for card in box.EVENTS) == EVENTS
    assert list(box.DECK_SIZE[1:]) == [4, 8, 12, 16]


@pytest.mark.parametrize(
    ("space", "moves"),
    [
        ("A1", {"move E": "A2", "move S": "B1"}),
        ("A5", {"move W": "A4", "move S": "B5"}),
        ("C1", {"move E": "C2", "move N": "B1"}),
        ("C5", {"move W": "C4", "move N": "B5"}),
        ("B3", {"move N": "A3", "move E": "B4", "move S": "C3", "move W": "B2"}),
        ("A3", {"move E": "A4", "move S": "B3", "move W": "A2"}),
    ],
)
def test_cc1_adjacency(space, moves):
    """CC-1: row A is north, column 1 west, no wrap-around and no diagonal."""
    position = Position("start", {"pos": [space, "C5"]})
    assert {text for text in position.legal if text.startswith("move")} == set(moves)
    for text, target in moves.items():
        assert Position("start", {"pos": [space, "C5"]}).play(text)["pos.0"] == target


@pytest.mark.parametrize("level", LEVELS)
def test_cc2_layers(level):
    """CC-2: two fossils on each space, the top layer face up or not according to the level."""
    for seed in range(40):
        snapshot = deal(seed, level=level).snapshot
        assert fossils_of(snapshot) == FOSSILS
        assert all(len(pile) == 2 for pile in snapshot["grid"].values())
        tops = Counter(snapshot["top"].values())
        assert set(tops) <= {"exposed", "buried"}
        if level in ("beginner", "intermediate"):
            assert tops["exposed"] == 15
        else:  # 10 or 2 cards drawn of 18, 3 of which name no space
            drawn = 10 if level == "advanced" else 2
            assert max(0, drawn - 3) <= tops["exposed"] <= drawn


def test_cc2_fossils_are_dealt_uniformly():
    """CC-2, chance 1: every type is equally often in every place, in proportion to its copies."""
    count = DEALS
    states = Position.deals(count)
    for t in range(19):
        seen = (states["grid"] == t).sum(axis=0)
        expected = count * np.bincount(box.FOSSILS)[t] / 30
        assert abs(seen - expected).max() < 5 * expected**0.5
    assert len({states["grid"][i].tobytes() for i in range(count)}) == count


@pytest.mark.parametrize("level", LEVELS)
def test_cc4_storm_begins(level):
    """CC-4: Storm Phase 1, period 1, 4 cards in the deck and 14 aside (the cards of CC-2 went
    back)."""
    for seed in range(20):
        snapshot = deal(seed, level=level).snapshot
        assert (snapshot["storm"], snapshot["period"], snapshot["turn"]) == (1, 1, 0)
        assert (len(snapshot["deck"]), len(snapshot["aside"])) == (4, 14)
        assert Counter(snapshot["deck"] + snapshot["aside"]) == EVENTS


def test_cc4_deck_is_uniform_and_independent_of_the_cards_turned_up():
    """CC-4, chance 3: each card is on top equally often, also if it turned up a fossil at
    set-up."""
    count = DEALS
    states = Position.deals(count, level="advanced")
    top = states["deck"][:, 3]
    expected = count / 18
    seen = np.bincount(top, minlength=16)[:15]
    assert abs(seen - expected).max() < 5 * expected**0.5
    spaces = top < 15
    turned_up = states["top"][np.arange(count)[spaces], top[spaces]] == 2
    assert abs(turned_up.mean() - 10 / 18) < 0.03


def test_cc6_only_beginners_dig():
    """CC-6: at the other levels the first turn follows the camps."""
    for level in LEVELS:
        position = deal(3, level=level).play("camp A1", "camp C5")
        assert position["phase"] == ("dig" if level == "beginner" else "act")


def test_cc3_the_fossil_below_is_buried():
    """CC-3: when the top fossil leaves, the one below is the top fossil and buried; then the space
    is empty."""
    position = Position("start").play("excavate here")
    assert (position["grid.A1"], position["top.A1"]) == (["PAR1"], "buried")
    last = Position(
        "start", {"grid.A1": ["PAR1"], "top.A1": "exposed", "storage": [["TYR1"], []]}
    ).play("excavate here")
    assert (last["grid.A1"], last["top.A1"]) == ([], None)
