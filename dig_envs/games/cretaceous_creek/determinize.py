"""Re-dealing what nobody can know in Cretaceous Creek."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear, insert_sorted
from dig_envs.engine.core.random import shuffle
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions


@compiled
def determinize(state, seat):
    """Permute the face-down fossils, and the cards of `deck` and `aside` together; the same for every seat."""
    shuffle_face_down(state)
    shuffle_unseen_events(state)


@compiled
def shuffle_face_down(state):
    """Deal the face-down fossils anew over their places, from type order, so that only the view matters."""
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


@compiled
def shuffle_unseen_events(state):
    """Permute the cards of the deck and those set aside over both, from the order of the spaces."""
    cards = state.scratch
    count = 0
    for i in range(state.deck_len):
        count = insert_sorted(cards, count, state.deck[i])
    for i in range(state.aside_len):
        count = insert_sorted(cards, count, state.aside[i])
    shuffle(state, cards, count)
    for i in range(state.deck_len):
        state.deck[i] = cards[i]
    for i in range(state.aside_len):
        state.aside[i] = cards[state.deck_len + i]
    clear(cards, box.NUM_EVENTS)
