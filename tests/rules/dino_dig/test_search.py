"""The values of a search that stops before the end of the game."""

import numpy as np
import pytest

from dig_envs.agents.search import SearchAgent, parse_settings
from dig_envs.engine.compiler.jit import JIT_DISABLED, kernel
from dig_envs.games.dino_dig.estimate import estimate
from tests.rules.dino_dig.positions import GAME, base

SHORT = "guide=none:sims=300:playout=random:trust=0:depth=1:lead=1"


@kernel("dino_dig")
def estimate_one(states, seat, found):
    """The estimate, called from Python."""
    found[0] = estimate(states[0], seat)


def of(position, seat=0):
    found = np.zeros(1)
    estimate_one(position.states, seat, found)
    return float(found[0])


def test_the_estimate_by_hand():
    """Nine to jack of hearts with the 8 of spades and a joker: five; usable are four values."""
    assert of(base("final")) == pytest.approx(5 + 0.1 * 5 + 0.15 * 4)
    assert of(base("final"), 1) == pytest.approx(2 + 0.1 * 2 + 0.15 * 2)


def test_a_card_at_home_is_worth_more_than_one_on_the_way():
    field = base("field")
    home, stowed = (field.copy().play("P1 dig", text) for text in ("home", "stow"))
    assert of(field) < of(stowed) < of(home)


def test_before_the_contracts_it_is_nothing():
    assert of(base("start")) == 0.0


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")
@pytest.mark.parametrize("settings", [SHORT, "guide=none:sims=100:depth=2:lead=0.5"])
def test_a_short_search_takes_a_useful_card_home(settings):
    """The 6 of hearts beside the 7, on the base square: no score tells it apart from other ways, as
    the game goes on."""
    agent = SearchAgent(GAME, parse_settings(settings, GAME))
    position = base("field").play("P1 dig")
    while position["phase"] == "card":
        position.play(GAME.actions[agent.search(position.states, 0).action])
    assert [entry["card"] for entry in position["museums"][0]] == ["7H", "6H"], (
        "at once, or by P3, who is at home"
    )
