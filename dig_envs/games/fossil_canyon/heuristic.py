"""A scripted player of Fossil Canyon, from what its seat can see.

It judges a hand by what each genus may still become: the value of the skeleton times how likely the
missing parts are to be had. A fossil is worth what it adds to that. So it digs, takes and keeps
what adds most, gives away what adds least and does not complete the other's skeletons, pays for a
second or third exchange if that still gains, hides the parts without which nobody else can complete
a skeleton, and trades trace fossils for awards at the end of its turn.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import contains
from dig_envs.engine.core.seats import seat_after
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s

# How much of a skeleton's value it is worth to miss parts that others show: while exchanges are
# still to come, and after them.
BEFORE_EXCHANGES = np.array([1.0, 0.9, 0.65, 0.35, 0.05])
AFTER_EXCHANGES = np.array([1.0, 0.5, 0.25, 0.1, 0.03])
EXPOSED_PART = 0.5  # chance to get a missing part that lies exposed
UNSEEN_PART = 0.45  # or that has not been seen
BONUS_DIG = 3.0  # worth of the bonus dig
FODDER = 1.0  # worth of any fossil as payment
SPARE = 0.04  # share of a skeleton's value that a second copy of a part is worth
TRACE = 1.5  # worth of a trace fossil, per research value
CERTAIN = 100.0

HAND, POOL, SITE, UNSEEN = range(4)  # rows of what is seen

# Sets of trace fossils, a bit for each: the cheapest first, of these the smallest; the research
# value and first fossil of each.
_WORTH_OF_SET = [
    sum(int(deck.RESEARCH[x]) for x in range(deck.NUM_TRACES) if some >> x & 1)
    for some in range(1 << deck.NUM_TRACES)
]
PAYMENTS = np.array(
    sorted(
        range(1, 1 << deck.NUM_TRACES),
        key=lambda some: (_WORTH_OF_SET[some], some.bit_count(), some),
    )
)
PAYMENT_VALUE = np.array(_WORTH_OF_SET)[PAYMENTS]
PAYMENT_FIRST = np.array([(int(some) & -int(some)).bit_length() - 1 for some in PAYMENTS])


class Weights(NamedTuple):
    """The weights in which styles differ."""

    gift: float = 0.8  # worth of any fossil to the one who gets it
    given_away: float = 1.0  # share of a skeleton's value that it costs to complete it for another
    # share of it that it is worth to take a part from one who is about to complete it
    denied: float = 0.0
    least_gain: float = 0.0  # what an exchange has to gain
    # 1: in the end phase it still waits for parts that nobody has
    waits: float = 0.0


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The action of a deciding seat; it reads only what the seat may know."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    phase = state.phase
    if phase == s.SETUP or phase == s.ADJUST:
        return choose_hidden(state, seat)
    if phase == s.PAY:
        return s.A_PAY + choose_payment(state, seat)
    seen = np.zeros((4, deck.NUM_TYPES), np.int64)
    look(state, seat, seen)
    if state.ending and not weights.waits:
        seen[UNSEEN] = 0  # all that is left in the game lies face up
    if phase == s.DIG or phase == s.BONUS or phase == s.KEEP:
        action, best = best_dig(state, seat, seen)
        if phase == s.KEEP:  # what is at least as good as what else can be dug
            return s.A_KEEP if gain(state, seat, seen, state.dug - 1) >= best else s.A_PUT_BACK
        return action
    if phase == s.EXCHANGE:
        return choose_exchange(state, seat, seen, weights)
    partner = state.partner - 1
    wanted = best_to_take(state, seat, partner, seen, weights)
    if phase == s.TAKE:
        return s.A_TAKE + wanted if wanted >= 0 else s.A_TAKE_BLIND
    if wanted >= 0:
        seen[HAND, wanted] += 1
    t = cheapest_to_give(state, seat, partner, seen, wanted, weights)
    return t + (s.A_GIVE_OPEN if state.open[seat, t] > 0 else s.A_GIVE_HIDDEN)


# ---------------------------------------------------------------- what the seat sees


@compiled
def look(state, seat, seen):
    """Per type: own fossils, those that others show, those exposed, and those that the seat does
    not see."""
    for t in range(deck.NUM_TYPES):
        seen[HAND, t] = state.hidden[seat, t] + state.open[seat, t]
        seen[SITE, t] = state.exposed[t]
        seen[UNSEEN, t] = deck.COPIES[t] - seen[HAND, t] - seen[SITE, t]
        if t < deck.FIRST_TRACE:
            seen[UNSEEN, t] -= state.pieces[deck.GENUS_OF[t]]
        elif state.research:
            seen[UNSEEN, t] -= state.spent[t - deck.FIRST_TRACE]
        else:
            seen[UNSEEN, t] = 0
    for p in range(state.num_players):
        if p != seat:
            for t in range(deck.NUM_TYPES):
                seen[POOL, t] += state.open[p, t]
                seen[UNSEEN, t] -= state.open[p, t]
    if state.phase == s.KEEP and state.player == seat:
        seen[UNSEEN, state.dug - 1] -= 1


# ---------------------------------------------------------------- what fossils are worth


@compiled
def worth_of_genus(state, seat, seen, genus):
    left = deck.SKELETONS[genus] - state.pieces[genus]
    if left <= 0:
        return 0.0
    value = float(deck.VALUE[genus])
    chance = 1.0
    to_exchange = 0
    held = 0
    spare = 0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if seen[HAND, t] > 0:
            held += 1
            spare += seen[HAND, t] - 1
        elif seen[POOL, t] > 0:
            to_exchange += 1
        elif seen[SITE, t] > 0:
            chance *= EXPOSED_PART
        elif seen[UNSEEN, t] > 0:
            chance *= UNSEEN_PART
        else:
            return 0.0
    if held == deck.PARTS[genus]:
        if seat == state.player and not state.bonus and not state.ending and state.phase != s.BONUS:
            return value + BONUS_DIG
        return value
    if held == 0:
        chance *= 0.6
    if state.phase == s.DIG or state.phase == s.KEEP:
        share = BEFORE_EXCHANGES[to_exchange]
    else:
        share = AFTER_EXCHANGES[to_exchange]
    if left == 1:
        spare = 0
    return value * (chance * share + SPARE * spare)


@compiled
def worth_of_research(state, seen):
    value = 0
    for x in range(deck.NUM_TRACES):
        value += deck.RESEARCH[x] * seen[HAND, deck.FIRST_TRACE + x]
    major = questions.pieces_left(state, box.MAJOR) > 0
    minor = questions.pieces_left(state, box.MINOR) > 0
    if major and value >= box.AWARD_VALUE[box.MAJOR]:
        return 20.0 + 0.5 * (value - 6)
    if minor and value >= box.AWARD_VALUE[box.MINOR]:
        return 10.0 + 0.5 * (value - 4)
    if major or minor:
        return TRACE * value
    return 0.0


@compiled
def worth_around(state, seat, seen, t):
    """The worth of the fossils that go together with type t."""
    if t >= deck.FIRST_TRACE:
        return worth_of_research(state, seen)
    return worth_of_genus(state, seat, seen, deck.GENUS_OF[t])


@compiled
def gain(state, seat, seen, t):
    """The gain from one more fossil of the type."""
    before = worth_around(state, seat, seen, t)
    seen[HAND, t] += 1
    after = worth_around(state, seat, seen, t)
    seen[HAND, t] -= 1
    return after - before + FODDER


@compiled
def expected_gain(state, seat, seen):
    """The mean gain from an unseen fossil."""
    total = 0.0
    count = 0
    for t in range(deck.NUM_TYPES):
        if seen[UNSEEN, t] > 0:
            total += seen[UNSEEN, t] * gain(state, seat, seen, t)
            count += seen[UNSEEN, t]
    if count == 0:
        return 0.0
    return total / count


@compiled
def price_of_giving(state, seat, partner, seen, t, weights):
    before = worth_around(state, seat, seen, t)
    seen[HAND, t] -= 1
    after = worth_around(state, seat, seen, t)
    seen[HAND, t] += 1
    cost = before - after + FODDER + weights.gift
    if t < deck.FIRST_TRACE:
        genus = deck.GENUS_OF[t]
        if deck.SKELETONS[genus] > state.pieces[genus]:
            cost += (
                weights.given_away
                * deck.VALUE[genus]
                * chance_of_completing(state, seat, partner, seen, genus, t)
            )
    return cost


@compiled
def chance_of_completing(state, seat, partner, seen, genus, given):
    """The chance that the partner completes a genus with the type given; less if parts can be
    had elsewhere."""
    chance = 1.0
    unseen = 1
    for t in range(deck.NUM_TYPES):
        unseen += seen[UNSEEN, t]
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if (
            t == given
            or state.open[partner, t] > 0
            or contains(state.known[seat, partner], state.known_len[seat, partner], t)
        ):
            continue
        unknown = state.num_hidden[partner] - state.known_len[seat, partner]
        in_hand = min(0.9, unknown * seen[UNSEEN, t] / unseen)
        if seen[POOL, t] + seen[SITE, t] > 0:
            in_hand = max(in_hand, 0.3)
        elif seen[HAND, t] > 0:
            in_hand = max(in_hand, 0.1)
        chance *= in_hand
    return chance


# ---------------------------------------------------------------- digging


@compiled
def best_dig(state, seat, seen):
    """The exposed fossil that gains most, or a buried one if more can be expected from it; and the
    gain."""
    action = s.A_DIG_BURIED
    best = -1.0
    if state.buried_len > 0:
        best = expected_gain(state, seat, seen)
    for t in range(deck.NUM_TYPES):
        if state.exposed[t] > 0:
            value = gain(state, seat, seen, t)
            if value > best:
                action, best = s.A_DIG + t, value
    return action, best


# ---------------------------------------------------------------- exchanging


@compiled
def blind_gain(state, seat, partner, seen):
    count = state.num_hidden[partner]
    if count == 0 or not state.blind_take:
        return -CERTAIN
    total = 0.0
    for i in range(state.known_len[seat, partner]):
        total += gain(state, seat, seen, state.known[seat, partner, i])
    unknown = count - state.known_len[seat, partner]
    if unknown > 0:
        total += unknown * expected_gain(state, seat, seen)
    return total / count


@compiled
def gain_of_taking(state, seat, partner, seen, t, weights):
    """The worth of an open fossil of the type, taken from the partner, who then has it no more."""
    value = gain(state, seat, seen, t) + weights.gift
    if weights.denied > 0.0 and t < deck.FIRST_TRACE and state.open[partner, t] == 1:
        genus = deck.GENUS_OF[t]
        if deck.SKELETONS[genus] > state.pieces[genus]:
            value += (
                weights.denied
                * deck.VALUE[genus]
                * chance_of_completing(state, seat, partner, seen, genus, t)
            )
    return value


@compiled
def best_to_take(state, seat, partner, seen, weights):
    """The type of the partner's face-up fossil that gains most, -1 if a blind take is better."""
    best = blind_gain(state, seat, partner, seen)
    wanted = -1
    for t in range(deck.NUM_TYPES):
        if state.open[partner, t] > 0 and not contains(state.barred, state.barred_len, t):
            value = gain_of_taking(state, seat, partner, seen, t, weights)
            if value > best:
                best = value
                wanted = t
    return wanted


