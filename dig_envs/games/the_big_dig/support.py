"""What the companion app computes: the support of a prediction (BD-7)."""

from functools import cache
from typing import Any

import numpy as np

Z = 1.96  # normal quantile of a 95 % interval


@cache
def support_by_counts(most: int) -> np.ndarray[Any, Any]:
    """Support by the numbers of matching species and of those that have the output state (BD-7).

    Returns an int8 array (most + 1, most + 1), entry ``[n, k]`` with k <= n; 0 … 99, the scaled lower end of the Wilson
    interval (Wilson 1927) for the share of the majority, ``max(k, n - k)``, and 0 without matching species.
    """
    n = np.arange(most + 1, dtype=np.float64)[:, np.newaxis]
    k = np.minimum(np.arange(most + 1, dtype=np.float64)[np.newaxis, :], n)
    m = np.maximum(k, n - k)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = Z * np.sqrt(m * (n - m) / n + Z * Z / 4)
        lower = (m + Z * Z / 2 - spread) / (n + Z * Z)
    lower[0] = 0.0
    return np.maximum(0, np.rint(100 * (2 * lower - 1))).astype(np.int8)
