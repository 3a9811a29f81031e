"""The head of a state: functions that say who decides next, and that end a game."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.tell import CHOSE, TURN, tell

NOBODY = -1


@compiled
def begin_turn(state, seat):
    """Count one turn more; the seat decides next."""
    state.turn += 1
    tell(state, TURN, seat)
    ask(state, seat)


@compiled
def ask(state, seat):
    """Ask the seat (or NOBODY) for the next decision, and no other."""
    for p in range(len(state.owes)):
        state.owes[p] = 1 if p == seat else 0
    state.to_move = seat


@compiled
def ask_all(state):
    """Ask every seat in the game for a decision at the same time."""
    for p in range(len(state.owes)):
        state.owes[p] = 1 if p < state.num_players else 0
    state.to_move = 0


@compiled
def also_ask(state, seat):
    """Ask the seat for a decision, too, at the same time as those that are asked already."""
    state.owes[seat] = 1
    next_to_commit(state)


@compiled
def commit(state, seat):
    """Note that the seat has made its simultaneous decision; returns whether all who were asked
    have."""
    state.owes[seat] = 0
    tell(state, CHOSE, seat)
    return next_to_commit(state) == NOBODY


@compiled
def next_to_commit(state):
    """Make the lowest seat that is still to decide the one to move; returns it, or NOBODY."""
    state.to_move = NOBODY
    for p in range(state.num_players):
        if state.owes[p]:
            state.to_move = p
            break
    return state.to_move


@compiled
def is_turn_limit_reached(state):
    """Whether the option ``max_turns`` forbids a further turn."""
    return state.turn >= state.max_turns


@compiled
def truncate_by_score(state, phase):
    """End the game by a turn limit: truncated, and who has the highest score wins, ties shared."""
    state.truncated = 1
    finish_by_score(state, phase)


@compiled
def finish(state, phase):
    """End the game, in the phase that says so; winners are the caller's business."""
    state.over = 1
    state.phase = phase
    ask(state, NOBODY)


@compiled
def finish_by_score(state, phase):
    """End the game; who has the highest score wins, ties shared."""
    finish(state, phase)
    best = state.scores[0]
    for p in range(1, state.num_players):
        best = max(best, state.scores[p])
    for p in range(state.num_players):
        state.winners[p] = state.scores[p] == best
