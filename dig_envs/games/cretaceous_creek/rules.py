"""The rules of Cretaceous Creek (CC-1 to CC-31), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append, append_counted, clear
from dig_envs.engine.core.random import seed_generator, shuffle
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.variants import begin_content, draw_variant
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import events as e
from dig_envs.games.cretaceous_creek import questions, skeletons
from dig_envs.games.cretaceous_creek import state as s

NO_CARD = -1  # the place of a revealed card in an event, where there are fewer

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    if draw_variant(state, seed):
        choose_fossils(state)
    else:
        for t in range(box.NUM_TYPES):
            state.copies[t] = box.COPIES[t]
    deal_fossils(state)  # CC-2
    turn_up_top_fossils(state)
    state.storm = 1  # CC-4
    begin_storm_phase(state)
    for p in range(4):
        state.pos[p] = turns.NOBODY
    state.swap_partner = turns.NOBODY
    state.phase = s.CAMP
    state.player = 0
    turns.ask(state, 0)


@compiled
def choose_fossils(state):
    """CC-2 [added]: the fossils of a variant: other types have a second copy than in the box."""
    before, types = begin_content(state), state.scratch
    for t in range(box.EDM):
        types[t] = t
    shuffle(state, types, box.EDM)
    for i in range(box.NUM_TYPES):
        state.copies[i] = 1
    for i in range(box.NUM_FOSSILS - box.NUM_TYPES):
        state.copies[types[i]] = 2
    clear(types, box.EDM)
    state.rng = before


@compiled
def deal_fossils(state):
    """CC-2: one fossil face down on each space, a second one on it."""
    cards = state.scratch
    append_counted(cards, 0, state.copies)
    shuffle(state, cards, box.NUM_FOSSILS)
    for space in range(box.NUM_SPACES):
        state.grid[space, 0] = cards[2 * space]
        state.grid[space, 1] = cards[2 * space + 1]
        state.height[space] = 2
        state.top[space] = s.EXPOSED if state.level < s.ADVANCED else s.BURIED
    clear(cards, box.NUM_FOSSILS)


@compiled
def turn_up_top_fossils(state):
    """CC-2, advanced and expert: event cards drawn turn up top fossils."""
    count = box.TURNED_UP[state.level]
    if count > 0:
        shuffle_events(state)
        for i in range(count):
            if state.aside[i] != box.NO_EROSION:
                state.top[state.aside[i]] = s.EXPOSED


@compiled
def shuffle_events(state):
    """All 18 event cards into `aside`, shuffled."""
    for i in range(box.NUM_EVENTS):
        state.aside[i] = box.EVENTS[i]
    shuffle(state, state.aside, box.NUM_EVENTS)
    state.aside_len = box.NUM_EVENTS


@compiled
def begin_storm_phase(state):
    """CC-4, CC-26: shuffle all event cards; the last of them form the erosion deck, the others are
    set aside."""
    state.period = 1
    state.used_len = clear(state.used, state.used_len)
    shuffle_events(state)
    state.deck_len = box.DECK_SIZE[state.storm]
    state.aside_len = box.NUM_EVENTS - state.deck_len
    for i in range(state.deck_len):
        state.deck[i] = state.aside[state.aside_len + i]
        state.aside[state.aside_len + i] = 0
    tell(state, e.STORM, NO_SEAT, state.storm, state.deck_len)


# ---------------------------------------------------------------- who decides


@compiled
def begin_turn(state, seat):
    """Begin the turn of a seat, with new action points (CC-7)."""
    state.player = seat
    state.phase = s.ACT
    state.ap = box.ACTION_POINTS
    turns.begin_turn(state, seat)


@compiled
def pass_turn(state):
    """CC-7: the turn goes clockwise to the next seat that has not evacuated."""
    seat = next_seat(state, state.player)
    while state.evacuated[seat]:
        seat = next_seat(state, seat)
    begin_turn(state, seat)


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Carry out a legal action of the seat, and all that follows from it without a decision."""
    if state.phase == s.ACT:
        if action == s.A_END_TURN:
            tell(state, e.ENDED_TURN, seat, state.ap, False)
            begin_erosion(state)
        elif action == s.A_EVACUATE:
            evacuate(state, seat)
        else:
            act(state, seat, action)
            if state.phase == s.ACT:
                skeletons.settle(state)
                end_turn_if_nothing_is_left(state, seat)
    elif state.phase == s.CAMP:
        state.pos[seat] = box.CAMPS[action - s.A_CAMP]
        tell(state, e.BEGAN, seat, state.pos[seat])
        next_in_setup(state, seat)
    elif state.phase == s.DIG:
        if action == s.A_INITIAL_DIG:
            excavate(state, seat, state.pos[seat])
        else:
            tell(state, e.TOOK_NOTHING, seat)
        next_in_setup(state, seat)
    elif state.phase == s.SWAP:
        take(state, seat, action - s.A_TAKE)
    elif state.phase == s.SANDBAG:
        decide_sandbagging(state, seat, action == s.A_SANDBAG)
    elif state.phase == s.ESCAPE:
        escape(state, seat, action - s.A_ESCAPE)


