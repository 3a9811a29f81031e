"""Whole games of every option, compared step by step with the second implementation in `reference`."""

import copy

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.fossil_memory import reference
from tests.rules.fossil_memory.positions import GAME, PARTS, RECALLS, VALUES, deal, many_deals, scripted_or_random

CHOSEN = ["TRI", "ALL", "ANK", "QUE", "STE", "PAC", "COE", "DIL"]
EVERY = 10 if JIT_DISABLED else 1
OPTIONS = [*({"recall": recall} for recall in RECALLS), {"genera": CHOSEN}, {"max_turns": 1}, {"max_turns": 13, "recall": "recent"}]


def check_invariants(position):
    """The section "Snapshot", and that what the rules reach is accepted and complete."""
    snapshot = position.snapshot
    cards = [card for card in snapshot["grid"] if card]
    cards += [f"{genus}{k + 1}" for museum in snapshot["museums"] for genus in museum for k in range(PARTS[genus])]
    assert sorted(cards) == sorted(f"{genus}{k + 1}" for genus in snapshot["genera"] for k in range(PARTS[genus]))
    assert not (snapshot["up"] and snapshot["shown"])
    assert snapshot["scores"] == [sum(VALUES[genus] for genus in museum) for museum in snapshot["museums"]]
    again = GAME.from_snapshot(snapshot)
    assert GAME.to_snapshot(again[0]) == snapshot
    for field in set(GAME.state.names) - {"seed"}:
        assert np.array_equal(again[field], position.states[field]), f"{field}: nothing else is in the state"
    low, high = GAME.fields.bounds()
    for seat in range(len(snapshot["scores"])):
        flat = position.observation(seat)
        assert (low <= flat).all()
        assert (flat <= high).all()


def play(seed, carelessness, **options):
    """One game; returns the number of its turns."""
    position = deal(seed, **options)
    chance = np.random.default_rng(seed)
    twin = copy.deepcopy(position.snapshot)
    for step in range(4 * position["options.max_turns"] + 1):
        snapshot = position.snapshot
        assert snapshot == twin, "the two implementations agree"
        assert position.legal == reference.legal(twin)
        if step % EVERY == 0 or position.mover < 0:
            check_invariants(position)
            for seat in range(len(snapshot["scores"])):
                assert position.view(seat) == reference.view(twin, seat)
        if position.mover < 0:
            return snapshot["turn"]
        assert position.legal, "there is always a legal action"
        text = scripted_or_random(position, chance, carelessness)
        position.play(text)
        reference.flip(twin, text)
    raise AssertionError("too long")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("carelessness", [0, 0.3, 1])
def test_every_step(players, options, carelessness):
    limit = {} if "max_turns" in options else {"max_turns": 25 if JIT_DISABLED else 200}
    for seed in range(1 if JIT_DISABLED else 4):
        play(100 * players + seed, carelessness, num_players=players, **options, **limit)


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
@pytest.mark.parametrize("recall", RECALLS)
def test_games_to_the_last_card(recall):
    """With a limit far away even random play takes everything."""
    for seed in range(3):
        assert 9 <= play(seed, 1, recall=recall, max_turns=1000, num_players=2 + seed) <= 1000


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_lengths_are_as_expected():
    """Sensible play with perfect recall takes about 17 turns; play without memory more than 400 on average."""
    states = many_deals(400)
    turns = []
    for index in range(len(states)):
        one = states[index : index + 1].copy()
        while not one["over"][0]:
            actions = np.zeros(1, np.int64)
            seat = int(one["to_move"][0])
            GAME.kernels.heuristic_actions(one, 0, 1, np.array([seat]), actions)
            GAME.kernels.apply_one(one, seat, int(actions[0]))
        turns.append(int(one["turn"][0]))
    assert 14 < np.mean(turns) < 22
    assert max(turns) < 60
