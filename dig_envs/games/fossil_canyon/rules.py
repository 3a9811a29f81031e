"""The rules of Fossil Canyon (FC-1 to FC-36), as compiled functions on a state record."""

from dig_envs.engine.jit import compiled
from dig_envs.engine.lists import append, clear
from dig_envs.engine.random import below, seed_generator, shuffle
from dig_envs.games.fossil_canyon.components import (
    AWARD_PIECES,
    AWARD_POINTS,
    AWARD_VALUE,
    BONUS_POINTS,
    DIGS,
    DISCARDED,
    EVENT_KINDS,
    EVENT_MIX,
    HERBIVORES,
    LARGE,
    MAJOR,
    MAX_EXCHANGES,
    MINOR,
    NUM_EVENTS,
    SMALL,
    STARTING_HAND,
)
from dig_envs.games.fossil_canyon.state import (
    A_CLAIM,
    A_DIG,
    A_DIG_BURIED,
    A_DONE,
    A_EXCHANGE,
    A_FINISH,
    A_GIVE_HIDDEN,
    A_GIVE_OPEN,
    A_HIDE,
    A_KEEP,
    A_PAY,
    A_PUT_BACK,
    A_TAKE,
    A_TAKE_BLIND,
    ADJUST,
    BONUS,
    DIG,
    EXCHANGE,
    EXHAUSTED,
    GIVE,
    KEEP,
    NOT_ENDED,
    OVER,
    PASSED,
    PAY,
    SETUP,
    STALEMATE,
    TAKE,
    TURNS,
)
from dig_envs.games.fossil_deck import (
    CARNIVORE,
    FIRST_TRACE,
    FIRST_TYPE,
    FOSSILS,
    GENUS_OF,
    JURASSIC,
    NO_GENUS,
    NUM_FOSSILS,
    NUM_GENERA,
    NUM_TRACES,
    NUM_TYPES,
    RESEARCH,
    VALUE,
)

NOBODY = -1

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    deal_fossils(state)
    shuffle_events(state)
    state.phase = SETUP
    for p in range(state.num_players):  # FC-5, in table order and as often as possible
        for genus in range(NUM_GENERA):
            while holds_all_parts(state, p, genus):
                build(state, p, genus)
    state.scored = 0
    for p in range(state.num_players):  # FC-6: all choose; FC-8: a seat without fossils is not asked
        state.owes[p] = 1 if state.num_hidden[p] > 0 else 0
    ask_next_in_setup(state)


@compiled
def deal_fossils(state):
    """FC-2, FC-4: shuffle the fossils in play, discard four, deal the starting hands."""
    count = NUM_FOSSILS if state.research else NUM_FOSSILS - NUM_TRACES
    for i in range(count):
        state.buried[i] = FOSSILS[i]
    shuffle(state, state.buried, count)
    state.buried_len = count
    for _ in range(DISCARDED):
        state.discarded[pop_buried(state)] += 1
    for p in range(state.num_players):
        for _ in range(STARTING_HAND[state.num_players]):
            state.hidden[p, pop_buried(state)] += 1
        state.num_hidden[p] = STARTING_HAND[state.num_players]


@compiled
def shuffle_events(state):
    """FC-3."""
    i = 0
    for kind in range(EVENT_KINDS):
        for _ in range(EVENT_MIX[state.events, kind]):
            state.event_deck[i] = kind
            i += 1
    shuffle(state, state.event_deck, NUM_EVENTS)


@compiled
def pop_buried(state):
    """The top buried fossil leaves the dig site."""
    state.buried_len -= 1
    t = state.buried[state.buried_len]
    state.buried[state.buried_len] = 0
    return t


# ---------------------------------------------------------------- who decides


@compiled
def ask(state, seat):
    """The seat (or -1) is the only one that owes a decision."""
    for p in range(state.num_players):
        state.owes[p] = 0
    if seat >= 0:
        state.owes[seat] = 1
    state.to_move = seat


