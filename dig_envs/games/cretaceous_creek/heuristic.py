"""A scripted player of Cretaceous Creek, from what everybody can see.

It estimates what a position is worth: pieces in the museum, less the action points that the missing skeletons will still cost
(each led by the paleontologist who needs the fewest), less the danger that erosion takes the last copy of a part. In its turn it
tries every way to spend its action points (walk, act, walk, perhaps act again, walk) on a copy of the position and begins the
best one. It never looks at a face-down fossil or at the order of the erosion deck.
"""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.engine.state import scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import legal_actions, questions, rules, skeletons
from dig_envs.games.cretaceous_creek import state as s

NUM_ACTIONS = len(s.ACTIONS.names)
MAX_PLANS = 250
A_NONE = -1
FAR = 1000.0
NEVER = 99

# A seat's plans: how many skeletons it leads, the cost of the cheapest, and for how many of its parts storage is too short.
LEADS, CHEAPEST, TOO_MANY = range(3)

# What things are worth, in action points (dangers: as probabilities), for 1, 2, 3 and 4 players; found by play.
(
    PIECE,  # a skeleton in the museum, beyond the work that it saved
    WALK,  # a step on the way to a fossil, a partner or a camp
    HAND_OVER,  # a part that another paleontologist stores
    UNCOVER,  # finding and turning up a part that lies face down …
    COVER,  # … and removing what lies on it, by the share of such fossils that are covered
    OVERFLOW,  # a part of the leader's next skeleton for which storage is too short
    LOAD,  # leading one more skeleton
    LOSS,  # the certain loss of a part
    SOON,  # how much of a danger remains if it is a turn later
    DRAWN_TWICE,  # danger of an undamaged fossil, if its card is drawn (it strikes in both periods)
    DRAWN_ONCE,  # danger of an endangered fossil, if its card is drawn
    LATER,  # danger of any face-up fossil in each Storm Phase to come
    HIDDEN,  # the same for one that lies face down
    EDM_KEPT,  # the sandbags
    GATHER,  # a step away from the camps, for each piece in the museum
    REVEAL,  # turning up a fossil that is surely needed
    HOLD,  # a part in storage, beyond the work that it saves
    FULL,  # a full storage
    NEARLY_FULL,  # a storage that can take only one more fossil
) = range(19)
WEIGHTS = np.array(
    [
        [34.1, 34.1, 8.7, 8.7],  # PIECE
        [0.604, 0.604, 0.729, 0.729],  # WALK
        [3.27, 3.27, 1.37, 1.37],  # HAND_OVER
        [10.7, 10.7, 3.84, 3.84],  # UNCOVER
        [11.9, 11.9, 4.85, 4.85],  # COVER
        [37.3, 37.3, 0.957, 0.957],  # OVERFLOW
        [2.44, 2.44, 0.594, 0.594],  # LOAD
        [64.9, 64.9, 32.2, 32.2],  # LOSS
        [0.565, 0.565, 0.572, 0.572],  # SOON
        [0.181, 0.181, 0.185, 0.185],  # DRAWN_TWICE
        [1.72, 1.72, 1.19, 1.19],  # DRAWN_ONCE
        [0.0342, 0.0342, 0.0355, 0.0355],  # LATER
        [0.305, 0.305, 0.109, 0.109],  # HIDDEN
        [1.51, 1.51, 0.748, 0.748],  # EDM_KEPT
        [0.03, 0.03, 0.0594, 0.0594],  # GATHER
        [2.77, 2.77, 2, 2],  # REVEAL
        [0.268, 0.268, 0.21, 0.21],  # HOLD
        [0.17, 0.17, 0.637, 0.637],  # FULL
        [0.0786, 0.0786, 0.418, 0.418],  # NEARLY_FULL
    ]
).T.copy()


# ---------------------------------------------------------------- the decisions


@compiled
def heuristic(state, seat):
    """The action of the seat, which owes a decision."""
    return choose(state, seat, WEIGHTS[state.num_players - 1])


@compiled
def choose(state, seat, w):
    """The action of the seat by given weights."""
    if state.phase == s.ACT:
        return choose_action(state, seat, w)
    if state.phase == s.DIG:
        return s.A_INITIAL_DIG if is_needed(state, questions.top_fossil(state, state.pos[seat])) else s.A_NO_INITIAL_DIG
    if state.phase == s.SANDBAG:
        return s.A_SANDBAG if sandbags_pay(state, w) else s.A_NO_SANDBAG
    return choose_by_worth(state, seat, w)


