"""The order of the bag is hidden from everybody, and nothing else from anybody."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island.positions import Position, base, games

FEW = 4 if JIT_DISABLED else 12
EVERY = 19 if JIT_DISABLED else 5


def test_another_order_changes_nothing():
    """What each seat knows is the same for another order of the bag."""
    chance = np.random.default_rng(2)
    for position in games(FEW, EVERY):
        snapshot = position.snapshot
        snapshot["bag"] = [snapshot["bag"][i] for i in chance.permutation(len(snapshot["bag"]))]
        twin = Position(snapshot)
        for seat in range(len(snapshot["scores"])):
            assert twin.known_to(seat) == position.known_to(seat)


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
def test_every_redeal_is_equally_likely():
    """The yellow cube is as often anywhere."""
    position = base("dig")
    places = Counter(position.redeal(0, seed)["bag"].index("yellow") for seed in range(1900))
    assert sorted(places) == list(range(19))
    assert all(60 < count < 145 for count in places.values()), (
        "100 on average, with a standard deviation of 10"
    )
