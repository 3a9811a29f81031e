"""The scripted player's judgement of a position: the runs that it expects of itself and of the
others, if the game ended soon."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards
from dig_envs.games.dino_dig.rules.cards import deck_of, has, size_of

CERTAIN = 0.5  # what is less likely is rather made with a joker
JOKER_SERVES = 0.75
PER_TURN = 0.035  # by how much less the lead has to be with which the seat goes home, for each turn
PATIENT_TURNS = 100  # then it goes home in any case, if `per_rival` adds nothing


@compiled
def wants_end(state, seat, plan, weights):
    """Whether the seat should go home: it has the cards, and expects to win."""
    carried = size_of(cards.in_backpacks(state, seat))
    if state.museum_size[seat] + carried < box.ENOUGH_CARDS:
        return False
    more = weights.per_rival * (state.num_players - 2)
    if state.turn >= PATIENT_TURNS and more == 0.0:
        return True
    return lead(state, seat, plan) >= weights.margin + more - PER_TURN * state.turn


@compiled
def lead(state, seat, plan):
    """The own expected run less the longest one of another."""
    best = 0.0
    for p in range(state.num_players):
        if p != seat:
            best = max(best, expected_run(state, seat, p, plan))
    return expected_run(state, seat, seat, plan) - best


@compiled
def expected_run(state, seat, p, plan):
    """The length of a player's run that the seat expects, from what it knows."""
    if state.contract != s.FREE_FOR_ALL:
        hidden = p != seat and state.contract == s.FREELANCE
        return expected_run_of_suit(state, seat, p, -1 if hidden else state.suits[p] - 1, plan)
    best = 0.0
    for suit in range(box.NUM_SUITS):
        best = max(best, expected_run_of_suit(state, seat, p, suit, plan))
    return best


@compiled
def expected_run_of_suit(state, seat, p, suit, plan):
    """The same for one suit (-1: not known which)."""
    unseen = max(1, size_of(deck_of(state) & ~state.known[seat]))
    # of the unseen cards that are in that museum
    share = size_of(state.museum[p] & ~state.known[seat]) / unseen
    against = 0.0  # … in another's
    for q in range(state.num_players):
        if q != p:
            against += size_of(state.museum[q] & ~state.known[seat]) / unseen
    own = state.known[seat] & (state.museum[p] | cards.in_backpacks(state, p))
    others = state.known[seat] & cards.held_by_others(state, p)
    for value in range(box.NUM_VALUES):
        plan.chance[value] = chance_of_value(state, seat, suit, value, own, others, share, against)
    jokers = size_of(own & box.JOKERS) + share * size_of(
        box.JOKERS & deck_of(state) & ~state.known[seat]
    )
    best = 0.0
    for low in range(box.NUM_VALUES):
        best = max(best, length_from(plan, low, jokers))
    return best


@compiled
def length_from(plan, low, jokers):
    """The expected length of the run that begins at a value."""
    length, product = 0.0, 1.0
    for value in range(low, box.NUM_VALUES):
        chance = plan.chance[value]
        if chance < CERTAIN and jokers > 0.0:
            chance = max(chance, JOKER_SERVES * min(1.0, jokers))
            jokers -= 1.0
        product *= chance
        if product < 0.05:
            break
        length += product
    return length


@compiled
def chance_of_value(state, seat, suit, value, own, others, share, against):
    """The probability that a player has a card for a value, and may use it (DD-25)."""
    none = 1.0
    for some in range(box.NUM_SUITS):
        card = 1 + box.NUM_VALUES * some + value
        chance = 1.0 if has(own, card) else 0.0
        if not has(state.known[seat], card):
            chance = share
        if chance > 0.0 and some != suit:
            if state.contract == s.FREE_FOR_ALL:
                chance = 0.0
            if value > 0:
                chance *= not_against(state, seat, card - 1, others, against)
            if value < box.NUM_VALUES - 1:
                chance *= not_against(state, seat, card + 1, others, against)
        none *= 1.0 - chance
    return 1.0 - none


@compiled
def not_against(state, seat, card, others, against):
    """The probability that no other player has a card."""
    if has(state.known[seat], card):
        return 0.0 if has(others, card) else 1.0
    return 1.0 - against
