"""Re-dealing what nobody can know in Cretaceous Creek."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear, insert_sorted
from dig_envs.engine.core.random import shuffle
from dig_envs.engine.core.reshuffling import reshuffle_together
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions


@compiled
def determinize(state, seat):
    """Permute the face-down fossils, and the cards of `deck` and `aside` together; the same for
    every seat."""
    shuffle_face_down(state)
    reshuffle_together(state, state.deck, state.deck_len, state.aside, state.aside_len)


@compiled
def shuffle_face_down(state):
    """Deal the face-down fossils anew over their places, from type order, so that only the view
    matters."""
    cards = state.scratch
    count = 0
    for space in range(box.NUM_SPACES):
        for layer in range(state.height[space]):
            if questions.is_face_down(state, space, layer):
                count = insert_sorted(cards, count, state.grid[space, layer])
    shuffle(state, cards, count)
    for space in range(box.NUM_SPACES):
        for layer in range(state.height[space]):
            if questions.is_face_down(state, space, layer):
                count -= 1
                state.grid[space, layer] = cards[count]
    clear(cards, box.NUM_FOSSILS)
