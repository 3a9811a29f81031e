"""What follows from an observation of Cretaceous Creek for walking and collecting: how far things are, what a skeleton still costs,
what a step leads towards. Written after the fields that it rests on."""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions
from dig_envs.games.cretaceous_creek import state as s

NUM_STEPS = 4  # N, E, S, W
TOWARDS_WANTED, TOWARDS_LAST, TOWARDS_FITTING, TOWARDS_STRUCK, TOWARDS_SEATS = range(5)
TOWARDS_CAMP = TOWARDS_SEATS + s.MAX_PLAYERS - 1
NUM_TOWARDS = TOWARDS_CAMP + 1
EXCAVATING, HANDING_OVER = 3, 2  # action points (CC-13, CC-15)
SEARCHING = 8  # about what it costs to find, turn up and excavate a part that lies face down
PER_MOST = np.float32(1 / 32)  # … of the action points that a skeleton can cost, about
NEARNESS = (1 / (1 + box.DISTANCE)).astype(np.float32)  # of two spaces
DRY_CAMP = np.array([box.IS_CAMP, np.zeros(box.NUM_SPACES)], np.float32)  # flooded or not, space
WALKS = np.maximum(box.DISTANCE - 1, 0).astype(np.float32)  # steps until one can act there: one may do so from a space beside


def _nearer() -> np.ndarray:
    table = np.zeros((box.NUM_SPACES, NUM_STEPS, box.NUM_SPACES), np.float32)
    for here in range(box.NUM_SPACES):
        for d in range(NUM_STEPS):
            target = box.NEIGHBOUR[here, d]
            if target != box.NOWHERE:
                table[here, d] = np.where(box.DISTANCE[target] < box.DISTANCE[here], NEARNESS[target], 0)
    return table


NEARER = _nearer()  # (space, step, space): how near the last is after the step, 0 if it is no nearer than before


@compiled
def observe_prospects(state, seat, obs):
    """The fields from `near` on."""
    for k in range(state.num_players):
        p = (seat + k) % state.num_players
        if state.pos[p] >= 0:
            observe_distances(state, p, k, obs)
            observe_costs(state, p, k, obs)
    if state.pos[seat] >= 0:
        for d in range(NUM_STEPS):
            observe_step(state, seat, d, obs)


@compiled
def observe_distances(state, p, k, obs):
    """How near spaces and the types that lie face up are to seat p, which is k places clockwise from the observer."""
    here = state.pos[p]
    for space in range(box.NUM_SPACES):
        nearness = NEARNESS[here, space]
        obs.near[space, k] = nearness
        if state.height[space] > 0 and state.top[space] != s.BURIED:
            t = questions.top_fossil(state, space)
            obs.reach[t, k] = max(obs.reach[t, k], nearness)


@compiled
def observe_costs(state, p, k, obs):
    """The action points until seat p stores the whole of each missing skeleton, if nobody else moves."""
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            points = np.float32(0.0)
            for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
                if state.storage[p, t] == 0:
                    points += cost_of_part(state, p, t, obs.reach[t, k])
            obs.costs[genus, k] = min(np.float32(1.0), points * PER_MOST)


@compiled
def cost_of_part(state, p, t, nearness):
    """The action points until seat p stores the type, from a partner, from the grid, or wherever it lies face down."""
    best = np.float32(SEARCHING)
    if nearness > 0:
        best = np.float32(EXCAVATING) + max(np.float32(0.0), np.float32(1.0) / nearness - np.float32(2.0))
    for other in range(state.num_players):
        if state.storage[other, t] > 0 and state.pos[other] >= 0:
            best = min(best, np.float32(HANDING_OVER) + WALKS[state.pos[p], state.pos[other]])
    return best


@compiled
def observe_step(state, seat, d, obs):
    """What a step in direction d leads towards, the more the nearer that is then."""
    nearer, towards = NEARER[state.pos[seat], d], obs.towards[d]
    wanted = last = fitting = struck = camp = np.float32(0.0)
    for space in range(box.NUM_SPACES):
        wanted = max(wanted, obs.wanted[space] * nearer[space])
        last = max(last, obs.last_copy[space] * nearer[space])
        fitting = max(fitting, obs.fits[space] * nearer[space])
        struck = max(struck, obs.wanted[space] * obs.struck_soon[space] * nearer[space])
        camp = max(camp, DRY_CAMP[state.flooded[space], space] * nearer[space])
    towards[TOWARDS_WANTED], towards[TOWARDS_LAST], towards[TOWARDS_FITTING] = wanted, last, fitting
    towards[TOWARDS_STRUCK], towards[TOWARDS_CAMP] = struck, camp
    for k in range(1, state.num_players):
        there = state.pos[(seat + k) % state.num_players]
        if there >= 0:
            towards[TOWARDS_SEATS + k - 1] = nearer[there]
