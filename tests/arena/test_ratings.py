"""Ratings from points whose truth is known."""

import numpy as np
import pytest

from dig_envs.arena.ratings import SCALE, Bootstrap, fit, fit_one, groups

STRENGTHS = np.array([0.0, 150.0, 320.0, 400.0])


def everybody(agents):
    """All have played all."""
    return ~np.eye(agents, dtype=np.bool_)


def expected_points(elo):
    """Return the points that each takes from each, according to the model."""
    points = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    np.fill_diagonal(points, 0.0)
    return points


def drawn_points(chance, deals, games_per_deal, rng):
    """Points per deal of independent games without ties."""
    wins = rng.binomial(games_per_deal, chance, (deals, *chance.shape)) / games_per_deal
    upper = np.triu(wins, 1)
    return upper + np.where(
        np.tri(len(chance), k=-1, dtype=bool), 1 - np.swapaxes(upper, 1, 2), 0.0
    )


def test_fit_finds_the_strengths_behind_expected_points():
    """From expected points the fit finds the strengths, also where pairs have played unequally
    often or not at all."""
    weights = np.array([[0, 7, 1, 0], [7, 0, 30, 2], [1, 30, 0, 5], [0, 2, 5, 0]])
    elo = fit(expected_points(STRENGTHS) * weights, weights > 0)
    np.testing.assert_allclose(elo - elo[0], STRENGTHS, atol=1e-6)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_fit_converges_on_extreme_points(size):
    """The likelihood's gradient is zero where it ends, for one-sided and contradictory results
    alike."""
    rng = np.random.default_rng(4)
    points = size * 10.0 ** rng.uniform(-6, 3, (50, 6, 6))
    points[:, np.arange(6), np.arange(6)] = 0
    theta = fit(points, everybody(6)) / SCALE
    expected = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
    played = points + np.swapaxes(points, 1, 2)
    excess = (points - played * expected).sum(axis=2)
    assert np.abs(excess).max() < 1e-7 * played.sum(axis=2).max()


def test_anchor_and_mean():
    """The anchor moves all ratings alike; without one their mean is zero."""
    points = drawn_points(expected_points(STRENGTHS), 50, 2, np.random.default_rng(2))
    mean = Bootstrap(50, 2).rate(points, everybody(4))
    assert mean.elo.sum() == pytest.approx(0)
    for anchor in range(4):
        ratings = Bootstrap(50, 2).rate(points, everybody(4), anchor)
        assert ratings.elo[anchor] == 0
        np.testing.assert_allclose(ratings.elo, mean.elo - mean.elo[anchor], atol=1e-9)
        np.testing.assert_allclose(
            ratings.samples, mean.samples - mean.samples[:, anchor : anchor + 1], atol=1e-6
        )


@pytest.mark.parametrize(("deals", "games_per_deal"), [(1, 2), (50, 2), (50, 8), (1000, 1)])
def test_always_winning(deals, games_per_deal):
    """The rating is finite and as documented: one tied game in addition; the interval has a width
    and says a lower bound."""
    points = np.zeros((deals, 2, 2))
    points[:, 0, 1] = 1.0
    ratings = Bootstrap(deals, games_per_deal).rate(points, everybody(2), anchor=1)
    games = deals * games_per_deal
    assert ratings.elo[0] == pytest.approx(400 * np.log10(2 * games + 1))
    assert ratings.low[0] < ratings.elo[0] - 100
    assert deals == 1 or ratings.low[0] > 100
    assert ratings.elo[0] + 100 < ratings.high[0] < 10_000


@pytest.mark.parametrize("luck", [0.0, 1.5])
def test_intervals_contain_the_truth(luck):
    """About 95 % of the intervals do, also where the deal favours a seat or an agent's way of
    playing."""
    rng = np.random.default_rng(5)
    agents, deals, trials = 3, 40, 150
    theta = np.array([0.0, 0.6, 1.5])
    gap = theta[:, None] - theta[None, :]

    def drawn(size):
        """Two games, one in each seating, per deal and pair."""
        seat = luck * rng.standard_normal((size, 1, 1, 1))
        style = luck * rng.standard_normal((size, agents))
        favour = (style[:, :, None] - style[:, None, :])[..., None]
        return 1 / (1 + np.exp(-(gap[None, :, :, None] + favour + seat * np.array([1.0, -1.0]))))

    truth = fit(
        np.where(everybody(agents), drawn(200_000).mean(axis=(0, 3)), 0.0), everybody(agents)
    )
    inside = np.zeros(agents)
    for trial in range(trials):
        wins = (rng.random((deals, agents, agents, 2)) < drawn(deals)).mean(axis=3)
        upper = np.triu(wins, 1)
        points = upper + np.where(
            np.tri(agents, k=-1, dtype=bool), 1 - np.swapaxes(upper, 1, 2), 0.0
        )
        ratings = Bootstrap(deals, 2, trial, replicates=400).rate(points, everybody(agents))
        inside += (ratings.low <= truth) & (truth <= ratings.high)
    assert 0.90 <= inside.mean() / trials <= 0.985


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.985])
def test_shares_contain_the_truth(chance):
    """Also near 1, where the usual bootstrap fails: all games won have an interval of no width
    there."""
    rng = np.random.default_rng(6)
    bounds = [
        Bootstrap(60, 1, trial, 500).share((rng.random(60) < chance).astype(float))
        for trial in range(300)
    ]
    assert 0.91 <= np.mean([bound.low <= chance <= bound.high for bound in bounds]) <= 0.995


