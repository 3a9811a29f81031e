"""Cards of Go Dig that change place: from the pile to a hand, from hand to hand, into a museum."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.tell import tell
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import events as e
from dig_envs.games.go_dig import knowledge


@compiled
def draw(state, p):
    """The top card of the pile, which must not be empty, goes into a hand; returns its type."""
    state.pile_len -= 1
    t = state.pile[state.pile_len]
    state.pile[state.pile_len] = 0
    state.hands[p, t] += 1
    state.num_cards[p] += 1
    tell(state, e.DREW, p, t)
    return t


@compiled
def draw_only_card(state, p):
    """GD-9, GD-10: a player without a card takes one unseen, if there is one."""
    if state.num_cards[p] == 0:
        if state.pile_len > 0:
            draw(state, p)
            knowledge.after_unseen_card(state, p)
        else:
            tell(state, e.PILE_EMPTY, p)


@compiled
def holds_genus(state, p, genus):
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.hands[p, t] > 0:
            return True
    return False


@compiled
def genera_held(state, p):
    """The genera of which a hand has a card, as bits."""
    hand = state.hands[p]
    held = 0
    for t in range(box.NUM_TYPES):
        held |= box.TYPE_BIT[t] * (hand[t] > 0)
    return held


@compiled
def give_all(state, giver, taker, genus):
    """GD-5: all cards of the genus change hands, open for everybody to see."""
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        number = state.hands[giver, t]
        state.hands[giver, t] = 0
        state.num_cards[giver] -= number
        state.hands[taker, t] += number
        state.num_cards[taker] += number
        knowledge.after_showing(state, taker, t, number)
        for _ in range(number):
            tell(state, e.GAVE, giver, taker, t)
    knowledge.after_giving_all(state, giver, genus)


@compiled
def is_complete(state, p, genus):
    """Whether a hand has a card of each part of the genus."""
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.hands[p, t] == 0:
            return False
    return True


@compiled
def build_complete(state, p, genus):
    """GD-11: as many skeletons of the genus as the hand contains."""
    while is_complete(state, p, genus):
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            state.hands[p, t] -= 1
        state.num_cards[p] -= deck.PARTS[genus]
        state.scores[p] += deck.VALUE[genus]
        tell(state, e.BUILT, p, genus, deck.VALUE[genus], deck.PARTS[genus])
        knowledge.after_building(state, p, genus)
        put_into_museum(state, p, genus)


@compiled
def num_skeletons(state):
    """The number of skeletons in all museums."""
    number = 0
    for p in range(state.num_players):
        number += state.museums_len[p]
    return number


@compiled
def put_into_museum(state, p, genus):
    """The genus goes behind those of the seat; those of the seats after it make room."""
    end = 0
    for x in range(p + 1):
        end += state.museums_len[x]
    for i in range(min(num_skeletons(state), box.NUM_SKELETONS - 1), end, -1):
        state.museums[i] = state.museums[i - 1]
    state.museums[end] = genus
    state.museums_len[p] += 1
    state.built[genus] += box.ONE_BUILT[p]
