"""The rules of Twenty Questions (TQ-1 to TQ-13), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append, append_counted, clear
from dig_envs.engine.core.random import below, seed_generator, shuffle
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import events as e
from dig_envs.games.twenty_questions import questions
from dig_envs.games.twenty_questions import state as s


@compiled
def setup(state, seed):
    """Shuffle the deck; seat 0 is the first questioner, the last seat the first answerer (TQ-1)."""
    seed_generator(state, seed)
    for genus in range(box.NUM_GENERA):
        state.unseen[genus] = box.CARDS[genus]
    state.deck_len = append_counted(state.deck, 0, state.unseen)
    shuffle(state, state.deck, state.deck_len)
    for p in range(state.num_players):
        state.left[p] = state.questions
    begin_turn(state, 0, state.num_players - 1)


@compiled
def begin_turn(state, questioner, answerer):
    """Begin a turn: the answerer draws a card for the questioner (TQ-1, TQ-9)."""
    state.phase = s.QUESTION
    state.answerer = answerer
    turns.begin_turn(state, questioner)
    draw(state)


@compiled
def draw(state):
    """Bring the top card of the deck, which must not be empty, into play."""
    state.deck_len -= 1
    state.card = state.deck[state.deck_len] + 1
    state.deck[state.deck_len] = 0
    tell(state, e.DREW, state.answerer, state.card - 1)


@compiled
def legal_actions(state, seat, mask):
    """Mark whatever has not been put about this card (TQ-3 to TQ-5), and `pass` (TQ-7)."""
    for action in range(s.A_PASS):
        mask[action] = 1
    for i in range(state.asked_len):
        mask[state.asked[i]] = 0
    mask[s.A_PASS] = questions.may_pass(state)


@compiled
def apply_action(state, seat, action):
    """Carry out a question, a guess or `pass` (TQ-3)."""
    if action == s.A_PASS:
        tell(state, e.PASSED, seat)
        pass_card(state)
    elif put(state, seat, action) and action >= s.A_GUESS:
        take_card(state, seat)
        end_turn(state, seat)
    else:
        state.asked_len = append(state.asked, state.asked_len, action)
        if state.left[seat] == 0:  # TQ-8
            tell(state, e.RAN_OUT, seat)
            discard_card(state)
            end_turn(state, seat)


@compiled
def put(state, seat, action):
    """Put a question or a guess about the card in play, which costs one question; returns the
    answer (TQ-2, TQ-4, TQ-5)."""
    state.left[seat] -= 1
    if action < s.A_GUESS:
        tell(state, e.ASKED, seat, action)
    else:
        tell(state, e.GUESSED, seat, action - s.A_GUESS)
    answer = questions.answer(state, action)
    tell(state, e.ANSWERED, state.answerer, answer)
    return answer


@compiled
def pass_card(state):
    """Discard the card in play and draw a new one; without a card left the game is over (TQ-7,
    TQ-10)."""
    discard_card(state)
    if state.deck_len == 0:
        end_game(state)
    else:
        draw(state)


@compiled
def take_card(state, seat):
    """Put the card in play among those that the seat has taken (TQ-6)."""
    tell(state, e.TOOK, seat, state.card - 1)
    state.scores[seat] = append(state.taken[seat], state.scores[seat], state.card - 1)
    show_card(state)


@compiled
def discard_card(state):
    """Put the card in play among the discards (TQ-7, TQ-8)."""
    tell(state, e.DISCARDED, NO_SEAT, state.card - 1)
    state.discards_len = append(state.discards, state.discards_len, state.card - 1)
    show_card(state)


@compiled
def show_card(state):
    """Show the card in play to all; it is in play no longer, and what was asked was about it."""
    state.unseen[state.card - 1] -= 1
    state.card = s.NO_CARD
    state.asked_len = clear(state.asked, state.asked_len)


@compiled
def end_turn(state, seat):
    """End the turn: the next questioner begins, or the game is over (TQ-9 to TQ-11)."""
    questioner = next_questioner(state, seat)
    if questioner == turns.NOBODY or state.deck_len == 0:
        end_game(state)
        return
    p = next_seat(state, seat)
    while p != questioner:
        tell(state, e.PASSED_OVER, p)
        p = next_seat(state, p)
    if questioner == seat:
        begin_turn(state, seat, seat_after(state, seat, state.num_players - 1))
    else:
        begin_turn(state, questioner, seat)


@compiled
def next_questioner(state, seat):
    """The next seat with questions left after a seat, that seat last; NOBODY if none has any
    (TQ-9)."""
    for k in range(1, state.num_players + 1):
        p = seat_after(state, seat, k)
        if state.left[p] > 0:
            return p
    return turns.NOBODY


@compiled
def end_game(state):
    """End the game; the most cards win, then the research fossil, then the skeletal fossil
    (TQ-12)."""
    state.answerer = turns.NOBODY
    turns.finish(state, s.OVER)
    questions.mark_winners(state, state.winners)


@compiled
def determinize(state, seat):
    """Mix the deck; for all but the answerer with the card in play, which agrees with what has been
    answered."""
    if state.phase == s.QUESTION and seat != state.answerer:
        state.card = any_possible_card(state) + 1
    if state.card != s.NO_CARD:
        state.unseen[state.card - 1] -= 1
    append_counted(state.deck, 0, state.unseen)  # in genus order, so that only what is seen matters
    shuffle(state, state.deck, state.deck_len)
    if state.card != s.NO_CARD:
        state.unseen[state.card - 1] += 1


@compiled
def any_possible_card(state):
    """Draw a genus that the card in play may be, each unseen card equally likely."""
    possible = questions.possible_genera(state)
    left = below(state, questions.count_cards(state, possible))
    for genus in range(box.NUM_GENERA):
        if (possible >> genus) & 1:
            left -= state.unseen[genus]
            if left < 0:
                return genus
    return turns.NOBODY


@compiled
def derive(state):
    """Count the cards of `unseen`: the deck and the card in play."""
    clear(state.unseen, box.NUM_GENERA)
    for i in range(state.deck_len):
        state.unseen[state.deck[i]] += 1
    if state.card != s.NO_CARD:
        state.unseen[state.card - 1] += 1


@compiled
def inspect(state, facts):
    questions.mark_winners(state, facts.winners)
