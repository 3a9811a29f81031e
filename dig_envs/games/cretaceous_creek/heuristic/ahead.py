"""Looking ahead: what the best plans are worth after the erosion that is known, and the next
turn."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import next_seat
from dig_envs.engine.core.state import scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions, rules, skeletons
from dig_envs.games.cretaceous_creek import state as s
from dig_envs.games.cretaceous_creek.heuristic.plans import (
    ALIKE,
    MAX_PLANS,
    MOST_KEPT,
    Best,
    begin,
    first_of,
    plan_turn,
)
from dig_envs.games.cretaceous_creek.heuristic.worth import (
    APART,
    FAR,
    NEVER,
    Site,
    coming_hits,
    known_strikes,
    worth,
)

IN_REACH, LOST = 0.5, 1.0  # dangers of an endangered fossil whose card is known
PROTECTING = 2  # action points


@compiled
def hits_now(state, w, storm):
    """Write what the rest of the Storm Phase brings (:func:`coming_hits`)."""
    strikes = np.zeros(box.NUM_SPACES, np.int8)
    known_strikes(state, state.deck_len // state.storm, strikes)
    coming_hits(state, strikes, w, storm)


@compiled
def choose_action(state, seat, w, most_plans):
    """Ballast goes first; when no victory is possible any more, the turn ends; else the first
    action of the best plan. ``most_plans`` are followed through the next turn; 0: none."""
    for t in range(box.EDM):
        # of no use to any skeleton, or a second one of its type
        if state.storage[seat, t] > questions.is_needed(state, t):
            return s.A_DISCARD + t
    if most_plans > 0 and questions.is_hopeless(state):
        return s.A_END_TURN
    bests, ends = scratch_records(1, Best), scratch_records(MOST_KEPT, s.State)
    sims, sites = scratch_records(MAX_PLANS, s.State), scratch_records(MAX_PLANS, Site)
    begin(bests, min(max(1, most_plans), MOST_KEPT))
    sims[0] = state
    storm = np.zeros((box.NUM_SPACES, 2))
    hits_now(state, w, storm)
    plan_turn(sims, sites, seat, storm, w, bests, ends)
    if most_plans == 0:
        return first_of(bests, 0)
    theirs, last = scratch_records(1, Best), scratch_records(1, s.State)
    return first_of(bests, best_ahead(bests, ends, sims, sites, theirs, last, w))


@compiled
def best_ahead(bests, ends, sims, sites, theirs, last, w):
    """The number of the plan that is worth most after the next turn; all from ``sims`` on is
    scratch."""
    best = bests[0]
    chosen, most = 0, -2 * FAR
    for i in range(best.count):
        value = best.value[i]
        if best.count > 1 and not ends[i].over:
            value = best.bonus[i] + value_ahead(ends, i, sims, sites, theirs, last, w)
        if value > most + ALIKE:
            chosen, most = i, value
    return chosen


@compiled
def value_ahead(ends, i, sims, sites, theirs, last, w):
    """What the position ``ends[i]`` is worth after the next turn; all else is scratch."""
    sims[0] = ends[i]
    state = sims[0]
    draws_left = state.deck_len // state.storm
    if state.period == 1:
        draws_left -= 1  # of cards that nobody knows
    else:
        erode_as_known(state)
        if not state.over:
            advance_storm(state)
        if state.over:
            return FAR if state.ended == s.WON else -FAR
        draws_left = state.deck_len // state.storm
    give_turn(state)
    strikes, storm = np.zeros(box.NUM_SPACES, np.int8), np.zeros((box.NUM_SPACES, 2))
    known_strikes(state, draws_left, strikes)
    begin(theirs, 1)
    coming_hits(state, strikes, w, storm)
    plan_turn(sims, sites, state.player, storm, w, theirs, last)
    coming_hits(last[0], strikes, w, storm)
    count_on_help(last[0], strikes, storm)
    return theirs[0].bonus[0] + worth(last[0], storm, w)


@compiled
def erode_as_known(state):
    """Carry out the leftmost stack, without sandbags, and without a look at what it turns up."""
    rules.take_leftmost_stack(state)
    for i in range(state.revealed_len):
        card = state.revealed[i]
        if card != box.NO_EROSION:
            if state.height[card] == 0:
                state.flooded[card] = state.storm == box.LAST_STORM
            elif state.top[card] != s.BURIED:
                rules.erode(state, card)
    state.revealed_len = 0
    for p in range(state.num_players):
        if state.pos[p] >= 0 and state.flooded[state.pos[p]] and questions.is_carrier(state, p):
            flee(state, p)
    skeletons.settle(state)


@compiled
def flee(state, seat):
    """Move a carrier to the first dry space beside it; without one the fossils are lost."""
    first = questions.first_escape(state, seat)
    if first == 8:
        rules.discard_all(state, seat)
        return
    for d in range(first, first + 4):
        target = box.NEIGHBOUR[state.pos[seat], d]
        if target >= 0 and not state.flooded[target]:
            state.pos[seat] = target
            return


@compiled
def advance_storm(state):
    """Begin the next Storm Phase if this one is over, with a deck that nobody knows."""
    if state.num_stacks > 0:
        return
    state.storm += 1
    if state.storm > box.LAST_STORM:
        skeletons.end(state, s.LOST_FLOODED)
        return
    state.period = 1
    state.deck_len = box.DECK_SIZE[state.storm]
    state.aside_len = box.NUM_EVENTS - state.deck_len
    for i in range(box.NUM_EVENTS):
        if i < state.deck_len:
            state.deck[i] = box.EVENTS[i]
        else:
            state.aside[i - state.deck_len] = box.EVENTS[i]


@compiled
def give_turn(state):
    """Give the turn to the next seat that is there."""
    seat = next_seat(state, state.player)
    while state.evacuated[seat]:
        seat = next_seat(state, seat)
    state.player = seat
    state.ap = box.ACTION_POINTS


@compiled
def count_on_help(state, strikes, storm):
    """Write the danger of each endangered fossil whose card is known, by whether somebody can
    protect it in time."""
    for space in range(box.NUM_SPACES):
        if state.top[space] == s.ENDANGERED and strikes[space] < NEVER:
            storm[space, 0] = IN_REACH if can_be_protected(state, space, strikes[space]) else LOST


@compiled
def can_be_protected(state, space, turns):
    """Whether a paleontologist has the points to protect a fossil within so many turns
    after this one."""
    points = np.zeros(s.MAX_PLAYERS, np.int64)
    points[state.player] = state.ap
    seat = int(state.player)
    for _ in range(turns):
        seat = next_seat(state, seat)
        points[seat] += box.ACTION_POINTS
    for p in range(state.num_players):
        if state.pos[p] >= 0 and APART[state.pos[p], space] + PROTECTING <= points[p]:
            return True
    return False
