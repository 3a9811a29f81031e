"""Seeds for the purposes of a run, from streams that have nothing in common.

Training, the evaluations while it goes on, the gate (the games that decide which network is the
best, :mod:`training.pool`) and the final evaluation all play different deals, so that no policy is
judged by deals that it was trained on or chosen by. So the two highest bits of a seed say what it
is for; the next 38 are a hash of the run's seed and of what more is given (the steps done); the
lowest 24 count games. (The games that follow a finished one in the same place of a batch are dealt
from seeds that are 64 bits of a hash: the chance that any of 10 million is among the 10,000 of an
evaluation is less than 1 in 100 million.)
"""

from hashlib import blake2b

PURPOSES = ("training", "evaluation", "gate", "final evaluation")
GAMES = 2**24  # seeds that follow the one that is given, for one game each


def seed_stream(purpose: str, run_seed: int, *more: int) -> int:
    """The first of ``GAMES`` seeds, a 64-bit integer.

    Args:
        purpose: one of ``PURPOSES``; raises ValueError for another.
        run_seed: of the run.
        more: what tells several streams of the same purpose apart.
    """
    if purpose not in PURPOSES:
        raise ValueError(f"no seeds for {purpose!r}; there are those for {', '.join(PURPOSES)}")
    digest = blake2b(repr((purpose, run_seed, *more)).encode(), digest_size=8).digest()
    block = int.from_bytes(digest, "little") % 2**38
    return (PURPOSES.index(purpose) << 62) | (block * GAMES)
