"""A scripted player of Twenty Questions, from what its seat can see.

A set of genera that the card may still be has an expected cost: the questions until the card is
taken, estimated from the entropy of the cards not seen yet. The player puts the question or guess
after which the expected cost is least, a set that costs more than a new card counting as that,
since it can be passed. With its last three questions it looks for the best chance to take this card
instead. It passes what costs more than a new card, and whenever that ends the game in its favour.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import questions
from dig_envs.games.twenty_questions import state as s

# n · log2 n, from which the entropy of cards counted by genus follows.
N_LOG_N = np.array([0.0, *(n * np.log2(n) for n in range(1, box.NUM_CARDS + 1))])
# By how many questions the best that can be asked exceeds the entropy: less where one genus is
# likely. Fitted to the exact cost of sets that are left by questions about a full deck.
EXCESS, LIKELIEST = 0.5, 0.4
FEW = 3  # questions with which a player only looks for the best chance to take this card


class Weights(NamedTuple):
    """The weights in which styles differ."""

    # how many questions it counts for each card that a guess would take, beside those that it saves
    bold: float = 0.0
    # how many more questions than a new card it puts to this one before it passes
    patience: float = 0.0


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The action of the questioner; it reads only the answers and what all have seen."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    possible = questions.possible_genera(state)
    unseen = questions.unseen_genera(state)
    if questions.may_pass(state):
        if state.deck_len == 0 or state.passing == s.FREE:
            if would_win_alone(state, seat):
                return s.A_PASS
        if state.deck_len > 0 and is_worse_than_a_new_card(
            state, possible, unseen, state.left[seat], weights
        ):
            return s.A_PASS
    most = box.NUM_CARDS * box.NUM_CARDS * 1.0
    if state.deck_len > 0:
        most = per_card(state, unseen)
    return best_question(state, possible, most, state.left[seat], weights)


@compiled
def would_win_alone(state, seat):
    """Whether the seat alone would win if the game ended now (TQ-12)."""
    mine = questions.strength(state, seat)
    for p in range(state.num_players):
        if p != seat and questions.strength(state, p) >= mine:
            return False
    return True


@compiled
def is_worse_than_a_new_card(state, possible, unseen, left, weights):
    """Whether a new card would take fewer questions; with few questions left, whether it is more
    likely to be taken."""
    if left <= FEW:
        chance = taken_within(state, possible, left) * questions.count_cards(state, unseen)
        return chance < taken_within(state, unseen, left) * questions.count_cards(state, possible)
    return per_card(state, possible) > per_card(state, unseen) + weights.patience + 1e-9


@compiled
def best_question(state, possible, most, left, weights):
    """The most promising question or guess for a set that is worth at most ``most`` questions per
    card."""
    best = s.A_GUESS
    best_taken = -1
    best_cost = 0.0
    # guesses first: with equal promise they may end the turn at once
    for action in range(s.A_PASS - 1, -1, -1):
        yes = possible & box.YES[action]
        if yes != 0 and (yes != possible or action >= s.A_GUESS):
            taken = taken_after(state, possible, action, left) if left <= FEW else 0
            cost = cost_after(state, possible, action, most)
            if action >= s.A_GUESS:
                cost -= weights.bold * questions.count_cards(state, yes)
            if taken > best_taken or (taken == best_taken and cost < best_cost - 1e-9):
                best = action
                best_taken = taken
                best_cost = cost
    return best


# ---------------------------------------------------------------- how many questions it takes


@compiled
def cost_after(state, possible, action, most):
    """The expected further questions after one, times the cards of the set."""
    cost = cost_at_most(state, possible & ~box.YES[action], most)
    if action < s.A_GUESS:
        cost += cost_at_most(state, possible & box.YES[action], most)
    return cost


@compiled
def cost_at_most(state, genera, most):
    """The expected cost of a set that is worth at most ``most`` questions per card."""
    cost, cards = expected_cost(state, genera)
    return min(cost, most * cards)


@compiled
def expected_cost(state, genera):
    """The estimated number of questions, with the right guess, to take a card of a set, times the
    cards of the set; and these cards."""
    cards = 0
    number = 0
    most = 0
    information = 0.0
    for genus in range(box.NUM_GENERA):
        if (genera >> genus) & 1:
            count = int(state.unseen[genus])
            cards += count
            number += 1
            most = max(most, count)
            information += N_LOG_N[count]
    if number <= 1:
        return cards * 1.0, cards
    if number == 2:  # guess the likelier one, then the other
        return cards * 2.0 - most, cards
    return N_LOG_N[cards] - information + EXCESS * cards - LIKELIEST * most, cards


@compiled
def per_card(state, genera):
    """The estimated number of questions per card of a set."""
    cost, cards = expected_cost(state, genera)
    return cost / cards


# -------------------------------------------------------------- how likely it is with few questions


@compiled
def taken_within(state, genera, left):
    """The number of cards of a set taken within ``left`` questions, up to FEW.

    Guesses of the likeliest genera take most, but with three questions it may be better to divide
    the set by the first.
    """
    best = taken_by_guesses(state, genera, left)
    if left == FEW:
        for action in range(s.A_GUESS):
            best = max(best, taken_after(state, genera, action, left))
    return best


@compiled
def taken_after(state, possible, action, left):
    """The number of cards of a set taken within ``left`` questions, the first of which is given."""
    yes = taken_by_guesses(
        state, possible & box.YES[action], 1 if action >= s.A_GUESS else left - 1
    )
    return yes + taken_by_guesses(state, possible & ~box.YES[action], left - 1)


@compiled
def taken_by_guesses(state, genera, number):
    """The number of cards of the ``number`` likeliest genera of a set."""
    taken = 0
    for _ in range(number):
        likeliest, most = 0, 0
        for genus in range(box.NUM_GENERA):
            if (genera >> genus) & 1 and state.unseen[genus] > most:
                likeliest, most = genus, int(state.unseen[genus])
        taken += most
        genera &= ~(1 << likeliest)
    return taken