@compiled
def next_in_setup(state, seat):
    """CC-5, CC-6: seats in order; `dig` follows `camp` for beginners, then the first turn
    (CC-7)."""
    if seat + 1 < state.num_players:
        state.player = seat + 1
        turns.ask(state, seat + 1)
    elif state.phase == s.CAMP and state.level == s.BEGINNER:
        state.phase = s.DIG
        state.player = 0
        turns.ask(state, 0)
    else:
        begin_turn(state, 0)


@compiled
def act(state, seat, action):
    """Carry out an action that costs action points, or `discard`."""
    here = state.pos[seat]
    if action < s.A_PROTECT:  # CC-10
        state.pos[seat] = box.NEIGHBOUR[here, action - s.A_MOVE]
        tell(state, e.MOVED, seat, state.pos[seat])
        state.ap -= 1
    elif action < s.A_EXCAVATE:  # CC-11, CC-12
        space, was_endangered = (
            box.REACH[here, (action - s.A_PROTECT) % len(s.REACH)],
            action < s.A_EXPOSE,
        )
        state.top[space] = s.EXPOSED
        tell(
            state,
            e.PROTECTED if was_endangered else e.EXPOSED,
            seat,
            space,
            questions.top_fossil(state, space),
        )
        state.ap -= 2
    elif action < s.A_CLEAR:  # CC-13
        excavate(state, seat, box.REACH[here, action - s.A_EXCAVATE])
        state.ap -= 3
    elif action < s.A_DISCARD:  # CC-14
        space = box.REACH[here, action - s.A_CLEAR]
        t = questions.top_fossil(state, space)
        state.out[t] += 1
        remove_top(state, space)
        tell(state, e.CLEARED, seat, space, t)
        state.ap -= 3
    elif action < s.A_GIVE:  # CC-9
        discard(state, seat, action - s.A_DISCARD)
    elif action < s.A_GET:  # CC-15
        other, t = partner(state, seat, action - s.A_GIVE), (action - s.A_GIVE) // 3
        hand_over(state, seat, other, t)
        tell(state, e.GAVE, seat, other, t)
        state.ap -= 2
    elif action < s.A_SWAP:
        other, t = partner(state, seat, action - s.A_GET), (action - s.A_GET) // 3
        hand_over(state, other, seat, t)
        tell(state, e.GOT, seat, other, t)
        state.ap -= 2
    else:  # CC-16
        state.swap_partner = partner(state, seat, action - s.A_SWAP)
        state.swap_gives = (action - s.A_SWAP) // 3
        tell(state, e.OFFERED, seat, state.swap_partner, state.swap_gives)
        state.ap = 0
        state.phase = s.SWAP


@compiled
def partner(state, seat, index):
    """The seat meant in a list of actions where `{+1,+2,+3}` varies fastest."""
    return seat_after(state, seat, 1 + index % 3)


@compiled
def remove_top(state, space):
    """CC-3: the top fossil leaves; the one below becomes the top fossil and is buried."""
    state.height[space] -= 1
    state.grid[space, state.height[space]] = 0
    state.top[space] = s.BURIED if state.height[space] > 0 else s.NO_FOSSIL


