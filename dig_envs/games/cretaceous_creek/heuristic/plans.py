"""Plans: every way to spend the action points of a turn (walk, act, walk, perhaps act again, walk),
tried on a copy of the position."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append
from dig_envs.engine.core.random import mix
from dig_envs.engine.core.state import record_dtype, scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import legal_actions, questions, rules, skeletons
from dig_envs.games.cretaceous_creek import state as s
from dig_envs.games.cretaceous_creek.heuristic.worth import (
    REVEAL,
    Team,
    chance_to_need,
    survey,
    worth,
    worth_on,
)

NUM_ACTIONS = len(s.ACTIONS.names)
MAX_PLANS = 250
MAX_ENDS = 4 * MAX_PLANS
A_NONE = -1
MOST_KEPT = 6  # plans
ALIKE = 1e-9  # values that differ by no more are the same

# The best plans, the best one first.
Best = record_dtype(
    [
        ("room", np.int8),  # for how many plans
        ("count", np.int8),
        ("value", np.float64, (MOST_KEPT,)),
        ("first", np.int16, (MOST_KEPT,)),  # the action with which it begins
        ("bonus", np.float64, (MOST_KEPT,)),  # what of its value its end does not show
    ]
)


@compiled
def best_of(state, seat, first, beyond, storm, w):
    """The legal action from ``first`` to before ``beyond`` that leads to the best position."""
    return best_tried(state, seat, first, beyond, storm, w, scratch_records(1, s.State))


@compiled
def best_tried(state, seat, first, beyond, storm, w, sims):
    """The same action, tried out in the scratch records ``sims``."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    legal_actions.legal_actions(state, seat, mask)
    best, best_worth = -1, 0.0
    for action in range(first, beyond):
        if mask[action]:
            sims[0] = state
            carry_out(sims[0], seat, action)
            value = worth(sims[0], storm, w)
            if best < 0 or value > best_worth:
                best, best_worth = action, value
    return best


@compiled
def carry_out(state, seat, action):
    """Carry out the choice of a camp, an escape, a discard or the taking in a swap, and nothing
    that follows but skeletons."""
    if action < s.A_INITIAL_DIG:
        state.pos[seat] = box.CAMPS[action - s.A_CAMP]
        return
    if action >= s.A_ESCAPE:
        state.pos[seat] = box.NEIGHBOUR[state.pos[seat], action - s.A_ESCAPE]
    elif action >= s.A_TAKE:  # CC-16, both halves at once
        rules.hand_over(state, seat, state.swap_partner, state.swap_gives)
        rules.hand_over(state, state.swap_partner, seat, action - s.A_TAKE)
    else:
        rules.drop(state, seat, action - s.A_DISCARD)
    skeletons.settle(state)


@compiled
def begin(bests, room):
    """Begin a list of the best plans, in ``bests[0]``."""
    bests[0].room = room
    bests[0].count = 0


@compiled
def first_of(bests, place):
    """The action with which one of them begins."""
    return int(bests[0].first[place])


@compiled
def keep(best, ends, value, first, bonus, state):
    """Put a plan in its place among the best, and the position that it ends with into ``ends``; one
    that is worth what another is most likely ends alike, and is left out."""
    place = best.count
    while place > 0 and value > best.value[place - 1] + ALIKE:
        place -= 1
    if place == best.room or (place > 0 and value > best.value[place - 1] - ALIKE):
        return
    if best.count < best.room:
        best.count += 1
    for i in range(best.count - 1, place, -1):
        best.value[i] = best.value[i - 1]
        best.first[i] = best.first[i - 1]
        best.bonus[i] = best.bonus[i - 1]
        ends[i] = ends[i - 1]
    best.value[place] = value
    best.first[place] = first
    best.bonus[place] = bonus
    ends[place] = state


@compiled
def plan_turn(sims, sites, seat, storm, w, bests, ends):
    """Find the best plans for the action points that are left in ``sims[0]``."""
    state = sims[0]
    keep(bests[0], ends, worth(state, storm, w), s.A_END_TURN, 0.0, state)
    if state.ap > 0:
        explore(sims, sites, seat, A_NONE, storm, w, bests, ends)
    if state.stored[seat] >= questions.capacity(state) and state.ap >= 2:
        discard = best_of(state, seat, s.A_DISCARD, s.A_GIVE, storm, w)
        carry_out(state, seat, discard)
        if not state.over:
            explore(sims, sites, seat, discard, storm, w, bests, ends)


