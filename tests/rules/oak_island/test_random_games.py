"""Whole games of every option, compared step by step with the second implementation in
`reference`."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island import reference
from tests.rules.oak_island.positions import choose, deal

FEW = {"bag_red": 0, "bag_blue": 0, "bag_green": 0, "bag_brown": 0}
BAGS = [
    {},
    {"max_rounds": 1},
    {"bag_red": 0},
    {"bag_red": 20, "max_rounds": 3},
    {"bag_blue": 0, "max_rounds": 4},
    {"bag_blue": 40, "bag_brown": 0},
    {"bag_green": 40},
    {"bag_brown": 100, "max_rounds": 5},
    {"extra": "after"},
    {"extra": "after", "bag_blue": 40, "bag_brown": 20, "max_rounds": 8},
    FEW,
    {**FEW, "bag_brown": 100, "bag_blue": 40, "bag_green": 40, "bag_red": 20, "max_rounds": 5},
]
GAMES = 1
LIMIT = 3 if JIT_DISABLED else 6
EVERY = 7 if JIT_DISABLED else 5


def check_position(position):
    """Check that a position which the rules reach is accepted, complete, within its bounds, and
    seen as it should be."""
    position.check_snapshot()
    view = reference.view(position.snapshot)
    assert all(position.view(seat) == view for seat in range(len(view["scores"])))
    position.check_observations(reference.observation)


def play(seed, carelessness, **options):
    """One game; returns its end."""
    position = deal(seed, **options)
    chance = np.random.default_rng(seed)
    twin = position.snapshot
    for step in range(LIMIT * 60):
        assert position.legal == reference.legal(twin)
        if step % EVERY == 0 or position.mover < 0:
            check_position(position)
        if position.mover < 0:
            return position.snapshot
        text = choose(position, chance, carelessness)
        position.play(text)
        snapshot = position.snapshot
        rng = snapshot.pop("rng")
        twin = reference.play(twin, text, snapshot["bag"])
        assert snapshot == twin, text
        twin["rng"] = rng
    raise AssertionError("too long")


@pytest.mark.parametrize("options", BAGS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_step(players, options):
    """Legal actions, snapshots, views and observations by OI-1 to OI-19."""
    for seed in range(GAMES):
        for carelessness in (0.95,) if JIT_DISABLED else (0.0, 0.3, 1.0):
            end = play(
                100 * players + seed,
                carelessness,
                **{"num_players": players, "max_rounds": LIMIT, **options},
            )
            assert (end["found"] >= 0) != end["truncated"]
