"""Invariants after every step of whole games, random and careful ones, for all numbers of players and the options."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import GENERA
from tests.rules.go_dig.positions import CARDS, GAME, POINTS, cards_of, deal, genus_of, parts, random_step

EVERY = 20 if JIT_DISABLED else 1  # as plain Python only some positions are looked at


def check_position(position):
    """The invariants of the section "Snapshot", and that validation accepts what the rules reach."""
    snapshot = position.snapshot
    assert cards_of(snapshot) == CARDS
    for p, hand in enumerate(snapshot["hands"]):
        assert hand or not snapshot["pile"]
        assert not any(set(parts(genus)) <= set(hand) for genus in GENERA)
        known = Counter(snapshot["known"][p])
        assert not known - Counter(hand)
        by_genus = Counter(genus_of(card) for card in (Counter(hand) - known).elements())
        for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True):
            assert by_genus[genus] <= most <= len(hand) - len(snapshot["known"][p])
            assert genus not in snapshot["asked"][p] or by_genus[genus] >= 1
        assert snapshot["scores"][p] == sum(POINTS[genus] for genus in snapshot["museums"][p])
    built = sum(len(museum) for museum in snapshot["museums"])
    assert (snapshot["phase"] == "over") == (built == 23 or snapshot["truncated"])
    if position.mover >= 0:
        assert snapshot["hands"][position.mover]
        assert sum(bool(hand) for hand in snapshot["hands"]) >= 2
        assert position.legal
    else:
        assert snapshot["winners"] == [p for p, score in enumerate(snapshot["scores"]) if score == max(snapshot["scores"])]
    again = GAME.from_snapshot(snapshot)
    assert GAME.to_snapshot(again[0]) == snapshot
    again["seed"] = position.states["seed"]
    assert again.tobytes() == position.states.tobytes(), "nothing else is in the state"


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("limit", [1, 15, 200, 10_000])
@pytest.mark.parametrize("careful", [False, True], ids=["random", "scripted"])
def test_invariants_in_whole_games(players, limit, careful):
    for seed in range(1 if JIT_DISABLED else 6):
        position, chance = deal(seed, num_players=players, max_turns=limit), np.random.default_rng(seed)
        step = 0
        while position.mover >= 0:
            if step % EVERY == 0:
                check_position(position)
            if careful and chance.random() < 0.9:
                position.play_scripted(1)
            else:
                random_step(position, chance)
            step += 1
        check_position(position)


def test_turns_are_counted_one_by_one():
    """A turn ends exactly when a request is in vain or the mover's hand was used up; nobody has two in a row."""
    for seed in range(2 if JIT_DISABLED else 20):
        position, chance = deal(seed, num_players=2 + seed % 3), np.random.default_rng(seed)
        while position.mover >= 0:
            before, mover = position["turn"], position.mover
            random_step(position, chance)
            if position.mover >= 0:
                assert position["turn"] - before == (position.mover != mover)
