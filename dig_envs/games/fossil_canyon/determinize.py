"""Re-dealing what a seat of Fossil Canyon cannot know."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append_counted, clear, insert_sorted
from dig_envs.engine.core.random import below, shuffle
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s


@compiled
def determinize(state, seat):
    """Re-deal what the seat cannot know."""
    redeal_fossils(state, seat)
    redeal_events(state)
    for p in range(state.num_players):
        if p != seat:
            for x in range(state.num_players):  # others are taken to know what the seat knows
                if x != seat and x != p:
                    state.known_len[x, p] = state.known_len[seat, p]
                    for i in range(len(state.known[x, p])):
                        state.known[x, p, i] = state.known[seat, p, i]
            redeal_choice(state, p)


@compiled
def redeal_fossils(state, seat):
    """The fossils that the seat cannot see, from type order so that only its view matters, over the
    same places."""
    count = collect_unseen(state, seat)
    while True:
        shuffle(state, state.cards, count)
        deal_unseen(state, seat)
        if is_possible(state, seat):
            break
        take_back_unseen(state, seat)
    clear(state.cards, count)


@compiled
def collect_unseen(state, seat):
    """Put the unseen fossils into `cards` in type order; what is known of others stays in their
    hidden hands. Their number."""
    cards = state.cards
    count = append_counted(cards, 0, state.discarded)
    for i in range(state.buried_len):
        count = insert_sorted(cards, count, state.buried[i])
    for p in range(state.num_players):
        if p != seat:
            for i in range(state.known_len[seat, p]):
                state.hidden[p, state.known[seat, p, i]] -= 1
            for t in range(deck.NUM_TYPES):
                for _ in range(state.hidden[p, t]):
                    count = insert_sorted(cards, count, t)
    if state.dug > 0 and state.player != seat:
        count = insert_sorted(cards, count, state.dug - 1)
    take_back_unseen(state, seat)
    return count


@compiled
def take_back_unseen(state, seat):
    """The hidden hands of others hold only what the seat knows, and nothing is discarded;
    `num_hidden` stays."""
    for p in range(state.num_players):
        if p != seat:
            clear(state.hidden[p], deck.NUM_TYPES)
            for i in range(state.known_len[seat, p]):
                state.hidden[p, state.known[seat, p, i]] += 1
    clear(state.discarded, deck.NUM_TYPES)


@compiled
def deal_unseen(state, seat):
    """Deal `cards` to the buried fossils, the discarded ones, the hidden hands of others and what
    another is looking at."""
    at = 0
    for i in range(state.buried_len):
        state.buried[i] = state.cards[at]
        at += 1
    for _ in range(box.DISCARDED):
        state.discarded[state.cards[at]] += 1
        at += 1
    for p in range(state.num_players):
        if p != seat:
            for _ in range(state.num_hidden[p] - state.known_len[seat, p]):
                state.hidden[p, state.cards[at]] += 1
                at += 1
    if state.dug > 0 and state.player != seat:
        state.dug = state.cards[at] + 1


@compiled
def is_possible(state, seat):
    """Nobody holds a complete skeleton, and who is paying can pay the rest."""
    for p in range(state.num_players):
        if p != seat and questions.holds_complete_skeleton(state, p):
            return False
    if state.phase == s.PAY and state.player != seat:
        return questions.can_pay_rest(state)
    return True


@compiled
def redeal_events(state):
    """Permute the event cards that have not been drawn yet."""
    undrawn = state.event_deck[state.events_seen :]
    counts = state.cards
    for i in range(len(undrawn)):
        counts[undrawn[i]] += 1
    append_counted(undrawn, 0, counts[: box.EVENT_KINDS])
    clear(counts, box.EVENT_KINDS)
    shuffle(state, undrawn, len(undrawn))


@compiled
def redeal_choice(state, p):
    """Another seat's choice: a new random one if it has committed to it in set-up, else as if it
    were just beginning."""
    state.chosen_len[p] = clear(state.chosen[p], state.chosen_len[p])
    if state.phase != s.SETUP or state.owes[p]:
        return
    while not questions.is_choice_complete(state, p):
        t = random_choice(state, p)
        if t < 0:
            break
        state.chosen_len[p] = insert_sorted(state.chosen[p], state.chosen_len[p], t)


@compiled
def random_choice(state, p):
    """One of the legal actions of FC-8, all equally likely: a type, or -1 for `done`."""
    count = 1
    for t in range(deck.NUM_TYPES):
        count += questions.may_choose(state, p, t)
    left = below(state, count)
    for t in range(deck.NUM_TYPES):
        if questions.may_choose(state, p, t):
            if left == 0:
                return t
            left -= 1
    return turns.NOBODY