@compiled
def choose_by_worth(state, seat, w):
    """Camp, escape or the fossil taken in a swap: the one after which the position is worth most."""
    storm = coming_hits(state)
    sims = scratch_records(1, s.State)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    legal_actions.legal_actions(state, seat, mask)
    best, best_worth = -1, 0.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            sims[0] = state
            sim = sims[0]
            if state.phase == s.CAMP:
                sim.pos[seat] = box.CAMPS[action - s.A_CAMP]
            elif state.phase == s.ESCAPE:
                sim.pos[seat] = box.NEIGHBOUR[sim.pos[seat], action - s.A_ESCAPE]
                skeletons.settle(sim)
            elif state.phase == s.SWAP:
                exchange(sim, seat, state.swap_partner, state.swap_gives, action - s.A_TAKE)
            value = worth(sim, storm, w)
            if best < 0 or value > best_worth:
                best, best_worth = action, value
    return best


@compiled
def sandbags_pay(state, w):
    """Whether the revealed cards do enough damage (all of it public) to give EDM away."""
    storm = coming_hits(state)
    sims = scratch_records(1, s.State)
    sims[0] = state
    sim = sims[0]
    before = worth(sim, storm, w)
    for i in range(state.revealed_len):
        card = state.revealed[i]
        if card != box.NO_EROSION:
            if sim.height[card] > 0:
                rules.erode(sim, card)
            else:
                sim.flooded[card] = 1
                for p in range(sim.num_players):
                    if sim.pos[p] == card and questions.is_carrier(sim, p):
                        before += w[HAND_OVER]
    skeletons.settle(sim)
    return worth(sim, storm, w) < before - w[EDM_KEPT]


# ---------------------------------------------------------------- a turn


@compiled
def choose_action(state, seat, w):
    """Ballast goes first; then the first action of the best plan for the action points that are left."""
    for t in range(box.EDM):
        if is_ballast(state, seat, t):
            return s.A_DISCARD + t
    storm = coming_hits(state)
    best = np.zeros(2)  # worth and first action of the best plan
    best[0] = worth(state, storm, w)
    best[1] = s.A_END_TURN
    sims = scratch_records(MAX_PLANS, s.State)
    sims[0] = state
    if state.ap > 0:
        explore(sims, seat, A_NONE, storm, w, best)
    if state.stored[seat] >= questions.capacity(state) and state.ap >= 2:
        t = least_missed(state, seat, sims, storm, w)
        sims[0] = state
        rules.drop(sims[0], seat, t)
        skeletons.settle(sims[0])
        if not sims[0].over:
            explore(sims, seat, s.A_DISCARD + t, storm, w, best)
    return int(best[1])


@compiled
def least_missed(state, seat, sims, storm, w):
    """The stored fossil without which the position is worth most."""
    least, least_worth = -1, 0.0
    for t in range(box.NUM_TYPES):
        if state.storage[seat, t] > 0:
            sims[0] = state
            rules.drop(sims[0], seat, t)
            skeletons.settle(sims[0])
            value = worth(sims[0], storm, w)
            if least < 0 or value > least_worth:
                least, least_worth = t, value
    return least


@compiled
def explore(sims, seat, first_action, storm, w, best):
    """Try every plan that begins in ``sims[0]``; the ends of plans with points left wait in ``sims`` to be carried on.

    Two walks to the same space count once (``leg`` numbers the walks, each of which begins with an action).
    """
    first = np.full(MAX_PLANS, first_action, np.int64)  # action of each plan
    bonus = np.zeros(MAX_PLANS)
    leg = np.zeros(MAX_PLANS, np.int64)
    visited = np.zeros((MAX_PLANS, box.NUM_SPACES), np.bool_)
    visited[0, sims[0].pos[seat]] = True
    mask = np.zeros(NUM_ACTIONS, np.int8)
    count, legs, plan = 1, 1, 0
    while plan < count:
        here = sims[plan]
        mask[:] = 0
        legal_actions.legal_acts(here, seat, mask)
        for action in range(s.A_MOVE, s.A_TAKE):
            if not mask[action] or count == MAX_PLANS:
                continue
            if action < s.A_PROTECT:
                target = box.NEIGHBOUR[here.pos[seat], action - s.A_MOVE]
                if visited[leg[plan], target]:
                    continue
                visited[leg[plan], target] = True
            sims[count] = here
            after = sims[count]
            first[count] = action if first[plan] == A_NONE else first[plan]
            bonus[count] = bonus[plan]
            if s.A_EXPOSE <= action < s.A_EXCAVATE:  # what comes to light is not known yet
                after.ap -= 2
                bonus[count] += w[REVEAL] * chance_to_need(after)
            elif action < s.A_SWAP:
                rules.act(after, seat, action)
                skeletons.settle(after)
            else:
                swap_best(sims, count, seat, action, storm, w)
            value = worth(sims[count], storm, w) + bonus[count]
            if value > best[0] + 1e-9:
                best[0] = value
                best[1] = first[count]
            if after.ap > 0 and not after.over:
                leg[count] = leg[plan]
                if action >= s.A_PROTECT:
                    leg[count] = legs
                    visited[legs, after.pos[seat]] = True
                    legs += 1
                count += 1
        plan += 1


