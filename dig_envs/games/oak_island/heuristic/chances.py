"""The chances of a number of cubes from the bag, exactly: the bag's contents are known to
everybody, its order to nobody.

"Without the treasure" means: given that the yellow cube is not among the cubes pulled. The others
then come from a bag without it.
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import components as box


@compiled
def treasure(state, pulled):
    """The chance that the yellow cube is among so many cubes."""
    return min(pulled / state.bag_len, 1.0)


@compiled
def expected(state, cube, pulled):
    """The expected number of cubes of a colour among ``pulled`` ones, without the treasure."""
    return pulled * int(state.in_bag[cube]) / max(state.bag_len - 1, 1)


@compiled
def any_red(state, pulled):
    """The chance of at least one red cube among so many, without the treasure."""
    others, red = int(state.bag_len) - 1, int(state.in_bag[box.RED])
    none = 1.0
    for i in range(min(pulled, others)):
        none *= max(others - red - i, 0) / (others - i)
    return 1.0 - none


@compiled
def kept_blue(state, pulled, room):
    """The expected number of blue cubes kept from ``pulled`` ones, without the treasure and at most
    ``room`` (OI-12)."""
    others, blue = int(state.bag_len) - 1, int(state.in_bag[box.BLUE])
    pulled = min(pulled, others)
    kept = expected(state, box.BLUE, pulled)
    for count in range(room + 1, min(pulled, blue) + 1):
        kept -= (count - room) * exactly(others, blue, pulled, count)
    return kept


@compiled
def exactly(cubes, wanted, pulled, count):
    """The chance of exactly ``count`` of the ``wanted`` among so many pulled from ``cubes``: the
    hypergeometric distribution."""
    chance = 1.0
    for i in range(count):  # one order of them, the wanted ones first, times the number of orders
        chance *= (wanted - i) / (cubes - i) * (pulled - i) / (count - i)
    for i in range(pulled - count):
        chance *= max(cubes - wanted - i, 0) / (cubes - count - i)
    return chance
