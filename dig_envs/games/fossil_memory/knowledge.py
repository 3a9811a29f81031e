"""Which cards a seat is shown (FM-11)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, clear, contains, remove_value
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s


@compiled
def knows(state, seat, place):
    """Whether the seat is shown the card at the place."""
    if state.grid[place] == box.TAKEN:
        return False
    if contains(state.up, state.up_len, place) or contains(state.shown, state.shown_len, place):
        return True
    if state.recall == s.PERFECT:
        return state.seen[place] == 1
    return contains(state.recent[seat], state.recent_len[seat], place)


@compiled
def note(state, seat, place):
    """The seat has turned up the card at the place, in sight of all."""
    if state.recall == s.PERFECT:
        state.seen[place] = 1
    elif state.recall == s.RECENT:
        # whoever decides begins a new list with the card; the others' lists have it at the end,
        # once
        for p in range(state.num_players):
            if p == seat:
                state.recent_len[p] = clear(state.recent[p], state.recent_len[p])
            else:
                state.recent_len[p] = remove_value(state.recent[p], state.recent_len[p], place)
            state.recent_len[p] = append(state.recent[p], state.recent_len[p], place)
