"""The scripted player in a War Room, where it decides which locations become active.

For each set of active locations it estimates what each seat would make of it in the two Episodes; a
seat wants to have more of it than the others. With many characters on the compass it takes every
other one to land anywhere by chance; the last three are thought through, with every seat choosing
what suits it, and then a character may also be relocated.
"""

import math

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import next_seat
from dig_envs.engine.core.state import record_dtype, scratch_records
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import rules
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import MOST_CHARACTERS, MOST_NEEDED, MOST_ROWS
from dig_envs.games.oak_island.heuristic import chances
from dig_envs.games.oak_island.heuristic.worth import ENOUGH_CLUES, expected_turns, worth

SETS = 1 << box.NUM_LOCATIONS  # of active locations, a bit for each
# the first location of each
LOWEST = np.array([(active & -active).bit_length() - 1 for active in range(SETS)])
NOTHING = box.NUM_LOCATIONS  # an Episode without an action
CHOICES = box.NUM_LOCATIONS + 1
# characters left on the compass: these are thought through; then relocations are considered
FEW, FEW_TO_RELOCATE = 2, 2
HOPE = 0.6  # chance that a character comes where it is wanted, as long as many are on the compass
# What a relocation has to bring more than the best free move. Version 0 relocates for any gain, and
# then often has no money to dig.
MARGIN = 3.0
VERY_BAD = -1e9

Plan = record_dtype(
    [
        ("pairs", np.float64, (CHOICES, CHOICES)),  # what two actions in a row bring a seat
        # what the best two at these active locations bring it
        ("gain", np.float64, (box.MAX_PLAYERS, SETS)),
        ("aim", np.float64, (box.MAX_PLAYERS, SETS)),  # the same, compared with the others
        ("folded", np.float64, (SETS,)),
        # that enough of those on the compass come
        ("chance", np.float64, (MOST_NEEDED + 1, MOST_CHARACTERS + 1)),
        ("here", np.int64, (box.NUM_LOCATIONS,)),  # sets of characters
        ("version", np.int64),
        # What a seat has while two actions are looked at.
        ("money", np.float64),
        ("ifso", np.float64),
        ("clues", np.float64),
        ("dazzlers", np.float64),
        ("laird", np.float64),
        ("pulled", np.float64),
    ]
)


@compiled
def best_move(state, seat, weights):
    """A character and where it goes."""
    return best_move_by(state, scratch_records(1, Plan), seat, weights)


@compiled
def best_move_by(state, plans, seat, weights):
    """A character and where it goes, found with ``plans``, which is scratch."""
    plan = plans[0]
    plan.version = state.version
    for location in range(box.NUM_LOCATIONS):
        plan.here[location] = state.here[location + 1]
    fill_chances(plan)
    fill_aims(state, plan, seat, 0, weights)
    compass = int(state.here[box.COMPASS])
    best, most = s.A_MOVE, VERY_BAD
    for c in range(box.NUM_CHARACTERS):
        if compass & box.BIT[c]:
            for location in range(box.NUM_LOCATIONS):
                value = value_of_move(state, plan, seat, compass - box.BIT[c], c, location)
                if value > most:
                    best, most = s.A_MOVE + box.NUM_LOCATIONS * c + location, value
    if box.SIZE[compass] > FEW_TO_RELOCATE or state.money[seat] < box.RELOCATION:
        return best
    fill_aims(state, plan, seat, box.RELOCATION, weights)
    least = most + (MARGIN if state.version >= 1 else 1e-9)
    for c in range(box.NUM_CHARACTERS):
        if not compass & box.BIT[c]:
            before = state.where[c] - 1
            plan.here[before] -= box.BIT[c]
            for location in range(box.NUM_LOCATIONS):
                if location != before:
                    value = value_of_move(state, plan, seat, compass, c, location)
                    if value > least:
                        best = s.A_MOVE + box.NUM_LOCATIONS * c + location
                        least = value + 1e-9
            plan.here[before] += box.BIT[c]
    return best


