"""The rules of Fossil Canyon (FC-1 to FC-36), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import (
    append_counted,
    clear,
    contains,
    draw_counted,
    insert_sorted,
    remove_at,
    remove_value,
)
from dig_envs.engine.core.random import seed_generator, shuffle
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import tell
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import end_phase, hands, questions
from dig_envs.games.fossil_canyon import events as e
from dig_envs.games.fossil_canyon import state as s

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    deal_fossils(state)
    append_counted(state.event_deck, 0, box.EVENT_MIX[state.events])  # FC-3
    shuffle(state, state.event_deck, box.NUM_EVENTS)
    state.phase = s.SETUP
    for p in range(state.num_players):  # FC-5, in table order and as often as possible
        for genus in range(deck.NUM_GENERA):
            while questions.holds_all_parts(state, p, genus):
                hands.build(state, p, genus)
    state.scored = 0
    # FC-6: all choose; FC-8: a seat without fossils is not asked
    for p in range(state.num_players):
        state.owes[p] = questions.chooses_in_setup(state, p)
    turns.next_to_commit(state)
    go_on_in_setup(state)


@compiled
def deal_fossils(state):
    """FC-2, FC-4: shuffle the fossils in play, discard four, deal the starting hands."""
    count = deck.NUM_FOSSILS if state.research else deck.NUM_FOSSILS - deck.NUM_TRACES
    for i in range(count):
        state.buried[i] = deck.FOSSILS[i]
    shuffle(state, state.buried, count)
    state.buried_len = count
    for _ in range(box.DISCARDED):
        state.discarded[hands.pop_buried(state)] += 1
    for p in range(state.num_players):
        for _ in range(box.STARTING_HAND[state.num_players]):
            state.hidden[p, hands.pop_buried(state)] += 1
        state.num_hidden[p] = box.STARTING_HAND[state.num_players]


@compiled
def go_on_in_setup(state):
    """FC-7: the lowest seat that has not committed chooses; when all have, everything is revealed
    and the first turn begins."""
    if state.to_move == turns.NOBODY:
        reveal_hands(state)
        begin_next_turn(state, 0)
    else:
        state.player = state.to_move


@compiled
def reveal_hands(state):
    """FC-7: what is not chosen lies face up."""
    for p in range(state.num_players):
        for t in range(deck.NUM_TYPES):
            state.open[p, t] = state.hidden[p, t]
        state.num_open[p] = state.num_hidden[p]
        tell(state, e.HIDES, p, state.chosen_len[p])
        hands.take_chosen_into_hidden_hand(state, p)
        for t in range(deck.NUM_TYPES):
            for _ in range(state.open[p, t]):
                tell(state, e.TURNED_UP, p, t)
    state.apart = 0


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Carry out a legal action of the seat, and all that follows from it without a decision."""
    phase = state.phase
    if action >= s.A_PAY:
        pay(state, seat, action - s.A_PAY)
    elif action >= s.A_CLAIM:
        claim(state, seat, action - s.A_CLAIM)
    elif phase == s.GIVE:
        hidden = action < s.A_GIVE_OPEN
        give(state, seat, action - (s.A_GIVE_HIDDEN if hidden else s.A_GIVE_OPEN), hidden)
    elif phase == s.TAKE:
        if action == s.A_TAKE_BLIND:
            take_blind(state, seat)
        else:
            take(state, seat, action - s.A_TAKE)
        end_exchange(state)
    elif phase == s.EXCHANGE:
        if action == s.A_FINISH:
            tell(state, e.STOPPED, seat, 0, state.exchanges)
            end_exchange_step(state)
        else:  # FC-16, FC-17: the price rises from one exchange to the next
            state.partner = seat_after(state, seat, 1 + action - s.A_EXCHANGE) + 1
            state.left = state.exchanges + 1
            state.phase = s.GIVE
            tell(state, e.EXCHANGE, seat, state.partner - 1, state.left)
    elif phase == s.DIG or phase == s.BONUS:
        dig(state, seat, action)
    elif phase == s.KEEP:
        decide_keeping(state, seat, action == s.A_KEEP)
    else:
        choose(state, seat, action)


# ---------------------------------------------------------------- a turn


