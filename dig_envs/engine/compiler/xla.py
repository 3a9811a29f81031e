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
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.compiler.memory import array_at, words_at
from dig_envs.engine.compiler.prefetch import prefetch
from dig_envs.engine.core.random import GAMMA, mix, next_seed, random_legal
from dig_envs.engine.core.state import scratch_records

KEY: CacheKey
STATE: Any
STATE_SIZE: int
OBSERVATION: Any
NUM_ACTIONS: int
OBSERVATION_SIZE: int
write_mask: Callable[..., Any]
start_rewards: Callable[..., Any]
finish_rewards: Callable[..., Any]
redeal: Callable[..., Any]
deal: Callable[..., Any]
apply_action: Callable[..., Any]
observe: Callable[..., Any]
heuristic: Callable[..., Any]

ILLEGAL_REWARD = -1.0
GENERATOR = np.dtype([("rng", np.uint64)])

# Places of words in the settings; after them come the template and, if actions are checked, an
# offset for each action and the texts.
AUTO_RESET, REWARD, NUM_PLAYERS, SEATS, CHECKED, TEMPLATE = 0, 1, 2, 3, 4, 5

GAME, ACTION, SEED, SEAT = ("uint8", "state"), ("int32", "one"), ("uint32", "key"), ("int32", "one")
OBSERVED, MASK, FLAG = ("float32", "observation"), ("bool", "actions"), ("bool", "one")
PAY, COUNT = ("float32", "players"), ("int32", "one")
RESULT = (("bool", "players"), ("int32", "players"))
BOOKS = (OBSERVED, MASK, SEAT, PAY, FLAG, FLAG, PAY, COUNT, *RESULT)
CALLS = {
    "init": ((SEED,), (GAME, *BOOKS)),
    "step": ((GAME, ("int32", "seats"), SEAT, FLAG, PAY, COUNT), (GAME, *BOOKS)),
    "look": ((GAME, ("int32", "seats")), (("float32", "seen"), ("bool", "allowed"))),
    "redeal_for": ((GAME, SEAT, SEED), (GAME,)),
    "scripted": ((GAME,), (ACTION,)),
    "sample": ((MASK, SEED), (ACTION,)),
}


# ---------------------------------------------------------------- memory


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
def states_at(work, place):
    """The games in a buffer."""
    return column_at(work, place, STATE)


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
    seats, mover, over = template.num_players, state.to_move, state.over
    if state.num_players != seats or state.version != template.version:
        return False
    if mover == -1:
        return over == 1
    return over == 0 and 0 <= mover < seats and state.owes[mover] == 1


# ---------------------------------------------------------------- playing


class Books(NamedTuple):
    """What a loop writes of each game beside the game itself: the buffers of ``BOOKS``, in its
    order. ``flat`` is the memory of ``observations`` as numbers."""

    observations: Any
    flat: Any
    masks: Any
    players: Any
    rewards: Any
    terminated: Any
    limit: Any
    returns: Any
    lengths: Any
    winners: Any
    scores: Any


@compiled
def books_at(work, place, seats):
    """The books whose first buffer is the one at ``place``."""
    return Books(
        column_at(work, place, OBSERVATION),
        matrix_at(work, place, OBSERVATION_SIZE, np.float32),
        matrix_at(work, place + 1, NUM_ACTIONS, np.int8),
        column_at(work, place + 2, np.int32),
        matrix_at(work, place + 3, seats, np.float32),
        column_at(work, place + 4, np.int8),
        column_at(work, place + 5, np.int8),
        matrix_at(work, place + 6, seats, np.float32),
        column_at(work, place + 7, np.int32),
        matrix_at(work, place + 8, seats, np.int8),
        matrix_at(work, place + 9, seats, np.int32),
    )


@compiled
def write_result(state, i, done, books):
    """Write who has won and the scores if the game has ended, zeros otherwise."""
    for p in range(books.scores.shape[1]):
        books.winners[i, p] = done and state.winners[p] != 0
        books.scores[i, p] = state.scores[p] if done else 0


@compiled
def write_seen(state, seat, i, done, books):
    """Write what the seat sees and may do; after the end all actions are allowed, as none does
    anything."""
    books.flat[i, :] = 0
    observe(state, seat, books.observations[i])
    if done:
        books.masks[i, :] = 1
    else:
        write_mask(state, seat, books.masks[i])
    books.players[i] = seat


@kernel(KEY)
def init(work, lo, hi):
    """Deal a game from each seed."""
    template = template_at(work)
    seeds, states = matrix_at(work, 0, 2, np.uint32), states_at(work, 1)
    books = books_at(work, 2, settings_at(work)[NUM_PLAYERS])
    for i in range(lo, hi):
        deal(states, i, template[0], seed_of(seeds[i]))
        books.rewards[i, :] = 0.0
        books.returns[i, :] = 0.0
        books.lengths[i] = books.terminated[i] = books.limit[i] = 0
        write_result(states[i], i, False, books)
        write_seen(states[i], states[i].to_move, i, False, books)
    return 0


@compiled
def text_of(work, action):
    """The address of the text that says that an action is illegal; that of an action out of range
    is the last one."""
    first = words_at(work, 2)[1] + 8 * TEMPLATE + STATE_SIZE
    offsets = words_at(first, NUM_ACTIONS + 1)
    return first + offsets[action if 0 <= action < NUM_ACTIONS else NUM_ACTIONS]