@compiled
def value_of_move(state, plan, seat, compass, c, location):
    """The seat's aim with a character at a location, and with those on the compass still to be
    placed."""
    plan.here[location] += box.BIT[c]
    if box.SIZE[compass] > FEW:
        value = expected_aim(plan, seat, compass)
    else:
        value = plan.aim[seat, outcome(state, plan, compass, next_seat(state, seat))]
    plan.here[location] -= box.BIT[c]
    return value


# ------------------------------------------------------- what a set of active locations is good for


@compiled
def fill_aims(state, plan, seat, spent, weights):
    """Fill ``plan.aim``, if the seat has spent so many dollars."""
    n = state.num_players
    turns = expected_turns(state, state.bag_len * 1.0)
    for p in range(n):
        fill_pairs(state, plan, p, spent if p == seat else 0, turns, weights)
        fill_gains(plan, p)
    for p in range(n):
        for active in range(SETS):
            others = 0.0
            for other in range(n):
                if other != p:
                    others += plan.gain[other, active]
            plan.aim[p, active] = plan.gain[p, active] - weights.spite * others / (n - 1)


@compiled
def fill_pairs(state, plan, p, spent, turns, weights):
    """Write what each two actions bring seat p: cubes pulled, and what it has afterwards."""
    for first in range(CHOICES):
        for second in range(CHOICES):
            start(state, plan, p)
            value = VERY_BAD
            if take(state, plan, first, spent, turns) and take(state, plan, second, spent, turns):
                after = worth(
                    plan.money - spent, plan.ifso, plan.clues, plan.dazzlers, plan.laird, turns
                )
                value = weights.now * plan.pulled + after
            plan.pairs[first, second] = value


@compiled
def start(state, plan, p):
    """Begin with the belongings of seat p."""
    plan.money = state.money[p]
    plan.ifso = state.ifso[p]
    plan.clues = state.clues[p]
    plan.dazzlers = state.scores[p]
    plan.laird = 1.0 if state.laird == p else 0.0
    plan.pulled = 0.0


@compiled
def take(state, plan, choice, spent, turns):
    """Change the belongings as one action at a location does on average; returns whether the seat
    can take it."""
    if choice == NOTHING:
        return True
    if plan.money - spent < box.COST[choice]:
        return False
    plan.money -= box.COST[choice]
    if choice == box.CENTRE:
        return use_centre(plan, spent, turns)
    if plan.laird > 0.5 and rules.minds(choice):
        return False
    pulled = min(box.CUBES[choice] + min(box.EXTRA[choice], int(plan.clues)), int(state.bag_len))
    red = chances.expected(state, box.RED, pulled)
    plan.pulled += pulled
    plan.money += box.GREEN_MONEY * chances.expected(state, box.GREEN, pulled)
    plan.ifso = min(plan.ifso + chances.expected(state, box.BLUE, pulled), box.LIMIT - plan.clues)
    plan.dazzlers += red
    if rules.minds(choice):
        plan.laird += min(red, 1.0)
    return True


@compiled
def use_centre(plan, spent, turns):
    """Tokens up to enough, money for the rest; or a Bobby Dazzler, if that is better; returns
    whether there is anything to do."""
    brings_laird = plan.laird > 0.5
    plan.laird = 0.0
    ifso = float(math.floor(plan.ifso))
    tokens = min(ifso, max(ENOUGH_CLUES - plan.clues, 0.0))
    token = 1.0 if plan.ifso + plan.clues < box.LIMIT else 0.0
    traded, converted = VERY_BAD, VERY_BAD
    if ifso >= 1.0:
        money = plan.money - spent + box.IFSO_MONEY * (ifso - tokens)
        traded = worth(money, plan.ifso - ifso, plan.clues + tokens, plan.dazzlers, 0.0, turns)
    if plan.dazzlers >= 1.0:
        money = plan.money - spent + box.DAZZLER_MONEY
        converted = worth(money, plan.ifso, plan.clues + token, plan.dazzlers - 1.0, 0.0, turns)
    if traded == VERY_BAD and converted == VERY_BAD:
        return brings_laird
    if traded >= converted:
        plan.ifso -= ifso
        plan.clues += tokens
        plan.money += box.IFSO_MONEY * (ifso - tokens)
    else:
        plan.clues += token
        plan.dazzlers -= 1.0
        plan.money += box.DAZZLER_MONEY
    return True


