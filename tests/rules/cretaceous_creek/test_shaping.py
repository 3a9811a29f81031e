"""The potential for shaping: what brings the team nearer to winning raises it, and nobody's
potential rests on what is hidden."""

import numpy as np

from dig_envs.games.cretaceous_creek.shaping import potential
from tests.rules.cretaceous_creek.positions import Position, deal, start_with
from training.shaping import own_potential


def of(position):
    return float(potential(position.states, np.zeros(1, np.int64))[0])


def test_it_is_the_games_own():
    assert own_potential("cretaceous_creek") is potential


def test_parts_in_one_hand_are_worth_more_than_apart_and_those_more_than_none():
    afield = {"pos": ["A3", "C3"]}
    together, apart = (
        start_with([["PAC1", "PAC2"], []], **afield),
        start_with([["PAC1"], ["PAC2"]], **afield),
    )
    assert of(start_with(**afield)) < of(apart) < of(together)


def test_a_piece_in_the_museum_counts_as_its_parts_in_one_hand():
    assert of(start_with([["PAC1", "PAC2"], []], pos=["A3", "C3"])) == of(
        start_with(museum=("PAC",), pos=["A3", "C3"])
    )


def test_the_danger_to_a_last_copy_lowers_it():
    """CC-21: the potential is lower when TYR1, the only copy of its type, is endangered."""
    assert of(Position("start", {"top.A1": "endangered"})) < of(Position("start"))


def test_what_is_hidden_does_not_count():
    """Dealt anew for the seat that decides, the position is worth the same; many at once are worth
    what each is."""
    chance = np.random.default_rng(2)
    for position in deal(3, num_players=2).on_the_way(lambda now: now.play_scripted(1)):
        redeals = [
            position.redeal(max(position.mover, 0), int(seed)).states
            for seed in chance.integers(2**62, size=2)
        ]
        dealt = np.concatenate([position.states, *redeals])
        assert len(set(potential(dealt, np.zeros(3, np.int64)).tolist())) == 1
