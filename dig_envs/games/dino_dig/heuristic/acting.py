"""The scripted player's pieces: where they dig, to which squares they walk, and how they go
home."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.heuristic.planning import empty_carrier, known_worth, top_worth, worth
from dig_envs.games.dino_dig.rules import site
from dig_envs.games.dino_dig.rules.cards import bit, has

# share of a card's worth that is left if it has to be carried home, on the first square beyond the
# base square …
CARRIED = 0.55
PER_STEP = 0.9  # … and for each step more
NEIGHBOURS = 0.5  # … if another piece nearby has to carry it
NO_ROOM = 0.1  # … if no backpack is empty
PATIENCE = 0.78  # share of what a square promises that is left for each step to it
UNDER = 0.25  # share of the worth of the card below the one dug
RELAY = 0.5  # what it costs to leave a place in the chain, for each piece that is cut off, in cards
NOTHING_LEFT = 0.04  # what is worth less is no reason to stay
NO_ACTION = -1
# By the number of steps, as powers take long.
CARRIED_HOME = np.array([CARRIED * PER_STEP**steps for steps in range(box.MOST_STEPS + 1)])
NEIGHBOUR_CARRIES = np.array([NEIGHBOURS * PER_STEP**steps for steps in range(box.MOST_STEPS + 1)])
AFTER_STEPS = np.array([PATIENCE**steps for steps in range(box.MOST_STEPS + 2)])


@compiled
def dig_worth(state, seat, plan, k, at, delivering):
    """The worth of a dig of a piece at a place; ``delivering``: the places from which it brings
    cards home."""
    if state.height[at] == 0:
        return 0.0
    share = share_brought_home(state, seat, k, at, delivering)
    below = known_worth(state, seat, plan, state.below[state.top[at]])
    return share * (top_worth(state, seat, plan, at) + UNDER * below)


@compiled
def share_brought_home(state, seat, k, at, delivering):
    """The share of a card's worth that is left if the piece digs it at a place."""
    if has(delivering, at):
        return 1.0
    if state.backpacks[seat, k] == box.NONE:
        return CARRIED_HOME[site.steps(at, state.bases[seat])]
    if empty_carrier(state, seat, at, bit(k)) >= 0:
        return NEIGHBOUR_CARRIES[site.steps(at, state.bases[seat])]
    return NO_ROOM


@compiled
def sends_home(state, seat, k):
    """Whether a card that a piece has in hand can go home by express from where the piece is."""
    return has(site.delivering(state, seat, k, 0), state.pieces[seat, k]) == 1


@compiled
def best_act(state, seat, plan):
    """The best that a piece can do that has not acted; home, if there is nothing left to do for any
    piece."""
    best, action, any_left = NOTHING_LEFT, s.A_END_TURN, False
    for k in range(box.PIECES):
        if state.acted[k]:
            any_left = True
            continue
        at = state.pieces[seat, k]
        card = state.backpacks[seat, k]
        delivering = site.delivering(state, seat, k, 0)
        value = dig_worth(state, seat, plan, k, at, delivering) if at != box.HOME else 0.0
        if value > best:
            best, action = value, s.A_DIG + k
        if card != box.NONE and has(delivering, at):
            value = worth(plan, card) + 0.05
            if value > best:
                best, action = value, s.A_UNLOAD + k
        target, value = best_walk(state, seat, plan, k, delivering)
        if value > best:
            step = first_step(state, seat, plan, k, target)
            if step != NO_ACTION:
                best, action = value, step
    if action == s.A_END_TURN and not any_left:
        return go_home(state, seat, plan)
    return action


@compiled
def best_walk(state, seat, plan, k, delivering):
    """The square to which a piece should walk and what that promises; 0 for none."""
    at = state.pieces[seat, k]
    start = state.bases[seat] if at == box.HOME else at
    extra = 1 if at == box.HOME else 0
    card = state.backpacks[seat, k]
    best, target = 0.0, box.NONE
    for square in range(1, s.SQUARES):
        if square == at or not has(plan.open_squares, square):
            continue
        worth_there = 0.0
        if state.height[square] > pieces_on(state, seat, k, square):
            worth_there = dig_worth(state, seat, plan, k, square, delivering)
        if card != box.NONE and has(delivering, square):
            worth_there = max(worth_there, worth(plan, card))
        if worth_there > best:
            value = worth_there * AFTER_STEPS[site.steps(start, square) + extra]
            if value > best:
                best, target = value, square
    if best > 0.0:
        best -= RELAY * plan.unseen_worth * cut_off(state, seat, plan, k, target)
    return target, best


@compiled
def pieces_on(state, seat, k, square):
    """The number of the player's other pieces on a square."""
    count = 0
    for j in range(box.PIECES):
        count += j != k and state.pieces[seat, j] == square
    return count


@compiled
def cut_off(state, seat, plan, k, target):
    """The number of other pieces, with something to dig, that can send cards home now but not after
    piece k moves to the target."""
    count = 0
    at = state.pieces[seat, k]
    for j in range(box.PIECES):
        place = state.pieces[seat, j]
        if j != k and place != box.HOME and state.height[place] > 0 and sends_home(state, seat, j):
            state.pieces[seat, k] = target
            count += not sends_home(state, seat, j)
            state.pieces[seat, k] = at
    return count


@compiled
def first_step(state, seat, plan, k, target):
    """The move of a piece on a shortest open way to a square, NO_ACTION if there is none."""
    at = state.pieces[seat, k]
    first = s.A_MOVE + s.WAYS * k
    if at == box.HOME:
        return first + s.W_OUT if has(plan.open_squares, state.bases[seat]) else NO_ACTION
    reached = bit(target) & plan.open_squares
    while True:
        for d in range(4):
            if has(reached, box.NEIGHBOUR[at, d]):
                return first + d
        further = (reached | site.beside(reached)) & plan.open_squares
        if further == reached:
            return NO_ACTION
        reached = further


# ---------------------------------------------------------------- going home


@compiled
def steps_home(state, seat, k):
    """The number of moves that a piece needs to its base."""
    at = state.pieces[seat, k]
    return 0 if at == box.HOME else 1 + site.steps(at, state.bases[seat])


@compiled
def go_home(state, seat, plan):
    """Cards first, then the pieces; who has time left may still dig."""
    longest = 0
    for k in range(box.PIECES):
        longest = max(longest, steps_home(state, seat, k))
        carries = state.backpacks[seat, k] != box.NONE
        if not state.acted[k] and carries and sends_home(state, seat, k):
            return s.A_UNLOAD + k
    for k in range(box.PIECES):
        at = state.pieces[seat, k]
        if not state.acted[k] and at != box.HOME and steps_home(state, seat, k) < longest:
            if sends_home(state, seat, k) and state.height[at] > 0:
                return s.A_DIG + k
    for k in range(box.PIECES):
        at = state.pieces[seat, k]
        if not state.acted[k] and at != box.HOME:
            if at == state.bases[seat]:
                return s.A_MOVE + s.WAYS * k + s.W_HOME
            step = first_step(state, seat, plan, k, state.bases[seat])
            if step != NO_ACTION:
                return step
    return s.A_END_TURN
