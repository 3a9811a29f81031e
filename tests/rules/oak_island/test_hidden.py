"""The order of the bag is hidden from everybody, and nothing else from anybody."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island.positions import base

FEW = 4 if JIT_DISABLED else 12
EVERY = 19 if JIT_DISABLED else 5


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
def test_every_redeal_is_equally_likely():
    """The yellow cube is as often anywhere."""
    position = base("dig")
    places = Counter(position.redeal(0, seed)["bag"].index("yellow") for seed in range(1900))
    assert sorted(places) == list(range(19))
    assert all(60 < count < 145 for count in places.values()), (
        "100 on average, with a standard deviation of 10"
    )
