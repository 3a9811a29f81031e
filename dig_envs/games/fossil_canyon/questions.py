"""Questions about a position of Fossil Canyon: what a seat holds, and what the rules allow it."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box


@compiled
def holds_all_parts(state, p, genus):
    """FC-5: hidden and face-up fossils count together."""
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.hidden[p, t] + state.open[p, t] == 0:
            return False
    return True


@compiled
def holds_complete_skeleton(state, p):
    for genus in range(deck.NUM_GENERA):
        if holds_all_parts(state, p, genus):
            return True
    return False


@compiled
def num_fossils(state, p):
    """Fossils of a seat, hidden and face up."""
    return state.num_hidden[p] + state.num_open[p]


@compiled
def site_size(state):
    """Fossils in the dig site, buried and exposed."""
    return state.buried_len + state.num_exposed


@compiled
def research_value(state, p):
    """Research value of a seat's trace fossils, hidden and face up."""
    value = 0
    for x in range(deck.NUM_TRACES):
        value += deck.RESEARCH[x] * (
            state.hidden[p, deck.FIRST_TRACE + x] + state.open[p, deck.FIRST_TRACE + x]
        )
    return value


@compiled
def pieces_left(state, award):
    """Award pieces that nobody has."""
    left = box.AWARD_PIECES[award]
    for p in range(state.num_players):
        left -= state.awards[p, award]
    return left


@compiled
def may_claim(state, p, award):
    """Whether the player has the research value of an award that still has a piece left (FC-27)."""
    return (
        state.research
        and research_value(state, p) >= box.AWARD_VALUE[award]
        and pieces_left(state, award) > 0
    )


@compiled
def may_claim_any(state, p):
    """Whether the player can claim an award (FC-27)."""
    return may_claim(state, p, box.MINOR) or may_claim(state, p, box.MAJOR)


@compiled
def can_pay_rest(state):
    """FC-27: whether the mover has the research value that is still to be paid."""
    return state.paid + research_value(state, state.player) >= box.AWARD_VALUE[state.claim - 1]


@compiled
def has_something_to_take(state, p):
    """FC-17: a face-up fossil, or with `blind_take` a hidden one."""
    return state.num_open[p] > 0 or (state.blind_take and state.num_hidden[p] > 0)


@compiled
def can_pay_exchange(state, seat):
    """FC-16, FC-17, FC-32: the price of the next exchange is 1, 2, 3; in the end phase at least two
    fossils are needed."""
    price = state.exchanges + 1
    if state.ending and price < 2:
        price = 2
    return state.exchanges < box.MAX_EXCHANGES and num_fossils(state, seat) >= price


@compiled
def can_exchange(state, seat):
    if not can_pay_exchange(state, seat):
        return False
    for p in range(state.num_players):
        if p != seat and has_something_to_take(state, p):
            return True
    return False


@compiled
def can_exchange_or_claim(state, seat):
    """FC-21, FC-32: whether the seat can begin an exchange, or in the end phase claim an award."""
    return can_exchange(state, seat) or (state.ending and may_claim_any(state, seat))


@compiled
def may_take(state):
    """FC-19: whether the mover can take anything from the partner."""
    partner = state.partner - 1
    if state.blind_take and state.num_hidden[partner] > 0:
        return True
    takeable = state.num_open[partner]
    for i in range(state.barred_len):
        takeable -= state.open[partner, state.barred[i]]
    return takeable > 0


@compiled
def may_choose(state, p, t):
    """Whether the seat has a fossil of the type that it has not chosen yet."""
    number = state.hidden[p, t] + state.open[p, t]
    for i in range(state.chosen_len[p]):
        number -= state.chosen[p, i] == t
    return number > 0


@compiled
def chooses_in_setup(state, p):
    """FC-6; FC-8: whether the seat has fossils to choose from."""
    return state.num_hidden[p] > 0


@compiled
def is_choice_complete(state, seat):
    """FC-8, without `done`."""
    return state.chosen_len[seat] == state.hidden_limit or state.chosen_len[seat] == num_fossils(
        state, seat
    )


@compiled
def anybody_shows(state, t):
    """Whether a fossil of the type lies face up in front of anybody."""
    for p in range(state.num_players):
        if state.open[p, t] > 0:
            return True
    return False
