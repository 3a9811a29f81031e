"""Code that batches on a CPU and on a GPU share: new arrays, and the checks of arguments."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.learner_data import (
    DEALT,
    MOST_OPPONENTS,
    NONE_REFUSED,
    WHOLE,
    LearnerData,
)
from dig_envs.engine.core.checks import action_text, shown_in_message
from dig_envs.engine.core.errors import IllegalActionError, OptionError
from dig_envs.engine.core.state import REWARD_KINDS, as_records, new_records
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.game import Array, Game

DEVICES = ("cpu", "cuda")
TENSORS = (
    *("observation", "action_mask", "mover", "reward", "terminated", "truncated", "turn_limit"),
    *("final_returns", "final_lengths"),
)
GENERATOR = np.dtype([("rng", np.uint64)])


def new_data(
    game: Game, templates: Array, template_of: Array, reward: str, with_observations: bool
) -> BatchData:
    """The contents of a batch in which nothing has been dealt yet.

    Args:
        game: the game.
        templates: records (t,) with the options, zero otherwise.
        template_of: int64 (n,), which of them each game has.
        reward: one of :data:`~dig_envs.engine.core.state.REWARD_KINDS`.
        with_observations: whether steps write observations.
    """
    n, seats = len(template_of), game.max_players
    observations, flat = game.new_observations(n if with_observations else 1)
    return BatchData(
        states=new_records(n, game.state),
        templates=templates,
        template_of=template_of,
        generators=new_records(n, GENERATOR),
        masks=np.zeros((n, len(game.actions)), np.int8),
        observations=observations,
        flat=flat,
        movers=np.zeros(n, np.int64),
        rewards=np.zeros((n, seats), np.float32),
        terminated=np.zeros(n, np.bool_),
        turn_limit=np.zeros(n, np.bool_),
        returns=np.zeros((n, seats), np.float32),
        lengths=np.zeros(n, np.int64),
        final_states=new_records(n, game.state),
        final_returns=np.zeros((n, seats), np.float32),
        final_lengths=np.zeros(n, np.int64),
        reward_kind=REWARD_KINDS.index(reward),
        with_observations=with_observations,
    )


def new_learner(
    seat_given: Array,
    max_players: int,
    kinds: Sequence[int],
    weights: Sequence[float],
    mixed: float,
) -> LearnerData:
    """What there is of a learner where no episode has begun yet.

    Args:
        seat_given: int64 (n,), its seat in each game (:class:`LearnerData`).
        max_players: of the game.
        kinds: who of :data:`~dig_envs.engine.core.state.PLAYERS` each opponent is.
        weights: how often each opponent is drawn.
        mixed: how often each seat of an episode gets one of its own, 0 to 1.

    Raises:
        OptionError: there are too many opponents.
    """
    if len(kinds) > MOST_OPPONENTS:
        raise OptionError(f"{len(kinds)} opponents; there can be {MOST_OPPONENTS} at most")
    n, shares = len(seat_given), np.cumsum(np.asarray(weights, np.float64))
    return LearnerData(
        seat_given=np.array(seat_given, np.int64),
        kinds=np.array([0, *kinds], np.int8),
        shares=np.rint(shares / shares[-1] * WHOLE).astype(np.int64),
        mixed=round(mixed * WHOLE),
        seats=np.zeros(n, np.int64),
        players=np.zeros((n, max_players), np.int16),
        draws=new_records(n, GENERATOR),
        asked=np.full(n, DEALT),
        began=np.zeros(n, np.bool_),
        refused=np.full((n, 2), NONE_REFUSED),
        earned=np.zeros(n),
        decided=np.zeros(n, np.int64),
        idle=np.zeros(n, np.int64),
        rewards=np.zeros(n, np.float32),
        done=np.zeros(n, np.bool_),
        outcomes=np.zeros((n, max_players), np.float32),
        outcome=np.zeros(n, np.float32),
        won=np.zeros(n, np.float32),
        score=np.zeros(n, np.int64),
        seat=np.zeros(n, np.int64),
        decisions=np.zeros(n, np.int64),
    )


def won_in(game: Game, terminated: Array, final_states: Array) -> Array:
    """Each seat's share of the victory in the games that the last step ended, float64 (n,
    max_players); zero for the other games."""
    winners = np.where(terminated[:, None], final_states["winners"], 0)
    return shares_of_victory(winners, game.cooperative)


def scores_in(terminated: Array, final_states: Array) -> Array:
    """Each seat's score in the games that the last step ended, int64 (n, max_players); zero for the
    other games."""
    return np.where(terminated[:, None], final_states["scores"], 0).astype(np.int64)


def copied(game: Game, data: BatchData) -> BatchData:
    """A copy on the CPU of the contents of a batch, wherever they are; its observations share
    memory with its ``flat``."""
    copies = BatchData(*map(_on_cpu, data._replace(observations=None)))
    return copies._replace(
        observations=as_records(copies.flat.view(game.observation).reshape(len(copies.flat)))
    )


def _on_cpu(content: Any) -> Any:
    """A copy of an array that rules code can work on; other values as they are."""
    if not hasattr(content, "dtype"):
        return content
    array = content.copy_to_host() if hasattr(content, "copy_to_host") else content.copy()
    return as_records(array) if array.dtype.names else array


class OneCall:
    """Lets one call on a batch run at a time: two at once would play on the same games.

    Args:
        what: the batch's class, for the message of the RuntimeError that the second call gets.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                f"this {self._what} is in use by another thread: give each thread a batch of its "
                "own"
            )

    def __exit__(self, *error: object) -> None:
        self._lock.release()


def check_device(device: Any) -> str:
    """A device that a batch can be on; raises ValueError."""
    if device not in DEVICES:
        raise ValueError(f"a device is one of {', '.join(DEVICES)}, not {shown_in_message(device)}")
    return str(device)


def illegal_action(game: Game, index: int, seat: int, action: int) -> IllegalActionError:
    """The error for an action in a game of a batch."""
    return IllegalActionError(
        f"{action_text(action, game.actions)} is not legal for seat {seat} in game {index} of the "
        "batch"
    )
