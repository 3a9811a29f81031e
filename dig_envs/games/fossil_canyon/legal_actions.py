"""The legal actions of Fossil Canyon."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.seats import seat_after
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of the seat, which is to decide; the mask comes in zero."""
    phase = state.phase
    if phase == s.GIVE:  # FC-18
        for t in range(deck.NUM_TYPES):
            mask[s.A_GIVE_HIDDEN + t] = state.hidden[seat, t] > 0
            mask[s.A_GIVE_OPEN + t] = state.open[seat, t] > 0
    elif phase == s.TAKE:
        legal_taking(state, mask)
    elif phase == s.EXCHANGE:
        legal_exchanges(state, seat, mask)
        legal_claims(state, seat, mask)
    elif phase == s.DIG or phase == s.BONUS:  # FC-13, FC-22
        mask[s.A_DIG_BURIED] = state.buried_len > 0
        for t in range(deck.NUM_TYPES):
            mask[s.A_DIG + t] = state.exposed[t] > 0
        legal_claims(state, seat, mask)
    elif phase == s.ADJUST or phase == s.SETUP:
        legal_choices(state, seat, mask)
    elif phase == s.PAY:  # FC-28
        for x in range(deck.NUM_TRACES):
            mask[s.A_PAY + x] = (
                state.hidden[seat, deck.FIRST_TRACE + x] + state.open[seat, deck.FIRST_TRACE + x]
                > 0
            )
    elif phase == s.KEEP:  # FC-15
        mask[s.A_KEEP] = 1
        mask[s.A_PUT_BACK] = 1


@compiled
def legal_choices(state, seat, mask):
    """FC-6, FC-8, FC-23: types of which a fossil is not chosen yet; FC-26: claims before the first
    one."""
    for t in range(deck.NUM_TYPES):
        mask[s.A_HIDE + t] = state.hidden[seat, t] + state.open[seat, t] > 0
    for i in range(state.chosen_len[seat]):
        t = state.chosen[seat, i]
        mask[s.A_HIDE + t] = questions.may_choose(state, seat, t)
    mask[s.A_DONE] = 1
    if state.phase == s.ADJUST and state.chosen_len[seat] == 0:
        legal_claims(state, seat, mask)


@compiled
def legal_exchanges(state, seat, mask):
    """Mark the players with whom an exchange can begin; `finish` is always legal (FC-16, FC-17)."""
    mask[s.A_FINISH] = 1
    if questions.can_pay_exchange(state, seat):
        for k in range(1, state.num_players):
            if questions.has_something_to_take(state, seat_after(state, seat, k)):
                mask[s.A_EXCHANGE + k - 1] = 1


@compiled
def legal_taking(state, mask):
    """Mark what may be taken from the partner: face-up types that are not barred, a hidden fossil
    (FC-19)."""
    partner = state.partner - 1
    for t in range(deck.NUM_TYPES):
        mask[s.A_TAKE + t] = state.open[partner, t] > 0
    for i in range(state.barred_len):
        mask[s.A_TAKE + int(state.barred[i])] = 0
    mask[s.A_TAKE_BLIND] = state.blind_take and state.num_hidden[partner] > 0


@compiled
def legal_claims(state, seat, mask):
    """Mark the awards for which the seat's trace fossils are worth enough (FC-26, FC-27)."""
    for award in range(len(box.AWARDS)):
        mask[s.A_CLAIM + award] = questions.may_claim(state, seat, award)