@compiled
def begin_next_turn(state, seat):
    """FC-9, FC-30, FC-32, FC-33, FC-36: the seat's turn would begin."""
    if not state.ending and questions.site_size(state) == 0:
        end_phase.begin_end_phase(state)
    if state.ending:
        ended = end_phase.why_over(state)
        while ended == s.NOT_ENDED and not questions.can_exchange_or_claim(state, seat):
            tell(state, e.SKIPPED, seat)  # FC-32
            state.passes += 1
            state.idle += 1
            seat = next_seat(state, seat)
            ended = end_phase.why_over(state)
        if ended != s.NOT_ENDED:
            end_phase.finish(state, ended)
            return
    if turns.is_turn_limit_reached(state):
        end_phase.finish(state, s.TURNS)
        return
    state.player = seat
    turns.begin_turn(state, seat)
    if state.ending:
        state.phase = s.EXCHANGE  # FC-31
    else:
        draw_event(state)
        size = questions.site_size(state)
        state.digs = box.DIGS if size >= box.DIGS else size
        state.phase = s.DIG


@compiled
def draw_event(state):
    """FC-11; FC-3: the card goes to the bottom."""
    card = state.event_deck[box.NUM_EVENTS - 1]
    for i in range(box.NUM_EVENTS - 1, 0, -1):
        state.event_deck[i] = state.event_deck[i - 1]
    state.event_deck[0] = card
    if state.events_seen < box.NUM_EVENTS:
        state.events_seen += 1
    tell(state, e.EVENT_CARD, state.player, card, min(card, state.buried_len))
    for _ in range(card):
        if state.buried_len > 0:
            t = hands.pop_buried(state)
            hands.expose(state, t)
            tell(state, e.EXPOSED, state.player, t)


@compiled
def dig(state, seat, action):
    """Dig up a fossil (FC-13; FC-22 in the bonus dig)."""
    if action == s.A_DIG_BURIED:
        t = hands.pop_buried(state)
        if state.phase == s.DIG and state.return_dig and not state.returned:  # FC-15
            state.dug = t + 1
            state.phase = s.KEEP
            tell(state, e.LOOKED_AT, seat, t)
            return
        hands.get_hidden(state, seat, t)
        tell(state, e.DUG, seat, t)
    else:
        t = action - s.A_DIG
        state.exposed[t] -= 1
        state.num_exposed -= 1
        hands.get_hidden(state, seat, t)
        hands.know_more(state, seat, t)
        tell(state, e.DUG_EXPOSED, seat, t)
    hands.build_if_complete(state, seat, t)
    if state.phase == s.BONUS:
        begin_adjusting(state, seat)
    else:
        count_dig(state)


@compiled
def decide_keeping(state, seat, keep):
    """Keep the fossil just dug, or lay it exposed into the site (FC-15)."""
    t = state.dug - 1
    state.dug = 0
    state.phase = s.DIG
    if keep:
        tell(state, e.KEPT, seat, t)
        hands.get_hidden(state, seat, t)
        hands.build_if_complete(state, seat, t)
        count_dig(state)
    else:
        tell(state, e.PUT_BACK, seat, t)
        hands.expose(state, t)
        state.returned = 1


@compiled
def count_dig(state):
    """FC-14: with the second fossil or an empty site step 2 is over."""
    state.digs -= 1
    if state.digs == 0 or questions.site_size(state) == 0:
        state.digs = 0
        state.phase = s.EXCHANGE
        continue_exchange_step(state)


# ---------------------------------------------------------------- exchanges


@compiled
def continue_exchange_step(state):
    """FC-21: without a possible exchange (in the end phase: or claim) the step ends unasked; FC-33:
    after each event of the end."""
    if state.ending and end_phase.is_exhausted(state):
        end_phase.finish(state, s.EXHAUSTED)
        return
    if not questions.can_exchange_or_claim(state, state.player):
        tell(state, e.STOPPED, state.player, 1, state.exchanges)
        end_exchange_step(state)


