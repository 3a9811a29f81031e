"""Whole games of every option, compared step by step with the second implementation in
`reference`."""

import copy

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.fossil_memory import reference
from tests.rules.fossil_memory.positions import EVERYTHING, RECALLS, deal, start

CHOSEN = ["TRI", "ALL", "ANK", "QUE", "STE", "PAC", "COE", "DIL"]
EVERY = 10 if JIT_DISABLED else 5
OPTIONS = [
    *({"recall": recall} for recall in RECALLS),
    {"genera": CHOSEN},
    {"max_turns": 1},
    {"max_turns": 13, "recall": "recent"},
]


def follow(position, chance, carelessness, texts=()):
    """A game, which begins with some actions; returns the number of its turns. FM-11: but for
    `recent`, all seats see the same."""
    twin, texts = copy.deepcopy(position.snapshot), list(texts)
    for step in range(4 * position["options.max_turns"] + 1):
        assert position.snapshot == twin, "the two implementations agree"
        assert position.legal == reference.legal(twin)
        if step % EVERY == 0 or position.mover < 0 or texts:
            position.check_snapshot()
            views = [position.view(seat) for seat in range(len(twin["scores"]))]
            assert views == [reference.view(twin, seat) for seat in range(len(twin["scores"]))]
            assert twin["options"]["recall"] == "recent" or all(view == views[0] for view in views)
        if position.mover < 0:
            return twin["turn"]
        text = texts.pop(0) if texts else position.choose(chance, carelessness)
        position.play(text)
        reference.flip(twin, text)
    raise AssertionError("too long")


def play(seed, carelessness, **options):
    """The same for a game from the deal on."""
    return follow(deal(seed, **options), np.random.default_rng(seed), carelessness)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("carelessness", [0, 0.3, 1])
def test_every_step(players, options, carelessness):
    """Legal actions, snapshots and views by FM-1 to FM-11."""
    limit = {} if "max_turns" in options else {"max_turns": 25 if JIT_DISABLED else 120}
    for seed in range(1 if JIT_DISABLED else 2):
        play(100 * players + seed, carelessness, num_players=players, **options, **limit)


@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("limit", [8, 9, 20])
def test_every_step_where_every_turn_takes_a_skeleton(recall, players, limit):
    """FM-7 to FM-10: the last card in the last turn is no truncation; in another order, and with
    turns between."""
    for turns in (
        EVERYTHING,
        EVERYTHING[::-1],
        [turn[::-1] for turn in EVERYTHING],
        [["flip 4,5", "flip 1,1"], *EVERYTHING],
    ):
        texts = [text for turn in turns[:limit] for text in turn]
        position = start(recall, players, max_turns=limit)
        assert follow(position, np.random.default_rng(limit), 1, texts) == min(limit, len(turns))
