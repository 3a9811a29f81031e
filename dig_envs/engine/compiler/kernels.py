"""The compiled loops over games, the same for every game.

This file is loaded once per game (:mod:`dig_envs.engine.compiler.loading`): the names in the next
block are then that game's own functions and constants, which lets Numba compile and cache one set
of loops for each game.

Every function works on ``states[lo:hi]``, so that threads can share a batch. ``observations`` are
records and ``flat`` is the same memory as a float32 matrix.
"""

from collections.abc import Callable
from typing import Any

from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.compiler.prefetch import prefetch
from dig_envs.engine.core.random import next_seed, random_legal, seed_generator
from dig_envs.engine.core.state import ANSWERS, PLAYERS, REWARD_KINDS

GAME: CacheKey
COOPERATIVE: bool
setup: Callable[..., Any]
legal_actions: Callable[..., Any]
apply_action: Callable[..., Any]
observe: Callable[..., Any]
determinize: Callable[..., Any]
derive: Callable[..., Any]
inspect: Callable[..., Any]
heuristic: Callable[..., Any]
styled: Callable[..., Any]

REWARD_SCORE = REWARD_KINDS.index("score")
ASKED, SCRIPTED = PLAYERS.index("asked"), PLAYERS.index("heuristic")
ILLEGAL = -1


@compiled
def write_returns(state, returns):
    """The returns of a finished game. Winners share +1, the others get -1. If nobody has won, each
    seat loses as if there were one winner (rules of all games, "Result")."""
    seats = state.num_players
    count = 0
    for p in range(seats):
        count += state.winners[p]
    for p in range(seats):
        if COOPERATIVE:
            returns[p] = 1.0 if count > 0 else -1.0
        elif count == seats:
            returns[p] = 0.0
        elif state.winners[p]:
            returns[p] = 1.0 / count
        else:
            returns[p] = -1.0 / (seats - max(count, 1))


@compiled
def write_mask(state, seat, mask):
    """Write the mask of a seat: all zero for one that has no decision to make."""
    mask[:] = 0
    if seat >= 0 and state.owes[seat]:
        legal_actions(state, seat, mask)


@compiled
def start_rewards(state, reward_kind, rewards):
    """What is needed of the scores before an action, for :func:`finish_rewards`."""
    for p in range(state.num_players):
        rewards[p] = -state.scores[p] if reward_kind == REWARD_SCORE else 0.0


@compiled
def finish_rewards(state, reward_kind, rewards):
    """The reward of each seat for what was played since :func:`start_rewards`."""
    if reward_kind == REWARD_SCORE:
        for p in range(state.num_players):
            rewards[p] += state.scores[p]
    elif state.over:
        write_returns(state, rewards)


@compiled
def deal(states, i, template, seed):
    """Deal a new game in a place: a template holds the options and is zero otherwise."""
    states[i] = template
    setup(states[i], seed)


@kernel(GAME)
def deal_one(states, seed, template, masks, observations, flat):
    """Deal one game, then mask and observation of the seat that begins, which is returned."""
    deal(states, 0, template[0], seed)
    return look_at(states[0], states[0].to_move, masks, observations, flat)


@kernel(GAME)
def look_one(states, seat, masks, observations, flat):
    """Mask and observation of a seat of one game, which is returned."""
    return look_at(states[0], seat, masks, observations, flat)


@compiled
def look_at(state, seat, masks, observations, flat):
    """Write mask and observation of a seat (zero for -1)."""
    write_mask(state, seat, masks[0])
    flat[0, :] = 0
    if seat >= 0:
        observe(state, seat, observations[0])
    return seat


@kernel(GAME)
def start(states, lo, hi, seeds, templates, which):
    """Deal a new game in each place."""
    for i in range(lo, hi):
        deal(states, i, templates[which[i]], seeds[i])