@compiled
def swap_best(sims, at, seat, action, storm, w):
    """A swap in ``sims[at]`` that takes the fossil worth most."""
    other = rules.partner(sims[at], seat, action - s.A_SWAP)
    gives = (action - s.A_SWAP) // 3
    best, best_worth = -1, 0.0
    spare = at + 1
    for t in range(box.NUM_TYPES):
        if t != gives and sims[at].storage[other, t] > 0:
            sims[spare] = sims[at]
            exchange(sims[spare], seat, other, gives, t)
            value = worth(sims[spare], storm, w)
            if best < 0 or value > best_worth:
                best, best_worth = t, value
    exchange(sims[at], seat, other, gives, best)
    sims[at].ap = 0


@compiled
def exchange(state, seat, other, gives, takes):
    """CC-16, both halves at once."""
    rules.hand_over(state, seat, other, gives)
    rules.hand_over(state, other, seat, takes)
    skeletons.settle(state)


# ---------------------------------------------------------------- what is public


@compiled
def is_needed(state, t):
    """Whether the type belongs to a missing skeleton."""
    return t != box.EDM and not state.museum[box.GENUS_OF[t]]


@compiled
def is_ballast(state, seat, t):
    """Whether the seat stores a fossil that no skeleton needs, or a second one of its type."""
    return state.storage[seat, t] > (1 if is_needed(state, t) else 0)


@compiled
def coming_hits(state):
    """Per space what the rest of the Storm Phase brings: in column 0 in how many turns its card in a stack strikes (NEVER:
    it is in none), in column 1 the chance that its unseen card is drawn and strikes twice."""
    storm = np.zeros((box.NUM_SPACES, 2))
    storm[:, 0] = NEVER
    draws_left = state.deck_len // state.storm
    for stack in range(state.num_stacks):
        for i in range(state.stack_len[stack]):
            if state.stacks[stack, i] != box.NO_EROSION:
                storm[state.stacks[stack, i], 0] = draws_left + stack
    unseen = state.deck_len + state.aside_len
    if state.deck_len > 0:
        for i in range(state.deck_len):
            if state.deck[i] != box.NO_EROSION:
                storm[state.deck[i], 1] = state.deck_len / unseen
        for i in range(state.aside_len):
            if state.aside[i] != box.NO_EROSION:
                storm[state.aside[i], 1] = state.deck_len / unseen
    return storm


@compiled
def count_unseen(state, unseen):
    """Per type the fossils that lie face down; returns their number."""
    total = 0
    for space in range(box.NUM_SPACES):
        for layer in range(state.height[space]):
            if questions.is_face_down(state, space, layer):
                unseen[state.grid[space, layer]] += 1
                total += 1
    return total


@compiled
def chance_to_need(state):
    """How likely a face-down fossil is one that is needed and that nobody stores."""
    unseen = np.zeros(box.NUM_TYPES, np.int64)
    total = count_unseen(state, unseen)
    wanted = 0
    for t in range(box.EDM):
        if unseen[t] > 0 and is_needed(state, t) and not is_stored(state, t):
            wanted += unseen[t]
    return wanted / max(total, 1)


@compiled
def is_stored(state, t):
    """Whether somebody stores the type."""
    for p in range(state.num_players):
        if state.storage[p, t] > 0:
            return True
    return False


# ---------------------------------------------------------------- what a position is worth


@compiled
def worth(state, storm, w):
    """What a position is worth, in action points; ``storm`` from :func:`coming_hits`."""
    if state.over:
        return FAR if state.ended == s.WON else -FAR
    pieces = 0
    for genus in range(box.NUM_GENERA):
        pieces += state.museum[genus]
    camp_steps = np.zeros(s.MAX_PLAYERS)
    value = w[PIECE] * pieces
    for p in range(state.num_players):
        camp_steps[p] = steps_to_camp(state, p)
        value -= (w[GATHER] * pieces if pieces < box.NUM_GENERA else 2.0) * camp_steps[p]
        value += w[EDM_KEPT] * state.storage[p, box.EDM]
    if pieces == box.NUM_GENERA:
        return value
    spots = np.full((box.NUM_TYPES, 2), box.NOWHERE, np.int64)
    unseen = np.zeros(box.NUM_TYPES, np.int64)
    find = survey(state, spots, unseen, w)
    plans = np.zeros((s.MAX_PLAYERS, 3))
    plans[:, CHEAPEST] = FAR
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            value -= lead(state, genus, spots, find, camp_steps, plans, w)
            value -= danger_of(state, genus, spots, unseen, storm, w)
    for p in range(state.num_players):
        value -= w[OVERFLOW] * plans[p, TOO_MANY]
        free = questions.capacity(state) - state.stored[p]
        if free == 0:
            value -= w[FULL]
        elif free == 1:
            value -= w[NEARLY_FULL]
    return value


