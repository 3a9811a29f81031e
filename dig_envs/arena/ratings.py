"""Elo ratings and their intervals from points; nothing here knows of games or files (README, "How
results become ratings").

**Model.** Bradley and Terry (1952): the expected points of agent i against agent j are 1 / (1 + 10
** ((R_j - R_i) / 400)). The ratings maximise the likelihood.

**Prior.** Each pair that has met gets one tied game in addition (half a point each). :func:`groups`
says which differences the games bound and which the prior alone.

**Intervals.** In each replicate of the Bayesian bootstrap (Rubin 1981) every deal has a random
weight (exponential, mean 1), the same for all pairs, and the prior's two half points have gamma
weights (shape 1/2). For one pair and independent wins and losses of one game per deal this gives
exactly the posterior Beta(wins + 1/2, losses + 1/2), Jeffreys' interval, which is right also near 0
and 1, where the usual bootstrap has intervals of no width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dig_envs.agents.matches import Interval
from dig_envs.engine.game import Array

PRIOR = 0.5  # points that each of a pair is given in advance; a game has one point
SCALE = 400 / np.log(10)  # Elo per unit of the logistic function
REPLICATES = 2000
LIMITS = (0.025, 0.975)
LEAST = 1e-9  # of a random prior: it must not be zero
LARGEST_STEP = 2.0  # of Newton's method, in units of the logistic function
MOST_STEPS = 200


@dataclass(frozen=True)
class Ratings:
    """Elo ratings of m agents: ``elo``, ``low`` and ``high`` float64 (m,), ``samples`` float64
    (replicates, m)."""

    elo: Array
    low: Array
    high: Array
    samples: Array


def fit(points: Array, met: Array) -> Array:
    """The maximum-likelihood ratings, in Elo with mean 0.

    Args:
        points: float64 (…, m, m), ``points[…, i, j]``: what agent i took from agent j, the prior
            included, all positive where the two have met.
        met: bool (m, m), symmetric: who has played whom; all must hang together.

    Returns:
        float64 (…, m).
    """
    m = points.shape[-1]
    taken = np.where(met, points, 0.0)
    played = taken + np.swapaxes(taken, -1, -2)
    theta = np.zeros(points.shape[:-1])
    for _ in range(MOST_STEPS):
        with np.errstate(over="ignore"):
            expected = 1 / (1 + np.exp(theta[..., None, :] - theta[..., :, None]))
        gradient = (taken - played * expected).sum(axis=-1)
        information = played * expected * np.swapaxes(expected, -1, -2)
        # The ratings are determined up to a constant: the ones added to the matrix hold their mean.
        matrix = (
            np.eye(m) * information.sum(axis=-1)[..., None]
            - information
            + information.sum((-1, -2))[..., None, None] / m**2
        )
        step = np.linalg.solve(matrix, gradient[..., None])[..., 0]
        largest = np.abs(step).max(axis=-1, keepdims=True)
        theta = theta + step * np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))
        if largest.max() < 1e-10:
            break
    return np.asarray(SCALE * (theta - theta.mean(axis=-1, keepdims=True)))


def fit_one(won: Array, lost: Array, elos: Array) -> Array:
    """The maximum-likelihood rating of one agent against m others whose ratings are fixed, in Elo.

    Args:
        won, lost: float64 (…, m), points that it took from each of them and lost to each, the prior
            included, all positive.
        elos: float64 (m,), the others' ratings.

    Returns:
        float64 (…,).
    """
    others = elos / SCALE
    theta = np.full(won.shape[:-1], others.mean())
    for _ in range(MOST_STEPS):
        with np.errstate(over="ignore"):
            expected = 1 / (1 + np.exp(others - theta[..., None]))
        played = won + lost
        gradient = (won - played * expected).sum(axis=-1)
        information = (played * expected * (1 - expected)).sum(axis=-1)
        step = np.clip(gradient / np.maximum(information, 1e-300), -LARGEST_STEP, LARGEST_STEP)
        theta = theta + step
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(SCALE * theta)


class Bootstrap:
    """Replicates of the Bayesian bootstrap over independent deals.

    Args:
        deals: how many.
        games_per_deal: of each pair; the prior counts as one game.
        seed: of the random weights.
        replicates: how many sets of weights.
    """

    def __init__(
        self, deals: int, games_per_deal: int = 1, seed: int = 0, replicates: int = REPLICATES
    ) -> None:
        self._games_per_deal = games_per_deal
        self._rng = np.random.default_rng(seed)
        self._weights = self._rng.standard_exponential((replicates, deals), np.float32)

    def sums(self, values: Array) -> Array:
        """Weighted sums over the deals: float64 (deals, …) -> (replicates, …)."""
        return np.asarray(np.tensordot(self._weights, values, axes=1))

    def _prior(self, shape: tuple[int, ...]) -> Array:
        """Random weights of the prior's half points, in deals."""
        return np.asarray(
            np.maximum(self._rng.standard_gamma(PRIOR, shape), LEAST) / self._games_per_deal
        )

    def share(self, values: Array) -> Interval:
        """The mean of one share (0 to 1) per deal with its 95 % interval; only the interval
        includes the prior."""
        sums = [self.sums(values), self.sums(1.0 - values)]
        won, lost = (points + self._prior(points.shape) for points in sums)
        return around(float(values.mean()), won / (won + lost))

    def difference(self, values: Array) -> Interval:
        """The mean of one difference of shares (-1 to 1) per deal with its 95 % interval."""
        share = self.share((values + 1) / 2)
        return Interval(2 * share.mean - 1, 2 * share.low - 1, 2 * share.high - 1)

    def positive(self, values: Array) -> float:
        """The probability (0 to 1) that the mean of one number per deal is positive."""
        sums = self.sums(values)
        return float((sums > 0).mean() + (sums == 0).mean() / 2)

    def rate(self, points: Array, played: Array, anchor: int | None = None) -> Ratings:
        """Ratings with 95 % intervals.

        Args:
            points: float64 (deals, m, m), ``points[d, i, j]``: the mean points (0 to 1) that agent
                i took from agent j in the games of deal d; what they took from each other adds up
                to 1 where they have played, else to 0.
            played: bool (m, m), symmetric: who has played whom.
            anchor: the agent whose rating is 0; None: the mean is 0.

        Raises:
            ValueError: fewer than two agents, or agents that no games connect.
        """
        m = points.shape[-1]
        if m < 2:
            raise ValueError(f"ratings need at least two agents, not {m}")
        if not reachable(played).all():
            raise ValueError("ratings need games that connect all agents")
        elo = anchored(fit(points.sum(axis=0) + PRIOR / self._games_per_deal, played), anchor)
        weighted = self.sums(points)
        samples = anchored(fit(weighted + self._prior(weighted.shape), played), anchor)
        low, high = np.quantile(samples, LIMITS, axis=0)
        return Ratings(elo, np.minimum(low, elo), np.maximum(high, elo), samples)

    def rate_one(self, points: Sequence[Array], elos: Array) -> Interval:
        """The rating of one agent with its 95 % interval, against m others whose ratings count as
        exact.

        Args:
            points: of each of the others float64 (deals,): the agent's mean points (0 to 1) in its
                games on that deal. With some of the others fewer deals may have been played, the
                first ones.
            elos: float64 (m,), the others' ratings.

        Raises:
            ValueError: nobody to play against, or more deals than this bootstrap has.
        """
        most = self._weights.shape[1]
        if not points or max(map(len, points)) > most:
            raise ValueError(
                f"a rating needs games on 1 to {most} deals with at least one other agent"
            )
        won = np.stack([np.pad(taken, (0, most - len(taken))) for taken in points], axis=1)
        lost = np.stack([np.pad(1 - taken, (0, most - len(taken))) for taken in points], axis=1)
        prior = PRIOR / self._games_per_deal
        elo = float(fit_one(won.sum(axis=0) + prior, lost.sum(axis=0) + prior, elos))
        some_won, some_lost = (
            self.sums(values) + self._prior((len(self._weights), len(points)))
            for values in (won, lost)
        )
        return around(elo, fit_one(some_won, some_lost, elos))


