"""The compiled loop that plays games of one learner up to its next decisions: the other seats are
drawn and played inside.

Like ``kernels.py`` this file is loaded once per game: the names in the next block are that game's
own functions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.compiler.learner_data import (
    DEALT,
    DRAWN_SEAT,
    EVERY_SEAT,
    LEARNER,
    MOST_DEALS,
    NONE_REFUSED,
    STUCK,
    WHOLE,
    LearnerData,
)
from dig_envs.engine.core.random import below, mix, random_legal
from dig_envs.engine.core.state import PLAYERS

KEY: CacheKey
COOPERATIVE: bool
apply_action: Callable[..., Any]
observe: Callable[..., Any]
heuristic: Callable[..., Any]
write_mask: Callable[..., Any]
write_returns: Callable[..., Any]
start_rewards: Callable[..., Any]
finish_rewards: Callable[..., Any]
deal_after_end: Callable[..., Any]

ASKED, SCRIPTED = PLAYERS.index("asked"), PLAYERS.index("heuristic")
# apart from what a game draws from the same seed
SALT = np.uint64(0x6C6561726E657273)


@kernel(KEY)
def play(batch: BatchData, learner: LearnerData, lo, hi, by_learner, actions):
    """Play the decisions that are due, those of the learner (``by_learner`` 1) or of all others
    (0), and what follows by itself; then mask and observation of who is asked next."""
    for i in range(lo, hi):
        if begins(batch, learner, i, by_learner, actions[i]):
            play_one(batch, learner, i, actions[i])
            if batch.with_observations:
                batch.flat[i, :] = 0
                observe(batch.states[i], batch.movers[i], batch.observations[i])


@compiled
def begins(batch, learner, i, by_learner, action):
    """Prepare the outputs; returns whether the game plays."""
    asked = learner.asked[i]
    if by_learner != 0:
        learner.rewards[i] = 0.0
        learner.done[i] = False
    if asked == STUCK or (asked == LEARNER) != (by_learner != 0):
        return False
    return asked == DEALT or is_legal(batch, learner.refused, i, action)


@compiled
def is_legal(batch, refused, i, action):
    """Whether an action is legal in game i; if not, that is noted."""
    if 0 <= action < batch.masks.shape[1] and batch.masks[i, action] != 0:
        return True
    if refused[i, 0] == NONE_REFUSED:
        refused[i, 0] = batch.movers[i]
        refused[i, 1] = action
    return False


@compiled
def play_one(batch, learner, i, action):
    """Play an action (none in a game just dealt), then the seats that play by themselves, through
    ends of episodes, up to somebody who has to be asked."""
    state = batch.states[i]
    is_first = learner.asked[i] != DEALT
    if learner.asked[i] == LEARNER:
        learner.decided[i] += 1
    elif not is_first:
        draw_players(batch, learner, i)
    learner.asked[i] = LEARNER
    while True:
        start_rewards(state, batch.reward_kind, batch.rewards[i])
        while not state.over and (
            is_first or learner.kinds[learner.players[i, state.to_move]] != ASKED
        ):
            seat = state.to_move
            choice = action
            if not is_first:
                if learner.kinds[learner.players[i, seat]] == SCRIPTED:
                    choice = heuristic(state, seat)
                else:
                    write_mask(state, seat, batch.masks[i])
                    choice = random_legal(batch.masks[i], batch.generators[i])
            apply_action(state, seat, choice)
            batch.lengths[i] += 1
            is_first = False
        finish_rewards(state, batch.reward_kind, batch.rewards[i])
        for p in range(state.num_players):
            batch.returns[i, p] += batch.rewards[i, p]
        # all seats of a team get the same reward: that of seat 0
        learner.earned[i] += batch.rewards[i, max(learner.seats[i], 0)]
        if not state.over:
            break
        note_end(state, learner, i)
        deal_after_end(batch, i)
        draw_players(batch, learner, i)
        if learner.asked[i] == STUCK:
            break
    batch.movers[i] = state.to_move
    write_mask(state, state.to_move, batch.masks[i])
    if learner.asked[i] != STUCK:
        learner.asked[i] = learner.players[i, state.to_move]
        if learner.asked[i] == LEARNER and learner.decided[i] > 0:
            learner.rewards[i] = learner.earned[i]
            learner.earned[i] = 0.0


@compiled
def note_end(state, learner, i):
    """Keep what there is to know of a finished episode, if the learner had something to decide in
    it."""
    if learner.decided[i] == 0:
        learner.idle[i] += 1
        if learner.idle[i] >= MOST_DEALS:
            learner.asked[i] = STUCK
        return
    learner.idle[i] = 0
    learner.done[i] = True
    learner.rewards[i] = learner.earned[i]
    seat = max(learner.seats[i], 0)
    winners = 0
    for p in range(state.num_players):
        winners += state.winners[p]
    write_returns(state, learner.outcomes[i])
    learner.outcome[i] = learner.outcomes[i, seat]
    learner.won[i] = 0.0
    if state.winners[seat]:
        learner.won[i] = 1.0 if COOPERATIVE else 1.0 / winners
    learner.score[i] = state.scores[seat]
    learner.seat[i] = seat
    learner.decisions[i] = learner.decided[i]


@compiled
def draw_players(batch, learner, i):
    """Draw who plays which seat in an episode, from its seed."""
    generator = learner.draws[i]
    generator.rng = mix(batch.states[i].seed ^ SALT)
    seats = batch.states[i].num_players
    seat = learner.seat_given[i]
    if seat == DRAWN_SEAT:
        seat = below(generator, seats)
    is_mixed = below(generator, WHOLE) < learner.mixed
    opponent = draw_opponent(learner, generator)
    for p in range(learner.players.shape[1]):
        if is_mixed and p > 0:
            opponent = draw_opponent(learner, generator)
        learner.players[i, p] = LEARNER if seat in (EVERY_SEAT, p) else opponent
    learner.seats[i] = seat
    learner.began[i] = True
    learner.earned[i] = 0.0
    learner.decided[i] = 0


@compiled
def draw_opponent(learner, generator):
    """The number of an opponent, drawn by the shares."""
    drawn = below(generator, WHOLE)
    opponent = 1
    while opponent < len(learner.shares) and drawn >= learner.shares[opponent - 1]:
        opponent += 1
    return opponent