@compiled
def excavate(state, seat, space):
    """Put the top fossil of a space into the seat's storage (CC-13)."""
    t = questions.top_fossil(state, space)
    state.storage[seat, t] += 1
    state.stored[seat] += 1
    remove_top(state, space)
    tell(state, e.EXCAVATED, seat, space, t)


@compiled
def drop(state, seat, t):
    """One stored fossil goes out of the game."""
    state.storage[seat, t] -= 1
    state.stored[seat] -= 1
    state.out[t] += 1


@compiled
def discard(state, seat, t):
    """Discard one stored fossil (CC-9)."""
    drop(state, seat, t)
    tell(state, e.DISCARDED, seat, t)


@compiled
def discard_all(state, seat):
    for t in range(box.NUM_TYPES):
        while state.storage[seat, t] > 0:
            discard(state, seat, t)


@compiled
def hand_over(state, giver, receiver, t):
    """One fossil passes from one paleontologist to another."""
    state.storage[giver, t] -= 1
    state.stored[giver] -= 1
    state.storage[receiver, t] += 1
    state.stored[receiver] += 1


@compiled
def take(state, seat, t):
    """Carry out a swap: both fossils change hands together (CC-16)."""
    hand_over(state, seat, state.swap_partner, state.swap_gives)
    hand_over(state, state.swap_partner, seat, t)
    tell(state, e.SWAPPED, seat, state.swap_partner, state.swap_gives, t)
    skeletons.close_swap(state)
    state.phase = s.ACT
    skeletons.settle(state)
    end_turn_if_nothing_is_left(state, seat)


@compiled
def evacuate(state, seat):
    """CC-18: the paleontologist leaves with the stored fossils; the erosion step follows."""
    tell(state, e.EVACUATED, seat, state.pos[seat])
    discard_all(state, seat)
    state.evacuated[seat] = 1
    state.pos[seat] = turns.NOBODY
    skeletons.settle(state)
    if not state.over:
        begin_erosion(state)


@compiled
def end_turn_if_nothing_is_left(state, seat):
    """CC-19: without points, fossils and a way to evacuate, `end turn` is the only legal action."""
    if (
        not state.over
        and state.ap == 0
        and not questions.is_carrier(state, seat)
        and not questions.may_evacuate(state, seat)
    ):
        tell(state, e.ENDED_TURN, seat, 0, True)
        begin_erosion(state)


# ---------------------------------------------------------------- erosion


@compiled
def begin_erosion(state):
    """Begin the erosion step: reveal event cards (CC-20), then go to CC-24 or carry them out."""
    state.ap = 0
    draws = state.period == 1
    if draws:
        for i in range(state.storm):
            state.deck_len -= 1
            state.revealed[i] = state.deck[state.deck_len]
            state.deck[state.deck_len] = 0
        state.revealed_len = state.storm
    else:
        take_leftmost_stack(state)
    tell(
        state, e.DREW if draws else e.TOOK_STACK, NO_SEAT, state.revealed_len,
        revealed_card(state, 0), revealed_card(state, 1), revealed_card(state, 2),
        revealed_card(state, 3),
    )  # fmt: skip
    holder = questions.holder_of_edm(state) if state.storm == box.LAST_STORM else turns.NOBODY
    if holder >= 0:
        state.phase = s.SANDBAG
        turns.ask(state, holder)
    else:
        carry_out_events(state)


@compiled
def revealed_card(state, place):
    return int(state.revealed[place]) if place < state.revealed_len else NO_CARD


@compiled
def take_leftmost_stack(state):
    """Reveal the cards of the leftmost stack (CC-20, period 2)."""
    state.revealed_len = state.stack_len[0]
    for i in range(state.revealed_len):
        state.revealed[i] = state.stacks[0, i]
    state.num_stacks -= 1
    state.stack_len[0] = clear(state.stacks[0], state.stack_len[0])
    for stack in range(state.num_stacks):
        for i in range(state.stack_len[stack + 1]):
            state.stack_len[stack] = append(
                state.stacks[stack], state.stack_len[stack], state.stacks[stack + 1, i]
            )
        state.stack_len[stack + 1] = clear(state.stacks[stack + 1], state.stack_len[stack + 1])


