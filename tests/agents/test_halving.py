"""Sequential halving: which actions stay, how many simulations each gets, and what a policy is to
learn from it."""

import numpy as np
import pytest

from dig_envs.agents.halving import Candidates, completed, improved


@pytest.mark.parametrize("budget", [0, 1, 5, 16, 31, 100, 1000])
@pytest.mark.parametrize("considered", [1, 2, 3, 7, 8, 16])
def test_all_of_the_budget_is_given_and_no_more(budget, considered):
    candidates = Candidates(np.arange(20.0), considered)
    given = 0
    while candidates.goes_on:
        given += candidates.share_of(budget)
        candidates.halve(np.zeros(20))
    assert given == budget


def test_the_better_half_stays():
    """Halving keeps the candidates with the highest sums of initial score and value found."""
    candidates = Candidates(np.array([4.0, 3.0, 2.0, 1.0]), 4)
    candidates.halve(np.array([0.0, 0.0, 5.0, 0.5]))
    assert candidates.order.tolist() == [2, 0]
    candidates.halve(np.array([9.0, 0.0, 5.0, 0.5]))
    assert not candidates.goes_on
    assert candidates.best == 0


def test_the_improved_policy_improves():
    """Its expected value is at least that of the priors, whatever the values are (Danihelka et al.,
    section 4)."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        priors, values = rng.dirichlet(np.ones(6)), rng.normal(size=6)
        visits = rng.integers(0, 4, size=6)
        policy = improved(np.log(priors), values, visits)
        q = completed(values, visits, np.log(priors))
        assert policy.sum() == pytest.approx(1.0)
        assert policy @ q >= priors @ q - 1e-12


def test_a_step_goes_part_of_the_way():
    """Between the priors and the whole step, logarithm by logarithm; from noise alone the mean is
    hardly flatter than they are."""
    rng = np.random.default_rng(1)
    priors, visits = np.array([0.8, 0.1, 0.05, 0.05]), np.array([8, 4, 2, 2])
    means = {}
    for step in (1.0, 0.2):
        policies = np.array(
            [improved(np.log(priors), rng.normal(0.0, 0.3, 4), visits, step) for _ in range(2000)]
        )
        means[step] = policies.mean(axis=0)
    assert means[1.0][0] < 0.65, "what a network would learn"
    assert 0.77 < means[0.2][0] < 0.8
    values = rng.normal(size=4)
    between = priors**0.8 * improved(np.log(priors), values, visits) ** 0.2
    np.testing.assert_allclose(
        improved(np.log(priors), values, visits, 0.2), between / between.sum()
    )
