"""The compiled loops that computations of XLA call, the same for every game
(:mod:`dig_envs.engine.compiler.frames` tells how).

This file is loaded once per game (:mod:`dig_envs.engine.compiler.loading`): the names in the next
block are then that game's own.

Every loop has the form ``(work, lo, hi)`` and goes through the rows ``lo`` to ``hi``, one game
each. What is written to a buffer is written in full, since the memory of results is arbitrary at
first. A game is the bytes of a state record, and they come from outside: a record whose head is
impossible (zeros, as replay buffers begin with) is never played on.

The dictionary ``CALLS`` says for each loop which buffers it has, arguments and results: what one
game has in each, as a dtype and the name of a shape (``xla_calls.py``).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.frames import array_at, stack_words, words_at
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.compiler.prefetch import prefetch
from dig_envs.engine.core.random import GAMMA, mix, next_seed, random_legal
from dig_envs.engine.core.state import REWARD_KINDS

KEY: CacheKey
STATE: Any
STATE_SIZE: int
OBSERVATION: Any
NUM_ACTIONS: int
OBSERVATION_SIZE: int
write_returns: Callable[..., Any]
write_mask: Callable[..., Any]
redeal: Callable[..., Any]
setup: Callable[..., Any]
apply_action: Callable[..., Any]
observe: Callable[..., Any]
heuristic: Callable[..., Any]

REWARD_SCORE = REWARD_KINDS.index("score")
ILLEGAL_REWARD = -1.0
GENERATOR = np.dtype([("rng", np.uint64)])

# Places of words in the settings; after them come the template and, if actions are checked, an
# offset for each action and the texts.
AUTO_RESET, REWARD, NUM_PLAYERS, SEATS, CHECKED, TEMPLATE = 0, 1, 2, 3, 4, 5

GAME, ACTION, SEED, SEAT = ("uint8", "state"), ("int32", "one"), ("uint32", "key"), ("int32", "one")
OBSERVED, MASK, FLAG = ("float32", "observation"), ("bool", "actions"), ("bool", "one")
PAY, COUNT = ("float32", "players"), ("int32", "one")
BOOKS = (OBSERVED, MASK, SEAT, PAY, FLAG, FLAG, PAY, COUNT)
CALLS = {
    "init": ((SEED,), (GAME, *BOOKS)),
    "step": ((GAME, ACTION, SEAT, FLAG, PAY, COUNT), (GAME, *BOOKS)),
    "step_all": ((GAME, ("int32", "players"), SEAT, FLAG, PAY, COUNT), (GAME, *BOOKS)),
    "look": ((GAME, ("int32", "seats")), (("float32", "seen"), ("bool", "allowed"))),
    "redeal_for": ((GAME, SEAT, SEED), (GAME,)),
    "scripted": ((GAME,), (ACTION,)),
    "sample": ((MASK, SEED), (ACTION,)),
}


# ---------------------------------------------------------------- memory


@compiled
def states_at(work, place):
    """The games in a buffer."""
    words = words_at(work, 3 + place)
    return array_at(words[2 + place], words[0], STATE)


@compiled
def matrix_at(work, place, columns, dtype):
    """A buffer as an array (n, columns)."""
    words = words_at(work, 3 + place)
    return array_at(words[2 + place], (words[0], columns), dtype)


@compiled
def column_at(work, place, dtype):
    """A buffer as an array (n,)."""
    words = words_at(work, 3 + place)
    return array_at(words[2 + place], words[0], dtype)


@compiled
def settings_at(work):
    """The words of the settings before the template."""
    return words_at(words_at(work, 2)[1], TEMPLATE)


@compiled
def template_at(work):
    """A game that holds the options and is zero otherwise, an array (1,)."""
    return array_at(words_at(work, 2)[1] + 8 * TEMPLATE, 1, STATE)


@compiled
def take_over(work, place, lo, hi):
    """Copy the games of the first argument to a result, if it has other memory; returns that
    result."""
    given, taken = states_at(work, 0), states_at(work, place)
    words = words_at(work, 3 + place)
    if words[2] != words[2 + place]:
        for i in range(lo, hi):
            taken[i] = given[i]
    return taken


@compiled
def seed_of(words):
    """The seed that the two words of a key stand for."""
    return (np.uint64(words[0]) << np.uint64(32)) | np.uint64(words[1])


@compiled
def is_game(state, template):
    """Whether the head of a record is that of a game with the options of the template, as far as
    the loops rely on it."""
    seats = template.num_players
    if (
        state.num_players != seats
        or state.to_move < -1
        or state.to_move >= seats
        or state.over < 0
        or state.over > 1
    ):
        return False
    if state.version != template.version:
        return False
    return (state.to_move < 0) == (state.over == 1) and (
        state.over == 1 or state.owes[state.to_move] == 1
    )


# ---------------------------------------------------------------- playing


@compiled
def write_books(state, seat, i, done, observations, flat, masks, players):
    """Write what the seat sees and may do; after the end all actions are allowed, as none does
    anything."""
    flat[i, :] = 0
    observe(state, seat, observations[i])
    if done:
        masks[i, :] = 1
    else:
        write_mask(state, seat, masks[i])
    players[i] = seat


@kernel(KEY, allocates=False)
def init(work, lo, hi):
    """Deal a game from each seed."""
    template, seats = template_at(work), settings_at(work)[NUM_PLAYERS]
    seeds, states = matrix_at(work, 0, 2, np.uint32), states_at(work, 1)
    observations, flat = (
        column_at(work, 2, OBSERVATION),
        matrix_at(work, 2, OBSERVATION_SIZE, np.float32),
    )
    masks, players = matrix_at(work, 3, NUM_ACTIONS, np.int8), column_at(work, 4, np.int32)
    rewards, terminated, limit = (
        matrix_at(work, 5, seats, np.float32),
        column_at(work, 6, np.int8),
        column_at(work, 7, np.int8),
    )
    returns, lengths = matrix_at(work, 8, seats, np.float32), column_at(work, 9, np.int32)
    for i in range(lo, hi):
        states[i] = template[0]
        setup(states[i], seed_of(seeds[i]))
        rewards[i, :] = 0.0
        returns[i, :] = 0.0
        lengths[i] = terminated[i] = limit[i] = 0
        write_books(states[i], states[i].to_move, i, False, observations, flat, masks, players)
    return 0


@compiled
def text_of(work, action):
    """The address of the text that says that an action is illegal; that of an action out of range
    is the last one."""
    first = words_at(work, 2)[1] + 8 * TEMPLATE + STATE_SIZE
    offsets = words_at(first, NUM_ACTIONS + 1)
    return first + offsets[action if 0 <= action < NUM_ACTIONS else NUM_ACTIONS]


@compiled
def play(state, seat, action, mask):
    """Play an action if it is legal; returns whether it was. The mask is written to."""
    write_mask(state, seat, mask)
    if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
        return False
    apply_action(state, seat, action)
    return True


@kernel(KEY, allocates=False)
def step(work, lo, hi):
    """One decision of one seat in each game."""
    return step_games(work, lo, hi, matrix_at(work, 1, 1, np.int32), False)


@kernel(KEY, allocates=False)
def step_all(work, lo, hi):
    """Play the decisions of all seats that have one to make, in each game."""
    return step_games(
        work, lo, hi, matrix_at(work, 1, settings_at(work)[NUM_PLAYERS], np.int32), True
    )


@compiled
def step_games(work, lo, hi, actions, of_all):
    """One step of each game; what is over stays as it is, or is dealt anew if the settings say
    so."""
    settings, template = settings_at(work), template_at(work)
    seats = settings[NUM_PLAYERS]
    last_players, last_terminated = column_at(work, 2, np.int32), column_at(work, 3, np.int8)
    last_returns, last_lengths = matrix_at(work, 4, seats, np.float32), column_at(work, 5, np.int32)
    observations, flat = (
        column_at(work, 7, OBSERVATION),
        matrix_at(work, 7, OBSERVATION_SIZE, np.float32),
    )
    masks, players = matrix_at(work, 8, NUM_ACTIONS, np.int8), column_at(work, 9, np.int32)
    rewards, terminated, limit = (
        matrix_at(work, 10, seats, np.float32),
        column_at(work, 11, np.int8),
        column_at(work, 12, np.int8),
    )
    returns, lengths = matrix_at(work, 13, seats, np.float32), column_at(work, 14, np.int32)
    auto, by_score, checked = (
        settings[AUTO_RESET] != 0,
        settings[REWARD] == REWARD_SCORE,
        settings[CHECKED] != 0,
    )
    states = take_over(work, 6, lo, hi)
    for i in range(lo, hi):
        state = states[i]
        if i + 1 < hi:
            prefetch(states[i + 1])
        is_good = is_game(state, template[0])
        begins = auto and last_terminated[i] != 0
        for p in range(seats):
            rewards[i, p] = 0.0
            returns[i, p] = 0.0 if begins else last_returns[i, p]
        lengths[i] = 0 if begins else last_lengths[i]
        limit[i] = 0
        if not is_good or state.over or (last_terminated[i] != 0 and not auto):  # nothing is played
            seat = min(max(last_players[i], 0), seats - 1)
            terminated[i] = 1
            if auto:
                deal_next(states, i, template)
                seat = state.to_move
                is_good = True
            if is_good:
                limit[i] = state.over and state.truncated
                write_books(state, seat, i, not auto, observations, flat, masks, players)
            else:
                flat[i, :] = 0
                masks[i, :] = 1
                players[i] = seat
            continue
        seat = np.int64(state.to_move)
        if by_score:
            for p in range(seats):
                rewards[i, p] = -state.scores[p]
        wrong = False
        if of_all:
            owing = 0
            for p in range(seats):
                owing |= (state.owes[p] != 0) << p
            for p in range(seats):  # whether all are legal, before any of them is played
                if (owing >> p) & 1:
                    write_mask(state, p, masks[i])
                    action = actions[i, p]
                    if action < 0 or action >= NUM_ACTIONS or masks[i, action] == 0:
                        if checked:
                            return text_of(work, action)
                        if not wrong:
                            seat = p
                        wrong = True
            if wrong:
                for p in range(seats):
                    rewards[i, p] = 0.0
                for p in range(seats):
                    if (owing >> p) & 1:
                        write_mask(state, p, masks[i])
                        action = actions[i, p]
                        if action < 0 or action >= NUM_ACTIONS or masks[i, action] == 0:
                            rewards[i, p] = ILLEGAL_REWARD
            else:
                for p in range(seats):
                    if (owing >> p) & 1:
                        seat = p
                        apply_action(state, p, actions[i, p])
        elif not play(state, seat, actions[i, 0], masks[i]):
            if checked:
                return text_of(work, actions[i, 0])
            wrong = True
            for p in range(seats):
                rewards[i, p] = 0.0
            rewards[i, seat] = ILLEGAL_REWARD
        if not wrong:
            if by_score:
                for p in range(seats):
                    rewards[i, p] += state.scores[p]
            elif state.over:
                write_returns(state, rewards[i])
        done = wrong or state.over != 0
        for p in range(seats):
            returns[i, p] += rewards[i, p]
        lengths[i] += 1
        terminated[i] = done
        limit[i] = state.over and state.truncated
        if done and auto:
            deal_next(states, i, template)
            done = False
        write_books(
            state,
            seat if done else np.int64(state.to_move),
            i,
            done,
            observations,
            flat,
            masks,
            players,
        )
    return 0


@compiled
def deal_next(states, i, template):
    """Deal the game that follows, in the place of a finished one."""
    seed = next_seed(states[i].seed)
    states[i] = template[0]
    setup(states[i], seed)


# ---------------------------------------------------------------- looking, searching, choosing


@kernel(KEY, allocates=False)
def look(work, lo, hi):
    """Write what some seats of each game see and may do; zeros for a seat that does not exist."""
    template, count = template_at(work), settings_at(work)[SEATS]
    states, seats = states_at(work, 0), matrix_at(work, 1, count, np.int32)
    words = words_at(work, 6)
    observations = array_at(words[4], (words[0], count), OBSERVATION)
    flat = array_at(words[4], (words[0], count, OBSERVATION_SIZE), np.float32)
    masks = array_at(words[5], (words[0], count, NUM_ACTIONS), np.int8)
    for i in range(lo, hi):
        is_good = is_game(states[i], template[0])
        for k in range(count):
            flat[i, k, :] = 0
            masks[i, k, :] = 0
            if is_good and 0 <= seats[i, k] < template[0].num_players:
                observe(states[i], seats[i, k], observations[i, k])
                write_mask(states[i], seats[i, k], masks[i, k])
    return 0


@kernel(KEY, allocates=False)
def redeal_for(work, lo, hi):
    """Deal anew what a seat of each game cannot know."""
    template = template_at(work)
    seats, seeds = column_at(work, 1, np.int32), matrix_at(work, 2, 2, np.uint32)
    states = take_over(work, 3, lo, hi)
    for i in range(lo, hi):
        if (
            is_game(states[i], template[0])
            and not states[i].over
            and 0 <= seats[i] < template[0].num_players
        ):
            redeal(states[i], seats[i], seed_of(seeds[i]))
    return 0


@kernel(KEY, allocates=False)
def scripted(work, lo, hi):
    """The scripted player's action in each game; 0 where there is nothing to decide."""
    template, states, actions = template_at(work), states_at(work, 0), column_at(work, 1, np.int32)
    for i in range(lo, hi):
        if is_game(states[i], template[0]) and not states[i].over:
            actions[i] = heuristic(states[i], np.int64(states[i].to_move))
        else:
            actions[i] = 0
    return 0


@kernel(KEY, allocates=False)
def sample(work, lo, hi):
    """A random legal action of each mask, all equally likely; 0 where none is legal."""
    masks, seeds, actions = (
        matrix_at(work, 0, NUM_ACTIONS, np.int8),
        matrix_at(work, 1, 2, np.uint32),
        column_at(work, 2, np.int32),
    )
    generator = array_at(stack_words(1), 1, GENERATOR)[0]
    for i in range(lo, hi):
        generator.rng = mix(seed_of(seeds[i]) ^ GAMMA)
        actions[i] = max(0, random_legal(masks[i], generator))
    return 0