@compiled
def cheapest_to_give(state, seat, partner, seen, wanted, weights):
    """The type that costs least to give; not the one wanted, which the partner would not give
    back."""
    best = 1e9
    cheapest = -1
    for t in range(deck.NUM_TYPES):
        if state.hidden[seat, t] + state.open[seat, t] > 0 and seen[HAND, t] > 0 and t != wanted:
            cost = price_of_giving(state, seat, partner, seen, t, weights)
            if cost < best:
                best = cost
                cheapest = t
    if cheapest < 0:  # nothing but what is wanted
        cheapest = wanted
    return cheapest


@compiled
def net_gain(state, seat, partner, seen, weights):
    """The gain from the next exchange with the partner, less its price."""
    wanted = best_to_take(state, seat, partner, seen, weights)
    if wanted >= 0:
        value = gain_of_taking(state, seat, partner, seen, wanted, weights)
        seen[HAND, wanted] += 1
    else:
        value = blind_gain(state, seat, partner, seen)
    price = state.exchanges + 1  # fossils that the next exchange costs
    given = np.empty(box.MAX_EXCHANGES, np.int64)
    for i in range(price):
        t = cheapest_to_give(state, seat, partner, seen, wanted, weights)
        value -= price_of_giving(state, seat, partner, seen, t, weights)
        seen[HAND, t] -= 1
        given[i] = t
    for i in range(price):  # put back what was taken from the hand on trial
        seen[HAND, given[i]] += 1
    if wanted >= 0:
        seen[HAND, wanted] -= 1
    return value


