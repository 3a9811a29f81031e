"""The order of the bag is hidden from everybody, and nothing else from anybody."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.oak_island import reference
from tests.rules.oak_island.positions import GAME, Position, base, games

FEW = 4 if JIT_DISABLED else 12
EVERY = 19 if JIT_DISABLED else 5


def test_the_view_is_the_same_for_every_seat():
    for position in games(FEW, EVERY):
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            assert position.view(seat) == reference.view(snapshot)


def test_a_redeal_shows_nothing_new():
    """View, observation and mask of every seat are the same bit by bit; the bag is permuted, all else stays."""
    moved = 0
    for position in games(FEW, EVERY):
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            for seed in range(2):
                twin = position.redeal(seat, seed)
                for other in range(len(snapshot["scores"])):
                    assert twin.known_to(other) == position.known_to(other)
                again = twin.snapshot
                assert sorted(again["bag"]) == sorted(snapshot["bag"])
                for key in set(snapshot) - {"bag", "rng"}:
                    assert again[key] == snapshot[key], key
                moved += again["bag"] != snapshot["bag"]
    assert moved


def test_another_order_changes_nothing():
    """Without the help of determinize."""
    chance = np.random.default_rng(2)
    for position in games(FEW, EVERY):
        snapshot = position.snapshot
        snapshot["bag"] = [snapshot["bag"][i] for i in chance.permutation(len(snapshot["bag"]))]
        twin = Position(snapshot)
        for seat in range(len(snapshot["scores"])):
            assert twin.known_to(seat) == position.known_to(seat)


def test_equal_views_and_seeds_give_equal_deals():
    """From the view alone, whichever seat asks."""
    for position in games(FEW, EVERY):
        once = position.redeal(0, 8).snapshot
        assert position.redeal(1, 3).redeal(0, 8).snapshot == once
        assert position.redeal(1, 8).snapshot == once


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
def test_every_redeal_is_equally_likely():
    """The yellow cube is as often anywhere."""
    position = base("dig")
    places = Counter(position.redeal(0, seed)["bag"].index("yellow") for seed in range(1900))
    assert sorted(places) == list(range(19))
    assert all(60 < count < 145 for count in places.values()), "100 on average, with a standard deviation of 10"


def test_the_chance_to_come_is_hidden_too():
    position = base("dig")
    twin = position.redeal(0, 9)
    assert twin.snapshot["rng"] != position.snapshot["rng"]
    assert twin.states["seed"] == position.states["seed"]


def test_the_contents_of_the_bag_follow_from_the_view():
    for position in games(FEW, EVERY):
        view = position.view(0)
        counts = reference.cubes_in_bag(view)
        assert sum(counts.values()) == view["bag"]
        assert {c: n for c, n in counts.items() if n} == dict(Counter(position["bag"]))


def test_seats_are_seen_from_where_one_sits():
    """What the observation says of each seat is turned round with the observer."""
    fields = ["is_first", "had_turn", "money", "dazzlers", "ifso", "clues", "room", "has_laird", "can_pay"]
    for position in games(FEW, EVERY):
        players = position["options.num_players"]
        own = GAME.named(position.observation(0))
        for seat in range(players):
            seen = GAME.named(position.observation(seat))
            for name in fields:
                turned = [own[name][(k + seat) % players] for k in range(players)]
                assert np.array_equal(seen[name][:players], turned), name
                assert not seen[name][players:].any(), name