@kernel(GAME)
def masks_of(states, lo, hi, seats, masks):
    """The mask of one seat in each game."""
    for i in range(lo, hi):
        write_mask(states[i], seats[i], masks[i])


@kernel(GAME)
def observations_of(states, lo, hi, seats, observations, flat):
    """The observation of one seat in each game; zero where the seat is -1."""
    for i in range(lo, hi):
        flat[i, :] = 0
        if seats[i] >= 0:
            observe(states[i], seats[i], observations[i])


@kernel(GAME)
def advance(states, actions, reward_kind, rewards, masks, observations, flat):
    """One action of the seat that is asked in one game, the rewards for it, then mask and
    observation of the next seat.

    Returns ``to_move + 1``, and ``ANSWERS`` more if a seat is paid or the game is over. ``ILLEGAL``
    if the mask forbids the action; then nothing has changed.
    """
    state, action = states[0], actions[0]
    if action < 0 or action >= masks.shape[1] or masks[0, action] == 0:
        return ILLEGAL
    start_rewards(state, reward_kind, rewards[0])
    apply_action(state, state.to_move, action)
    finish_rewards(state, reward_kind, rewards[0])
    paid = state.over != 0
    for p in range(state.num_players):
        paid = paid or rewards[0, p] != 0.0
    seat = int(look_at(state, state.to_move, masks, observations, flat))
    return seat + 1 + (ANSWERS if paid else 0)


@kernel(GAME)
def apply_one(states, seat, action):
    """One legal action in one game, nothing else."""
    apply_action(states[0], seat, action)


@kernel(GAME)
def apply_and_tell(listening, seat, action):
    """One legal action in one game, whose record has room for the events that it causes
    (``core/tell.py``)."""
    listening[0].told_len = 0
    apply_action(listening[0], seat, action)


@kernel(GAME)
def returns_of(states, returns):
    """Of finished games."""
    for i in range(len(states)):
        write_returns(states[i], returns[i])


@compiled
def redeal(state, seat, seed):
    """Re-deal what the seat cannot know; what comes later by chance then depends on the seed, too.
    The episode's seed stays."""
    dealt = state.seed
    seed_generator(state, seed)
    determinize(state, seat)
    state.seed = dealt


@kernel(GAME)
def determinize_one(states, seat, seed):
    """Re-deal in one game what the seat cannot know."""
    redeal(states[0], seat, seed)


@kernel(GAME)
def derive_one(states):
    """Recompute the derived fields of one game."""
    derive(states[0])


@kernel(GAME)
def inspect_one(states, facts):
    """Write what the rules say of the position of one game."""
    inspect(states[0], facts[0])


@kernel(GAME)
def first_illegal(lo, hi, playing, masks, actions):
    """The first game, of those playing, whose action is out of range or illegal, -1 if there is
    none."""
    for i in range(lo, hi):
        action = actions[i]
        if playing[i] and (action < 0 or action >= masks.shape[1] or masks[i, action] == 0):
            return i
    return -1


@kernel(GAME)
def step_batch(batch: BatchData, lo, hi, playing, actions):
    """One decision in every game that is playing; what is over is kept in ``final_*`` and dealt
    anew; then the next mask."""
    for i in range(lo, hi):
        prefetch_next(batch, i, hi)
        if begin_step(batch, i, playing[i]):
            state = batch.states[i]
            if batch.with_observations:
                batch.flat[i, :] = 0  # now, so that it is done by the time it is written to
            apply_action(state, state.to_move, actions[i])
            batch.lengths[i] += 1
            end_step(batch, i)
            if batch.with_observations:
                observe(state, state.to_move, batch.observations[i])


