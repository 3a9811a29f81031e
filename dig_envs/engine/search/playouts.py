"""How often actions lead to victory where the scripted player plays on for everybody, and has made
the choices of others that a seat cannot see.

Like ``simulation.py`` this file is loaded once per game: the names in the next block are that
game's own. Its machine code is kept apart.
"""

from collections.abc import Callable
from typing import Any

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.core.winners import share_of_victory

KEY: CacheKey
COOPERATIVE: bool
MAX_ACTIONS: int
apply_action: Callable[..., Any]
redeal: Callable[..., Any]
playout: Callable[..., Any]
suppose: Callable[..., Any]


@kernel(KEY)
def play_on(roots, seat, actions, seeds, most_actions, work, sums):
    """Play each action of the seat in ``roots[0]``, and then by the scripted player to the end;
    returns how often each was played.

    What the seat cannot know is dealt anew from each of the ``seeds``, for all actions alike. No
    deal is begun after ``most_actions`` in all. ``sums`` float64 (len(actions), 3) gets the sums of
    the seat's shares of victory, of its scores, and of the best scores of another seat; ``work``: a
    record array of length 2.
    """
    played, games = 0, 0
    for deal in range(len(seeds)):
        if played >= most_actions:
            break
        games += 1
        work[0] = roots[0]
        imagine(work[0], seat, seeds[deal])
        for i in range(len(actions)):
            work[1] = work[0]
            state = work[1]
            apply_action(state, seat, actions[i])
            count = 1
            while not state.over and count < MAX_ACTIONS:
                mover = state.to_move
                apply_action(state, mover, playout(state, mover))
                count += 1
            sums[i, 0] += share_of_victory(state, seat, COOPERATIVE)
            sums[i, 1] += state.scores[seat]
            sums[i, 2] += best_of_others(state, seat)
            played += count
    return games


@compiled
def imagine(state, seat, seed):
    """Re-deal what the seat cannot know, with hidden choices as the scripted player makes them."""
    redeal(state, seat, seed)
    suppose(state, seat)


@kernel(KEY)
def imagine_one(states, seat, seed):
    """The same in one game."""
    imagine(states[0], seat, seed)


@compiled
def best_of_others(state, seat):
    """The best score of another seat; 0 where there is none."""
    best, none = 0, True
    for p in range(state.num_players):
        if p != seat and (none or state.scores[p] > best):
            best, none = state.scores[p], False
    return best
