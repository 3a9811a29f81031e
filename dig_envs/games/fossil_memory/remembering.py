"""What a player with a memory makes of a position (FM-11)."""

from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.knowledge import knows

NUM_CARDS = len(box.CARDS)


@compiled
def remember(state, seat, memory):
    """Note in the memory, float32 (24,), what the seat is shown, and make the position the one in
    which the game keeps all that is remembered (``perfect``); returns whether it is a memory."""
    for place in range(box.NUM_PLACES):
        if knows(state, seat, place):
            memory[place] = state.grid[place]
        card = memory[place]
        if not (0 <= card < NUM_CARDS and card == int(card)):
            return False
    for place in range(box.NUM_PLACES):
        seen = memory[place] != 0 and state.grid[place] != box.TAKEN
        state.seen[place] = seen
        if seen:
            put(state, place, int(memory[place]))
    state.recall = s.PERFECT
    state.recent[:] = 0
    state.recent_len[:] = 0
    return True


@compiled
def put(state, place, card):
    """Put a card at a place, and what lay there where the card was."""
    for other in range(box.NUM_PLACES):
        if state.grid[other] == card:
            state.grid[other] = state.grid[place]
    state.grid[place] = card


@kernel("dig_envs.games.fossil_memory.remembering")
def remember_all(states, seats, memory):
    """:func:`remember` in several games; returns whether all memories are such."""
    good = True
    for i in range(len(states)):
        good &= remember(states[i], seats[i], memory[i])
    return good
