"""The potential for shaping: what brings a player nearer to winning raises it; over a game it adds
up to nothing."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.dino_dig.shaping import potential
from tests.rules.dino_dig.positions import base, card
from training.games import TrainingGames
from training.settings import Settings
from training.shaping import own_potential


def of(position, seat=0):
    return float(potential(position.states, np.array([seat]))[0])


def test_it_is_the_games_own():
    assert own_potential("dino_dig") is potential


def test_by_hand():
    """Seat 0: 7H at home and 5H in a backpack are two runs; seat 1: 9H, of another suit than its
    own, in a backpack."""
    assert of(base("field")) == pytest.approx((1 + 0.1) - 0.5 * 0.6)
    assert of(base("field"), 1) == pytest.approx(0.5 * 0.6 - (1 + 0.1))


def test_a_card_beside_another_counts_and_one_apart_does_not():
    before = base("field")
    home = before.copy().play("P1 dig", "home")  # the 6 of hearts beside the 7 and the 5
    assert of(home) == pytest.approx(of(before) + 1 + 0.6 + 0.1)
    stowed = before.copy().play("P1 dig", "stow")
    assert of(before) < of(stowed) < of(home)


def test_jokers_and_other_suits():
    final = base("final")  # 8S 9H TH JH and a joker against 6D 7D, 4S and KH in backpacks
    assert of(final) == pytest.approx((3 + 0.5 + 0.8 + 0.5) - (2 + 0.2))


def test_without_contracts_one_suit_counts():
    final = base("final", {"options.contract": "free_for_all", "suits": [None, None]})
    assert of(final) == pytest.approx((3 + 0.8 + 0.5) - (2 + 0.2))


def test_the_best_of_the_others_counts():
    snapshot = base("final").snapshot
    assert of(type(base("final"))(snapshot), 1) == pytest.approx(-of(base("final")))
    snapshot["backpacks"][1][1] = card("8D", 1)
    snapshot["site"]["2,3"] = []
    assert of(type(base("final"))(snapshot)) < of(base("final"))


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python this is too slow")
def test_over_an_episode_it_adds_up_to_nothing():
    """The shaping's payments, undiscounted, add up to minus the potential of the first position
    (here 0), whatever is played."""
    options = [{"num_players": 2, "max_turns": 12}]
    plain = Settings.of(num_envs=8, games=options, shaping_weight=0.0, gamma=1.0)
    shaped = Settings.of(num_envs=8, games=options, shaping_weight=0.5, gamma=1.0)
    totals = []
    for settings in (plain, shaped):
        games = TrainingGames("dino_dig_v0", settings, 1)
        games.reset()
        rng, total, done = np.random.default_rng(0), np.zeros(8), np.zeros(8, bool)
        while not done.all():
            masks = games.action_mask
            step = games.step(np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
            total += np.where(done, 0.0, step.reward)
            done |= step.done
        totals.append(total)
        games.close()
    assert np.allclose(totals[0], totals[1], atol=1e-6)
