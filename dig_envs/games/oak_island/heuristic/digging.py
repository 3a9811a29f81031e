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
    """The chance to win with it, or with as many extra cubes more as are best where they are chosen
    later (OI-19)."""
    goes_on = state.phase == s.EXTRA
    before = box.CUBES[place] + rules.extra_pulled(state) if goes_on else 0
    least = box.CUBES[place] + extra - before
    most = least
    if state.extra == s.AFTER and least > 0:
        most = box.CUBES[place] + rules.most_extra(state, seat, place) - before
    cost = 0 if goes_on else box.COST[place]
    best = -1.0
    for pulled in range(least, most + 1):
        best = max(best, value_of_cubes(state, seat, place, cost, pulled, weights))
    return best


@compiled
def value_of_cubes(state, seat, place, cost, pulled, weights):
    """The chance to win with so many cubes: exact for these, an estimate for what comes later."""
    found = chances.treasure(state, pulled)
    if found >= 1.0:
        return 1.0
    green = chances.expected(state, box.GREEN, pulled)
    money = state.money[seat] - cost + box.GREEN_MONEY * green
    most = box.LIMIT - state.clues[seat]
    ifso = min(state.ifso[seat], most)
    ifso += chances.kept_blue(state, pulled, most - ifso)
    dazzlers = state.scores[seat] + chances.expected(state, box.RED, pulled)
    laird = 1.0 if state.laird == seat else 0.0
    if state.laird != seat and rules.minds(place):
        laird = chances.any_red(state, pulled)
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
