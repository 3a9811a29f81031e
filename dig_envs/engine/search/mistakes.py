"""Plausible mistakes: what a player for people chooses in the place of what it meant to.

A mistake is one of the best of the other actions, as somebody finds them who imagines one deal of
what the seat cannot know and looks ahead to the seat's next turn. It is never grave
(:mod:`dig_envs.engine.core.grave`), and a choice that would be is replaced by the best of these.

Like ``simulation.py`` this file is loaded once per game: the names in the next block are that
game's own. Its machine code is kept apart.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.core.random import mix

KEY: CacheKey
COOPERATIVE: bool
apply_action: Callable[..., Any]
redeal: Callable[..., Any]
heuristic: Callable[..., Any]
estimate: Callable[..., Any]
expected_returns: Callable[..., Any]
write_returns: Callable[..., Any]
grave_in: Callable[..., Any]
may_be_grave: Callable[..., Any]

PLAUSIBLE = 3  # a mistake is one of so many best others
LONGEST = 60  # decisions that are looked ahead at most
VICTORY = 1e6  # worth of a return of 1, beside points
NOTHING = -1


@kernel(KEY)
def settle_choices(states, seats, masks, mistaken, draws, actions, work, found, numbers):
    """Put the choice of a seat in each game right, or, where ``mistaken`` says so, wrong.

    Nothing is read but what the seat may know. ``draws``: float64 from 0 up to 1, on which
    mistakes depend; ``work``: a record array of length 2; ``found`` int8 (num_actions,) and
    ``numbers`` float64 (num_actions,): memory.
    """
    for i in range(len(states)):
        actions[i] = settled(
            states[i], seats[i], masks[i], actions[i], mistaken[i], draws[i], work, found, numbers
        )


@compiled
def settled(state, seat, mask, action, mistaken, draw, work, found, numbers):
    """The same in one game."""
    if not mistaken and not may_be_grave(state, seat, mask, action, work, found):
        return action
    grave_in(state, seat, mask, work, found)
    if not mistaken and not found[action]:
        return action
    others = 0
    seed = np.uint64(draw * 9007199254740992.0)
    work[0] = state
    redeal(work[0], seat, seed)
    for other in range(len(mask)):
        if mask[other] and not found[other] and other != action:
            found[other] = NOTHING
            numbers[other] = worth_of(work, seat, other)
            others += 1
    if others == 0:
        return action
    rank = int(draw * min(others, PLAUSIBLE)) if mistaken else 0
    for _ in range(rank):
        found[best_of(found, numbers, seed)] = 0
    return best_of(found, numbers, seed)


@compiled
def best_of(found, numbers, seed):
    """The best action that is marked with NOTHING; of equal ones any."""
    best = NOTHING
    for action in range(len(found)):
        if found[action] == NOTHING and (
            best == NOTHING
            or numbers[action] > numbers[best]
            or (numbers[action] == numbers[best] and sign(seed, action) > sign(seed, best))
        ):
            best = action
    return best


@compiled
def sign(seed, action):
    """A number that orders what is equal."""
    return mix(seed ^ np.uint64(action + 1))


@compiled
def worth_of(work, seat, action):
    """How a seat stands at its next turn after an action in the position ``work[0]``, where the
    scripted player plays on."""
    work[1] = work[0]
    now = work[1]
    turn = now.turn
    apply_action(now, seat, action)
    for _ in range(LONGEST):
        if now.over or (now.to_move == seat and now.turn != turn):
            break
        apply_action(now, now.to_move, np.int64(heuristic(now, now.to_move)))
    return standing(now, seat)


@compiled
def standing(state, seat):
    """What a seat can expect, and by how many points it leads."""
    returns = np.zeros(state.num_players)
    if state.over:
        write_returns(state, returns)
    else:
        expected_returns(state, returns)
    lead = points_of(state, seat)
    if not COOPERATIVE:
        most = -np.inf
        for p in range(state.num_players):
            if p != seat:
                most = max(most, points_of(state, p))
        lead -= most
    return VICTORY * returns[seat] + lead


@compiled
def points_of(state, seat):
    """Points at the end, before it those to expect."""
    return state.scores[seat] * 1.0 if state.over else estimate(state, seat) * 1.0
