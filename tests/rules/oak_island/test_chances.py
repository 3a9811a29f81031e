"""The scripted player's expectations of a dig, against every order of a small bag and against many deals."""

from itertools import permutations

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.heuristic import chances
from tests.rules.oak_island.positions import deal

SMALL = {"bag_red": 1, "bag_blue": 3, "bag_green": 1, "bag_brown": 2}


def every_order(position, pulled):
    """Return the first cubes, for every order of the bag."""
    return [order[:pulled] for order in set(permutations(position["bag"]))]


@compiled
def all_chances(states, pulled, room, out):
    """Every function of the module, for a record array, as the rules are given records."""
    state = states[0]
    out[0] = chances.treasure(state, pulled)
    out[1] = chances.expected(state, box.GREEN, pulled)
    out[2] = chances.any_red(state, pulled)
    out[3] = chances.kept_blue(state, pulled, room)


def computed(position, pulled, room=6):
    out = np.zeros(4)
    all_chances(position.states, pulled, room, out)
    return out


@pytest.mark.parametrize("pulled", range(1, 9))
@pytest.mark.parametrize("room", [0, 1, 2, 6])
def test_small_bags_exactly(pulled, room):
    position = deal(4, **SMALL)
    orders = every_order(position, pulled)
    treasure, green, red, blue = computed(position, pulled, room)
    assert treasure == pytest.approx(np.mean(["yellow" in order for order in orders]))
    without = [order for order in orders if "yellow" not in order]
    if not without:
        assert treasure == 1.0
        return
    assert green == pytest.approx(np.mean([order.count("green") for order in without]))
    assert red == pytest.approx(np.mean(["red" in order for order in without]))
    assert blue == pytest.approx(np.mean([min(order.count("blue"), room) for order in without]))
