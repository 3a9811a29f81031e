"""The choice of levels for people: points of trials."""

import pytest

from dig_envs.arena.levels import points_of
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games take too long without compiling")
GAMES = 80


def test_among_four_equal_players_have_half_the_points():
    """Places count, as in an arena: one against three of its kind would win a quarter of the
    games."""
    game = load_game("fossil_canyon_v0")
    assert points_of(game, 0.0, 0.0, GAMES) == pytest.approx(0.5, abs=0.12)
    assert points_of(game, 1.0, 0.0, GAMES) < 0.25
