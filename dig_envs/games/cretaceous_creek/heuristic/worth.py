"""What a position is worth, in action points."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import record_dtype, scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions
from dig_envs.games.cretaceous_creek import state as s

FAR = 1000.0
NEVER = 99
NO_STEPS = 12  # more than any walk has, and than two in a row have

# What things are worth, in action points (dangers: as probabilities), for up to two players and for
# more; found by play.
PIECE, WALK, HAND_OVER, UNCOVER, COVER, OVERFLOW, LOAD, LOSS, SOON, DRAWN_TWICE = range(10)
DRAWN_ONCE, LATER, HIDDEN, EDM_KEPT, GATHER, REVEAL, HOLD, FULL, NEARLY_FULL = range(10, 19)
_WEIGHTS = np.array(
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

# What a part costs: after so many steps, if a partner fetches it with so many, or if a partner
# stores it so far away; infinite from NO_STEPS on. These stand behind the weights.
_STEPS = np.arange(2 * NO_STEPS + 1)
_COSTS = np.array(
    [
        [
            3.0 + w[WALK] * _STEPS,
            3.0 + w[HAND_OVER] + w[WALK] * _STEPS,
            w[HAND_OVER] + w[WALK] * _STEPS,
        ]
        for w in _WEIGHTS
    ]
)
_COSTS[:, :, NO_STEPS:] = np.inf
WEIGHTS = np.concatenate([_WEIGHTS, _COSTS.reshape(len(_WEIGHTS), -1)], axis=1)
WALKED = _WEIGHTS.shape[1]
FETCHED, MET = WALKED + len(_STEPS), WALKED + 2 * len(_STEPS)

# Steps until another space is in reach. In the second table NO_SPACE is behind the last one.
NO_SPACE = box.NUM_SPACES
APART = np.maximum(box.DISTANCE - 1, 0)
WALKS = np.full((box.NUM_SPACES, box.NUM_SPACES + 1), NO_STEPS, np.int8)
WALKS[:, :NO_SPACE] = APART

# What changes only with the site and with what is stored, and walks.
Site = record_dtype(
    [
        # where each type lies face up, NO_SPACE: nowhere, and how many of it lie face down
        ("spots", np.int8, (box.NUM_TYPES, 2)),
        ("unseen", np.int8, (box.NUM_TYPES,)),
        ("find", np.float64),  # what finding a fossil that lies face down costs
        ("danger", np.float64, (box.NUM_GENERA,)),  # what losing a part would take away
        # per seat: steps to the nearest face-up fossil of each type, NO_STEPS: there is none
        ("walk", np.int8, (s.MAX_PLAYERS, box.NUM_TYPES)),
        ("held", np.int8, (s.MAX_PLAYERS, box.NUM_GENERA)),  # how many parts it stores
        ("can_take", np.int8, (s.MAX_PLAYERS,)),  # 1: there, with free storage
    ]
)

# What each seat needs in one position.
Team = record_dtype(
    [
        ("cost", np.float64, (s.MAX_PLAYERS, box.NUM_TYPES)),  # of each type
        ("camp_steps", np.float64, (s.MAX_PLAYERS,)),
        # how many skeletons it leads, what the cheapest of them costs, and for how many of its
        # parts storage is too short
        ("leads", np.int8, (s.MAX_PLAYERS,)),
        ("cheapest", np.float64, (s.MAX_PLAYERS,)),
        ("too_many", np.int8, (s.MAX_PLAYERS,)),
    ]
)


# ---------------------------------------------------------------- what is public


@compiled
def known_strikes(state, draws_left, strikes):
    """Write per space in how many turns its card in a stack strikes, NEVER: it is in none."""
    strikes[:] = NEVER
    for stack in range(state.num_stacks):
        for i in range(state.stack_len[stack]):
            if state.stacks[stack, i] != box.NO_EROSION:
                strikes[state.stacks[stack, i]] = draws_left + stack


@compiled
def coming_hits(state, strikes, w, storm):
    """Write per space how likely a face-up fossil is destroyed if nobody cares for it, the less the
    later: in column 0 an endangered one, in column 1 an undamaged one."""
    drawn = np.zeros(box.NUM_SPACES)  # the chance that its unseen card is drawn, and strikes twice
    unseen = state.deck_len + state.aside_len
    for i in range(unseen):
        card = state.deck[i] if i < state.deck_len else state.aside[i - state.deck_len]
        if card != box.NO_EROSION:
            drawn[card] = state.deck_len / unseen
    later = w[LATER] * (box.LAST_STORM + 1 - state.storm)
    for space in range(box.NUM_SPACES):
        endangered = (
            w[SOON] ** strikes[space] if strikes[space] < NEVER else w[DRAWN_ONCE] * drawn[space]
        )
        undamaged = w[DRAWN_TWICE] * drawn[space]
        storm[space, 0] = endangered + (1 - endangered) * later
        storm[space, 1] = undamaged + (1 - undamaged) * later


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
    return worth_surveyed(state, storm, w, scratch_records(1, Site), scratch_records(1, Team))


@compiled
def worth_surveyed(state, storm, w, sites, teams):
    """The same; ``sites`` and ``teams`` are scratch."""
    survey(state, storm, w, sites[0])
    return worth_on(state, sites[0], 0, teams, w)


@compiled
def worth_on(state, site, seat, teams, w):
    """The same on a site that has been surveyed, since when nothing has changed but where
    the seat stands; ``teams`` is scratch."""
    if state.over:
        return FAR if state.ended == s.WON else -FAR
    team = teams[0]
    pieces = state.scores[0]  # in the museum
    value = w[PIECE] * pieces
    for p in range(state.num_players):
        team.camp_steps[p] = steps_to_camp(state, p)
        value -= (w[GATHER] * pieces if pieces < box.NUM_GENERA else 2.0) * team.camp_steps[p]
        value += w[EDM_KEPT] * state.storage[p, box.EDM]
        team.leads[p] = 0
        team.cheapest[p] = FAR
        team.too_many[p] = 0
    if pieces == box.NUM_GENERA:
        return value
    measure_walks(state, seat, site)
    for p in range(state.num_players):
        find_costs(state, p, site, team, w)
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            value -= lead(state, genus, site, team, w)
            value -= site.danger[genus]
    for p in range(state.num_players):
        value -= w[OVERFLOW] * team.too_many[p]
        free = questions.capacity(state) - state.stored[p]
        if free == 0:
            value -= w[FULL]
        elif free == 1:
            value -= w[NEARLY_FULL]
    return value


@compiled
def survey(state, storm, w, site):
    """Write down what changes only with the site and with what is stored, and all walks."""
    site.unseen[:] = 0
    site.spots[:] = NO_SPACE
    covered = 0
    total = 0
    for space in range(box.NUM_SPACES):
        height = state.height[space]
        for layer in range(height):
            t = state.grid[space, layer]
            if questions.is_face_down(state, space, layer):
                site.unseen[t] += 1
                total += 1
                covered += layer < height - 1
            elif site.spots[t, 0] == NO_SPACE:
                site.spots[t, 0] = space
            else:
                site.spots[t, 1] = space
    site.find = w[UNCOVER] + w[COVER] * covered / max(total, 1)
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            site.danger[genus] = danger_of(state, genus, site, storm, w)
    for p in range(state.num_players):
        site.can_take[p] = state.pos[p] >= 0 and state.stored[p] < questions.capacity(state)
        measure_walks(state, p, site)
        for genus in range(box.NUM_GENERA):
            site.held[p, genus] = 0
            for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
                site.held[p, genus] += state.storage[p, t] > 0


@compiled
def measure_walks(state, seat, site):
    """Write how far the seat has to walk for each type."""
    here = state.pos[seat]
    for t in range(box.EDM):
        site.walk[seat, t] = min(WALKS[here, site.spots[t, 0]], WALKS[here, site.spots[t, 1]])


@compiled
def steps_to_camp(state, seat):
    """Steps to the nearest camp that the paleontologist may enter, many if there is none; 0 after
    evacuation."""
    if state.pos[seat] < 0:
        return 0.0
    return 1.0 * questions.steps_to_camp(state, state.pos[seat], questions.is_carrier(state, seat))


@compiled
def lead(state, genus, site, team, w):
    """The action points that a skeleton still costs, led by the seat for whom it is cheapest (noted
    in ``team``)."""
    best, leader = FAR, 0
    first, parts = box.FIRST_TYPE[genus], box.PARTS[genus]
    for p in range(state.num_players):
        if state.evacuated[p]:
            continue
        cost = w[LOAD] * team.leads[p] + (
            w[WALK] * team.camp_steps[p] if state.num_players > 1 else 0.0
        )
        for t in range(first, first + parts):
            cost += team.cost[p, t]
        cost -= w[HOLD] * site.held[p, genus]
        if cost < best:
            best, leader = cost, p
    team.leads[leader] += 1
    if best < team.cheapest[leader]:
        team.cheapest[leader] = best
        team.too_many[leader] = max(
            0, state.stored[leader] - site.held[leader, genus] + parts - questions.capacity(state)
        )
    return best


@compiled
def find_costs(state, seat, site, team, w):
    """Write the action points until the seat stores each type: from a partner, from the grid, or
    from wherever it lies face down."""
    for t in range(box.EDM):
        team.cost[seat, t] = min(3.0 + site.find, w[WALKED + site.walk[seat, t]])
    for p in range(state.num_players):
        if p != seat:
            apart = APART[state.pos[p], state.pos[seat]]
            fetched = FETCHED + apart if site.can_take[p] else FETCHED + NO_STEPS
            met = w[MET + apart]
            for t in range(box.EDM):
                cost = met if state.storage[p, t] > 0 else w[fetched + site.walk[p, t]]
                team.cost[seat, t] = min(team.cost[seat, t], cost)
    for t in range(box.EDM):
        if state.storage[seat, t] > 0:
            team.cost[seat, t] = 0.0


@compiled
def danger_of(state, genus, site, storm, w):
    """The loss from the danger that the last copy of one of its parts is destroyed."""
    total = 0.0
    for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
        if not questions.is_stored(state, t):
            all_lost = w[HIDDEN] * (box.LAST_STORM + 1 - state.storm) if site.unseen[t] > 0 else 1.0
            if site.unseen[t] > 1:
                all_lost *= all_lost
            for i in range(2):
                if site.spots[t, i] < NO_SPACE:
                    undamaged = state.top[site.spots[t, i]] != s.ENDANGERED
                    all_lost *= storm[site.spots[t, i], int(undamaged)]
            total += w[LOSS] * all_lost
    return total
