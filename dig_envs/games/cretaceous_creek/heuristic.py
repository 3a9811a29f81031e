"""A scripted player of Cretaceous Creek, from what everybody can see.

It estimates what a position is worth: pieces in the museum, less the action points that the missing
skeletons will still cost (each led by the paleontologist who needs the fewest), less the danger
that erosion takes the last copy of a part. In its turn it tries every way to spend its action
points (walk, act, walk, perhaps act again, walk) on a copy of the position and begins the best one.
It never looks at a face-down fossil or at the order of the erosion deck.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import legal_actions, questions, rules, skeletons
from dig_envs.games.cretaceous_creek import state as s

NUM_ACTIONS = len(s.ACTIONS.names)
MAX_PLANS = 250
A_NONE = -1
FAR = 1000.0
NEVER = 99

# A seat's plans: how many skeletons it leads, the cost of the cheapest, and for how many of its
# parts storage is too short.
LEADS, CHEAPEST, TOO_MANY = range(3)

# What things are worth, in action points (dangers: as probabilities), for up to two players and for
# more; found by play.
PIECE, WALK, HAND_OVER, UNCOVER, COVER, OVERFLOW, LOAD, LOSS, SOON, DRAWN_TWICE = range(10)
DRAWN_ONCE, LATER, HIDDEN, EDM_KEPT, GATHER, REVEAL, HOLD, FULL, NEARLY_FULL = range(10, 19)
WEIGHTS = np.array(
    [
        (34.1, 8.7),  # PIECE: a skeleton in the museum, beyond the work that it saved
        (0.604, 0.729),  # WALK: a step on the way to a fossil, a partner or a camp
        (3.27, 1.37),  # HAND_OVER: a part that another paleontologist stores
        (10.7, 3.84),  # UNCOVER: finding and turning up a part that lies face down …
        # COVER: … and removing what lies on it, by the share of such fossils that are covered
        (11.9, 4.85),
        # OVERFLOW: a part of the leader's next skeleton for which storage is too short
        (37.3, 0.957),
        (2.44, 0.594),  # LOAD: leading one more skeleton
        (64.9, 32.2),  # LOSS: the certain loss of a part
        (0.565, 0.572),  # SOON: how much of a danger remains if it is a turn later
        # DRAWN_TWICE: danger of an undamaged fossil, if its card is drawn (it strikes in both
        # periods)
        (0.181, 0.185),
        (1.72, 1.19),  # DRAWN_ONCE: danger of an endangered fossil, if its card is drawn
        (0.0342, 0.0355),  # LATER: danger of any face-up fossil in each Storm Phase to come
        (0.305, 0.109),  # HIDDEN: the same for one that lies face down
        (1.51, 0.748),  # EDM_KEPT: the sandbags
        (0.03, 0.0594),  # GATHER: a step away from the camps, for each piece in the museum
        (2.77, 2),  # REVEAL: turning up a fossil that is surely needed
        (0.268, 0.21),  # HOLD: a part in storage, beyond the work that it saves
        (0.17, 0.637),  # FULL: a full storage
        (0.0786, 0.418),  # NEARLY_FULL: a storage that can take only one more fossil
    ]
).T.copy()


# ---------------------------------------------------------------- the decisions


@compiled
def heuristic(state, seat):
    w = WEIGHTS[int(state.num_players > 2)]
    if state.phase == s.ACT:
        return choose_action(state, seat, w)
    if state.phase == s.DIG:
        return (
            s.A_INITIAL_DIG
            if questions.is_needed(state, questions.top_fossil(state, state.pos[seat]))
            else s.A_NO_INITIAL_DIG
        )
    if state.phase == s.SANDBAG:
        return s.A_SANDBAG if sandbags_pay(state, w) else s.A_NO_SANDBAG
    return best_of(state, seat, 0, NUM_ACTIONS, coming_hits(state), w)


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
def sandbags_pay(state, w):
    """Whether the revealed cards, all of them public, do enough damage to give EDM away."""
    return damage_pays(state, scratch_records(1, s.State), w)


@compiled
def damage_pays(state, sims, w):
    """Whether they do enough damage, tried out in the scratch records ``sims``."""
    storm = coming_hits(state)
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
    """Ballast goes first; then the first action of the best plan for the action points that are
    left."""
    for t in range(box.EDM):
        # of no use to any skeleton, or a second one of its type
        if state.storage[seat, t] > questions.is_needed(state, t):
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
        discard = best_of(state, seat, s.A_DISCARD, s.A_GIVE, storm, w)
        sims[0] = state
        explore_after(sims, seat, discard, storm, w, best)
    return int(best[1])


@compiled
def explore_after(sims, seat, discard, storm, w, best):
    """Try every plan that begins with a discard in ``sims[0]``."""
    carry_out(sims[0], seat, discard)
    if not sims[0].over:
        explore(sims, seat, discard, storm, w, best)


@compiled
def explore(sims, seat, first_action, storm, w, best):
    """Try every plan that begins in ``sims[0]``; the ends of plans with points left wait in
    ``sims`` to be carried on.

    Two walks to the same space count once (``leg`` numbers the walks, each of which begins with an
    action).
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
            else:
                rules.act(after, seat, action)
                if action < s.A_SWAP:
                    skeletons.settle(after)
                else:
                    carry_out(after, seat, best_of(after, seat, s.A_TAKE, s.A_SANDBAG, storm, w))
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


