"""The rules of Bone Bids (BB-1 to BB-5), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import draw_counted
from dig_envs.engine.core.random import below, seed_generator
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.turns import ask_all, commit, finish_by_score
from tests.model.bone_bids import components as box
from tests.model.bone_bids import events as e
from tests.model.bone_bids import state as s

NO_CARD = -1


@compiled
def setup(state, seed):
    """Deal the hands and begin the first round (BB-1)."""
    seed_generator(state, seed)
    for card in range(len(box.CARDS)):
        state.pile[card] = box.COPIES[card]
    for p in range(state.num_players):
        for _ in range(state.hand_size):
            deal(state, p)
    begin_round(state)


@compiled
def deal(state, p):
    """A card of the pile into a hand."""
    state.hands[p, draw_counted(state, state.pile)] += 1
    state.num_cards[p] += 1


@compiled
def begin_round(state):
    """Throw the die for a new bone and ask everybody for a bid (BB-2, BB-3)."""
    state.turn += 1
    state.worth = below(state, 6) + 1
    tell(state, e.FOUND, NO_SEAT, state.worth)
    state.phase = s.BID
    ask_all(state)


@compiled
def legal_actions(state, seat, mask):
    """BB-3: any card of the hand."""
    for card in range(len(box.CARDS)):
        if state.hands[seat, card] > 0:
            mask[s.A_BID + card] = 1


@compiled
def apply_action(state, seat, action):
    """BB-3; the last bid reveals all."""
    state.pending[seat] = action - s.A_BID + 1
    tell(state, e.BID, seat, action - s.A_BID)
    if commit(state, seat):
        reveal(state)


@compiled
def reveal(state):
    """Reveal the bids: the bone is won, the cards are out, and the next round or the end follows
    (BB-4, BB-5)."""
    best = highest_single_bid(state)
    winner = NO_SEAT
    for p in range(state.num_players):
        card = state.pending[p] - 1
        tell(state, e.REVEALED, p, card)
        if card == best:
            winner = p
        state.hands[p, card] -= 1
        state.num_cards[p] -= 1
        state.out[card] += 1
        state.pending[p] = 0
    if winner == NO_SEAT:
        tell(state, e.NOBODY_WON, NO_SEAT)
    else:
        state.scores[winner] += state.worth
        tell(state, e.WON, winner, state.worth)
    if state.num_cards[0] == 0:
        state.worth = 0
        finish_by_score(state, s.OVER)
    else:
        begin_round(state)


@compiled
def highest_single_bid(state):
    """BB-4: the card that wins, or NO_CARD."""
    for card in range(len(box.CARDS) - 1, -1, -1):
        bidders = 0
        for p in range(state.num_players):
            bidders += state.pending[p] == card + 1
        if bidders == 1:
            return card
    return NO_CARD


@compiled
def determinize(state, seat):
    """The hands of the others and the pile are mixed; a bid of another that is made already becomes
    any card of the new hand.

    (`owes` says which seats still have to bid. A commitment of several actions that is not complete
    would start again empty.)
    """
    for p in range(state.num_players):
        if p != seat:
            for card in range(len(box.CARDS)):
                state.pile[card] += state.hands[p, card]
                state.hands[p, card] = 0
    for p in range(state.num_players):
        if p != seat:
            size = state.num_cards[p]
            state.num_cards[p] = 0
            for _ in range(size):
                deal(state, p)
            if state.phase == s.BID and not state.owes[p]:
                state.pending[p] = any_card(state, p) + 1


@compiled
def any_card(state, p):
    """A card of a hand, all equally likely."""
    left = below(state, state.num_cards[p])
    for card in range(len(box.CARDS)):
        left -= state.hands[p, card]
        if left < 0:
            return card
    return NO_CARD


@compiled
def inspect(state, facts):
    """Write which seats are asked in the phase."""
    for p in range(state.num_players):
        facts.asked[p] = state.phase == s.BID
