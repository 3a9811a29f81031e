"""The compiled game and the plain one (reference.py), step by step."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, OPTIONS, busy_step, deal, mixed_step, no_rng, random_step

GAMES = 1 if JIT_DISABLED else 2
PLAYERS = {
    "random": random_step,
    "busy": busy_step,
    "mixed": lambda position, chance: mixed_step(position, chance, 0.8),
}


def undealt(snapshot):
    """The deck from which a position was dealt, its top last."""
    on_site = [card["card"] for text in sorted(snapshot["site"]) for card in snapshot["site"][text]]
    return snapshot["supply"] + on_site[::-1]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("player", PLAYERS)
def test_the_same_games(options, player):
    """The deal, legal actions and whole snapshots, in games of three kinds of players."""
    for seed in range(GAMES):
        limit = 12 if player == "random" or JIT_DISABLED else 40
        position, chance = deal(seed, max_turns=limit, **options), np.random.default_rng(seed)
        slow = reference.deal(undealt(position.snapshot), position["options"])
        assert no_rng(position.snapshot) == slow
        while position.mover >= 0:
            assert sorted(position.legal) == sorted(reference.legal(slow))
            text = PLAYERS[player](position, chance)
            slow = reference.play(slow, text)
            assert no_rng(position.snapshot) == slow, text
        assert reference.legal(slow) == []


def test_the_same_list_of_actions():
    assert list(GAME.actions) == reference.ACTIONS
    assert len(GAME.actions) == 138
