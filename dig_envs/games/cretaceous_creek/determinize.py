"""What nobody can know in Cretaceous Creek is dealt anew."""

from dig_envs.engine.jit import compiled
from dig_envs.engine.lists import append, clear
from dig_envs.engine.random import shuffle
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
    for t in range(box.NUM_TYPES):
        for space in range(box.NUM_SPACES):
            for layer in range(state.height[space]):
                if state.grid[space, layer] == t and questions.is_face_down(state, space, layer):
                    count = append(cards, count, t)
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
    for card in range(box.NO_EROSION + 1):
        for i in range(state.deck_len):
            if state.deck[i] == card:
                count = append(cards, count, card)
        for i in range(state.aside_len):
            if state.aside[i] == card:
                count = append(cards, count, card)
    shuffle(state, cards, count)
    for i in range(state.deck_len):
        state.deck[i] = cards[i]
    for i in range(state.aside_len):
        state.aside[i] = cards[state.deck_len + i]
    clear(cards, box.NUM_EVENTS)
