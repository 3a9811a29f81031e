"""A scripted player of Dino Dig, from what the seat may know.

It plans (``planning.py``): which run it builds, and so what each card is worth to it. Its pieces form a chain to the base, along
which what they dig goes home by express in the same turn; those that nothing is left for walk on to the best square in reach. A
card that is no use is put where it covers what others want and nothing of its own. It goes home when it expects to win
(``judge.py``).
"""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.engine.state import scratch_records
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import judge, planning, rules, site
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.cards import bit, has, lowest
from dig_envs.games.dino_dig.planning import worth

CARRIED = 0.55  # share of a card's worth that is left if it has to be carried home, on the first square beyond the base square …
PER_STEP = 0.9  # … and for each step more
NEIGHBOURS = 0.5  # … if another piece nearby has to carry it
NO_ROOM = 0.1  # … if no backpack is empty
PATIENCE = 0.78  # share of what a square promises that is left for each step to it
UNDER = 0.25  # share of the worth of the card below the one dug
RELAY = 0.5  # what it costs to leave a place in the chain, for each piece that is cut off, in cards
WORTH_CARRYING = 0.25
NOTHING_LEFT = 0.04  # what is worth less is no reason to stay
NO_ACTION = -1
# By the number of steps, as powers take long.
CARRIED_HOME = np.array([CARRIED * PER_STEP**steps for steps in range(box.MOST_STEPS + 1)])
NEIGHBOUR_CARRIES = np.array([NEIGHBOURS * PER_STEP**steps for steps in range(box.MOST_STEPS + 1)])
AFTER_STEPS = np.array([PATIENCE**steps for steps in range(box.MOST_STEPS + 2)])


@compiled
def heuristic(state, seat):
    """The action that the scripted player takes."""
    if state.phase == s.LAY:
        return s.A_LAY + place_to_lay(state) - 1
    if state.phase == s.BASE:
        return s.A_BASE + best_base(state) - 1
    if state.phase == s.CONTRACT:
        return s.A_SUIT + suit_to_choose(state, seat)
    plans = scratch_records(1, planning.Plan)
    plan = plans[0]
    planning.make_plan(state, seat, plan)
    if state.phase == s.CARD:
        return treat(state, seat, plan)
    if judge.wants_end(state, seat, plan):
        return go_home(state, seat, plan)
    return best_act(state, seat, plan)


# ---------------------------------------------------------------- set-up


@compiled
def place_to_lay(state):
    """DD-5: the lowest stack of the centre, so that nobody has a long way."""
    best = box.CENTRE[0]
    for i in range(1, len(box.CENTRE)):
        if state.height[box.CENTRE[i]] < state.height[best]:
            best = box.CENTRE[i]
    return best


@compiled
def best_base(state):
    """The base square with the most cards near it, and rivals far away."""
    free = site.free_bases(state)
    best, found = -1000.0, lowest(free)
    for square in range(1, s.SQUARES):
        if has(free, square):
            value = 0.0
            for other in range(1, s.SQUARES):
                if state.height[other] > 0:
                    value += state.height[other] / (1.0 + site.steps(square, other))
            for p in range(state.num_players):
                if state.bases[p] != box.NONE:
                    value -= 4.0 / (1.0 + site.steps(square, state.bases[p]))
            if value > best:
                best, found = value, square
    return found


@compiled
def suit_to_choose(state, seat):
    """DD-6, DD-7: all are alike, but it is good to have one that others do not have."""
    free = rules.free_suits(state)
    return seat if has(free, seat) else lowest(free)


# ---------------------------------------------------------------- what a dig is worth


@compiled
def top_worth(state, seat, plan, square):
    """What the top card of a square is worth: exactly, if the seat knows it."""
    card = state.top[square]
    if card == box.NONE:
        return 0.0
    return worth(plan, card) if has(state.known[seat], card) else plan.unseen_worth


@compiled
def worth_below(state, seat, plan, square):
    """The same for the card below it."""
    card = state.below[state.top[square]]
    if card == box.NONE:
        return 0.0
    return worth(plan, card) if has(state.known[seat], card) else plan.unseen_worth


@compiled
def share_brought_home(state, seat, k, at, delivering):
    """How much of a card's worth is left if the piece digs it at a place; ``delivering``: from where it brings cards home."""
    if has(delivering, at):
        return 1.0
    if state.backpacks[seat, k] == box.NONE:
        return CARRIED_HOME[site.steps(at, state.bases[seat])]
    for j in range(box.PIECES):
        if j != k and state.backpacks[seat, j] == box.NONE and site.are_close(state, seat, at, state.pieces[seat, j]):
            return NEIGHBOUR_CARRIES[site.steps(at, state.bases[seat])]
    return NO_ROOM


@compiled
def reaches_home(state, seat, k, at, used):
    """Whether a card that a piece has in hand at a place can go home by express; ``used``: pieces that had it, as a set."""
    return has(site.delivering(state, seat, k, used), at) == 1


