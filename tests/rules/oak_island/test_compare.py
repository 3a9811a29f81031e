"""An agent's share of wins with the chance of the treasure counted instead of drawn."""

import numpy as np
import pytest

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island.compare import NAME, chances_to_win

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="the scripted player is slow")


def test_it_is_what_games_give():
    """Random against scripted players, in a thousand games that are played out."""
    agents = [load_agent(name, env=NAME, seed=0) for name in ("random", "heuristic")]
    counted = chances_to_win(agents[0], 2, 100, 0)
    assert ((counted >= 0.0) & (counted <= 1.0)).all()
    played = play_games(NAME, agents, 1000, rotate=True, options={"num_players": 2}).won_by(0)
    assert played.low - 0.02 < np.mean(counted) < played.high + 0.02
