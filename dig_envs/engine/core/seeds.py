"""Seeds of successive episodes, outside compiled code."""

import numpy as np

from dig_envs.engine.compiler.jit import kernel
from dig_envs.engine.core.declared import Array
from dig_envs.engine.core.random import next_seed


@kernel("seeds")
def _write_following(seeds, following):  # type: ignore[no-untyped-def]
    for i in range(len(seeds)):
        following[i] = next_seed(seeds[i])  # type: ignore[no-untyped-call]


def following_seeds(seeds: Array) -> Array:
    """The seeds of the next episodes after those dealt from ``seeds``, uint64 (n,), whatever was
    played."""
    following = np.zeros(len(seeds), np.uint64)
    _write_following(np.ascontiguousarray(seeds, np.uint64), following)
    return following


def following_seed(seed: int) -> int:
    """The same for one."""
    return int(following_seeds(np.array([seed], np.uint64))[0])
