"""A search's knowledge of the end before it comes: the chance of the treasure, which is put off,
and what a seat may expect."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from dig_envs.agents.search import SearchAgent, parse_settings
from dig_envs.engine.compiler.jit import JIT_DISABLED, kernel
from dig_envs.games.oak_island import foresight
from tests.rules.oak_island.positions import (
    BASES,
    COLOURS,
    GAME,
    Position,
    base,
    deal,
    everybody_at,
    next_cubes,
)

CENTRE = {"where": everybody_at("interpretive_centre"), "options.bag_blue": 10, "ifso.0": 2}
# brown, brown, yellow; seat 0 may dig at lots or swamp, seat 1 at the lots only: everybody pulls
# one cube
LAST_THREE = {
    "where": everybody_at("lots", Billy="swamp", Marty="swamp", Rick="swamp"),
    "options.bag_red": 0,
    "options.bag_blue": 0,
    "options.bag_green": 0,
    "dirt.brown": 4,
    "money": [100, 0],
    "bag": ["yellow", "brown", "brown"],
}


@kernel("oak_island")
def put_off_one(states, seat, action, chance):
    """The function, called from Python."""
    chance[0] = foresight.put_off(states[0], seat, action)


@kernel("oak_island")
def expected_one(states, returns):
    """The function, called from Python."""
    foresight.expected_returns(states[0], returns)


def put_off(position, action):
    """The chance that is put off, and the bag after that, next cube first."""
    states = position.states.copy()
    chance = np.zeros(1)
    put_off_one(states, position.mover, GAME.action_index[action], chance)
    after = states[0]
    return float(chance[0]), [COLOURS[cube] for cube in after["bag"][: after["bag_len"]]][::-1]


def expected(position):
    returns = np.zeros(4)
    expected_one(position.states, returns)
    return returns


def test_the_treasure_is_put_off_to_the_bottom():
    position = base("dig", {"clues.0": 2, **next_cubes("blue", "yellow")})
    chance, bag = put_off(position, "dig bore_hole +2")
    assert chance == pytest.approx(4 / 19)
    assert bag[-1] == "yellow"
    assert Counter(bag) == Counter(position["bag"])
    assert bag[0] == "blue"


def test_only_digs_find_it():
    assert put_off(deal(0), "move Billy swamp")[0] == 0.0
    position = base("dig", CENTRE)
    for action in ("trade 1 clues 1 cash", "trade 0 clues 1 cash"):
        assert put_off(position, action) == (0.0, position["bag"][::-1])


def test_what_is_certain_is_not_put_off():
    position = base("dig", {**LAST_THREE, "bag": ["yellow"], "dirt.brown": 6})
    assert put_off(position, "dig lots +0") == (0.0, ["yellow"])


def test_every_order_of_the_others_stays_as_likely():
    """The next cubes of each order of a small bag afterwards are those of the orders without the
    yellow cube there."""
    changes = {
        "options.bag_red": 1,
        "options.bag_blue": 1,
        "options.bag_green": 0,
        "options.bag_brown": 2,
    }
    orders = set(permutations(["brown", "brown", "blue", "red", "yellow"]))
    after, without = Counter(), Counter()
    for order in orders:
        _, bag = put_off(base("dig", {**changes, "bag": list(order)}), "dig bore_hole +0")
        after[tuple(bag[:2])] += 1
        if "yellow" not in order[-2:]:
            without[order[:-3:-1]] += 1
    scale = after.total() / without.total()
    assert after == Counter({cubes: scale * count for cubes, count in without.items()})


def test_oi_19_the_chances_of_extra_cubes_one_at_a_time_are_those_of_all_at_once():
    """Each extra cube has its chance if those before it were not the treasure; stopping has none,
    and changes nothing."""
    at_once, _ = put_off(base("dig", {"clues.0": 2}), "dig bore_hole +2")
    position, missed = base("dig", {"clues.0": 2, "options.extra": "after"}), 1.0
    for extra in range(3):
        if extra:
            stop = f"dig bore_hole +{extra - 1}"
            assert put_off(position, stop) == (0.0, position["bag"][::-1])
        chance, bag = put_off(position, f"dig bore_hole +{extra}")
        assert bag[-1] == "yellow"
        missed *= 1.0 - chance
        position.play(f"dig bore_hole +{extra}")
    assert missed == pytest.approx(1.0 - at_once)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_all_may_expect(players):
    position = deal(0, num_players=players)
    np.testing.assert_allclose(expected(position), 0.0, atol=1e-12)
    rich = Position({**position.snapshot, "money": [400, *[100] * (players - 1)]})
    returns = expected(rich)[:players]
    assert 0.02 < returns[0] < 0.2
    np.testing.assert_allclose(returns[1:], -returns[0] / (players - 1))


def test_who_has_still_to_have_a_turn_may_expect_more():
    equal = {"where": everybody_at("lots", Charles="bore_hole"), "money": [300, 300]}
    before, after = base("dig", equal), base("dig", {**equal, "to_move": 1, "turn": 34})
    np.testing.assert_allclose(expected(before), 0.0, atol=1e-12)
    assert expected(after)[1] > 0.0
    # while seat 0 is asked for extra cubes its turn has begun, and seat 1's is still to come
    digs = {**next_cubes("brown", "brown"), "options.extra": "after", "clues": [2, 2]}
    asked = base("dig", {**digs, "money": [300, 100]}).play("dig bore_hole +0")
    assert expected(asked)[1] > expected(asked)[0]


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")
@pytest.mark.parametrize(
    "settings",
    [
        "sims=2:depth=0",
        "sims=40:depth=0",
        "sims=40:depth=0:playout=random",
        "sims=40:depth=0:trust=0",
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_no_chance_is_left_in_values_that_it_decides_alone(settings, seed):
    """Of three cubes seat 0 pulls the first and the third: it wins two of three games, whatever the
    simulations deal."""
    agent = SearchAgent(GAME, parse_settings(f"{settings}:seed={seed}", GAME))
    found = agent.search(base("dig", LAST_THREE).states, 0)
    visited = found.visits > 0
    assert visited.any()
    np.testing.assert_allclose(found.values[visited], 1 / 3)


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")
def test_the_better_dig_is_found_by_few_simulations():
    """Of the last two cubes one finds the treasure half the time, else the other player has the
    last; two find it for certain."""
    changes = {
        **LAST_THREE,
        "money": [200, 0],
        "clues.0": 1,
        "dirt.brown": 5,
        "bag": ["brown", "yellow"],
    }
    found = SearchAgent(GAME, parse_settings("sims=30:trust=0", GAME)).search(
        base("dig", changes).states, 0
    )
    assert GAME.actions[found.action] == "dig swamp +1"
    assert found.values[GAME.action_index["dig swamp +1"]] == pytest.approx(1.0)
    assert found.values[GAME.action_index["dig lots +0"]] == pytest.approx(0.0)


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")
def test_the_order_of_the_bag_tells_the_search_nothing():
    agent = SearchAgent(GAME, parse_settings("sims=60", GAME))
    one = base("dig", {"clues.0": 2, **next_cubes("yellow")})
    other = base("dig", {"clues.0": 2, "bag": sorted(BASES["dig"]["bag"])})
    np.testing.assert_array_equal(
        agent.search(one.states, 0).values, agent.search(other.states, 0).values
    )
