"""The end of the game, as a search foresees it: the treasure has its exact chance, the rest is
estimated.

Few simulations ever see the yellow cube, and who pulls it is luck: taken as it comes, it says less
about an action than its chance.
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import distance
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import rules
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.heuristic import chances
from dig_envs.games.oak_island.heuristic.worth import expected_turns, share_of_wins, worth_of


@compiled
def put_off(state, seat, action):
    """The chance that an action pulls the yellow cube, which is then put to the bottom of the bag,
    so that the game goes on.

    The others stay as they are: without the yellow one, too, every order of them is as likely as
    any other.
    """
    if action < s.A_DIG or action >= s.A_TRADE:
        return 0.0
    extra = s.DIG_EXTRA[action - s.A_DIG]
    if state.phase == s.EXTRA:
        pulled = extra - rules.extra_pulled(state)  # one more, or none
    else:
        pulled = box.CUBES[s.DIG_PLACE[action - s.A_DIG]] + extra
    chance = chances.treasure(state, pulled)
    if pulled == 0 or chance >= 1.0:
        return 0.0  # nothing can be put off: no cube is pulled, or the game ends
    for i in range(state.bag_len):
        if state.bag[i] == box.YELLOW:
            state.bag[i] = state.bag[0]
            state.bag[0] = box.YELLOW
    return chance


@compiled
def expected_returns(state, returns):
    """Each seat's share of the cubes that are still to be pulled, as the scripted player estimates
    it, as returns."""
    n, bag = state.num_players, state.bag_len * 1.0
    turns = expected_turns(state, bag)
    total = 0.0
    for p in range(n):
        returns[p] = worth_of(state, p, turns + has_turn_to_come(state, p))
        total += returns[p]
    for p in range(n):
        share = share_of_wins(state, p, returns[p] / total, bag, state.scores[p], state.money[p])
        returns[p] = (n * share - 1.0) / (n - 1)


@compiled
def has_turn_to_come(state, seat):
    """1 in an Episode in which the seat has still to begin its turn."""
    begun = rules.turns_taken(state) + (state.phase == s.EXTRA)
    is_episode = state.phase == s.EPISODE or state.phase == s.EXTRA
    return 1.0 if is_episode and distance(state, state.first, seat) >= begun else 0.0