@compiled
def fill_gains(plan, p):
    """For each set of active locations what the best two actions there bring seat p."""
    nothing = plan.pairs[NOTHING, NOTHING]
    plan.gain[p, 0] = nothing
    for active in range(1, SETS):
        last = LOWEST[active]
        best = max(plan.gain[p, active & (active - 1)], plan.pairs[last, NOTHING])
        for other in range(box.NUM_LOCATIONS):
            if (active >> other) & 1:
                best = max(best, plan.pairs[last, other], plan.pairs[other, last])
        plan.gain[p, active] = best


# ---------------------------------------------------------------- many on the compass


@compiled
def fill_chances(plan):
    """The chance that of so many characters enough come to a location, if each does with the chance
    HOPE."""
    nobody, one = 1.0, 0.0
    for count in range(MOST_CHARACTERS + 1):
        plan.chance[0, count] = 1.0
        plan.chance[1, count] = 1.0 - nobody
        plan.chance[2, count] = 1.0 - nobody - one
        one = one * (1.0 - HOPE) + nobody * HOPE
        nobody *= 1.0 - HOPE


@compiled
def expected_aim(plan, seat, compass):
    """The mean of the seat's aim over the sets of active locations: halved with each location."""
    folded, aim = plan.folded, plan.aim[seat]
    for active in range(SETS):
        folded[active] = aim[active]
    size = SETS // 2
    for location in range(box.NUM_LOCATIONS - 1, -1, -1):
        chance = 1.0
        for row in range(MOST_ROWS):
            missing = box.MISSING[plan.version, location, row, plan.here[location]]
            who = compass & box.ROWS[plan.version, location, row]
            chance *= plan.chance[missing, box.SIZE[who]]
        for active in range(size):
            folded[active] += chance * (folded[active + size] - folded[active])
        size //= 2
    return folded[0]


# ---------------------------------------------------------------- the last ones


@compiled
def outcome(state, plan, compass, p):
    """The set of active locations in the end, if from seat p on each places one of the last
    characters as suits it best."""
    number = box.SIZE[compass]
    if number == 0:
        return active_set(plan)
    if number == 1:
        return outcome_of_one(plan, compass, p)
    return outcome_of_two(state, plan, compass, p)


@compiled
def outcome_of_two(state, plan, compass, p):
    """The same for two characters."""
    best = -1
    for c in range(box.NUM_CHARACTERS):
        if compass & box.BIT[c]:
            for location in range(box.NUM_LOCATIONS):
                plan.here[location] += box.BIT[c]
                active = outcome_of_one(plan, compass - box.BIT[c], next_seat(state, p))
                plan.here[location] -= box.BIT[c]
                if best < 0 or plan.aim[p, active] > plan.aim[p, best]:
                    best = active
    return best


@compiled
def outcome_of_one(plan, compass, p):
    """The same for one character."""
    before = active_set(plan)
    best = -1
    for location in range(box.NUM_LOCATIONS):
        with_it = plan.here[location] + compass
        active = before | int(box.ACTIVE[plan.version, location, with_it]) << location
        if best < 0 or plan.aim[p, active] > plan.aim[p, best]:
            best = active
    return best


@compiled
def active_set(plan):
    """The active locations, a bit for each."""
    active = 0
    for location in range(box.NUM_LOCATIONS):
        active |= int(box.ACTIVE[plan.version, location, plan.here[location]]) << location
    return active
