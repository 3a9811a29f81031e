"""The helpers of all games' rule tests: steps that play nothing are an error, not a loop without an
end."""

import numpy as np
import pytest

from tests.rules.bone_bids.positions import base


def play_without_playing(position, chance):
    while position.mover >= 0:
        position.choose(chance, 0.5)


def test_a_loop_that_only_chooses_is_stopped():
    with pytest.raises(AssertionError, match="`play` it"):
        play_without_playing(base("start"), np.random.default_rng(0))


def test_a_step_that_only_chooses_is_refused():
    chance = np.random.default_rng(0)
    with pytest.raises(AssertionError, match="`play` it"):
        list(base("start").on_the_way(lambda now: now.choose(chance, 0.5)))


def test_what_is_chosen_and_played_ends():
    position, chance = base("start"), np.random.default_rng(0)
    while position.mover >= 0:
        position.play(position.choose(chance, 0.5))
    assert position["phase"] == "over"
