"""The common knowledge of the hands (GD-15 to GD-21), and how it changes."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box


@compiled
def knows_genus(state, p, genus):
    """Whether everybody knows a card of the genus in the hand."""
    if state.num_known[p] > 0:
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            if state.known[p, t] > 0:
                return True
    return False


@compiled
def holds_more(state, p, genus):
    """Whether everybody knows that the hand holds a card of the genus besides those in `known`."""
    return state.asked[p] & box.BIT[genus] != 0


@compiled
def forget_holding(state, p, genus):
    """Remove the genus from `asked`."""
    state.asked[p] = state.asked[p] & ~box.BIT[genus]


@compiled
def begin(state):
    """Set what everybody knows after set-up: nothing but the sizes of the hands (GD-15)."""
    for p in range(state.num_players):
        state.asked[p] = 0
        for genus in range(deck.NUM_GENERA):
            state.maybe[p, genus] = state.num_cards[p]


@compiled
def after_request(state, p, genus):
    """Note that who asks for a genus has a card of it (GD-16)."""
    if not knows_genus(state, p, genus):
        state.asked[p] = state.asked[p] | box.BIT[genus]


@compiled
def after_showing(state, p, t, number):
    """GD-17, GD-18: cards that everybody has seen go into a hand."""
    state.known[p, t] += number
    state.num_known[p] += number


@compiled
def after_giving_all(state, p, genus):
    """Take into account that a player has handed over all cards of a genus (GD-17)."""
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        state.num_known[p] -= state.known[p, t]
        state.known[p, t] = 0
    forget_holding(state, p, genus)
    state.maybe[p, genus] = 0


@compiled
def after_unseen_card(state, p):
    """GD-19 for GD-9 and GD-10: it may be of any genus."""
    for genus in range(deck.NUM_GENERA):
        state.maybe[p, genus] += 1


@compiled
def after_building(state, p, genus):
    """Update the knowledge of a hand after one skeleton was built of it (GD-20)."""
    unknown = 0
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.known[p, t] > 0:
            state.known[p, t] -= 1
            state.num_known[p] -= 1
        else:
            unknown += 1
    if unknown > 0:
        state.maybe[p, genus] -= unknown
        forget_holding(state, p, genus)


@compiled
def cut_down(state, p):
    """Cut `maybe` down to the number of cards that are not known (GD-21)."""
    most = state.num_cards[p] - state.num_known[p]
    for genus in range(deck.NUM_GENERA):
        state.maybe[p, genus] = min(state.maybe[p, genus], most)
