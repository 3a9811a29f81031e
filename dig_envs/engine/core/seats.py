"""Seats around the table, clockwise. The functions do without a remainder, which takes longer than
all else around it."""

from dig_envs.engine.compiler.jit import compiled


@compiled
def seat_after(state, seat, k):
    """The seat k places clockwise from a seat, 0 <= k <= num_players."""
    p = seat + k
    return p - state.num_players if p >= state.num_players else p


@compiled
def next_seat(state, seat):
    """The next seat clockwise."""
    return seat_after(state, seat, 1)


@compiled
def distance(state, seat, other):
    """The number of places clockwise from a seat to another one, 0 for the seat itself."""
    return other - seat if other >= seat else other - seat + state.num_players
