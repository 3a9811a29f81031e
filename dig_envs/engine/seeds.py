"""Seeds of successive episodes, outside compiled code."""

import numpy as np

from dig_envs.engine.random import next_seed


def following_seed(seed: int) -> int:
    """The seed of the episode after the one dealt from ``seed``, whatever was played."""
    with np.errstate(over="ignore"):
        return int(next_seed(np.uint64(seed)))  # type: ignore[no-untyped-call]
