"""Whole games of Twenty Questions, random and careful ones, against a second implementation and the invariants, step by step."""

import random
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.twenty_questions.positions import GAME, deal
from tests.rules.twenty_questions.printed import CARDS
from tests.rules.twenty_questions.reference import Reference

OPTIONS = [{}, {"passing": "free"}, {"questions": 1}, {"questions": 3}, {"questions": 40}, {"questions": 40, "passing": "free"}]


def without_rng(snapshot):
    return {key: value for key, value in snapshot.items() if key != "rng"}


def check(position, reference):
    """The same position, the same legal actions, the invariants, and a snapshot that holds all there is."""
    snapshot = position.snapshot
    assert without_rng(snapshot) == reference.now
    found = Counter(snapshot["deck"]) + Counter(snapshot["discards"]) + Counter([snapshot["card"]] if snapshot["card"] else [])
    for cards in snapshot["taken"]:
        found += Counter(cards)
    assert found == Counter(CARDS)
    again = GAME.from_snapshot(snapshot)
    for field in set(GAME.state.names) - {"seed"}:
        assert np.array_equal(again[field], position.states[field]), field
    low, high = GAME.fields.bounds()
    for seat in range(len(snapshot["scores"])):
        flat = position.observation(seat)
        assert (low <= flat).all()
        assert (flat <= high).all()
    if snapshot["phase"] == "over":
        assert position.mover == -1
        assert snapshot["truncated"] is False
    else:
        assert [GAME.actions[a] for a in np.flatnonzero(position.mask(position.mover))] == reference.legal()


def play(seed, style, **options):
    """One game: `random`, `careful` (the scripted player, sometimes random), `passing` (passes often)."""
    chance = random.Random(seed)
    position = deal(seed, **options)
    reference = Reference(position.snapshot)
    count = 0
    while True:
        check(position, reference)
        if position.mover < 0:
            return position, count
        legal = reference.legal()
        text = chance.choice(legal)
        if style == "careful" and chance.random() < 0.9 and not JIT_DISABLED:
            text = position.scripted
        if style == "passing" and "pass" in legal and chance.random() < 0.7:
            text = "pass"
        if style == "careful" and JIT_DISABLED and chance.random() < 0.3:
            text = f"guess {reference.now['card']}"
            text = text if text in legal else chance.choice(legal)
        position.play(text)
        reference.play(text)
        count += 1
        assert count <= len(position["left"]) * position["options.questions"] + 64


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("style", ["random", "careful", "passing"])
def test_every_step(players, options, style):
    """Every rule at every step of a game."""
    for seed in range(1 if JIT_DISABLED else 4):
        play(100 * players + seed, style, num_players=players, **options)


def test_both_ends_are_reached():
    """TQ-10 and TQ-11."""
    ends = Counter()
    for seed in range(6):
        for style in ("passing", "random"):
            position, _ = play(seed, style, questions=40, passing="free")
            ends["no cards" if not position["deck"] else "no questions"] += 1
    assert min(ends["no cards"], ends["no questions"]) > 0
