"""The scripted player's expectations of a dig, against every order of a small bag and against many
deals."""

from itertools import permutations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import DIGGING
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


def test_the_odds_in_the_readme():
    """With the full bag of 97 cubes: 1 yellow one and, of the 96 others, 8 red, 16 blue and 12
    green."""
    text = Path(box.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ")
        for line in text.partition("| money |\n")[2].partition("\n\n")[0].splitlines()[1:]
    ]
    assert {dig.partition(",")[0].replace(" ", "_") for dig, *_ in rows} == set(DIGGING)
    for dig, pulled, *odds, money in rows:
        place, cubes = DIGGING.index(dig.partition(",")[0].replace(" ", "_")), int(pulled)
        extra = int(dig.partition(", ")[2].partition(" ")[0] or 0)
        assert cubes == box.CUBES[place] + extra
        chances_of = (
            cubes / 97,
            1 - comb(88, cubes) / comb(96, cubes),
            1 - comb(80, cubes) / comb(96, cubes),
        )
        assert odds == [f"{100 * chance:.1f} %" for chance in chances_of]
        expected = 100 * cubes * 12 / 96 - box.COST[place]
        assert money == f"{'−' if expected < 0 else '+'}${abs(expected):.2f}"
