"""Invariants after every step of whole games, random and careful ones, for all numbers of players and the options."""

import random
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import GENERA, TRACES
from tests.rules.fossil_canyon.positions import CARDS, GAME, POINTS, deal, fossils_of, parts

CARNIVORES, JURASSIC = ["TYR", "ALL", "QUE", "DEI", "COE", "DIL", "MOS"], ["BRA", "ALL", "STE", "DIL"]
EVERY = 20 if JIT_DISABLED else 1  # as plain Python only some positions are looked at
OPTIONS = [
    {},
    {"research": False},
    {"endgame_bonuses": False},
    {"hidden_limit": 2},
    {"blind_take": False},
    {"return_dig": True},
    {"events": [0, 0, 18]},
    {"stalemate_rounds": 1},
    {"max_turns": 12},
]


def bonus_owner(museums, category):
    """FC-34 once more, in other words."""
    categories = [[POINTS[genus] for genus in museum if genus in category] for museum in museums]
    strength = [(len(mine), sum(mine)) for mine in categories]
    best = max(strength)
    return strength.index(best) if best[0] and strength.count(best) == 1 else None


def check_end(snapshot):
    """FC-34 to FC-36."""
    museums, options = snapshot["museums"], snapshot["options"]
    expected = [[] for _ in museums]
    if options["endgame_bonuses"] and not snapshot["truncated"]:
        for name, category in (("small", CARNIVORES), ("medium", JURASSIC)):
            owner = bonus_owner(museums, category)
            if owner is not None:
                expected[owner].append(name)
        for seat, museum in enumerate(museums):
            if {"TRI", "ANK", "PAR", "PAC"} <= set(museum):
                expected[seat].append("large")
    assert snapshot["bonuses"] == expected
    best = [max((POINTS[g] for g in museum), default=0) for museum in museums]
    strength = list(zip(snapshot["scores"], best, strict=True))
    assert snapshot["winners"] == [p for p, mine in enumerate(strength) if mine == max(strength)]
    assert snapshot["truncated"] == (snapshot["ended"] == "turns")


def check_position(position):
    """The invariants of the section "Snapshot", and that validation accepts what the rules reach."""
    snapshot = position.snapshot
    options, phase, player = snapshot["options"], snapshot["phase"], snapshot["player"]
    assert fossils_of(snapshot) == (CARDS if options["research"] else CARDS - Counter(TRACES))
    assert sorted(snapshot["events"]) == sorted(k for k, count in enumerate(options["events"]) for _ in range(count))
    for p, hidden in enumerate(snapshot["hidden"]):
        hand = hidden + snapshot["open"][p]
        assert not any(set(parts(genus)) <= set(hand) for genus in GENERA)
        if phase != "setup" and (p != player or phase == "over"):
            assert len(hidden) <= options["hidden_limit"]
        for x in range(len(snapshot["scores"])):
            assert not Counter(snapshot["known"][x][p]) - Counter(hidden)
        pieces = [*snapshot["museums"][p], *snapshot["awards"][p], *snapshot["bonuses"][p]]
        assert snapshot["scores"][p] == sum(POINTS[piece] for piece in pieces)
        assert snapshot["known"][p][p] == []
    if snapshot["ending"]:
        assert snapshot["hidden"] == [[]] * len(snapshot["scores"])
        assert snapshot["buried"] == snapshot["exposed"] == []
    again = GAME.from_snapshot(snapshot)
    assert GAME.to_snapshot(again[0]) == snapshot
    for field in set(GAME.state.names) - {"seed"}:
        assert np.array_equal(again[field], position.states[field]), "nothing else is in the state"
    low, high = GAME.fields.bounds()
    for seat in range(len(snapshot["scores"])):
        flat = position.observation(seat)
        assert (low <= flat).all()
        assert (flat <= high).all()
    if phase == "over":
        assert position.mover == -1
        check_end(snapshot)
    else:
        assert position.mask(position.mover).any()


def play(seed, carelessness, check, **options):
    """One game by the scripted player, who with some probability does anything legal instead."""
    chance = random.Random(seed)
    position = deal(seed, **options)
    seen = Counter()
    for step in range(1500):
        if step % EVERY == 0 or position.mover < 0:
            check(position)
        seen[position["phase"]] += 1
        if position.mover < 0:
            seen[f"ended {position['ended']}"] += 1
            return seen
        legal = [int(a) for a in np.flatnonzero(position.mask(position.mover))]
        chosen = chance.choice(legal)
        if chance.random() >= carelessness:
            action = np.zeros(1, np.int64)
            GAME.kernels.heuristic_actions(position.states, 0, 1, np.array([position.mover]), action)
            chosen = int(action[0])
            assert chosen in legal
        GAME.kernels.apply_one(position.states, position.mover, chosen)
    raise AssertionError("too long")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [3] if JIT_DISABLED else [2, 3, 4, 5, 6])
@pytest.mark.parametrize("carelessness", [1] if JIT_DISABLED else [0.1, 1])
def test_every_position(players, options, carelessness):
    """Conservation, invariants, round trip and bounds of the observation at every position."""
    play(100 * players + len(str(options)), carelessness, check_position, num_players=players, **options)


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_all_phases_and_ends_are_reached():
    seen = Counter()
    for seed in range(60):
        careless = 0.05 if seed % 2 else 1
        limit = {"max_turns": 8} if seed % 6 == 0 else {}
        seen += play(seed, careless, lambda position: None, num_players=2 + seed % 5, return_dig=True, **limit)
    assert set(seen) >= set(GAME.phases) | {"ended exhausted", "ended stalemate", "ended turns"}


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_lengths_are_as_expected():
    """About 20 (two players) to 50 (six) turns in random play."""
    for players, low, high in ((2, 15, 26), (6, 35, 65)):
        turns = []
        for seed in range(40):
            position = deal(seed, num_players=players)
            chance = np.random.default_rng(seed)
            while position.mover >= 0:
                legal = np.flatnonzero(position.mask(position.mover))
                GAME.kernels.apply_one(position.states, position.mover, int(chance.choice(legal)))
            turns.append(position["turn"])
        assert low < np.mean(turns) < high