@compiled
def ask_next_in_setup(state):
    """FC-7: the lowest seat that has not committed; when all have, everything is revealed and the first turn begins."""
    for p in range(state.num_players):
        if state.owes[p]:
            state.player = p
            state.to_move = p
            return
    for p in range(state.num_players):
        for t in range(NUM_TYPES):
            state.open[p, t] = state.hidden[p, t]
        state.num_open[p] = state.num_hidden[p]
        take_chosen_into_hidden_hand(state, p)
    state.apart = 0
    begin_next_turn(state, 0)


# ---------------------------------------------------------------- questions about a position


@compiled
def holds_all_parts(state, p, genus):
    """FC-5: hidden and face-up fossils count together."""
    for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
        if state.hidden[p, t] + state.open[p, t] == 0:
            return False
    return True


@compiled
def holds_complete_skeleton(state, p):
    """Whether all parts of some genus are there."""
    for genus in range(NUM_GENERA):
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
    for x in range(NUM_TRACES):
        value += RESEARCH[x] * (state.hidden[p, FIRST_TRACE + x] + state.open[p, FIRST_TRACE + x])
    return value


@compiled
def pieces_left(state, award):
    """Award pieces that nobody has."""
    left = AWARD_PIECES[award]
    for p in range(state.num_players):
        left -= state.awards[p, award]
    return left


@compiled
def may_claim(state, p, award):
    """FC-27."""
    return state.research and research_value(state, p) >= AWARD_VALUE[award] and pieces_left(state, award) > 0


@compiled
def has_something_to_take(state, p):
    """FC-17: a face-up fossil, or with `blind_take` a hidden one."""
    return state.num_open[p] > 0 or (state.blind_take and state.num_hidden[p] > 0)


@compiled
def can_pay_exchange(state, seat):
    """FC-16, FC-17, FC-32: the price of the next exchange is 1, 2, 3; in the end phase at least two fossils are needed."""
    price = state.exchanges + 1
    if state.ending and price < 2:
        price = 2
    return state.exchanges < MAX_EXCHANGES and num_fossils(state, seat) >= price


@compiled
def can_exchange(state, seat):
    """Whether the seat can begin an exchange with anybody."""
    if not can_pay_exchange(state, seat):
        return False
    for p in range(state.num_players):
        if p != seat and has_something_to_take(state, p):
            return True
    return False


@compiled
def is_barred(state, t):
    """FC-19."""
    for i in range(state.barred_len):
        if state.barred[i] == t:
            return True
    return False


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