def test_differences():
    """Antisymmetric; nothing but zeros is centred on zero."""
    values = np.array([1.0, 0.0, 0.0, -1.0, 1.0, 0.5] * 10)
    one, other = Bootstrap(60).difference(values), Bootstrap(60).difference(-values)
    assert one.mean == pytest.approx(values.mean())
    assert one.mean == -other.mean
    assert one.low == pytest.approx(-other.high, abs=0.03)
    nothing = Bootstrap(60).difference(np.zeros(60))
    assert nothing.low < 0 == nothing.mean < nothing.high
    assert Bootstrap(60).positive(np.zeros(60)) == 0.5
    assert Bootstrap(60).positive(np.ones(60)) == 1.0
    assert Bootstrap(60).positive(-np.ones(60)) == 0.0


def test_groups():
    """An agent that never lost a point to somebody below is in a group of its own; a circle is one
    group."""
    circle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert groups(circle) == [[0, 1, 2]]
    ladder = np.triu(np.ones((3, 3)), 1)
    assert groups(ladder) == [[0], [1], [2]]
    ladder[1, 0] = 0.5  # a single tie
    assert groups(ladder) == [[0, 1], [2]]


def test_what_cannot_be_rated():
    with pytest.raises(ValueError, match="at least two agents, not 1"):
        Bootstrap(3).rate(np.zeros((3, 1, 1)), np.zeros((1, 1), bool))
    apart = np.kron(np.eye(2, dtype=bool), everybody(2))
    with pytest.raises(ValueError, match="connect all agents"):
        Bootstrap(3).rate(np.zeros((3, 4, 4)), apart)


# ------------------------------------------------- one agent against others whose ratings are fixed


def test_one_against_fixed_ratings_finds_the_strength_behind_expected_points():
    """Whatever the others' ratings are and however often each was played."""
    for strength in (-300.0, 40.0, 900.0):
        expected = 1 / (1 + 10 ** ((STRENGTHS - strength) / 400))
        games = np.array([3.0, 100.0, 7.0, 20.0])
        assert fit_one(games * expected, games * (1 - expected), STRENGTHS) == pytest.approx(
            strength, abs=1e-6
        )


def test_one_against_fixed_ratings_has_an_interval_that_holds_the_truth():
    """In about 95 of 100 experiments; with more deals it is narrower, and an agent that always wins
    has a finite rating."""
    rng, held, others = np.random.default_rng(5), 0, np.array([0.0, 200.0])
    chance = 1 / (1 + 10 ** ((others - 150.0) / 400))
    for k in range(100):
        found = Bootstrap(60, seed=k, replicates=400).rate_one(
            [rng.binomial(1, p, 60).astype(float) for p in chance], others
        )
        held += found.low <= 150 <= found.high
    assert 88 <= held <= 100
    few, many = (
        Bootstrap(n).rate_one([np.tile([1.0, 0.0], n // 2)], others[:1]) for n in (20, 2000)
    )
    assert many.high - many.low < (few.high - few.low) / 5
    assert 0 < Bootstrap(20).rate_one([np.ones(20)], others[:1]).mean < 1000


def test_one_may_have_played_fewer_deals_with_some():
    """An agent may have played only the first deals with some opponents; an empty list and too many
    deals are errors."""
    found = Bootstrap(50).rate_one([np.full(50, 0.5), np.full(10, 0.5)], np.array([100.0, 100.0]))
    assert found.mean == pytest.approx(100)
    for wrong in ([], [np.ones(51)]):
        with pytest.raises(ValueError, match="1 to 50"):
            Bootstrap(50).rate_one(wrong, np.array([0.0]))
