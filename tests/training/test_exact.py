"""Learning algorithms against exact answers: PPO comes near the equilibrium of a small game."""

import numpy as np
import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'dig_envs[openspiel]'"
)
from training import exact  # noqa: E402 (there where pyspiel is)


def exploitability_of_ppo(tree, updates, games):
    return pyspiel.exploitability(tree.game, exact.learn(tree, updates, games))


def test_ppo_comes_near_the_equilibrium_by_self_play():
    tree = exact.tree_of("oak_island")
    assert exploitability_of_ppo(tree, updates=0, games=60) > 0.15
    assert exploitability_of_ppo(tree, updates=18, games=60) < 0.05

    # what it learns from: whole trajectories of each seat, as the policy plays
    uniform = tree.masks / tree.masks.sum(1, keepdims=True)
    at, actions, rewards, last = tree.play(uniform, games=30, seed=1)
    assert tree.masks[at, actions].all()
    assert 30 <= last.sum() <= 2 * 30  # a seat may have nothing to decide
    assert not rewards[~last].any()
    assert set(np.unique(rewards)) <= {-1, 0, 1}
    ends = np.flatnonzero(last)
    for begin, end in zip([0, *ends[:-1] + 1], ends, strict=True):
        assert len({*tree.seats[at[begin : end + 1]].tolist()}) == 1


@pytest.mark.ecosystem
@pytest.mark.parametrize(
    ("name", "most"),
    [("dino_dig", 0.02), ("diggity", 0.02), ("fossil_canyon", 0.05), ("go_dig", 0.05)],
)
def test_ppo_comes_near_the_equilibrium_of_larger_games(name, most):
    assert exploitability_of_ppo(exact.tree_of(name), updates=40, games=100) < most