# ---------------------------------------------------------------- legal actions


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of the seat, which owes a decision; the mask comes in zero."""
    phase = state.phase
    if phase == GIVE:  # FC-18
        for t in range(NUM_TYPES):
            mask[A_GIVE_HIDDEN + t] = state.hidden[seat, t] > 0
            mask[A_GIVE_OPEN + t] = state.open[seat, t] > 0
    elif phase == TAKE:
        legal_taking(state, mask)
    elif phase == EXCHANGE:
        legal_exchanges(state, seat, mask)
        legal_claims(state, seat, mask)
    elif phase == DIG or phase == BONUS:  # FC-13, FC-22
        mask[A_DIG_BURIED] = state.buried_len > 0
        for t in range(NUM_TYPES):
            mask[A_DIG + t] = state.exposed[t] > 0
        legal_claims(state, seat, mask)
    elif phase == ADJUST or phase == SETUP:
        legal_choices(state, seat, mask)
    elif phase == PAY:  # FC-28
        for x in range(NUM_TRACES):
            mask[A_PAY + x] = state.hidden[seat, FIRST_TRACE + x] + state.open[seat, FIRST_TRACE + x] > 0
    elif phase == KEEP:  # FC-15
        mask[A_KEEP] = 1
        mask[A_PUT_BACK] = 1


@compiled
def legal_choices(state, seat, mask):
    """FC-6, FC-8, FC-23: types of which a fossil is not chosen yet; FC-26: claims before the first one."""
    for t in range(NUM_TYPES):
        mask[A_HIDE + t] = state.hidden[seat, t] + state.open[seat, t] > 0
    for i in range(state.chosen_len[seat]):
        t = state.chosen[seat, i]
        count = 0
        for j in range(state.chosen_len[seat]):
            count += state.chosen[seat, j] == t
        if state.hidden[seat, t] + state.open[seat, t] == count:
            mask[A_HIDE + t] = 0
    mask[A_DONE] = 1
    if state.phase == ADJUST and state.chosen_len[seat] == 0:
        legal_claims(state, seat, mask)


@compiled
def legal_exchanges(state, seat, mask):
    """FC-16, FC-17."""
    mask[A_FINISH] = 1
    if can_pay_exchange(state, seat):
        for k in range(1, state.num_players):
            if has_something_to_take(state, (seat + k) % state.num_players):
                mask[A_EXCHANGE + k - 1] = 1


@compiled
def legal_taking(state, mask):
    """FC-19."""
    partner = state.partner - 1
    for t in range(NUM_TYPES):
        mask[A_TAKE + t] = state.open[partner, t] > 0
    for i in range(state.barred_len):
        mask[A_TAKE + int(state.barred[i])] = 0
    mask[A_TAKE_BLIND] = state.blind_take and state.num_hidden[partner] > 0


@compiled
def legal_claims(state, seat, mask):
    """FC-26, FC-27."""
    if state.research:
        value = research_value(state, seat)
        if value >= AWARD_VALUE[MINOR]:
            mask[A_CLAIM + MINOR] = pieces_left(state, MINOR) > 0
            mask[A_CLAIM + MAJOR] = value >= AWARD_VALUE[MAJOR] and pieces_left(state, MAJOR) > 0


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Carry out a legal action of the seat, and all that follows from it without a decision."""
    phase = state.phase
    if action >= A_PAY:
        pay(state, seat, action - A_PAY)
    elif action >= A_CLAIM:
        claim(state, action - A_CLAIM)
    elif phase == GIVE:
        if action < A_GIVE_OPEN:
            give(state, seat, action - A_GIVE_HIDDEN, True)
        else:
            give(state, seat, action - A_GIVE_OPEN, False)
    elif phase == TAKE:
        if action == A_TAKE_BLIND:
            take_blind(state, seat)
        else:
            take(state, seat, action - A_TAKE)
        end_exchange(state)
    elif phase == EXCHANGE:
        if action == A_FINISH:
            end_exchange_step(state)
        else:
            begin_exchange(state, (seat + 1 + action - A_EXCHANGE) % state.num_players)
    elif phase == DIG or phase == BONUS:
        dig(state, seat, action)
    elif phase == KEEP:
        decide_keeping(state, seat, action == A_KEEP)
    else:
        choose(state, seat, action)


# ---------------------------------------------------------------- fossils that change place


@compiled
def add_sorted(items, length, value):
    """Put a value into a sorted list; returns the new length."""
    i = length
    while i > 0 and items[i - 1] > value:
        items[i] = items[i - 1]
        i -= 1
    items[i] = value
    return length + 1


@compiled
def remove_value(items, length, value):
    """Take one entry of that value out of a sorted list, if there is one; returns the new length."""
    for i in range(length):
        if items[i] == value:
            for j in range(i, length - 1):
                items[j] = items[j + 1]
            items[length - 1] = 0
            return length - 1
    return length


@compiled
def know_more(state, p, t):
    """FC-29: a fossil goes to the hidden hand of p in sight of all."""
    for x in range(state.num_players):
        if x != p:
            state.known_len[x, p] = add_sorted(state.known[x, p], state.known_len[x, p], t)


@compiled
def know_less(state, p, t):
    """FC-29: a fossil leaves the hidden hand of p in sight of all."""
    for x in range(state.num_players):
        if state.known_len[x, p] > 0:
            state.known_len[x, p] = remove_value(state.known[x, p], state.known_len[x, p], t)


@compiled
def leave_hidden(state, p, t):
    """A fossil leaves a hidden hand in sight of all."""
    state.hidden[p, t] -= 1
    state.num_hidden[p] -= 1
    know_less(state, p, t)


