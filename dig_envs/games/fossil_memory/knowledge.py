"""Which cards a seat is shown (FM-11)."""

from dig_envs.engine.jit import compiled
from dig_envs.engine.lists import append, clear, contains, remove_at
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s


@compiled
def knows(state, seat, place):
    """Whether the place has a card that the seat is shown."""
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
        note_recent(state, seat, place)


@compiled
def note_recent(state, seat, place):
    """Whoever decides begins a new list with the card; the others' lists have it at the end, once."""
    for p in range(state.num_players):
        if p == seat:
            clear(state.recent[p], state.recent_len[p])
            state.recent_len[p] = 0
        else:
            forget(state, p, place)
        state.recent_len[p] = append(state.recent[p], state.recent_len[p], place)


@compiled
def forget(state, seat, place):
    """Take the place out of the seat's list, if it is there."""
    for i in range(state.recent_len[seat]):
        if state.recent[seat, i] == place:
            state.recent_len[seat] = remove_at(state.recent[seat], state.recent_len[seat], i)
            return
