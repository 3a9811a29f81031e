"""The compiled game and the plain one (reference.py), step by step."""

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.go_dig import reference
from tests.rules.go_dig.positions import deal, random_step

GAMES = 4 if JIT_DISABLED else 60


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("careful", [False, True], ids=["random", "scripted"])
@pytest.mark.parametrize("limit", [200, 9])
def test_the_same_games(players, careful, limit):
    """Legal actions and whole snapshots, in random games and in games of mostly scripted players."""
    for seed in range(GAMES):
        position, chance = deal(seed, num_players=players, max_turns=limit), np.random.default_rng(seed)
        slow = position.snapshot
        while position.mover >= 0:
            assert sorted(position.legal) == sorted(reference.legal(slow))
            if careful and chance.random() < 0.9:
                text = position.scripted
                position.play(text)
            else:
                text = random_step(position, chance)
            slow = reference.play(slow, text)
            assert position.snapshot == slow, text
        assert reference.legal(slow) == []