@compiled
def leave_open(state, p, t):
    """A face-up fossil leaves."""
    state.open[p, t] -= 1
    state.num_open[p] -= 1


@compiled
def get_hidden(state, p, t):
    """A fossil goes to a hidden hand (FC-10)."""
    state.hidden[p, t] += 1
    state.num_hidden[p] += 1


@compiled
def get_open(state, p, t):
    """A fossil is laid face up in front of a player."""
    state.open[p, t] += 1
    state.num_open[p] += 1


@compiled
def build_if_complete(state, p, t):
    """FC-12, after p has got a fossil of type t."""
    genus = GENUS_OF[t]
    if genus != NO_GENUS and holds_all_parts(state, p, genus):
        build(state, p, genus)


@compiled
def build(state, p, genus):
    """FC-5, FC-12: the parts leave, face-up ones first, and the piece goes to the museum."""
    for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
        if state.open[p, t] > 0:
            leave_open(state, p, t)
        else:
            leave_hidden(state, p, t)
    put_into_museum(state, p, genus)
    state.scores[p] += VALUE[genus]
    state.scored = 1
    # FC-22: steps 2 and 3 of the own turn earn a bonus dig.
    if p == state.player and not state.ending and state.phase != BONUS and state.phase != SETUP:
        state.bonus = 1


@compiled
def put_into_museum(state, p, genus):
    """One skeleton more, with the sums that are kept beside the museums."""
    state.museums[p, genus] += 1
    state.pieces[genus] += 1
    if CARNIVORE[genus]:
        state.carnivores[p] += 1
        state.carnivore_sum[p] += VALUE[genus]
    if JURASSIC[genus]:
        state.jurassic[p] += 1
        state.jurassic_sum[p] += VALUE[genus]
    if VALUE[genus] > state.best[p]:
        state.best[p] = VALUE[genus]


# ---------------------------------------------------------------- a turn


@compiled
def begin_next_turn(state, seat):
    """FC-9, FC-30, FC-32, FC-33, FC-36: the seat's turn would begin."""
    if not state.ending and site_size(state) == 0:
        begin_end_phase(state)
    if state.ending:
        ended = why_over(state)
        while ended == NOT_ENDED and not can_play_in_end_phase(state, seat):
            state.passes += 1  # FC-32: skipped
            state.idle += 1
            seat = (seat + 1) % state.num_players
            ended = why_over(state)
        if ended != NOT_ENDED:
            finish(state, ended)
            return
    if state.turn == state.max_turns:
        finish(state, TURNS)
        return
    state.turn += 1
    state.player = seat
    ask(state, seat)
    if state.ending:
        state.phase = EXCHANGE  # FC-31
    else:
        draw_event(state)
        size = site_size(state)
        state.digs = DIGS if size >= DIGS else size
        state.phase = DIG


@compiled
def draw_event(state):
    """FC-11; FC-3: the card goes to the bottom."""
    card = state.event_deck[NUM_EVENTS - 1]
    for i in range(NUM_EVENTS - 1, 0, -1):
        state.event_deck[i] = state.event_deck[i - 1]
    state.event_deck[0] = card
    if state.events_seen < NUM_EVENTS:
        state.events_seen += 1
    for _ in range(card):
        if state.buried_len > 0:
            expose(state, pop_buried(state))


@compiled
def expose(state, t):
    """A fossil lies face up in the dig site."""
    state.exposed[t] += 1
    state.num_exposed += 1


@compiled
def dig(state, seat, action):
    """FC-13; FC-22 in the bonus dig."""
    if action == A_DIG_BURIED:
        t = pop_buried(state)
        if state.phase == DIG and state.return_dig and not state.returned:  # FC-15
            state.dug = t + 1
            state.phase = KEEP
            return
        get_hidden(state, seat, t)
    else:
        t = action - A_DIG
        state.exposed[t] -= 1
        state.num_exposed -= 1
        get_hidden(state, seat, t)
        know_more(state, seat, t)
    build_if_complete(state, seat, t)
    if state.phase == BONUS:
        begin_adjusting(state, seat)
    else:
        count_dig(state)


