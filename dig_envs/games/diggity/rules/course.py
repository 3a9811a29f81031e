"""Set-up, turns and actions of Diggity, and what is legal."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append, append_counted, clear, insert_sorted, remove_at
from dig_envs.engine.core.random import below, seed_generator, shuffle
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.variants import begin_content, draw_variant
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import events as happens
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.rules import mine, tools

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    shuffle_gold(state)
    if draw_variant(state, seed):
        choose_cards(state)
    else:
        for card in range(box.NUM_CODES):
            state.copies[card] = box.COPIES[card]
    state.pile_len = append_counted(state.pile, 0, state.copies)
    shuffle(state, state.pile, state.pile_len)
    for p in range(state.num_players):  # DG-2
        for _ in range(box.HAND_SIZE[state.num_players]):
            draw(state, p)
        for kind in range(box.NUM_TOOLS):  # DG-3
            state.piles[kind] += 1
    begin_turn(state, 0)  # DG-4


@compiled
def choose_cards(state):
    """DG-2 [added]: the mine cards of a variant: of each symbol as many with each number of
    passages as in the box."""
    before = begin_content(state)
    for symbol in range(box.NUM_SYMBOLS):
        for group in range(len(box.GROUP_FIRST)):
            first = symbol * box.NUM_SHAPES + box.GROUP_FIRST[group]
            for _ in range(box.GROUP_CARDS[group]):
                state.copies[first + below(state, box.GROUP_SHAPES[group])] += 1
    state.rng = before


@compiled
def shuffle_gold(state):
    """Make the gold deck, and set aside the gold cards that are not played for (DG-1)."""
    count = box.NUM_GOLD if state.high_gold else box.NUM_LOW_GOLD
    for i in range(count):
        state.gold[i] = box.GOLD[i]
    shuffle(state, state.gold, count)
    for i in range(min(state.gold_cards, count), count):
        state.gold_aside_len = append(state.gold_aside, state.gold_aside_len, state.gold[i])
        state.gold[i] = 0
    state.gold_len = count - state.gold_aside_len


@compiled
def draw(state, p):
    """The top card of the pile, which is not empty, goes into a hand."""
    state.pile_len -= 1
    card = state.pile[state.pile_len]
    state.pile[state.pile_len] = 0
    state.hands_len[p] = insert_sorted(state.hands[p], state.hands_len[p], card)
    tell(state, happens.DREW, p, card)


# ---------------------------------------------------------------- actions


@compiled
def legal_actions(state, seat, mask):
    """Write what a seat that is asked can do (the rules' section "Phases")."""
    if state.phase == s.PLAY:
        mark_cards(state, seat, mask)
    elif state.phase == s.PLACE:
        mark_places(state, mask)
    elif state.phase == s.TAKE:
        for thing in range(box.NUM_THINGS):
            mask[s.A_TAKE + thing] = state.choices[thing]
    elif state.phase == s.STEAL:
        for k in range(1, state.num_players):
            mask[s.A_STEAL + k - 1] = state.steal_from[seat_after(state, seat, k)]
    else:
        mask[s.A_STOP] = 1
        # the kind of the next tool: ranks count from 1, kinds from 0
        following = int(state.auction_rank)
        if state.tools[seat, following] > 0:
            mask[s.A_TOOL + following] = 1


@compiled
def mark_cards(state, seat, mask):
    """Mark the cards of the hand that can be laid; only without any, `pass` (DG-11)."""
    found = False
    for h in range(state.hands_len[seat]):
        if state.mine_len == 0 or mine.can_be_laid(state, state.hands[seat, h]):
            mask[s.A_CARD + h] = 1
            found = True
    if not found:
        mask[s.A_PASS] = 1


@compiled
def mark_places(state, mask):
    """Mark where the card chosen can be laid: open passages and the own passages that fit
    (DG-12)."""
    passages = box.PASSAGES[state.chosen - 1]
    for e in range(state.open_len):
        for x in range(box.NUM_SIDES):
            mask[s.A_PLACE + box.NUM_SIDES * e + x] = (
                passages >> x & 1 and state.open_fits[e] >> (x & 1) & 1
            )


@compiled
def apply_action(state, seat, action):
    """Carry out a legal action and all that follows from it without a decision."""
    if action < s.A_PLACE:
        play_card(state, seat, action - s.A_CARD)
    elif action < s.A_TAKE:
        place_card(
            state, (action - s.A_PLACE) // box.NUM_SIDES, (action - s.A_PLACE) % box.NUM_SIDES
        )
    elif action < s.A_STEAL:
        clear(state.choices, box.NUM_THINGS)
        take(state, action - s.A_TAKE)
    elif action < s.A_TOOL:
        steal(state, seat, action - s.A_STEAL + 1)
    elif action < s.A_STOP:
        go_on_with_auction(state, tools.play_tool(state, seat, action - s.A_TOOL))
    elif action == s.A_STOP:
        go_on_with_auction(state, tools.stop(state, seat))
    else:
        pass_turn(state)


@compiled
def play_card(state, seat, h):
    """Choose a card of the hand; the first card of a mine is laid at once (DG-10, DG-11)."""
    card = state.hands[seat, h]
    state.hands_len[seat] = remove_at(state.hands[seat], state.hands_len[seat], h)
    if state.mine_len == 0:
        tell(state, happens.BEGAN, seat, card)
        mine.lay(state, card, 0, 0, 0, mine.NONE)
        state.passes = 0
        end_turn(state, NO_SEAT)
    else:
        tell(state, happens.PICKED, seat, card)
        state.chosen = card + 1
        state.phase = s.PLACE


@compiled
def place_card(state, e, passage):
    """Lay the chosen card; what it makes is taken, or chosen if there is more than one thing
    (DG-12, DG-13, DG-17)."""
    card = state.chosen - 1
    state.chosen = 0
    state.passes = 0
    r = mine.turn_to_attach(state, e, passage)
    x, y = mine.attached_x(state, e, r), mine.attached_y(state, e, r)
    tell(
        state,
        happens.LAID,
        state.player,
        state.mine_len + 1,
        state.open_card[e] + 1,
        state.open_side[e],
        r,
        x,
        y,
    )
    mine.lay(state, card, x, y, r, e)
    count = tools.find_choices(state, state.choices)
    tools.tell_choices(state, count)
    if count > 1:
        state.phase = s.TAKE
        turns.ask(state, state.player)
        return
    for thing in range(box.NUM_THINGS):
        if state.choices[thing]:
            state.choices[thing] = 0
            take(state, thing)
            return
    end_turn(state, NO_SEAT)


@compiled
def take(state, thing):
    """DG-17 to DG-19: the player gets the miner or a tool."""
    if thing == 0:
        go_on_with_auction(state, tools.begin_auction(state))
    elif tools.gain(state, thing - 1):
        end_turn(state, NO_SEAT)


@compiled
def steal(state, seat, k):
    """Take the tool from the player chosen, which ends the turn (DG-18)."""
    tools.take_from(state, seat_after(state, seat, k), state.steal_kind)
    state.steal_kind = 0
    clear(state.steal_from, box.MAX_PLAYERS)
    end_turn(state, NO_SEAT)


@compiled
def go_on_with_auction(state, is_over):
    """Once the auction is over, give the gold to the leader, who begins the next mine or ends the
    game (DG-21, DG-23, DG-29)."""
    if is_over:
        winner = tools.award_gold(state)
        if state.gold_len == 0:
            turns.finish_by_score(state, s.OVER)
        else:
            end_turn(state, winner)


@compiled
def pass_turn(state):
    """Pass; when all players have passed in a row the mine is closed (DG-11, DG-24)."""
    tell(state, happens.PASSED, state.player)
    state.passes += 1
    if state.passes == state.num_players:
        state.passes = 0
        mine.discard(state, happens.ALL_PASSED)
    finish_turn(state, NO_SEAT)


# ---------------------------------------------------------------- the end of a turn


@compiled
def end_turn(state, winner):
    """DG-26, after a card was laid. ``winner``: of gold, with which the mine is finished (DG-23),
    or NO_SEAT."""
    draw(state, state.player)
    if winner != NO_SEAT:
        mine.discard(state, happens.GOLD_WON)
    elif state.open_len == 0:
        mine.discard(state, happens.NO_OPEN_PASSAGE)
    if state.pile_len == 0:
        renew_pile(state)
    finish_turn(state, winner)


@compiled
def renew_pile(state):
    """Shuffle the discarded cards into a new draw pile; if there are none, close the mine first
    (DG-28)."""
    if state.num_discard == 0:
        mine.discard(state, happens.NO_OTHER_CARDS)
    tell(state, happens.SHUFFLED, NO_SEAT, state.num_discard)
    state.pile_len = append_counted(state.pile, 0, state.discard)
    state.num_discard = clear(state.discard, box.NUM_CODES)
    shuffle(state, state.pile, state.pile_len)


@compiled
def finish_turn(state, winner):
    """DG-4, DG-23, DG-31: the next turn, if there is one."""
    if turns.is_turn_limit_reached(state):
        turns.truncate_by_score(state, s.OVER)
    elif winner != NO_SEAT:
        begin_turn(state, winner)
    else:
        begin_turn(state, next_seat(state, state.player))


@compiled
def begin_turn(state, seat):
    state.player = seat
    state.phase = s.PLAY
    if state.revealed_kind > 0 and state.revealed_thief == seat:  # DG-33
        tell(state, happens.HIDDEN, NO_SEAT, state.revealed_kind - 1)
        state.revealed_kind = 0
        state.revealed_thief = 0
    turns.begin_turn(state, seat)


# ---------------------------------------------------------------- for snapshots


@compiled
def inspect(state, facts):
    for i in range(1, state.mine_len):
        for j in range(i):
            if mine.overlap(
                state.mine_x[i],
                state.mine_y[i],
                state.mine_r[i],
                state.mine_x[j],
                state.mine_y[j],
                state.mine_r[j],
            ):
                facts.overlaps = i + 1
        if not mine.is_connected_to_earlier(state, i):
            facts.loose = i + 1
    if state.chosen > 0:
        facts.can_lay = mine.can_be_laid(state, state.chosen - 1)
    if state.phase == s.TAKE:
        tools.find_choices(state, facts.choices)
