"""The rules of Go Dig (GD-1 to GD-14), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.random import seed_generator, shuffle
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.tell import tell
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig import events as e
from dig_envs.games.go_dig import hands, knowledge
from dig_envs.games.go_dig import state as s

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    for i in range(box.NUM_CARDS):  # GD-1
        state.pile[i] = box.CARDS[i]
    shuffle(state, state.pile, box.NUM_CARDS)
    state.pile_len = box.NUM_CARDS
    for p in range(state.num_players):
        for _ in range(box.STARTING_HAND):
            hands.draw(state, p)
    for p in range(state.num_players):  # GD-2
        for genus in range(deck.NUM_GENERA):
            hands.build_complete(state, p, genus)
    for p in range(state.num_players):
        hands.draw_only_card(state, p)
    knowledge.begin(state)
    state.phase = s.ASK
    turns.begin_turn(state, 0)  # GD-3


# ---------------------------------------------------------------- a request


@compiled
def legal_actions(state, seat, mask):
    """Mark the requests: of every other player with cards, for every genus in the own hand
    (GD-4)."""
    held = hands.genera_held(state, seat)
    for k in range(1, state.num_players):
        if state.num_cards[seat_after(state, seat, k)] > 0:
            first = s.A_ASK + (k - 1) * deck.NUM_GENERA
            for genus in range(deck.NUM_GENERA):
                mask[first + genus] = (held >> genus) & 1


@compiled
def apply_action(state, seat, action):
    """Carry out a request, and all that follows from it without a decision."""
    other = seat_after(state, seat, 1 + (action - s.A_ASK) // deck.NUM_GENERA)
    genus = (action - s.A_ASK) % deck.NUM_GENERA
    tell(state, e.ASKED, seat, other, genus)
    knowledge.after_request(state, seat, genus)
    if hands.holds_genus(state, other, genus):
        get_all(state, seat, other, genus)
        goes_on = True
    else:
        tell(state, e.HAS_NONE, other, genus)
        state.maybe[other, genus] = 0  # GD-18
        goes_on = dig(state, seat, genus)
    if goes_on and state.num_cards[seat] == 0:  # GD-9
        hands.draw_only_card(state, seat)
        goes_on = False
    knowledge.cut_down(state, seat)
    knowledge.cut_down(state, other)
    if not goes_on:
        end_turn(state, seat)


@compiled
def get_all(state, seat, other, genus):
    """Move all cards of a genus from one player to the asker; the other may draw, then skeletons
    are built (GD-5, GD-10, GD-11)."""
    hands.give_all(state, other, seat, genus)
    hands.draw_only_card(state, other)
    hands.build_complete(state, seat, genus)


@compiled
def dig(state, seat, genus):
    """GD-7, GD-8: go dig; returns whether the turn goes on."""
    if state.pile_len == 0:
        tell(state, e.PILE_EMPTY, seat)
        return False
    t = hands.draw(state, seat)
    drawn = deck.GENUS_OF[t]
    if drawn == genus:
        tell(state, e.SHOWED, seat, t)
        knowledge.after_showing(state, seat, t, 1)
        hands.build_complete(state, seat, genus)
        return True
    if hands.is_complete(state, seat, drawn):  # GD-19: it shows of what genus the card was
        state.maybe[seat, drawn] += 1
        hands.build_complete(state, seat, drawn)
    else:
        before = state.maybe[seat, genus]
        knowledge.after_unseen_card(state, seat)
        state.maybe[seat, genus] = before
    return False


# ---------------------------------------------------------------- turns


@compiled
def end_turn(state, seat):
    """GD-12, GD-14; otherwise the next player with cards has the turn (GD-9)."""
    if hands.num_skeletons(state) == box.NUM_SKELETONS:
        turns.finish_by_score(state, s.OVER)
    elif turns.is_turn_limit_reached(state):
        turns.truncate_by_score(state, s.OVER)
    else:
        for k in range(1, state.num_players):
            following = seat_after(state, seat, k)
            if state.num_cards[following] > 0:
                turns.begin_turn(state, following)
                return
            tell(state, e.SKIPPED, following)


# ---------------------------------------------------------------- for snapshots


@compiled
def derive(state):
    """The skeletons of each museum are counted."""
    for genus in range(deck.NUM_GENERA):
        state.built[genus] = 0
    i = 0
    for p in range(state.num_players):
        for _ in range(state.museums_len[p]):
            state.built[state.museums[i]] += box.ONE_BUILT[p]
            i += 1


@compiled
def inspect(state, facts):
    for p in range(state.num_players):
        for genus in range(deck.NUM_GENERA):
            if hands.is_complete(state, p, genus):
                facts.complete[p] = 1
            for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
                facts.unknown[p, genus] += state.hands[p, t] - state.known[p, t]