@compiled
def decide_keeping(state, seat, keep):
    """FC-15."""
    t = state.dug - 1
    state.dug = 0
    state.phase = DIG
    if keep:
        get_hidden(state, seat, t)
        build_if_complete(state, seat, t)
        count_dig(state)
    else:
        expose(state, t)
        state.returned = 1


@compiled
def count_dig(state):
    """FC-14: with the second fossil or an empty site step 2 is over."""
    state.digs -= 1
    if state.digs == 0 or site_size(state) == 0:
        state.digs = 0
        state.phase = EXCHANGE
        continue_exchange_step(state)


# ---------------------------------------------------------------- exchanges


@compiled
def continue_exchange_step(state):
    """FC-21: without a possible exchange (in the end phase: or claim) the step ends unasked; FC-33: after each event of the end."""
    if state.ending and is_exhausted(state):
        finish(state, EXHAUSTED)
        return
    seat = state.player
    if can_exchange(state, seat):
        return
    if state.ending and (may_claim(state, seat, MINOR) or may_claim(state, seat, MAJOR)):
        return
    end_exchange_step(state)


@compiled
def begin_exchange(state, partner):
    """FC-16, FC-17."""
    state.partner = partner + 1
    state.left = state.exchanges + 1
    state.phase = GIVE


@compiled
def give(state, seat, t, hidden):
    """FC-18; FC-19: what the partner had no face-up fossil of is barred."""
    partner = state.partner - 1
    if hidden:
        leave_hidden(state, seat, t)
    else:
        leave_open(state, seat, t)
    if state.open[partner, t] == 0 and not is_barred(state, t):
        state.barred_len = add_sorted(state.barred, state.barred_len, t)
    get_open(state, partner, t)
    build_if_complete(state, partner, t)
    state.left -= 1
    if state.left == 0:
        state.phase = TAKE
        if not may_take(state):
            end_exchange(state)


@compiled
def take(state, seat, t):
    """FC-19; FC-10, FC-30: to the hidden hand in sight of all, in the end phase face up."""
    leave_open(state, state.partner - 1, t)
    if state.ending:
        get_open(state, seat, t)
    else:
        get_hidden(state, seat, t)
        know_more(state, seat, t)
    build_if_complete(state, seat, t)


@compiled
def take_blind(state, seat):
    """FC-20."""
    partner = state.partner - 1
    place = below(state, state.num_hidden[partner])
    t = 0
    while place >= state.hidden[partner, t]:
        place -= state.hidden[partner, t]
        t += 1
    state.hidden[partner, t] -= 1
    state.num_hidden[partner] -= 1
    get_hidden(state, seat, t)
    know_after_blind_take(state, seat, partner, t)
    build_if_complete(state, seat, t)


@compiled
def know_after_blind_take(state, seat, partner, t):
    """FC-29: the former owner knows it; any fossil that a third player knew of may be the one that went."""
    state.known_len[partner, seat] = add_sorted(state.known[partner, seat], state.known_len[partner, seat], t)
    state.known_len[seat, partner] = remove_value(state.known[seat, partner], state.known_len[seat, partner], t)
    for x in range(state.num_players):
        if x != seat and x != partner:
            items = state.known[x, partner]
            length = state.known_len[x, partner]
            kept = 0
            before = NOBODY
            for i in range(length):
                value = items[i]
                if value == before:  # not the first of its type
                    items[kept] = value
                    kept += 1
                before = value
            for i in range(kept, length):
                items[i] = 0
            state.known_len[x, partner] = kept


@compiled
def end_exchange(state):
    """An exchange is complete."""
    state.exchanges += 1
    state.partner = 0
    state.left = 0
    clear(state.barred, state.barred_len)
    state.barred_len = 0
    state.phase = EXCHANGE
    continue_exchange_step(state)


