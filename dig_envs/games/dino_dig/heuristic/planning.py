"""The scripted player's plan: the run that it builds, and what each card is worth for it."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import record_dtype
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards, site, skeletons
from dig_envs.games.dino_dig.rules.cards import has, size_of, values_of
from dig_envs.games.dino_dig.rules.skeletons import beside_values

WINDOW = 7  # values in which a run is planned
CENTRAL = 4  # where it begins if nothing speaks for another: 6 to Q
GREAT, GOOD, FAIR, POOR = 1.0, 0.65, 0.4, 0.15  # what cards are worth

Plan = record_dtype(
    [
        ("great", np.int64),  # cards by what they are worth; all others are poor
        ("good", np.int64),
        ("fair", np.int64),
        ("wanted_by_rivals", np.int64),  # cards
        ("open_squares", np.int64),  # that the pieces may enter
        ("unseen_worth", np.float64),  # mean of the cards that the seat does not know
        ("chance", np.float64, (box.NUM_VALUES,)),  # scratch of `judge`
    ]
)


@compiled
def make_plan(state, seat, plan):
    known = state.known[seat]
    mine = state.museum[seat] | cards.in_backpacks(state, seat)
    others = cards.held_by_others(state, seat) & known
    suit = planned_suit(state, seat, mine, others)
    covered = skeletons.usable_values(state.contract, suit, mine, others)
    window = best_window(covered, values_of(others, suit))
    next_to_it = window & ~covered & beside_values(covered & window)
    if covered & window == 0:
        next_to_it = window
    plan.great = box.JOKERS
    plan.good = 0
    plan.fair = 0
    plan.wanted_by_rivals = box.JOKERS
    for some in range(box.NUM_SUITS):
        if some == suit:
            add(plan, some, next_to_it, window, box.ALL_VALUES)
        else:
            rate_other_suit(state, plan, some, others, window & ~covered, next_to_it)
    plan.open_squares = state.squares & ~site.blocked(state, seat)
    unseen = cards.deck_of(state) & ~known
    total = POOR * size_of(unseen)
    total += (GREAT - POOR) * size_of(unseen & plan.great)
    total += (GOOD - POOR) * size_of(unseen & plan.good)
    total += (FAIR - POOR) * size_of(unseen & plan.fair)
    plan.unseen_worth = total / max(1, size_of(unseen))


@compiled
def planned_suit(state, seat, mine, others):
    """The own suit; without contracts that of the longest run, then of the most cards."""
    if state.contract != s.FREE_FOR_ALL:
        return state.suits[seat] - 1
    best, found = -1, 0
    for suit in range(box.NUM_SUITS):
        own = values_of(mine, suit)
        value = (
            2 * size_of(own)
            + 3 * size_of(own & beside_values(own))
            - size_of(values_of(others, suit))
        )
        if value > best:
            best, found = value, suit
    return found


@compiled
def best_window(covered, gone):
    """The values in which the run is planned: where there are most already, and fewest gone to
    others."""
    best, found = -100, CENTRAL
    for low in range(box.NUM_VALUES - WINDOW + 1):
        window = ((1 << WINDOW) - 1) << low
        value = 6 * size_of(window & covered) + 3 * size_of(
            window & covered & beside_values(covered)
        )
        value -= 3 * size_of(window & gone & ~covered) + abs(low - CENTRAL)
        if value > best:
            best, found = value, low
    return ((1 << WINDOW) - 1) << found


@compiled
def add(plan, suit, great, good, fair):
    """Rate the values of a suit."""
    shift = 1 + box.NUM_VALUES * suit
    plan.great |= np.int64(great) << shift
    plan.good |= np.int64(good & ~great) << shift
    plan.fair |= np.int64(fair & ~good & ~great) << shift


@compiled
def rate_other_suit(state, plan, suit, others, missing, next_to_it):
    """Cards of another suit serve where nobody has one beside them, and they are good to keep from
    those who collect the suit."""
    theirs = values_of(others, suit)
    usable = 0 if state.contract == s.FREE_FOR_ALL else missing & ~beside_values(theirs)
    collected = state.contract == s.FREE_FOR_ALL
    for p in range(state.num_players):
        collected = collected or (state.contract == s.STANDARD and state.suits[p] == suit + 1)
    if collected:
        hurts = beside_values(theirs)
        add(plan, suit, 0, hurts, box.ALL_VALUES if state.contract == s.STANDARD else usable)
        plan.wanted_by_rivals |= np.int64(box.ALL_VALUES) << (1 + box.NUM_VALUES * suit)
    else:
        add(plan, suit, 0, usable & next_to_it, usable)


@compiled
def worth(plan, card):
    if has(plan.great, card):
        return GREAT
    if has(plan.good, card):
        return GOOD
    return FAIR if has(plan.fair, card) else POOR


@compiled
def known_worth(state, seat, plan, card):
    """The same, but the mean of the unseen ones for a card that the seat does not know; 0 for
    none."""
    if card == box.NONE:
        return 0.0
    return worth(plan, card) if has(state.known[seat], card) else plan.unseen_worth


@compiled
def top_worth(state, seat, plan, square):
    """The worth of the top card of a square, as far as the seat knows."""
    return known_worth(state, seat, plan, state.top[square])


@compiled
def empty_carrier(state, seat, at, used):
    """A piece beside a place with an empty backpack, -1 if there is none; ``used``: pieces that
    will not do, as a set."""
    for j in range(box.PIECES):
        if (
            not has(used, j)
            and state.backpacks[seat, j] == box.NONE
            and site.are_close(state, seat, at, state.pieces[seat, j])
        ):
            return j
    return -1


@compiled
def nearness(a, b):
    """1 for the same square, less the further away."""
    return 1.0 / (1.0 + site.steps(a, b))


@compiled
def nearness_to_rivals(state, seat, square):
    """The nearness of the rivals' base that is nearest to a square."""
    best = 0.0
    for p in range(state.num_players):
        if p != seat:
            best = max(best, nearness(square, state.bases[p]))
    return best
