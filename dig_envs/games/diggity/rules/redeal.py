"""Re-dealing what a seat of Diggity cannot know (the rules' section "Determinize")."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, draw_counted, insert_sorted, remove_at
from dig_envs.engine.core.reshuffling import reshuffle, reshuffle_together
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.rules import mine


@compiled
def determinize(state, seat):
    """Re-deal what the seat cannot know, from its view and the generator alone."""
    reshuffle_together(state, state.gold, state.gold_len, state.gold_aside, state.gold_aside_len)
    redeal_cards(state, seat)
    if state.hidden_tools and not state.over:
        redeal_tools(state, seat)


@compiled
def redeal_cards(state, seat):
    """The cards of the draw pile and the other hands; who has just passed has none that can be
    laid."""
    in_pile, count = state.pile_len, state.pile_len
    for p in range(state.num_players):
        if p != seat:
            for h in range(state.hands_len[p]):
                count = append(state.pile, count, state.hands[p, h])
    reshuffle(state, state.pile, count)
    for passed in (True, False):
        for p in range(state.num_players):
            if p != seat and has_just_passed(state, p) == passed:
                count = deal_hand(state, p, count, passed)
    state.pile_len = in_pile


@compiled
def has_just_passed(state, p):
    """Whether a seat is among the last `passes` before the player's."""
    back = state.player - p
    if back < 0:
        back += state.num_players
    return 1 <= back <= state.passes


@compiled
def deal_hand(state, p, count, passed):
    """As many cards as the hand had from the end of the first ones of `pile`; returns how many of
    these are left."""
    size = state.hands_len[p]
    state.hands_len[p] = 0
    for _ in range(size):
        i = count - 1
        if passed:
            i = last_that_cannot_be_laid(state, count)
        card = state.pile[i]
        count = remove_at(state.pile, count, i)
        state.hands_len[p] = insert_sorted(state.hands[p], state.hands_len[p], card)
    return count


@compiled
def last_that_cannot_be_laid(state, count):
    """The place of the last card of `pile` without a legal play; of the last of all if there is
    none."""
    for i in range(count - 1, -1, -1):
        if state.mine_len > 0 and not mine.can_be_laid(state, state.pile[i]):
            return i
    return count - 1


@compiled
def redeal_tools(state, seat):
    """The tools of the others that do not lie open, over their places."""
    for p in range(state.num_players):
        if p != seat:
            for kind in range(box.NUM_TOOLS):
                if state.revealed_kind != kind + 1:
                    state.mixed[kind] += state.tools[p, kind]
    for p in range(state.num_players):
        if p != seat:
            for _ in range(take_hidden_tools(state, p)):
                state.tools[p, draw_counted(state, state.mixed)] += 1


@compiled
def take_hidden_tools(state, p):
    """A player's tools that do not lie open are taken away; returns how many there were."""
    number = 0
    for kind in range(box.NUM_TOOLS):
        if state.revealed_kind != kind + 1:
            number += state.tools[p, kind]
            state.tools[p, kind] = 0
    return number
