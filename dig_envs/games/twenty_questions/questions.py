"""Questions about a position that rules, observation and scripted player ask alike."""

from dig_envs.engine.jit import compiled
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s


@compiled
def answer(state, action):
    """TQ-2: the true answer to a question or guess about the card in play, 1 for yes."""
    return (box.YES[action] >> (state.card - 1)) & 1


@compiled
def possible_genera(state):
    """The set of genera that the card in play may be, for those who have only heard the answers (none when over)."""
    possible = 0
    if state.card != s.NO_CARD:
        for genus in range(box.NUM_GENERA):
            if state.unseen[genus] > 0:
                possible |= 1 << genus
    for i in range(state.asked_len):
        yes = box.YES[state.asked[i]]
        possible &= yes if answer(state, state.asked[i]) else ~yes
    return possible


@compiled
def count_cards(state, genera):
    """Unseen cards of a set of genera."""
    count = 0
    for genus in range(box.NUM_GENERA):
        if (genera >> genus) & 1:
            count += int(state.unseen[genus])
    return count


@compiled
def may_pass(state):
    """TQ-7."""
    return state.asked_len > 0 or state.passing == s.FREE


@compiled
def best_research(state, p):
    """The highest research value among the cards of a seat, 0 for none."""
    best = 0
    for i in range(state.scores[p]):
        best = max(best, box.RESEARCH[state.taken[p, i]])
    return best


@compiled
def best_value(state, p):
    """The highest value of a skeleton among the cards of a seat, 0 for none."""
    best = 0
    for i in range(state.scores[p]):
        best = max(best, box.VALUE[state.taken[p, i]])
    return best


@compiled
def strength(state, p):
    """TQ-12: a number that is greater for who stands better, by cards, then research fossil, then skeletal fossil."""
    return (state.scores[p] * (box.BEST_RESEARCH + 1) + best_research(state, p)) * (box.BEST_VALUE + 1) + best_value(state, p)


@compiled
def greatest_strength(state):
    """TQ-12: the strength of who would win if the game ended here."""
    best = strength(state, 0)
    for p in range(1, state.num_players):
        best = max(best, strength(state, p))
    return best