@compiled
def dig_worth(state, seat, plan, k, at, delivering):
    """What it is worth that a piece digs at a place."""
    if state.height[at] == 0:
        return 0.0
    share = share_brought_home(state, seat, k, at, delivering)
    return share * (top_worth(state, seat, plan, at) + UNDER * worth_below(state, seat, plan, at))


# ---------------------------------------------------------------- acting


@compiled
def best_act(state, seat, plan):
    """The best that a piece can do that has not acted; home, if there is nothing left to do for any piece."""
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
    """How many other pieces of the player are on a square."""
    count = 0
    for j in range(box.PIECES):
        count += j != k and state.pieces[seat, j] == square
    return count


@compiled
def cut_off(state, seat, plan, k, target):
    """How many other pieces, with something to dig, can send cards home with piece k where it is, but not with k at the target."""
    count = 0
    at = state.pieces[seat, k]
    for j in range(box.PIECES):
        place = state.pieces[seat, j]
        if j != k and place != box.HOME and state.height[place] > 0 and reaches_home(state, seat, j, place, 0):
            state.pieces[seat, k] = target
            count += not reaches_home(state, seat, j, place, 0)
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
    """How many moves a piece needs to its base."""
    at = state.pieces[seat, k]
    return 0 if at == box.HOME else 1 + site.steps(at, state.bases[seat])


@compiled
def go_home(state, seat, plan):
    """Cards first, then the pieces; who has time left may still dig."""
    longest = 0
    for k in range(box.PIECES):
        longest = max(longest, steps_home(state, seat, k))
        carries = state.backpacks[seat, k] != box.NONE
        if not state.acted[k] and carries and reaches_home(state, seat, k, state.pieces[seat, k], 0):
            return s.A_UNLOAD + k
    for k in range(box.PIECES):
        at = state.pieces[seat, k]
        if not state.acted[k] and at != box.HOME and steps_home(state, seat, k) < longest:
            if reaches_home(state, seat, k, at, 0) and state.height[at] > 0:
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


# ---------------------------------------------------------------- the card in hand


@compiled
def treat(state, seat, plan):
    """What to do with the card in hand: home with it, on its way home, into a backpack, or away."""
    k = rules.handler(state)
    at = state.pieces[seat, k]
    value = worth(plan, state.hand)
    if at == box.HOME or at == state.bases[seat]:
        if not ends_game(state, seat, at) or judge.wants_end(state, seat, plan):
            return s.A_HOME
    used = handlers(state)
    nearest = next_on_the_way(state, seat, k, at, used)
    if nearest >= 0:
        return s.A_PASS + nearest
    packed = state.backpacks[seat, k]
    if not state.stowed:
        if packed == box.NONE and (value >= WORTH_CARRYING or at == box.HOME):
            return s.A_STOW
        if packed != box.NONE and value > worth(plan, packed) + 0.15:
            return s.A_STOW
    if value >= WORTH_CARRYING:
        carrier = empty_carrier(state, seat, k, at, used)
        if carrier >= 0:
            return s.A_PASS + carrier
    return put_away(state, seat, plan, at, value)


@compiled
def ends_game(state, seat, at):
    """Whether the card would end the game if it was brought home."""
    for k in range(box.PIECES):
        if state.pieces[seat, k] != box.HOME:
            return False
    return state.museum_size[seat] + 1 >= box.ENOUGH_CARDS


@compiled
def handlers(state):
    """The pieces that have had the card in hand, as a set."""
    used = 0
    for i in range(state.chain_len):
        used |= bit(state.chain[i])
    return used


@compiled
def next_on_the_way(state, seat, k, at, used):
    """The piece that gets the card next on its way home, -1 if it does not get there."""
    found = -1
    for j in range(box.PIECES):
        near = state.pieces[seat, j]
        if not has(used, j) and site.are_close(state, seat, at, near):
            if near == box.HOME or near == state.bases[seat]:
                return j
            if reaches_home(state, seat, j, near, used):
                found = j
    return found


@compiled
def empty_carrier(state, seat, k, at, used):
    """A piece nearby with an empty backpack, -1 if there is none."""
    for j in range(box.PIECES):
        if not has(used, j) and state.backpacks[seat, j] == box.NONE and site.are_close(state, seat, at, state.pieces[seat, j]):
            return j
    return -1


@compiled
def put_away(state, seat, plan, at, value):
    """Onto an adjacent square, where it is in the way of others rather than in the own, or back."""
    if at == box.HOME:
        return s.A_FACE_UP + len(box.DIRECTIONS)
    best, action = -0.1 - 0.5 * top_worth(state, seat, plan, at), s.A_FACE_DOWN
    for d in range(4):
        square = box.NEIGHBOUR[at, d]
        if has(state.squares, square):
            near = planning.nearness(square, state.bases[seat])
            theirs = planning.nearness_to_rivals(state, seat, square)
            covered = top_worth(state, seat, plan, square)
            wanted = 0.5 if has(plan.wanted_by_rivals, state.hand) else 0.0
            result = (value - covered) * near + (0.4 * min(covered, plan.unseen_worth) - wanted) * theirs
            if result > best:
                best, action = result, s.A_FACE_UP + d
    return action