@compiled
def choose_exchange(state, seat, seen, weights):
    """The exchange that gains most; without a gain, an award in the end phase, or the end of the
    step."""
    best = weights.least_gain
    action = s.A_FINISH
    if questions.can_pay_exchange(state, seat):
        for k in range(1, state.num_players):
            partner = seat_after(state, seat, k)
            if questions.has_something_to_take(state, partner):
                value = net_gain(state, seat, partner, seen, weights)
                if value > best:
                    best = value
                    action = s.A_EXCHANGE + k - 1
    if action == s.A_FINISH and state.ending:
        return claim_or(state, seat, s.A_FINISH)
    return action


# ---------------------------------------------------------------- research


@compiled
def claim_or(state, seat, otherwise):
    """The best award that can be had, else another action."""
    for award in (box.MAJOR, box.MINOR):
        if questions.may_claim(state, seat, award):
            return s.A_CLAIM + award
    return otherwise


@compiled
def choose_payment(state, seat):
    """The first trace fossil of the cheapest set that is enough, of the smallest among those."""
    rest = box.AWARD_VALUE[state.claim - 1] - state.paid
    held = 0
    for x in range(deck.NUM_TRACES):
        held |= (
            int(
                state.hidden[seat, deck.FIRST_TRACE + x] + state.open[seat, deck.FIRST_TRACE + x]
                > 0
            )
            << x
        )
    for i in range(len(PAYMENTS)):
        if PAYMENT_VALUE[i] >= rest and PAYMENTS[i] & ~held == 0:
            return PAYMENT_FIRST[i]
    return 0


