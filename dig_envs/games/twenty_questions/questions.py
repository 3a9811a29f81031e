"""Questions about a position that rules, observation and scripted player ask alike."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.winners import winners_by
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s


@compiled
def answer(state, action):
    """TQ-2: return the true answer to a question or guess about the card in play, 1 for yes."""
    return (box.YES[action] >> (state.card - 1)) & 1


@compiled
def unseen_genera(state):
    """The set of genera with cards in the deck or in play."""
    unseen = 0
    for genus in range(box.NUM_GENERA):
        if state.unseen[genus] > 0:
            unseen |= 1 << genus
    return unseen


@compiled
def possible_genera(state):
    """The genera that the card in play may have, for those who only heard the answers (none when
    over)."""
    possible = unseen_genera(state) if state.card != s.NO_CARD else 0
    for i in range(state.asked_len):
        yes = box.YES[state.asked[i]]
        possible &= yes if answer(state, state.asked[i]) else ~yes
    return possible


@compiled
def count_cards(state, genera):
    """The number of unseen cards of a set of genera."""
    count = 0
    for genus in range(box.NUM_GENERA):
        if (genera >> genus) & 1:
            count += int(state.unseen[genus])
    return count


@compiled
def may_pass(state):
    """Whether passing is legal: a question was asked about the card in play, or passing is free
    (TQ-7)."""
    return state.asked_len > 0 or state.passing == s.FREE


@compiled
def best_of(state, p, worth):
    """The highest worth among the cards of a seat, 0 for none; ``worth``: of a card of each
    genus."""
    best = 0
    for i in range(state.scores[p]):
        best = max(best, worth[state.taken[p, i]])
    return best


@compiled
def strength(state, p):
    """TQ-12: return a number that is greater for who stands better, by cards, then research fossil,
    then skeletal fossil."""
    research, value = best_of(state, p, box.RESEARCH), best_of(state, p, box.VALUE)
    return (state.scores[p] * (box.BEST_RESEARCH + 1) + research) * (box.BEST_VALUE + 1) + value


mark_winners = winners_by(strength)
