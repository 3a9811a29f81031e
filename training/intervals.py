"""Intervals over the seeds of a training: how much its runs differ."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import mean, stdev

from dig_envs.agents.matches import NORMAL_95

T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # quantiles of Student's t for 2 … 10 values


def over_seeds(values: Sequence[Mapping[str, float]], low: float = -1e9, high: float = 1e9) -> dict[str, float]:
    """Return the mean of some seeds' means with its 95 % interval (Student's t), cut at the least and greatest possible value.

    Args:
        values: ``mean``, ``low``, ``high`` of each seed; those of a single one are returned as they are. low, high: the range.
    """
    means = [one["mean"] for one in values]
    if len(means) == 1:
        return {name: round(values[0][name], 5) for name in ("mean", "low", "high")}
    factor = T_95[len(means) - 2] if len(means) - 2 < len(T_95) else NORMAL_95
    half = factor * stdev(means) / sqrt(len(means))
    middle = mean(means)
    return {"mean": round(middle, 5), "low": round(max(low, middle - half), 5), "high": round(min(high, middle + half), 5)}
