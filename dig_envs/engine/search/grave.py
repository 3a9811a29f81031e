"""Which actions are grave in a position: they end the game in defeat, throw a victory at once away,
or the game itself says so. The first two hold in all of :data:`DEALS` deals of what the seat cannot
know; in a rare other deal they may not.

Like ``simulation.py`` this file is loaded once per game: the names in the next block are that
game's own. Its machine code is kept apart.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.core.grave import ENDS_IN_DEFEAT, POINTLESS, THROWS_AWAY

KEY: CacheKey
COOPERATIVE: bool
apply_action: Callable[..., Any]
redeal: Callable[..., Any]
grave: Callable[..., Any]

DEALS = 64  # of what the seat cannot know; what fails in one of 20 passes 64 in one of 27 cases
GOES_ON, WINS = 0, -1  # what an action does, beside ENDS_IN_DEFEAT


@kernel(KEY)
def find_grave(states, lo, hi, seats, masks, work, found):
    """Write for each action of a seat in each game why it is grave, 0 for the others.

    An action that is not legal is not grave. Where all legal ones would be, those are not that
    only end the game, or else none is. One that ends the game and is grave by the game's own
    function, too, counts as ENDS_IN_DEFEAT. Nothing is read but what the seat may know. ``work``: a
    record array of length 2.
    """
    for i in range(lo, hi):
        grave_in(states[i], seats[i], masks[i], work, found[i])


@compiled
def grave_in(state, seat, mask, work, found):
    """The same in one game."""
    found[:] = 0
    ends = find_ends(state, seat, mask, work, found)
    if ends == WINS:
        for action in range(len(mask)):
            if mask[action]:
                found[action] = 0 if found[action] == WINS else THROWS_AWAY
    else:
        mark_own(state, seat, mask, work, found)
    if not leaves_any(mask, found):
        for action in range(len(mask)):  # rather go on than lose
            found[action] &= ~POINTLESS
    if not leaves_any(mask, found):
        for action in range(len(mask)):  # rather lose than put something out
            if found[action] == ENDS_IN_DEFEAT:
                found[action] = GOES_ON
        if not leaves_any(mask, found):
            found[:] = GOES_ON
    for action in range(len(mask)):
        if found[action] > ENDS_IN_DEFEAT and found[action] & ENDS_IN_DEFEAT:
            found[action] = ENDS_IN_DEFEAT


@compiled
def may_be_grave(state, seat, mask, action, work, found):
    """Whether an action may be grave, at a look at the first deal, which costs less than to
    find out; ``found`` is memory."""
    found[:] = 0
    work[0] = state
    redeal(work[0], seat, np.uint64(0))
    grave(work[0], seat, found)
    if found[action]:
        return True
    for other in range(len(mask)):
        if mask[other]:
            work[1] = work[0]
            apply_action(work[1], seat, other)
            if what_it_does(work[1], seat) == (ENDS_IN_DEFEAT if other == action else WINS):
                return True
    return False


@compiled
def leaves_any(mask, found):
    """Whether a legal action is not marked."""
    for action in range(len(mask)):
        if mask[action] and not found[action]:
            return True
    return False


@compiled
def find_ends(state, seat, mask, work, found):
    """Write for each action whether it wins in all deals, or ends the game in defeat in all;
    returns WINS if one wins."""
    ends = GOES_ON
    for deal in range(DEALS):
        work[0] = state
        redeal(work[0], seat, np.uint64(deal))
        ends = GOES_ON
        for action in range(len(mask)):
            if mask[action] and (deal == 0 or found[action]):
                work[1] = work[0]
                apply_action(work[1], seat, action)
                kind = what_it_does(work[1], seat)
                found[action] = kind if deal == 0 or kind == found[action] else GOES_ON
                if found[action] and ends != WINS:
                    ends = found[action]
        if ends == GOES_ON:
            break
    return ends


@compiled
def what_it_does(state, seat):
    """Say of a position whether the seat has won, alone or with its team, or lost. A draw is like a
    game that goes on."""
    if not state.over:
        return GOES_ON
    if not state.winners[seat]:
        return ENDS_IN_DEFEAT
    for p in range(state.num_players):
        if p != seat and state.winners[p] and not COOPERATIVE:
            return GOES_ON
    return WINS


@compiled
def mark_own(state, seat, mask, work, found):
    """Mark what the game says is grave, and keep what ends the game: only what is not marked may be
    released again."""
    work[0] = state
    redeal(work[0], seat, np.uint64(0))
    grave(work[0], seat, found)
    for action in range(len(mask)):
        if not mask[action]:
            found[action] = GOES_ON