@kernel(KEY)
def step(work, lo, hi):
    """One decision of one seat in each game, or those of all seats that have one to make where
    there are actions for several; what is over stays as it is, or is dealt anew if the settings say
    so.

    Returns 0; or where actions are checked and one is illegal, the address of the text about it.
    """
    settings, template = settings_at(work), template_at(work)
    auto, seats, of_all = settings[AUTO_RESET] != 0, settings[NUM_PLAYERS], settings[SEATS] > 1
    actions = matrix_at(work, 1, settings[SEATS], np.int32)
    last_players, last_terminated = column_at(work, 2, np.int32), column_at(work, 3, np.int8)
    last_returns, last_lengths = matrix_at(work, 4, seats, np.float32), column_at(work, 5, np.int32)
    states, books = take_over(work, 6, lo, hi), books_at(work, 7, seats)
    for i in range(lo, hi):
        state = states[i]
        if i + 1 < hi:
            prefetch(states[i + 1])
        was_over = last_terminated[i] != 0
        begins = auto and was_over
        for p in range(seats):
            books.rewards[i, p] = 0.0
            books.returns[i, p] = 0.0 if begins else last_returns[i, p]
        books.lengths[i] = 0 if begins else last_lengths[i]
        is_good = is_game(state, template[0])
        if not is_good or state.over or (was_over and not auto):
            seat = min(max(last_players[i], 0), seats - 1)
            play_nothing(states, i, seat, template, is_good, auto, books)
            continue
        seat = np.int64(state.to_move)
        wrong = refuse_illegal(state, actions[i], of_all, books.masks[i], books.rewards[i])
        if wrong >= 0:
            if settings[CHECKED] != 0:
                return text_of(work, actions[i, wrong if of_all else 0])
            seat = wrong
        else:
            start_rewards(state, settings[REWARD], books.rewards[i])
            if of_all:
                seat = play_all(state, actions[i], seats)
            else:
                apply_action(state, seat, actions[i, 0])
            finish_rewards(state, settings[REWARD], books.rewards[i])
        done = wrong >= 0 or state.over != 0
        for p in range(seats):
            books.returns[i, p] += books.rewards[i, p]
        books.lengths[i] += 1
        books.terminated[i] = done
        books.limit[i] = state.over and state.truncated
        write_result(state, i, done, books)
        if done and auto:
            deal(states, i, template[0], next_seed(state.seed))
            done = False
        write_seen(state, seat if done else np.int64(state.to_move), i, done, books)
    return 0


@compiled
def play_nothing(states, i, seat, template, is_good, auto, books):
    """Leave a game that is over, or bytes that are no game, as they are; with ``auto`` deal the
    next game in their place."""
    books.terminated[i] = 1
    books.limit[i] = 0
    write_result(states[i], i, is_good and not auto, books)
    if auto:
        deal(states, i, template[0], next_seed(states[i].seed))
        seat = states[i].to_move
    if auto or is_good:
        books.limit[i] = states[i].over and states[i].truncated
        write_seen(states[i], seat, i, not auto, books)
    else:
        books.flat[i, :] = 0
        books.masks[i, :] = 1
        books.players[i] = seat


@compiled
def refuse_illegal(state, actions, of_all, mask, rewards):
    """Give ILLEGAL_REWARD to each seat whose action is illegal; returns the first of them, -1 if
    all actions are legal. The mask is scratch.

    ``actions``: one for each seat, or just that of the seat to move.
    """
    first = -1
    for p in range(len(rewards)):
        if state.owes[p] != 0 if of_all else p == state.to_move:
            write_mask(state, p, mask)
            action = actions[p if of_all else 0]
            if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
                rewards[p] = ILLEGAL_REWARD
                if first < 0:
                    first = p
    return first


@compiled
def play_all(state, actions, seats):
    """Play the actions of all seats that have a decision to make now; returns the last of them."""
    owing = 0  # as bits, since playing changes who owes a decision
    for p in range(seats):
        owing |= (state.owes[p] != 0) << p
    last = np.int64(state.to_move)
    for p in range(seats):
        if (owing >> p) & 1:
            apply_action(state, p, actions[p])
            last = p
    return last


# ---------------------------------------------------------------- looking, searching, choosing


@kernel(KEY)
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


@kernel(KEY)
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


@kernel(KEY)
def scripted(work, lo, hi):
    """The scripted player's action in each game; 0 where there is nothing to decide."""
    template, states, actions = template_at(work), states_at(work, 0), column_at(work, 1, np.int32)
    for i in range(lo, hi):
        if is_game(states[i], template[0]) and not states[i].over:
            actions[i] = heuristic(states[i], np.int64(states[i].to_move))
        else:
            actions[i] = 0
    return 0


@kernel(KEY)
def sample(work, lo, hi):
    """A random legal action of each mask, all equally likely; 0 where none is legal."""
    return draw(work, lo, hi, scratch_records(1, GENERATOR))


@compiled
def draw(work, lo, hi, generators):
    """With memory for a generator."""
    masks, seeds = matrix_at(work, 0, NUM_ACTIONS, np.int8), matrix_at(work, 1, 2, np.uint32)
    actions = column_at(work, 2, np.int32)
    for i in range(lo, hi):
        generators[0].rng = mix(seed_of(seeds[i]) ^ GAMMA)
        actions[i] = max(0, random_legal(masks[i], generators[0]))
    return 0
