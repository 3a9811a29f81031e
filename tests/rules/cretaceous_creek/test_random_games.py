"""Invariants after every step of whole games, random and careful ones, at all levels and player
counts."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.games import needs_compiling
from tests.rules.cretaceous_creek.positions import (
    EVENTS,
    FOSSILS,
    GAME,
    Position,
    deal,
    events_of,
    fossils_of,
)

LEVELS = ("beginner", "intermediate", "advanced", "expert")


def check_position(position):
    """The invariants of the section "Snapshot", and that validation accepts what the rules
    reach."""
    snapshot = position.snapshot
    assert fossils_of(snapshot) == FOSSILS
    assert events_of(snapshot) + Counter(snapshot["aside"]) == EVENTS
    assert GAME.to_snapshot(GAME.from_snapshot(snapshot)[0]) == snapshot
    assert all(snapshot["grid"][space] == [] for space in snapshot["flooded"])
    assert all(snapshot["stacks"])
    if snapshot["phase"] == "over":
        assert (snapshot["ap"], snapshot["displaced"], snapshot["revealed"], snapshot["swap"]) == (
            0,
            [],
            [],
            None,
        )
        assert (snapshot["ended"] == "won") == (
            snapshot["winners"] == list(range(len(snapshot["pos"])))
        )
    else:
        assert snapshot["ended"] is None
        assert position.legal


def play(position, seed, carelessness, every=1):
    """Play a game of the scripted player with some random legal actions, of which one position in
    so many, the first of each phase and the last are checked; count what it goes through."""
    chance = np.random.default_rng(seed)
    seen = Counter()
    for now in position.on_the_way(lambda now: now.play(now.choose(chance, carelessness))):
        phase = now["phase"] if now.mover >= 0 else f"ended {now['ended']}"
        if not seen[phase] or seen.total() % every == 0:
            check_position(now)
        seen[phase] += 1
    assert seen.total() <= 240  # CC-30
    return seen


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("level", LEVELS)
# as plain Python the scripted player is slow
@pytest.mark.parametrize("carelessness", [1] if JIT_DISABLED else [0, 0.1, 1])
def test_every_position(players, level, carelessness):
    """Conservation, invariants and round trip at every position."""
    for seed in range(100 * players, 100 * players + 2):
        play(deal(seed, num_players=players, level=level), seed, carelessness)


@needs_compiling
def test_all_phases_and_ends_are_reached():
    """Every phase and every way to end, each reached by play and checked."""
    seen = Counter()
    for seed in range(24):  # whole games, of which some get far
        dealt = deal(seed, num_players=1 + seed % 4, level=LEVELS[seed // 4 % 2])
        seen += play(dealt, seed, 0, every=8)
    for seed in range(24):  # the last Storm Phase, played badly, with exchanges
        seen += play(Position("late", {"pos": ["B1", "B2"]}).redeal(0, seed), seed, 0.6, every=8)
    seen += play(deal(3).play("camp A1", "camp A5", "evacuate", "evacuate"), 0, 0)
    ends = {f"ended {reason}" for reason in ("won", "part", "evacuated", "corners", "flooded")}
    assert set(seen) == {*GAME.phases, *ends} - {"over"}


def test_every_card_is_as_likely_to_be_redealt_to_every_place():
    position = deal(11, level="advanced").play("camp A1")
    count = 500 if JIT_DISABLED else 2000
    deals = [position.redeal(1, seed).snapshot for seed in range(count)]
    seen = Counter(dealt["deck"][0] for dealt in deals)
    assert len(seen) == 16
    assert (
        max(count for card, count in seen.items() if card != "none")
        < count / 18 + 5 * (count / 18) ** 0.5
    )
    piles = [
        pile[: 1 + (position["top"][space] == "buried")] for space, pile in position["grid"].items()
    ]
    assert {dealt["grid"]["A1"][0] for dealt in deals} == {
        fossil for pile in piles for fossil in pile
    }, "what lies face down"
