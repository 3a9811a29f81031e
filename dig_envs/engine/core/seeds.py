"""Seeds of successive episodes, outside compiled code."""

from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import kernel
from dig_envs.engine.core.random import next_seed


@kernel("seeds")
def _next(seed: Any) -> Any:
    return next_seed(seed)  # type: ignore[no-untyped-call]


def following_seed(seed: int) -> int:
    """The seed of the next episode after the one dealt from ``seed``, whatever was played."""
    return int(_next(np.uint64(seed)))