@compiled
def survey(state, spots, unseen, w):
    """Where each type lies: face up in at most two ``spots``, or ``unseen``; returns what finding an unseen one costs."""
    covered = 0
    total = 0
    for space in range(box.NUM_SPACES):
        height = state.height[space]
        for layer in range(height):
            t = state.grid[space, layer]
            if questions.is_face_down(state, space, layer):
                unseen[t] += 1
                total += 1
                covered += layer < height - 1
            elif spots[t, 0] == box.NOWHERE:
                spots[t, 0] = space
            else:
                spots[t, 1] = space
    return w[UNCOVER] + w[COVER] * covered / max(total, 1)


@compiled
def steps_to_camp(state, seat):
    """Steps to the nearest camp that the paleontologist may enter; 0 after evacuation."""
    if state.pos[seat] < 0:
        return 0.0
    best = 20.0
    for c in range(4):
        if not (state.flooded[box.CAMPS[c]] and questions.is_carrier(state, seat)):
            best = min(best, box.DISTANCE[state.pos[seat], box.CAMPS[c]])
    return best


@compiled
def lead(state, genus, spots, find, camp_steps, plans, w):
    """The action points that a skeleton still costs, led by the seat for whom it is cheapest (noted in ``plans``)."""
    best, leader, leader_holds = FAR, 0, 0
    first, parts = box.FIRST_TYPE[genus], box.PARTS[genus]
    for p in range(state.num_players):
        if state.evacuated[p]:
            continue
        held = 0
        cost = w[LOAD] * plans[p, LEADS] + (w[WALK] * camp_steps[p] if state.num_players > 1 else 0.0)
        for t in range(first, first + parts):
            if state.storage[p, t] > 0:
                held += 1
            else:
                cost += cost_of_part(state, p, t, spots, find, w)
        cost -= w[HOLD] * held
        if cost < best:
            best, leader, leader_holds = cost, p, held
    plans[leader, LEADS] += 1
    if best < plans[leader, CHEAPEST]:
        plans[leader, CHEAPEST] = best
        plans[leader, TOO_MANY] = max(0, state.stored[leader] - leader_holds + parts - questions.capacity(state))
    return best


@compiled
def cost_of_part(state, seat, t, spots, find, w):
    """The action points until the seat stores the type: from a partner, from the grid, or from wherever it lies face down."""
    best = 3.0 + find
    for i in range(2):
        space = spots[t, i]
        if space >= 0:
            best = min(best, 3.0 + w[WALK] * max(0, box.DISTANCE[state.pos[seat], space] - 1))
            for p in range(state.num_players):
                if p != seat and state.pos[p] >= 0 and state.stored[p] < questions.capacity(state):
                    walk = max(0, box.DISTANCE[state.pos[p], space] - 1) + max(0, box.DISTANCE[state.pos[p], state.pos[seat]] - 1)
                    best = min(best, 3.0 + w[HAND_OVER] + w[WALK] * walk)
    for p in range(state.num_players):
        if p != seat and state.storage[p, t] > 0:
            best = min(best, w[HAND_OVER] + w[WALK] * max(0, box.DISTANCE[state.pos[p], state.pos[seat]] - 1))
    return best


@compiled
def danger_of(state, genus, spots, unseen, storm, w):
    """What the danger of losing the last copy of one of its parts takes away."""
    total = 0.0
    for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
        if not is_stored(state, t):
            all_lost = w[HIDDEN] * (box.LAST_STORM + 1 - state.storm) if unseen[t] > 0 else 1.0
            if unseen[t] > 1:
                all_lost *= all_lost
            for i in range(2):
                if spots[t, i] >= 0:
                    all_lost *= danger_on(state, spots[t, i], storm, w)
            total += w[LOSS] * all_lost
    return total


@compiled
def danger_on(state, space, storm, w):
    """How likely a face-up fossil is destroyed if nobody cares for it, the less the later."""
    later = w[LATER] * (box.LAST_STORM + 1 - state.storm)
    if state.top[space] == s.ENDANGERED:
        now = w[SOON] ** storm[space, 0] if storm[space, 0] < NEVER else w[DRAWN_ONCE] * storm[space, 1]
    else:
        now = w[DRAWN_TWICE] * storm[space, 1]
    return now + (1 - now) * later