@compiled
def end_exchange_step(state):
    """FC-22: the bonus dig; FC-31: in the end phase the turn is over."""
    if state.ending:
        end_turn(state)
    elif state.bonus and site_size(state) > 0:
        state.phase = BONUS
    else:
        begin_adjusting(state, state.player)


# ---------------------------------------------------------------- awards


@compiled
def claim(state, award):
    """FC-27."""
    state.claim = award + 1
    state.back = state.phase
    state.paid = 0
    state.phase = PAY


@compiled
def pay(state, seat, x):
    """FC-28."""
    t = FIRST_TRACE + x
    if state.open[seat, t] > 0:
        leave_open(state, seat, t)
    else:
        leave_hidden(state, seat, t)
    state.spent[x] += 1
    state.paid += RESEARCH[x]
    award = state.claim - 1
    if state.paid < AWARD_VALUE[award]:
        return
    state.awards[seat, award] += 1
    state.scores[seat] += AWARD_POINTS[award]
    state.scored = 1
    state.phase = state.back
    state.claim = 0
    state.paid = 0
    state.back = 0
    if state.phase == EXCHANGE:
        continue_exchange_step(state)
    elif state.phase == ADJUST:
        begin_adjusting(state, seat)


# ---------------------------------------------------------------- what stays hidden


@compiled
def choose(state, seat, action):
    """FC-8: one fossil more, or `done`."""
    if state.phase == SETUP and seat != state.player:
        state.apart = 1
    if action != A_DONE:
        state.chosen_len[seat] = add_sorted(state.chosen[seat], state.chosen_len[seat], action - A_HIDE)
        if not is_choice_complete(state, seat):
            return
    if state.phase == SETUP:
        state.owes[seat] = 0
        ask_next_in_setup(state)
    else:
        adjust(state, seat)
        end_turn(state)


@compiled
def is_choice_complete(state, seat):
    """FC-8, without `done`."""
    return state.chosen_len[seat] == state.hidden_limit or state.chosen_len[seat] == num_fossils(state, seat)


@compiled
def begin_adjusting(state, seat):
    """FC-23; a player without fossils has nothing to choose."""
    if num_fossils(state, seat) == 0:
        end_turn(state)
    else:
        state.phase = ADJUST


@compiled
def adjust(state, seat):
    """FC-23, FC-24: the fossils chosen are hidden, all others face up; FC-29: what changes, all see."""
    for t in range(NUM_TYPES):
        state.open[seat, t] += state.hidden[seat, t]
    state.num_open[seat] += state.num_hidden[seat]
    for t in range(NUM_TYPES):
        hidden_before = state.hidden[seat, t]
        if hidden_before > 0:
            hidden_after = 0
            for i in range(state.chosen_len[seat]):
                hidden_after += state.chosen[seat, i] == t
            for _ in range(hidden_after, hidden_before):
                know_less(state, seat, t)
    for i in range(state.chosen_len[seat]):
        t = state.chosen[seat, i]
        earlier = 0  # of the same type in the choice
        for j in range(i):
            earlier += state.chosen[seat, j] == t
        if earlier >= state.hidden[seat, t]:
            know_more(state, seat, t)
    take_chosen_into_hidden_hand(state, seat)


@compiled
def take_chosen_into_hidden_hand(state, seat):
    """All fossils of the seat are in `open`: those chosen become the hidden hand."""
    for t in range(NUM_TYPES):
        state.hidden[seat, t] = 0
    count = state.chosen_len[seat]
    for i in range(count):
        t = state.chosen[seat, i]
        state.hidden[seat, t] += 1
        state.open[seat, t] -= 1
        state.chosen[seat, i] = 0
    state.num_hidden[seat] = count
    state.num_open[seat] -= count
    state.chosen_len[seat] = 0


@compiled
def end_turn(state):
    """FC-25; FC-33: turns of the end phase without an exchange or a piece are counted."""
    if state.ending:
        state.passes = 0 if state.exchanges > 0 or state.scored else state.passes + 1
        state.idle = 0 if state.scored else state.idle + 1
    clear_turn(state)
    begin_next_turn(state, (state.player + 1) % state.num_players)


