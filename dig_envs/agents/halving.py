"""Gumbel root selection: a few simulations are shared among the likeliest actions by sequential
halving.

Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel (ICLR 2022). Each
action has its prior's logarithm, with Gumbel noise where the choice is to be drawn; the best
``considered`` of them are candidates. In each round these get equally many simulations, then the
better half stays, by that number plus what the search found (:func:`sigma`). For a policy that is
to learn from the search there is :func:`improved`, which is better than the priors even where few
actions were visited.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


DOUBT = 8.0  # imagined visits of each action, whose value is the mean (:func:`completed`)
# how much values count against the logarithms of priors: the constants of the paper
VISITS, SCALE = 50.0, 0.1
LEAST_SPREAD = 0.25  # the least spread of values that are stretched


def sigma(values: Array, visits: Array) -> Array:
    """The values (n,), scaled to be added to logits; the more visits, the more they count.

    The paper stretches the values of each root to 0 … 1. Where hidden cards and chance make them
    noisy, that would enlarge differences that mean little: values that are closer together than
    ``LEAST_SPREAD`` (in the search's unit, twice the standard deviation of what single simulations
    gave) stay closer together.
    """
    spread = max(float(values.max() - values.min()), LEAST_SPREAD)
    return np.asarray((VISITS + visits.max()) * SCALE * values / spread)


def completed(values: Array, visits: Array, log_priors: Array) -> Array:
    """Values (n,) drawn towards their mean (by priors) as if each action had ``DOUBT`` visits more
    that gave just that.

    Actions without visits have the mean; all are zero without any visits. An action that was
    unlucky in its first visit gets no other one, so that its value, taken as it is, would speak
    against it for nothing.
    """
    seen = visits > 0
    if not seen.any():
        return np.zeros(len(values))
    weights = np.exp(log_priors[seen])
    mean = (weights * values[seen]).sum() / weights.sum()
    return np.asarray(mean + np.where(seen, values - mean, 0.0) * visits / (visits + DOUBT))


def improved(log_priors: Array, values: Array, visits: Array, step: float = 1.0) -> Array:
    """The improved policy, probabilities (n,): the priors, moved by the values that the search
    found.

    What a network learns from noisy values is their mean effect, which also makes it flatter, from
    round to round: that harm grows with the square of ``step`` (1: as in the paper), what it gains
    only in proportion to it.
    """
    logits = log_priors + step * sigma(completed(values, visits, log_priors), visits)
    odds = np.exp(logits - logits.max())
    return np.asarray(odds / odds.sum())


class Candidates:
    """The actions that are still in the running.

    Args:
        scores: of all actions (n,): logarithms of the priors, with noise or without.
        considered: how many of them are candidates at first.

    Attributes:
        order: indices of the candidates, the best first.
        rounds: how many rounds there are in all.
    """

    def __init__(self, scores: Array, considered: int) -> None:
        self.scores = scores
        self.order = np.argsort(-scores, kind="stable")[:considered]
        self.rounds = max(1, int(np.ceil(np.log2(len(self.order)))))
        self._round = 0
        self._given = 0

    @property
    def goes_on(self) -> bool:
        """Whether there is another round."""
        return self._round < self.rounds

    def share_of(self, budget: int) -> int:
        """Simulations of this round, of so many in all: equally many for each candidate, at least
        one; in the last one the rest."""
        left = max(0, budget - self._given)
        each = max(1, budget // (self.rounds * len(self.order)))
        count = left if self._round == self.rounds - 1 else min(left, each * len(self.order))
        self._given += count
        return count

    def halve(self, found: Array) -> None:
        """The round is over: order the candidates by their scores and by what was found (n,); the
        better half stays."""
        self.order = self.order[np.argsort(-(self.scores + found)[self.order], kind="stable")]
        self._round += 1
        if self.goes_on:
            self.order = self.order[: max(1, (len(self.order) + 1) // 2)]

    @property
    def best(self) -> int:
        """The index of the best one."""
        return int(self.order[0])
