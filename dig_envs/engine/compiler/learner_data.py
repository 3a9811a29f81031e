"""What there is to know of the learner in a batch of games, as one argument of compiled functions:
on a CPU arrays of NumPy, on a GPU arrays there."""

from typing import Any, NamedTuple

Array = Any  # of NumPy or on a device

EVERY_SEAT, DRAWN_SEAT = -1, -2  # in `seat_given`, `seats`
LEARNER = 0  # in `players`, `asked`; above: the opponents
DEALT, STUCK = -1, -2  # in `asked`: nobody yet; the learner never has anything to decide
WHOLE = 2**30  # of `shares`, `mixed`
NONE_REFUSED = -1
MOST_OPPONENTS = 2**15 - 1  # in `players`
MOST_DEALS = 1000  # until the learner has something to decide


class LearnerData(NamedTuple):
    """The learner in a batch of n games with s seats, and its k opponents, who have the numbers 1
    to k.

    It is a plain tuple for Numba: a field is as fast as an argument.
    """

    seat_given: Array
    """int64 (n,): its seat in each episode, or EVERY_SEAT, DRAWN_SEAT."""
    kinds: Array
    """int8 (k + 1,): who of :data:`~dig_envs.engine.core.state.PLAYERS` the learner and each
    opponent is."""
    shares: Array
    """int64 (k,): how often an opponent or one before it is drawn, of WHOLE."""
    mixed: int
    """How often each seat of an episode gets an opponent of its own, of WHOLE; else one plays all
    of them."""
    seats: Array
    """int64 (n,): its seat in the episode, or EVERY_SEAT."""
    players: Array
    """int16 (n, s): who plays each seat."""
    draws: Array
    """Records (n,) with the field ``rng``, uint64: for draws."""
    asked: Array
    """int64 (n,): whose decision is due: LEARNER, an opponent that has to be asked, or DEALT,
    STUCK."""
    began: Array
    """bool (n,): an episode has begun; whoever looks sets it back."""
    refused: Array
    """int64 (n, 2): the seat and the illegal action that was not played; NONE_REFUSED: none since
    somebody has set it back."""
    earned: Array
    """float64 (n,): rewards that it has not been given yet."""
    decided: Array
    """int64 (n,): its decisions in the episode."""
    idle: Array
    """int64 (n,): episodes in a row in which it had nothing to decide."""
    rewards: Array
    """float32 (n,): of its last decision, up to its next one or the end of the episode."""
    done: Array
    """bool (n,): whether the episode of its last decision has ended."""
    outcomes: Array
    """float32 (n, s): the game's returns in the episode that ended last; what follows is of that
    one, too."""
    outcome: Array
    """float32 (n,): the learner's."""
    won: Array
    """float32 (n,): its share of the victory."""
    score: Array
    """int64 (n,): its score."""
    seat: Array
    """int64 (n,): its seat; 0 for EVERY_SEAT."""
    decisions: Array
    """int64 (n,): how many it made."""