@compiled
def decide_sandbagging(state, seat, sandbag):
    """Put the Edmontosaurus and the revealed cards out of the game without any event, or carry the
    events out (CC-24)."""
    if sandbag:
        drop(state, seat, box.EDM)
        tell(state, e.SANDBAGGED, seat)
        for i in range(state.revealed_len):
            state.sandbagged_len = append(state.sandbagged, state.sandbagged_len, state.revealed[i])
        state.revealed_len = clear(state.revealed, state.revealed_len)
        end_erosion(state)
    else:
        tell(state, e.NO_SANDBAGS, seat)
        carry_out_events(state)


@compiled
def carry_out_events(state):
    """CC-21 and CC-22 for all revealed cards, CC-23, then who must escape."""
    stack = state.num_stacks
    for i in range(state.revealed_len):
        card = state.revealed[i]
        if card != box.NO_EROSION and state.height[card] == 0 and state.storm == box.LAST_STORM:
            state.flooded[card] = 1
            tell(state, e.FLOODED, NO_SEAT, card)
            continue
        if card != box.NO_EROSION and state.height[card] > 0:
            erode(state, card)
        if state.period == 1:
            state.stack_len[stack] = append(state.stacks[stack], state.stack_len[stack], card)
            state.num_stacks = stack + 1
        else:
            state.used_len = append(state.used, state.used_len, card)
    state.revealed_len = clear(state.revealed, state.revealed_len)
    skeletons.settle(state)
    if not state.over:
        displace(state)


@compiled
def erode(state, space):
    """Endanger the top fossil of a space; an endangered one is destroyed (CC-21)."""
    t = questions.top_fossil(state, space)
    if state.top[space] == s.ENDANGERED:
        state.out[t] += 1
        remove_top(state, space)
        tell(state, e.DESTROYED, NO_SEAT, space, t)
    else:
        tell(state, e.ENDANGERED, NO_SEAT, space, t, state.top[space] == s.BURIED)
        state.top[space] = s.ENDANGERED


@compiled
def displace(state):
    """CC-25: carriers on flooded spaces; those with nowhere to go discard before the others
    choose."""
    discarded = False
    for p in range(state.num_players):
        if state.pos[p] >= 0 and state.flooded[state.pos[p]] and questions.is_carrier(state, p):
            if questions.first_escape(state, p) == 8:
                tell(state, e.STRANDED, p)
                discard_all(state, p)
                discarded = True
            else:
                state.displaced[p] = 1
    if discarded:
        skeletons.settle(state)
    if not state.over:
        ask_next_displaced(state)


@compiled
def ask_next_displaced(state):
    """CC-25: in seat order; when nobody is left to ask, the erosion step ends."""
    for p in range(state.num_players):
        if state.displaced[p]:
            state.phase = s.ESCAPE
            turns.ask(state, p)
            return
    end_erosion(state)


@compiled
def escape(state, seat, direction):
    """Move a displaced carrier off its flooded space (CC-25)."""
    state.pos[seat] = box.NEIGHBOUR[state.pos[seat], direction]
    state.displaced[seat] = 0
    tell(state, e.ESCAPED, seat, state.pos[seat])
    skeletons.settle(state)
    if not state.over:
        ask_next_displaced(state)


@compiled
def end_erosion(state):
    """End the erosion step: the storm advances, floods the site, or goes on, and the next turn
    begins (CC-26, CC-27)."""
    if state.deck_len == 0 and state.num_stacks == 0:
        state.storm += 1
        if state.storm > box.LAST_STORM:
            skeletons.end(state, s.LOST_FLOODED)
            return
        begin_storm_phase(state)
    elif state.deck_len == 0 and state.period == 1:
        state.period = 2
        tell(state, e.PERIOD_2, NO_SEAT)
    pass_turn(state)


# ---------------------------------------------------------------- what the checks of snapshots ask


@compiled
def inspect(state, facts):
    facts.ended = skeletons.reason_to_end(state)
    for p in range(state.num_players):
        facts.can_escape[p] = state.pos[p] >= 0 and questions.first_escape(state, p) < 8
        for genus in range(box.NUM_GENERA):
            if skeletons.may_complete(state, p) and skeletons.can_complete(state, p, genus):
                facts.completes = 1
    if state.swap_partner >= 0:
        facts.swap_in_reach = questions.in_reach(state, state.player, state.swap_partner)