@kernel(GAME)
def play_on(batch: BatchData, lo, hi, playing, actions, players):
    """As :func:`step_batch`, and then the decisions of seats that play by themselves (``players``,
    :data:`~dig_envs.engine.core.state.PLAYERS`), up to one that is asked or to the end."""
    for i in range(lo, hi):
        prefetch_next(batch, i, hi)
        if begin_step(batch, i, playing[i]):
            state = batch.states[i]
            is_first = True
            while not state.over and (is_first or players[i, state.to_move] != ASKED):
                seat = state.to_move
                action = actions[i]
                if players[i, seat] == SCRIPTED:
                    action = heuristic(state, seat)
                elif players[i, seat] != ASKED:
                    write_mask(state, seat, batch.masks[i])
                    action = random_legal(batch.masks[i], batch.generators[i])
                apply_action(state, seat, action)
                batch.lengths[i] += 1
                is_first = False
            end_step(batch, i)
            if batch.with_observations:
                batch.flat[i, :] = 0
                observe(state, state.to_move, batch.observations[i])


@compiled
def prefetch_next(batch, i, hi):
    """Have the memory of the next game at hand."""
    if i + 1 < hi:
        prefetch(batch.states[i + 1])
        if batch.with_observations:
            prefetch(batch.observations[i + 1])


@compiled
def begin_step(batch, i, is_playing):
    """Prepare the outputs of a step; returns whether the game is playing."""
    if not is_playing:
        batch.rewards[i, :] = 0.0
        batch.terminated[i] = False
        batch.turn_limit[i] = False
        return False
    start_rewards(batch.states[i], batch.reward_kind, batch.rewards[i])
    return True


@compiled
def end_step(batch, i):
    """Write what a step pays; keep a finished game and deal the next one; then the next mask."""
    state = batch.states[i]
    finish_rewards(state, batch.reward_kind, batch.rewards[i])
    for p in range(state.num_players):
        batch.returns[i, p] += batch.rewards[i, p]
    batch.terminated[i] = state.over
    batch.turn_limit[i] = state.over and state.truncated
    if state.over:
        deal_after_end(batch, i)
    batch.movers[i] = state.to_move
    write_mask(state, state.to_move, batch.masks[i])


@compiled
def deal_after_end(batch, i):
    """Keep what there is to know of a finished game, and deal the next one in its place."""
    batch.final_states[i] = batch.states[i]
    batch.final_lengths[i] = batch.lengths[i]
    batch.lengths[i] = 0
    for p in range(batch.returns.shape[1]):
        batch.final_returns[i, p] = batch.returns[i, p]
        batch.returns[i, p] = 0.0
    template = batch.templates[batch.template_of[i]]
    deal(batch.states, i, template, next_seed(batch.states[i].seed))


@kernel(GAME)
def sample_legal(lo, hi, masks, generators, actions):
    """A uniformly random legal action in every game."""
    for i in range(lo, hi):
        actions[i] = random_legal(masks[i], generators[i])


@kernel(GAME)
def heuristic_actions(states, lo, hi, seats, actions):
    """Write the action of the game's scripted player in every game; a negative seat is left out."""
    for i in range(lo, hi):
        if seats[i] >= 0:
            actions[i] = heuristic(states[i], seats[i])


@kernel(GAME)
def styled_actions(states, lo, hi, seats, weights, actions):
    """Write its actions with other weights, for a game whose scripted player has styles."""
    for i in range(lo, hi):
        if seats[i] >= 0:
            actions[i] = styled(states[i], seats[i], weights)


@compiled
def unstyled(state, seat, weights):
    """The usual action, in the form that a style has."""
    return heuristic(state, seat)


@kernel(GAME)
def random_rollout(states, lo, hi, generators, masks, max_actions, lengths):
    """Play each game on with random legal actions, to its end or for ``max_actions``; returns the
    number of actions."""
    count = 0
    for i in range(lo, hi):
        state = states[i]
        for _ in range(max_actions):
            if state.over:
                break
            write_mask(state, state.to_move, masks[i])
            apply_action(state, state.to_move, random_legal(masks[i], generators[i]))
            lengths[i] += 1
        count += lengths[i]
    return count