@compiled
def clear_turn(state):
    """Nothing is in progress."""
    state.digs = 0
    state.returned = 0
    state.bonus = 0
    state.exchanges = 0
    state.scored = 0
    state.partner = 0
    state.left = 0


# ---------------------------------------------------------------- the end


@compiled
def begin_end_phase(state):
    """FC-30."""
    state.ending = 1
    for p in range(state.num_players):
        for t in range(NUM_TYPES):
            state.open[p, t] += state.hidden[p, t]
            state.hidden[p, t] = 0
        state.num_open[p] += state.num_hidden[p]
        state.num_hidden[p] = 0
        for x in range(state.num_players):
            clear(state.known[x, p], state.known_len[x, p])
            state.known_len[x, p] = 0


@compiled
def can_play_in_end_phase(state, seat):
    """FC-32."""
    return can_exchange(state, seat) or may_claim(state, seat, MINOR) or may_claim(state, seat, MAJOR)


@compiled
def why_over(state):
    """FC-33: the first reason that applies when a turn of the end phase would begin or be skipped."""
    if is_exhausted(state):
        return EXHAUSTED
    if state.passes >= state.num_players:
        return PASSED
    if state.idle >= state.stalemate_rounds * state.num_players:
        return STALEMATE
    return NOT_ENDED


@compiled
def is_exhausted(state):
    """FC-33: all hands together, which lie face up, allow neither a skeleton nor an award."""
    for genus in range(NUM_GENERA):
        complete = True
        for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
            if not anybody_shows(state, t):
                complete = False
                break
        if complete:
            return False
    value = 0
    for p in range(state.num_players):
        value += research_value(state, p)
    for award in range(2):
        if value >= AWARD_VALUE[award] and pieces_left(state, award) > 0:
            return False
    return True


@compiled
def anybody_shows(state, t):
    """Whether a fossil of the type lies face up in front of anybody."""
    for p in range(state.num_players):
        if state.open[p, t] > 0:
            return True
    return False


@compiled
def finish(state, ended):
    """FC-34 to FC-36: the game is over."""
    clear_turn(state)
    state.ended = ended
    state.over = 1
    state.truncated = 1 if ended == TURNS else 0
    state.phase = OVER
    ask(state, NOBODY)
    if ended != TURNS and state.endgame_bonuses:
        award_bonuses(state)
    decide_winners(state)


@compiled
def award_bonuses(state):
    """FC-34."""
    for bonus in range(3):
        p = bonus_owner(state, bonus)
        if p >= 0:
            state.bonuses[p, bonus] = 1
            state.scores[p] += BONUS_POINTS[bonus]


@compiled
def bonus_owner(state, bonus):
    """FC-34: the seat that a bonus goes to, -1 for nobody."""
    if bonus == LARGE:
        for p in range(state.num_players):
            if has_all_herbivores(state, p):
                return p
        return NOBODY
    owner = NOBODY
    most = 0
    for p in range(state.num_players):
        if bonus == SMALL:
            strength = 1000 * int(state.carnivores[p]) + state.carnivore_sum[p]
        else:
            strength = 1000 * int(state.jurassic[p]) + state.jurassic_sum[p]
        if strength > most:
            most = strength
            owner = p
        elif strength == most:
            owner = NOBODY
    return owner


@compiled
def has_all_herbivores(state, p):
    """FC-34: a skeleton of each Cretaceous herbivore."""
    for i in range(len(HERBIVORES)):
        if state.museums[p, HERBIVORES[i]] == 0:
            return False
    return True


@compiled
def decide_winners(state):
    """FC-35: points, then the most valuable skeleton."""
    most = -1
    for p in range(state.num_players):
        strength = 100 * state.scores[p] + state.best[p]
        if strength > most:
            most = strength
    for p in range(state.num_players):
        state.winners[p] = 100 * state.scores[p] + state.best[p] == most


# ---------------------------------------------------------------- determinize


