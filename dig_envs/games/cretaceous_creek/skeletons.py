"""Skeletons, and the end of Cretaceous Creek (CC-17, CC-28, CC-29)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.tell import tell
from dig_envs.engine.core.turns import NOBODY, finish
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import events as e
from dig_envs.games.cretaceous_creek import state as s


@compiled
def settle(state):
    """Complete skeletons (CC-17 for everybody), and end the game if it is over (CC-28, then
    CC-29)."""
    complete_skeletons(state)
    ended = reason_to_end(state)
    if ended != s.NOT_ENDED:
        end(state, ended)


@compiled
def reason_to_end(state):
    """CC-28, then CC-29: why the game ends in this position, NOT_ENDED if it goes on."""
    if all_pieces(state) and all_on_camps(state):
        return s.WON
    if a_part_is_lost(state):
        return s.LOST_PART
    if nobody_is_left(state):
        return s.LOST_EVACUATED
    if state.num_players > 1 and not all_pieces(state) and all_camps_flooded(state):
        return s.LOST_CORNERS
    if state.storm > box.LAST_STORM:
        return s.LOST_FLOODED
    return s.NOT_ENDED


@compiled
def complete_skeletons(state):
    """CC-17, the player whose turn it is first, then clockwise."""
    for k in range(state.num_players):
        seat = seat_after(state, state.player, k)
        if may_complete(state, seat):
            for genus in range(box.NUM_GENERA):
                if can_complete(state, seat, genus):
                    complete_skeleton(state, seat, genus)


@compiled
def may_complete(state, seat):
    """CC-17: on a camp; CC-31: the solo player on any space. One fossil alone is no skeleton."""
    return state.stored[seat] >= 2 and (state.num_players == 1 or box.IS_CAMP[state.pos[seat]])


@compiled
def can_complete(state, seat, genus):
    """Whether the museum lacks the piece and the seat stores a fossil of each part."""
    for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
        if state.storage[seat, t] == 0:
            return False
    return not state.museum[genus]


@compiled
def complete_skeleton(state, seat, genus):
    """One fossil of each part leaves the game, the piece goes to the museum."""
    for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
        state.storage[seat, t] -= 1
        state.stored[seat] -= 1
    state.museum[genus] = 1
    for p in range(state.num_players):
        state.scores[p] += 1
    tell(state, e.COMPLETED, seat, genus, box.PARTS[genus], state.scores[0])


@compiled
def all_pieces(state):
    """Whether the museum is complete."""
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            return False
    return True


@compiled
def all_on_camps(state):
    """CC-28: whether every paleontologist who has not evacuated stands on a camp."""
    for p in range(state.num_players):
        if not state.evacuated[p] and not box.IS_CAMP[state.pos[p]]:
            return False
    return True


@compiled
def nobody_is_left(state):
    """Whether everybody has evacuated (CC-29 `evacuated`)."""
    for p in range(state.num_players):
        if not state.evacuated[p]:
            return False
    return True


@compiled
def a_part_is_lost(state):
    """CC-29 `part`: for a genus without a piece, all copies of one of its types are out of the
    game."""
    for t in range(box.EDM):
        if state.out[t] == state.copies[t] and not state.museum[box.GENUS_OF[t]]:
            return True
    return False


@compiled
def all_camps_flooded(state):
    """Whether all camps are flooded (CC-29 `corners`)."""
    for c in range(4):
        if not state.flooded[box.CAMPS[c]]:
            return False
    return True


@compiled
def end(state, ended):
    """The game is over; everything but the turn in progress stays as it is."""
    state.ended = ended
    state.ap = 0
    state.revealed_len = clear(state.revealed, state.revealed_len)
    close_swap(state)
    for p in range(state.num_players):
        state.displaced[p] = 0
        state.winners[p] = ended == s.WON
    finish(state, s.OVER)


@compiled
def close_swap(state):
    state.swap_partner = NOBODY
    state.swap_gives = 0
