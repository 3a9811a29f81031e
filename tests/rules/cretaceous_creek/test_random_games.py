"""Invariants after every step of whole games, random and careful ones, at all levels and player counts."""

import random
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.games.cretaceous_creek.components import EVENT_NAMES, EVENTS, FOSSILS, GENERA, MAX_ACTIONS, PARTS, TYPES
from dig_envs.games.cretaceous_creek.state import ENDS, PHASES
from tests.rules.cretaceous_creek.positions import GAME, Position, deal

LEVELS = ("beginner", "intermediate", "advanced", "expert")
FOSSIL_CARDS = Counter(TYPES[t] for t in FOSSILS)
EVENT_CARDS = Counter(EVENT_NAMES[c] for c in EVENTS)


def check_position(states):
    """The invariants of the section "Snapshot", and that validation accepts what the rules reach."""
    snapshot = GAME.to_snapshot(states[0])
    fossils = [f for pile in snapshot["grid"].values() for f in pile] + snapshot["out"]
    fossils += [f for stored in snapshot["storage"] for f in stored]
    fossils += [f"{genus}{part + 1}" for genus in snapshot["museum"] for part in range(PARTS[GENERA.index(genus)])]
    assert Counter(fossils) == FOSSIL_CARDS
    events = [card for stack in snapshot["stacks"] for card in stack]
    for key in ("deck", "revealed", "used", "aside", "flooded", "sandbagged"):
        events += snapshot[key]
    assert Counter(events) == EVENT_CARDS
    again = GAME.from_snapshot(snapshot)
    assert GAME.to_snapshot(again[0]) == snapshot
    mover = snapshot["to_move"]
    assert all(snapshot["grid"][space] == [] for space in snapshot["flooded"])
    assert all(snapshot["stacks"])
    if snapshot["phase"] == "over":
        assert (mover, snapshot["ap"], snapshot["displaced"], snapshot["revealed"], snapshot["swap"]) == (-1, 0, [], [], None)
        assert (snapshot["ended"] == "won") == (snapshot["winners"] == list(range(len(snapshot["pos"]))))
        return
    assert snapshot["ended"] is None
    assert GAME.legal_actions(states, mover) == GAME.legal_actions(again, mover) != []
    assert np.array_equal(observation(states, mover), observation(again, mover))


def observation(states, seat):
    records, flat = GAME.new_observations(1)
    GAME.kernels.observations_of(states, 0, 1, np.array([seat]), records, flat)
    low, high = GAME.fields.bounds()
    assert (flat >= low).all()
    assert (flat <= high).all()
    return flat[0].copy()


def scripted(states, seat):
    """What the scripted player does."""
    action = np.zeros(1, np.int64)
    GAME.kernels.heuristic_actions(states, 0, 1, np.array([seat]), action)
    return int(action[0])


def play(seed, carelessness, check, states=None, **options):
    """One game by the scripted player, who with some probability does anything legal instead; counts what it went through."""
    chance = random.Random(seed)
    states = deal(seed, **options).states if states is None else states
    seen = Counter()
    for length in range(MAX_ACTIONS):
        check(states)
        if states["over"][0]:
            seen[f"ended {ENDS[states['ended'][0]]}"] += 1
            return seen
        seat = int(states["to_move"][0])
        legal = GAME.legal_actions(states, seat)
        action = chance.choice(legal) if chance.random() < carelessness else scripted(states, seat)
        assert action in legal, f"{GAME.actions[action]} after {length} actions"
        seen[GAME.phases[states["phase"][0]]] += 1
        GAME.kernels.apply_one(states, seat, action)
    raise AssertionError("too long")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("carelessness", [1] if JIT_DISABLED else [0, 0.1, 1])  # as plain Python the scripted player is slow
def test_every_position(players, level, carelessness):
    """Conservation, invariants, round trip and bounds of the observation at every position."""
    for seed in range(2):
        play(100 * players + seed, carelessness, check_position, num_players=players, level=level)


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python the scripted player is slow")
def test_all_phases_and_ends_are_reached():
    """Every phase and every way to end, each reached by play and checked at every position on the way."""
    seen = Counter()
    for seed in range(24):  # whole games, of which some get far
        seen += play(seed, 0, check_position, num_players=1 + seed % 4, level=LEVELS[seed // 4 % 2])
    for seed in range(24):  # the last Storm Phase, played badly, with exchanges
        late = Position("late", {"pos": ["B1", "B2"]}).states
        GAME.kernels.determinize_one(late, 0, np.uint64(seed))
        seen += play(seed, 0.6, check_position, late)
    everybody_leaves = deal(3).play("camp A1", "camp A5", "evacuate", "evacuate")
    seen += play(0, 0, check_position, everybody_leaves.states)
    assert set(seen) == {*PHASES[:-1], *(f"ended {reason}" for reason in ENDS[1:])}


def test_determinize():
    """View and observation stay, the deal changes, and every place is as likely as every other."""
    states = deal(11, level="advanced").states
    GAME.kernels.apply_one(states, 0, GAME.action_index["camp A1"])
    before = GAME.to_snapshot(states[0])
    seat = 1
    seen, count = Counter(), 500 if JIT_DISABLED else 2000
    for seed in range(count):
        again = states.copy()
        GAME.kernels.determinize_one(again, seat, np.uint64(seed))
        if seed < 50:
            snapshot = GAME.to_snapshot(again[0])
            assert GAME.to_view(snapshot, seat) == GAME.to_view(before, seat)
            assert np.array_equal(observation(states, seat), observation(again, seat))
            assert snapshot["rng"] != before["rng"]
            check_position(again)
        seen[int(again["deck"][0, 0])] += 1
    assert len(seen) == 16
    assert max(seen[card] for card in range(15)) < count / 18 + 5 * (count / 18) ** 0.5
