"""Invariants after every step of whole games, with all options, of players who get about."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.dino_dig.positions import GAME, OPTIONS, busy_step, deal, mixed_step, random_step
from tests.rules.dino_dig.reference import DECK
from tests.rules.dino_dig.test_hidden import entries

STEPS = {"random": random_step, "busy": busy_step, "mixed": mixed_step}


def check_position(position):
    """All cards are there; who has a card knows it; stacks, links and places agree."""
    snapshot, state = position.snapshot, position.states[0]
    assert Counter(code for _, code, _ in entries(snapshot)) == Counter(DECK if snapshot["options"]["jokers"] else DECK[:52])
    for place, _, known in entries(snapshot):
        if place[0] in ("backpacks", "museums"):
            assert place[1] in known
        assert known == sorted(set(known))
    for stack in snapshot["site"].values():
        for entry in stack:
            assert not entry["up"] or len(entry["known"]) == len(snapshot["scores"])
    assert sum(int(height) for height in state["height"]) == sum(map(len, snapshot["site"].values()))
    assert (snapshot["hand"] is not None) == (snapshot["phase"] == "card") == bool(snapshot["chain"])
    assert snapshot["turn"] <= snapshot["options"]["max_turns"]
    for p, museum in enumerate(snapshot["museums"]):
        ended = snapshot["pieces"][p] == ["home"] * 3 and len(museum) >= 5
        assert not ended or snapshot["phase"] == "over"
    if position.mover >= 0:
        assert position.legal
        assert snapshot["scores"] == [0] * len(snapshot["scores"])
    else:
        assert snapshot["winners"]
        assert snapshot["scores"] == [len(run["cards"]) for run in snapshot["runs"]]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("player", STEPS)
def test_invariants_in_whole_games(options, player):
    for seed in range(1 if JIT_DISABLED else 2):
        position, chance, step = deal(seed, max_turns=25 if JIT_DISABLED else 50, **options), np.random.default_rng(seed), 0
        while position.mover >= 0:
            if step % (20 if JIT_DISABLED else 3) == 0:
                check_position(position)
            STEPS[player](position, chance)
            step += 1
        check_position(position)


def test_cards_are_known_to_more_and_more():
    """Nobody forgets (DD-20): of each card, who knew it before still does."""
    for seed in range(2 if JIT_DISABLED else 8):
        position, chance = deal(seed, num_players=2 + seed % 3, max_turns=40), np.random.default_rng(seed)
        before = position.states["known"][0].copy()
        while position.mover >= 0:
            mixed_step(position, chance)
            after = position.states["known"][0]
            assert (before & ~after == 0).all()
            before = after.copy()


def test_only_the_mover_and_its_cards_move():
    """The museums and backpacks of the others stay as they are until the end."""
    for seed in range(2 if JIT_DISABLED else 6):
        position, chance = deal(seed, max_turns=40), np.random.default_rng(seed)
        while position.mover >= 0:
            before, mover = position.snapshot, position.mover
            mixed_step(position, chance)
            if position.mover >= 0:
                for key in ("museums", "backpacks"):
                    codes = [[entry and entry["card"] for entry in some[1 - mover]] for some in (before[key], position[key])]
                    assert codes[0] == codes[1]
                assert position["pieces"][1 - mover] == before["pieces"][1 - mover]


def test_random_play_does_not_end_by_itself():
    """The rules' figures: it takes all 200 turns, some 660 actions, with hardly a card in a museum."""
    for seed in range(1 if JIT_DISABLED else 8):
        position, chance, count = deal(seed), np.random.default_rng(seed), 0
        while position.mover >= 0:
            random_step(position, chance)
            count += 1
        assert position["truncated"]
        assert 600 < count < 730
        assert count <= GAME.max_actions
