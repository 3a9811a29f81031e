"""The scripted player in an Episode: it takes the action after which its chance to find the
treasure is greatest."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import rules
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.heuristic import chances
from dig_envs.games.oak_island.heuristic.worth import expected_turns, share_of_wins, worth, worth_of


@compiled
def best_action(state, seat, weights):
    """The best of what is legal in an Episode; `skip` where nothing is."""
    mask = np.zeros(s.A_SKIP + 1, np.int8)
    rules.legal_actions(state, seat, mask)
    best, most = s.A_SKIP, -1.0
    for action in range(s.A_DIG, s.A_SKIP):
        if mask[action]:
            if action < s.A_TRADE:
                value = value_of_dig(
                    state,
                    seat,
                    s.DIG_PLACE[action - s.A_DIG],
                    s.DIG_EXTRA[action - s.A_DIG],
                    weights,
                )
            else:
                value = value_of_use(state, seat, action)
            if value > most:
                best, most = action, value
    return best


@compiled
def value_of_dig(state, seat, place, extra, weights):
    """The chance to win with it: exact for these cubes, an estimate for what comes later."""
    pulled = box.CUBES[place] + extra
    found = chances.treasure(state, pulled)
    if found >= 1.0:
        return 1.0
    money = (
        state.money[seat]
        - box.COST[place]
        + box.GREEN_MONEY * chances.expected(state, box.GREEN, pulled)
    )
    room = box.LIMIT - state.ifso[seat] - state.clues[seat]
    ifso = state.ifso[seat] + chances.kept_blue(state, pulled, room)
    dazzlers = state.scores[seat] + chances.expected(state, box.RED, pulled)
    laird = (
        chances.any_red(state, pulled)
        if rules.minds(place)
        else 1.0
        if state.laird == seat
        else 0.0
    )
    return found + (1.0 - found) * weights.later * value_of(
        state, seat, money, ifso, state.clues[seat] * 1.0, dazzlers, laird, pulled
    )


@compiled
def value_of_use(state, seat, action):
    """The same for the interpretive centre."""
    money = state.money[seat] - box.COST[box.CENTRE] * 1.0
    ifso, clues, dazzlers = (
        state.ifso[seat] * 1.0,
        state.clues[seat] * 1.0,
        state.scores[seat] * 1.0,
    )
    if action == s.A_CONVERT:
        dazzlers -= 1.0
        money += box.DAZZLER_MONEY
        if ifso + clues < box.LIMIT:
            clues += 1.0
    elif action < s.A_CONVERT:
        traded, cash = s.TRADED_CLUES[action - s.A_TRADE], s.TRADED_CASH[action - s.A_TRADE]
        ifso -= traded + cash
        clues += traded
        money += cash * box.IFSO_MONEY
    return value_of(state, seat, money, ifso, clues, dazzlers, 0.0, 0)


@compiled
def value_of(state, seat, money, ifso, clues, dazzlers, laird, pulled):
    """The chance to win later, with these belongings and so many cubes fewer in the bag: the seat's
    share of the cubes to come."""
    bag = state.bag_len - pulled * 1.0
    turns = expected_turns(state, bag)
    own = worth(money, ifso, clues, dazzlers, laird, turns)
    others = 0.0
    for p in range(state.num_players):
        if p != seat:
            others += worth_of(state, p, turns)
    return share_of_wins(state, seat, own / (own + others), bag, dazzlers, money)