@compiled
def explore(sims, sites, seat, first_action, storm, w, bests, ends):
    """Try every plan that begins in ``sims[0]``; the ends of plans with points left wait in
    ``sims`` to be carried on.

    Two walks to the same space count once (``leg`` numbers the walks, each of which begins with an
    action), and so do complete plans that do the same in another order (``acts`` and ``seen`` are
    hashes). A site is surveyed once for all plans that leave it alike (``site_of``).
    """
    first = np.full(MAX_PLANS, first_action, np.int64)  # action of each plan
    bonus = np.zeros(MAX_PLANS)
    leg = np.zeros(MAX_PLANS, np.int64)
    site_of = np.zeros(MAX_PLANS, np.int64)
    visited = np.zeros(MAX_PLANS, np.int64)  # of each leg, as bits
    visited[0] = 1 << int(sims[0].pos[seat])
    acts = np.zeros(MAX_PLANS, np.uint64)
    seen, num_seen = np.zeros(MAX_ENDS, np.uint64), 0
    mask = np.zeros(NUM_ACTIONS, np.int8)
    teams = scratch_records(1, Team)
    survey(sims[0], storm, w, sites[0])
    count, legs, plan = 1, 1, 0
    while plan < count:
        here = sims[plan]
        mask[:] = 0
        legal_actions.legal_acts(here, seat, mask)
        for action in range(s.A_MOVE, beyond_acts(here, seat)):
            if not mask[action] or count == MAX_PLANS:
                continue
            place, done = int(here.pos[seat]), acts[plan]
            if action < s.A_PROTECT:
                place = int(box.NEIGHBOUR[place, action - s.A_MOVE])
                if visited[leg[plan]] & (1 << place):
                    continue
                visited[leg[plan]] |= 1 << place
            else:
                done += act_hash(place, action)
            if here.ap == points(action):  # nothing is carried on from here
                end = end_hash(here, place, done)
                if is_among(seen, num_seen, end):
                    continue
                if num_seen < MAX_ENDS:
                    num_seen = append(seen, num_seen, end)
            sims[count] = here
            after = sims[count]
            acts[count] = done
            first[count] = action if first[plan] == A_NONE else first[plan]
            bonus[count] = bonus[plan]
            if s.A_EXPOSE <= action < s.A_EXCAVATE:  # what comes to light is not known yet
                after.ap -= 2
                bonus[count] += w[REVEAL] * chance_to_need(after)
            else:
                rules.act(after, seat, action)
                if action < s.A_SWAP:
                    skeletons.settle(after)
                else:
                    carry_out(after, seat, best_of(after, seat, s.A_TAKE, s.A_SANDBAG, storm, w))
            site_of[count] = site_of[plan]
            if action >= s.A_PROTECT or after.scores[0] != here.scores[0]:
                site_of[count] = count
                survey(after, storm, w, sites[count])
            value = worth_on(after, sites[site_of[count]], seat, teams, w) + bonus[count]
            keep(bests[0], ends, value, first[count], bonus[count], after)
            if after.ap > 0 and not after.over:
                leg[count] = leg[plan]
                if action >= s.A_PROTECT:
                    leg[count] = legs
                    visited[legs] = 1 << int(after.pos[seat])
                    legs += 1
                count += 1
        plan += 1


@compiled
def beyond_acts(state, seat):
    """The number after the last action that can be legal with these points."""
    if state.ap < 2:
        return s.A_PROTECT
    for p in range(state.num_players):
        if p != seat and questions.in_reach(state, seat, p):
            return s.A_SWAP if state.ap < box.ACTION_POINTS else s.A_TAKE
    return s.A_DISCARD


@compiled
def points(action):
    """How many action points an act costs (CC-10 to CC-16)."""
    if action < s.A_PROTECT:
        return 1
    if action >= s.A_SWAP:
        return box.ACTION_POINTS
    return 3 if s.A_EXCAVATE <= action < s.A_DISCARD else 2


@compiled
def act_hash(here, action):
    """A hash of what is done, from wherever in reach: those of several acts are added."""
    if action < s.A_DISCARD:
        kind, d = divmod(action - s.A_PROTECT, len(s.REACH))
        return mix(np.uint64(NUM_ACTIONS + kind * box.NUM_SPACES + int(box.REACH[here, d])))
    return mix(np.uint64(action))


@compiled
def end_hash(before, place, acts):
    """A hash of what a plan without points left ends with: the place, and all that was
    done, skeletons on the way included."""
    return mix(acts + np.uint64(int(before.scores[0]) * box.NUM_SPACES + int(place)))


@compiled
def is_among(hashes, count, wanted):
    """Whether a hash is one of the first of a list."""
    for i in range(count):
        if hashes[i] == wanted:
            return True
    return False
