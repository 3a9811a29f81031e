"""Whole games of Twenty Questions, random and careful ones, against a second implementation, step
by step."""

import random
from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.twenty_questions.positions import GAME, base, deal
from tests.rules.twenty_questions.reference import Reference

OPTIONS = [
    {},
    {"passing": "free"},
    {"questions": 1},
    {"questions": 3},
    {"questions": 40},
    {"questions": 40, "passing": "free"},
]


def follow(position, chance, style):
    """To the end: `random`, `careful` (the scripted player, sometimes random), `passing` (often),
    `knowing` (sometimes right)."""
    reference = Reference(position.snapshot)
    most = len(position["left"]) * position["options.questions"] + 64  # TQ-13
    count = 0
    while True:
        position.check_snapshot()
        assert {**position.snapshot, "rng": ""} == {**reference.now, "rng": ""}
        legal = reference.legal()
        assert [text for text in GAME.actions if text in position.legal] == legal
        if not legal:
            return position
        count += 1
        assert count <= most
        text = chance.choice(legal)
        if style == "careful" and chance.random() < 0.9 and not JIT_DISABLED:
            text = position.scripted
        if style == "passing" and "pass" in legal and chance.random() < 0.7:
            text = "pass"
        right = f"guess {reference.now['card']}"
        knows = style == "knowing" or (style == "careful" and JIT_DISABLED)
        if knows and right in legal and chance.random() < 0.3:
            text = right
        position.play(text)
        reference.play(text)


def play(seed, style, **options):
    """The same for a game from the deal on."""
    return follow(deal(seed, **options), random.Random(seed), style)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("style", ["random", "careful", "passing"])
def test_every_step(players, options, style):
    """TQ-1 to TQ-12 at every step of a game; no game is longer than TQ-13 says."""
    for seed in range(1 if JIT_DISABLED else 2):
        play(100 * players + seed, style, num_players=players, **options)


def test_both_ends_are_reached():  # TQ-10, TQ-11
    games = [
        play(seed, style, questions=40, passing="free")
        for seed in range(6)
        for style in ("passing", "random")
    ]
    ends = Counter("questions" if position["deck"] else "cards" for position in games)
    assert ends.keys() == {"questions", "cards"}


@pytest.mark.parametrize(
    ("seat", "left"),
    [
        (1, [5, 5, 5, 5]),
        (1, [5, 5, 0, 5]),
        (1, [5, 5, 0, 0]),
        (1, [0, 5, 0, 0]),  # alone, the right neighbour answers
        (1, [5, 1, 0, 0]),
        (1, [0, 1, 0, 5]),
        (0, [5, 0, 0]),
        (0, [1, 0]),
        (0, [2, 20]),
    ],
)
def test_every_step_where_questions_run_out(seat, left):
    """TQ-8, TQ-9, TQ-11: clockwise, those without questions passed over."""
    n = len(left)
    changes = {
        "options.num_players": n,
        "scores": [0] * n,
        "taken": [[]] * n,
        "left": left,
        "to_move": seat,
    }
    for seed in range(6):
        position = base("start", {**changes, "answerer": (seat - 1) % n})
        follow(position, random.Random(seed), "knowing")