# ---------------------------------------------------------------- hiding


@compiled
def choose_hidden(state, seat):
    """At the end of a turn first an award; then the fossils that are worth most to be hidden."""
    if state.phase == s.ADJUST and state.chosen_len[seat] == 0:
        action = claim_or(state, seat, s.A_DONE)
        if action != s.A_DONE:
            return action
    seen = np.zeros((4, deck.NUM_TYPES), np.int64)
    look(state, seat, seen)
    best = -1.0
    action = s.A_DONE
    for t in range(deck.NUM_TYPES):
        if questions.may_choose(state, seat, t):
            value = worth_of_hiding(state, seat, seen, t)
            if value > best:
                best = value
                action = s.A_HIDE + t
    return action


@compiled
def worth_of_hiding(state, seat, seen, t):
    """The worth of keeping the fossil from the others; one part that is nowhere else protects a
    whole genus."""
    if t >= deck.FIRST_TRACE:
        return TRACE * deck.RESEARCH[t - deck.FIRST_TRACE]
    genus = deck.GENUS_OF[t]
    if deck.SKELETONS[genus] == state.pieces[genus]:
        return 0.0
    held = 0
    visible = 0
    protected = False
    for other in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if seen[HAND, other] > 0:
            held += 1
            visible += 1
        elif seen[POOL, other] + seen[SITE, other] > 0:
            visible += 1
        elif seen[UNSEEN, other] == 0:
            return 0.0
        protected = protected or contains(state.chosen[seat], state.chosen_len[seat], other)
    coverage = visible / deck.PARTS[genus]
    value = deck.VALUE[genus] * coverage * coverage * (0.5 + 0.5 * held / deck.PARTS[genus])
    if seen[POOL, t] + seen[SITE, t] + seen[HAND, t] > 1:
        value *= 0.3
    if protected:
        value *= 0.3
    return value