@compiled
def give(state, seat, t, hidden):
    """FC-18; FC-19: what the partner had no face-up fossil of is barred."""
    partner = state.partner - 1
    tell(state, e.GAVE, seat, partner, t, 1 if hidden else 0, 0 if hidden else 1)
    if hidden:
        hands.leave_hidden(state, seat, t)
    else:
        hands.leave_open(state, seat, t)
    if state.open[partner, t] == 0 and not contains(state.barred, state.barred_len, t):
        state.barred_len = insert_sorted(state.barred, state.barred_len, t)
    hands.get_open(state, partner, t)
    hands.build_if_complete(state, partner, t)
    state.left -= 1
    if state.left == 0:
        state.phase = s.TAKE
        if not questions.may_take(state):
            tell(state, e.NOTHING_LEFT, seat, partner)
            end_exchange(state)


@compiled
def take(state, seat, t):
    """FC-19; FC-10, FC-30: to the hidden hand in sight of all, in the end phase face up."""
    tell(state, e.TOOK, seat, state.partner - 1, t, 1 - state.ending, state.ending)
    hands.leave_open(state, state.partner - 1, t)
    if state.ending:
        hands.get_open(state, seat, t)
    else:
        hands.get_hidden(state, seat, t)
        hands.know_more(state, seat, t)
    hands.build_if_complete(state, seat, t)


@compiled
def take_blind(state, seat):
    """Take a random fossil of the partner's hidden hand (FC-20)."""
    partner = state.partner - 1
    t = draw_counted(state, state.hidden[partner])
    state.num_hidden[partner] -= 1
    tell(state, e.TOOK_BLIND, seat, partner, t)
    hands.get_hidden(state, seat, t)
    know_after_blind_take(state, seat, partner, t)
    hands.build_if_complete(state, seat, t)


@compiled
def know_after_blind_take(state, seat, partner, t):
    """FC-29: the former owner knows it; any fossil that a third player knew of may be the one that
    went."""
    state.known_len[partner, seat] = insert_sorted(
        state.known[partner, seat], state.known_len[partner, seat], t
    )
    state.known_len[seat, partner] = remove_value(
        state.known[seat, partner], state.known_len[seat, partner], t
    )
    for x in range(state.num_players):
        if x != seat and x != partner:
            i = 0
            while i < state.known_len[x, partner]:
                one = state.known[x, partner, i]
                state.known_len[x, partner] = remove_at(
                    state.known[x, partner], state.known_len[x, partner], i
                )
                # the others of its type
                while i < state.known_len[x, partner] and state.known[x, partner, i] == one:
                    i += 1


@compiled
def end_exchange(state):
    state.exchanges += 1
    state.partner = 0
    state.left = 0
    state.barred_len = clear(state.barred, state.barred_len)
    state.phase = s.EXCHANGE
    continue_exchange_step(state)


@compiled
def end_exchange_step(state):
    """FC-22: the bonus dig; FC-31: in the end phase the turn is over."""
    if state.ending:
        end_turn(state)
    elif state.bonus and questions.site_size(state) > 0:
        state.phase = s.BONUS
        tell(state, e.BONUS_DIG, state.player)
    else:
        begin_adjusting(state, state.player)


# ---------------------------------------------------------------- awards


@compiled
def claim(state, seat, award):
    """Claim an award, which is then paid for (FC-27)."""
    tell(state, e.CLAIMED, seat, award, box.AWARD_VALUE[award])
    state.claim = award + 1
    state.back = state.phase
    state.paid = 0
    state.phase = s.PAY


@compiled
def pay(state, seat, x):
    """Pay a trace fossil; once the value is reached the award is given and play goes on where it
    was claimed (FC-28)."""
    t = deck.FIRST_TRACE + x
    face_up = 1 if state.open[seat, t] > 0 else 0
    tell(state, e.PAID, seat, t, 1 - face_up, face_up)
    if face_up:
        hands.leave_open(state, seat, t)
    else:
        hands.leave_hidden(state, seat, t)
    state.spent[x] += 1
    state.paid += deck.RESEARCH[x]
    award = state.claim - 1
    if state.paid < box.AWARD_VALUE[award]:
        return
    state.awards[seat, award] += 1
    state.scores[seat] += box.AWARD_POINTS[award]
    tell(state, e.AWARDED, seat, award, box.AWARD_POINTS[award])
    state.scored = 1
    state.phase = state.back
    state.claim = 0
    state.paid = 0
    state.back = 0
    if state.phase == s.EXCHANGE:
        continue_exchange_step(state)
    elif state.phase == s.ADJUST:
        begin_adjusting(state, seat)