def around(mean: float, samples: Array) -> Interval:
    """A mean with the middle 95 % of its replicates; the mean lies within."""
    low, high = np.quantile(samples, LIMITS)
    return Interval(mean, min(mean, float(low)), max(mean, float(high)))


def anchored(elo: Array, anchor: int | None) -> Array:
    """Ratings (…, m), moved to make the anchor 0, or without one the mean."""
    zero = elo.mean(axis=-1, keepdims=True) if anchor is None else elo[..., anchor : anchor + 1]
    return np.asarray(elo - zero)


def reachable(edges: Array) -> Array:
    """Whether edges lead from one agent to another, directly or over others, bool (m, m); all reach
    themselves."""
    reach = edges | np.eye(len(edges), dtype=np.bool_)
    for k in range(len(edges)):
        reach = reach | (reach[:, k : k + 1] & reach[k : k + 1, :])
    return np.asarray(reach)


def groups(points: Array) -> list[list[int]]:
    """The agents in groups. The games bound the differences within a group; between groups only the
    prior keeps the ratings finite.

    Two agents are in one group if each took points from the other, or from one who took points from
    the other, and so on (Ford 1957: the likelihood has a maximum if and only if all are in one
    group).

    Args:
        points: (m, m), ``points[i, j]``: what agent i took from agent j, without a prior.
    """
    reach = reachable(points > 0)
    mutual = reach & reach.T
    return [
        list(map(int, np.flatnonzero(row)))
        for i, row in enumerate(mutual)
        if not mutual[i, :i].any()
    ]
