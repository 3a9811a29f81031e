"""Who decides next, and how a game ends: what the rules of all games do with the header of a state."""

from dig_envs.engine.jit import compiled

NOBODY = -1


@compiled
def ask(state, seat):
    """The seat (or NOBODY) is the only one that decides next."""
    for p in range(len(state.owes)):
        state.owes[p] = 1 if p == seat else 0
    state.to_move = seat


@compiled
def ask_all(state):
    """Every seat in the game owes a decision at the same time."""
    for p in range(len(state.owes)):
        state.owes[p] = 1 if p < state.num_players else 0
    state.to_move = 0


@compiled
def also_ask(state, seat):
    """The seat owes a decision, too, at the same time as those that do already."""
    state.owes[seat] = 1
    next_to_commit(state)


@compiled
def commit(state, seat):
    """The seat has made its simultaneous decision; returns whether all who owed one have."""
    state.owes[seat] = 0
    return next_to_commit(state) == NOBODY


@compiled
def next_to_commit(state):
    """The lowest seat that owes a decision is the one to move; returns it, or NOBODY."""
    state.to_move = NOBODY
    for p in range(state.num_players):
        if state.owes[p]:
            state.to_move = p
            break
    return state.to_move


@compiled
def finish(state, phase):
    """The game is over, in the phase that says so; winners are the caller's business."""
    state.over = 1
    state.phase = phase
    ask(state, NOBODY)


@compiled
def finish_by_score(state, phase):
    """The game is over, and who has the highest score wins, ties shared."""
    finish(state, phase)
    best = state.scores[0]
    for p in range(1, state.num_players):
        best = max(best, state.scores[p])
    for p in range(state.num_players):
        state.winners[p] = state.scores[p] == best