# ---------------------------------------------------------------- what is public


@compiled
def coming_hits(state):
    """Per space what the rest of the Storm Phase brings: in column 0 in how many turns its card in
    a stack strikes (NEVER: it is in none), in column 1 the chance that its unseen card is drawn and
    strikes twice."""
    storm = np.zeros((box.NUM_SPACES, 2))
    storm[:, 0] = NEVER
    draws_left = state.deck_len // state.storm
    for stack in range(state.num_stacks):
        for i in range(state.stack_len[stack]):
            if state.stacks[stack, i] != box.NO_EROSION:
                storm[state.stacks[stack, i], 0] = draws_left + stack
    unseen = state.deck_len + state.aside_len
    for i in range(unseen):
        card = state.deck[i] if i < state.deck_len else state.aside[i - state.deck_len]
        if card != box.NO_EROSION:
            storm[card, 1] = state.deck_len / unseen
    return storm


@compiled
def chance_to_need(state):
    """The probability that a face-down fossil is needed and stored by nobody."""
    total = 0
    wanted = 0
    for space in range(box.NUM_SPACES):
        for layer in range(state.height[space]):
            if questions.is_face_down(state, space, layer):
                t = state.grid[space, layer]
                total += 1
                wanted += questions.is_needed(state, t) and not questions.is_stored(state, t)
    return wanted / max(total, 1)


# ---------------------------------------------------------------- what a position is worth


@compiled
def worth(state, storm, w):
    """The worth of a position in action points; ``storm`` from :func:`coming_hits`."""
    if state.over:
        return FAR if state.ended == s.WON else -FAR
    pieces = state.scores[0]  # in the museum
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
    """Write where each type lies: face up in at most two ``spots``, or ``unseen``; returns what
    finding an unseen one costs."""
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
    """Steps to the nearest camp that the paleontologist may enter, many if there is none; 0 after
    evacuation."""
    if state.pos[seat] < 0:
        return 0.0
    return 1.0 * questions.steps_to_camp(state, state.pos[seat], questions.is_carrier(state, seat))


@compiled
def lead(state, genus, spots, find, camp_steps, plans, w):
    """The action points that a skeleton still costs, led by the seat for whom it is cheapest (noted
    in ``plans``)."""
    best, leader, leader_holds = FAR, 0, 0
    first, parts = box.FIRST_TYPE[genus], box.PARTS[genus]
    for p in range(state.num_players):
        if state.evacuated[p]:
            continue
        held = 0
        cost = w[LOAD] * plans[p, LEADS] + (
            w[WALK] * camp_steps[p] if state.num_players > 1 else 0.0
        )
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
        plans[leader, TOO_MANY] = max(
            0, state.stored[leader] - leader_holds + parts - questions.capacity(state)
        )
    return best


@compiled
def cost_of_part(state, seat, t, spots, find, w):
    """The action points until the seat stores the type: from a partner, from the grid, or from
    wherever it lies face down."""
    best = 3.0 + find
    for i in range(2):
        space = spots[t, i]
        if space >= 0:
            best = min(best, 3.0 + w[WALK] * max(0, box.DISTANCE[state.pos[seat], space] - 1))
            for p in range(state.num_players):
                if p != seat and state.pos[p] >= 0 and state.stored[p] < questions.capacity(state):
                    walk = max(0, box.DISTANCE[state.pos[p], space] - 1) + max(
                        0, box.DISTANCE[state.pos[p], state.pos[seat]] - 1
                    )
                    best = min(best, 3.0 + w[HAND_OVER] + w[WALK] * walk)
    for p in range(state.num_players):
        if p != seat and state.storage[p, t] > 0:
            best = min(
                best,
                w[HAND_OVER] + w[WALK] * max(0, box.DISTANCE[state.pos[p], state.pos[seat]] - 1),
            )
    return best


@compiled
def danger_of(state, genus, spots, unseen, storm, w):
    """The loss from the danger that the last copy of one of its parts is destroyed."""
    total = 0.0
    for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
        if not questions.is_stored(state, t):
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
    """The risk that a face-up fossil is destroyed if nobody cares for it; less for later
    storms."""
    later = w[LATER] * (box.LAST_STORM + 1 - state.storm)
    if state.top[space] == s.ENDANGERED:
        now = (
            w[SOON] ** storm[space, 0]
            if storm[space, 0] < NEVER
            else w[DRAWN_ONCE] * storm[space, 1]
        )
    else:
        now = w[DRAWN_TWICE] * storm[space, 1]
    return now + (1 - now) * later