@compiled
def determinize(state, seat, seed):
    """Re-deal what the seat cannot know; what comes later by chance then depends on the seed, too."""
    dealt = state.seed
    seed_generator(state, seed)
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
    state.seed = dealt


@compiled
def redeal_fossils(state, seat):
    """The fossils that the seat cannot see, from type order so that only its view matters, over the same places."""
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
    """Put the unseen fossils into `cards` in type order; what is known of others stays in their hidden hands."""
    counts_len = 0
    take_out_known(state, seat)
    for t in range(NUM_TYPES):
        number = state.discarded[t]
        for i in range(state.buried_len):
            number += state.buried[i] == t
        for p in range(state.num_players):
            if p != seat:
                number += state.hidden[p, t]
        if state.dug == t + 1 and state.player != seat:
            number += 1
        for _ in range(number):
            counts_len = append(state.cards, counts_len, t)
    take_back_unseen(state, seat)
    return counts_len


@compiled
def take_out_known(state, seat):
    """For a moment the hidden hands of others hold only what the seat does not know."""
    for p in range(state.num_players):
        if p != seat:
            for i in range(state.known_len[seat, p]):
                state.hidden[p, state.known[seat, p, i]] -= 1


@compiled
def take_back_unseen(state, seat):
    """The hidden hands of others hold only what the seat knows, and nothing is discarded; `num_hidden` stays."""
    for p in range(state.num_players):
        if p != seat:
            for t in range(NUM_TYPES):
                state.hidden[p, t] = 0
            for i in range(state.known_len[seat, p]):
                state.hidden[p, state.known[seat, p, i]] += 1
    for t in range(NUM_TYPES):
        state.discarded[t] = 0


@compiled
def deal_unseen(state, seat):
    """Deal `cards` to the buried fossils, the discarded ones, the hidden hands of others and what another is looking at."""
    at = 0
    for i in range(state.buried_len):
        state.buried[i] = state.cards[at]
        at += 1
    for _ in range(DISCARDED):
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
        if p != seat and holds_complete_skeleton(state, p):
            return False
    if state.phase == PAY and state.player != seat:
        return state.paid + research_value(state, state.player) >= AWARD_VALUE[state.claim - 1]
    return True


@compiled
def redeal_events(state):
    """Permute the event cards that have not been drawn yet."""
    at = state.events_seen
    counts = state.cards
    for i in range(at, NUM_EVENTS):
        counts[state.event_deck[i]] += 1
    for kind in range(EVENT_KINDS):
        for _ in range(counts[kind]):
            state.event_deck[at] = kind
            at += 1
        counts[kind] = 0
    seen = state.events_seen
    for i in range(NUM_EVENTS - 1, seen, -1):
        j = seen + below(state, i - seen + 1)
        kept = state.event_deck[i]
        state.event_deck[i] = state.event_deck[j]
        state.event_deck[j] = kept


@compiled
def redeal_choice(state, p):
    """Another seat's choice: a new random one if it has committed to it in set-up, else as if it were just beginning."""
    clear(state.chosen[p], state.chosen_len[p])
    state.chosen_len[p] = 0
    if state.phase != SETUP or state.owes[p]:
        return
    while not is_choice_complete(state, p):
        t = random_choice(state, p)
        if t < 0:
            break
        state.chosen_len[p] = add_sorted(state.chosen[p], state.chosen_len[p], t)


@compiled
def random_choice(state, p):
    """One of the legal actions of FC-8, all equally likely: a type, or -1 for `done`."""
    count = 1
    for t in range(NUM_TYPES):
        count += may_choose(state, p, t)
    left = below(state, count)
    for t in range(NUM_TYPES):
        if may_choose(state, p, t):
            if left == 0:
                return t
            left -= 1
    return NOBODY


@compiled
def may_choose(state, p, t):
    """Whether the seat has a fossil of the type that it has not chosen yet."""
    number = state.hidden[p, t] + state.open[p, t]
    for i in range(state.chosen_len[p]):
        number -= state.chosen[p, i] == t
    return number > 0