# ---------------------------------------------------------------- what stays hidden


@compiled
def choose(state, seat, action):
    """Choose one fossil more, or `done` (FC-8)."""
    if state.phase == s.SETUP and seat != state.player:
        state.apart = 1
    if action != s.A_DONE:
        tell(state, e.PICKED, seat, action - s.A_HIDE)
        state.chosen_len[seat] = insert_sorted(
            state.chosen[seat], state.chosen_len[seat], action - s.A_HIDE
        )
        if not questions.is_choice_complete(state, seat):
            return
    if state.phase == s.SETUP:
        turns.commit(state, seat)
        go_on_in_setup(state)
    else:
        adjust(state, seat)
        end_turn(state)


@compiled
def begin_adjusting(state, seat):
    """FC-23; a player without fossils has nothing to choose."""
    if questions.num_fossils(state, seat) == 0:
        end_turn(state)
    else:
        state.phase = s.ADJUST


@compiled
def adjust(state, seat):
    """FC-23, FC-24: the fossils chosen are hidden, all others face up; FC-29: what changes, all
    see."""
    tell(state, e.HIDES, seat, state.chosen_len[seat])
    for t in range(deck.NUM_TYPES):
        state.open[seat, t] += state.hidden[seat, t]
    state.num_open[seat] += state.num_hidden[seat]
    for t in range(deck.NUM_TYPES):
        hidden_before = state.hidden[seat, t]
        if hidden_before > 0:
            hidden_after = 0
            for i in range(state.chosen_len[seat]):
                hidden_after += state.chosen[seat, i] == t
            for _ in range(hidden_after, hidden_before):
                hands.know_less(state, seat, t)
                tell(state, e.TURNED_UP, seat, t)
    for i in range(state.chosen_len[seat]):
        t = state.chosen[seat, i]
        earlier = 0  # of the same type in the choice
        for j in range(i):
            earlier += state.chosen[seat, j] == t
        if earlier >= state.hidden[seat, t]:
            hands.know_more(state, seat, t)
            tell(state, e.TURNED_DOWN, seat, t)
    hands.take_chosen_into_hidden_hand(state, seat)


@compiled
def end_turn(state):
    """FC-25; FC-33: turns of the end phase without an exchange or a piece are counted."""
    if state.ending:
        state.passes = 0 if state.exchanges > 0 or state.scored else state.passes + 1
        state.idle = 0 if state.scored else state.idle + 1
    end_phase.clear_turn(state)
    begin_next_turn(state, next_seat(state, state.player))


# ---------------------------------------------------------------- for snapshots


@compiled
def derive(state):
    """Recompute what is kept beside the museums."""
    state.pieces[:] = 0
    state.carnivores[:] = 0
    state.carnivore_sum[:] = 0
    state.jurassic[:] = 0
    state.jurassic_sum[:] = 0
    state.best[:] = 0
    for p in range(state.num_players):
        for genus in range(deck.NUM_GENERA):
            for _ in range(state.museums[p, genus]):
                hands.count_skeleton(state, p, genus)


@compiled
def inspect(state, facts):
    facts.apart = state.apart
    for p in range(state.num_players):
        facts.asked[p] = (
            questions.chooses_in_setup(state, p)
            if state.phase == s.SETUP
            else p == state.player and not state.over
        )
        facts.complete[p] = questions.holds_complete_skeleton(state, p)
        facts.chosen_all[p] = questions.is_choice_complete(state, p)
    if state.partner > 0:
        facts.tradable = questions.has_something_to_take(state, state.partner - 1)
        facts.takeable = questions.may_take(state)
    if state.claim > 0:
        facts.piece_left = questions.pieces_left(state, state.claim - 1) > 0
        facts.can_pay = questions.can_pay_rest(state)
    facts.ended = end_phase.reason_to_end(state)
    facts.stalled = end_phase.why_stalled(state)
    for bonus in range(len(box.BONUSES)):
        facts.bonus_owner[bonus] = end_phase.bonus_owner(state, bonus)
    end_phase.decide_winners(state, facts.winners)
