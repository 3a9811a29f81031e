"""The order of the bag is hidden from everybody: every order is as likely in a re-deal."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island.positions import base


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
def test_every_redeal_is_equally_likely():
    """The yellow cube is as often anywhere."""
    position = base("dig")
    places = Counter(position.redeal(0, seed)["bag"].index("yellow") for seed in range(1900))
    assert sorted(places) == list(range(19))
    assert all(60 < count < 145 for count in places.values()), (
        "100 on average, with a standard deviation of 10"
    )
