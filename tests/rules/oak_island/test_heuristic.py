"""The scripted player: what a person would do in positions that are clear, and how well it
plays."""

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.oak_island.positions import Position, base, everybody_at, games

CAISSON = dict.fromkeys(["Billy", "Terry", "Marty", "Rick"], "caisson")


def small_bag(*cubes):
    """The changes that leave so few cubes in the bag of `dig`."""
    counts = {name: cubes.count(name) for name in ("red", "blue", "green", "brown")}
    return {"bag": list(cubes), **{f"options.bag_{name}": count for name, count in counts.items()}}


def test_it_takes_a_sure_win():
    """Four cubes are left: the caisson has the treasure for certain."""
    where = {**everybody_at("lots"), **CAISSON, "Jack": "lots", "Alex": "interpretive_centre"}
    position = base(
        "dig", {"where": where, "money.0": 400, **small_bag("yellow", "brown", "brown", "brown")}
    )
    assert position.scripted == "dig caisson +0"


def test_the_last_character_goes_where_only_oneself_can_dig():
    """The scripted player places the last character where only it can dig: without money for seat 1
    the caisson serves seat 0."""
    where = {
        **everybody_at("swamp"),
        "Billy": "caisson",
        "Terry": "caisson",
        "Marty": "caisson",
        "Rick": "compass",
        "Alex": "lots",
    }
    war = {"phase": "war", "episode": 0, "round": 3, "turn": 24 + 7 + 1, "to_move": 0, "first": 1}
    position = base("dig", {**war, "where": where, "money": [500, 0], "laird": 1})
    assert position.scripted == "move Rick caisson"


def test_it_keeps_a_location_inactive_for_others():
    """The scripted player does not activate a location where only the other player has the money to
    dig."""
    where = {
        **everybody_at("swamp"),
        "Billy": "caisson",
        "Terry": "caisson",
        "Marty": "caisson",
        "Rick": "compass",
    }
    war = {"phase": "war", "episode": 0, "round": 3, "turn": 24 + 7 + 1, "to_move": 0, "first": 1}
    position = base("dig", {**war, "where": where, "money": [0, 500]})
    assert position.scripted != "move Rick caisson"


def test_oi_19_it_digs_where_it_would_if_it_chose_the_extra_cubes_at_once():
    """The scripted player counts on its extra cubes when it begins a dig, and then pulls them."""
    changes = {"clues.0": 2, "where": everybody_at("bore_hole", Gary="lots", Billy="lots")}
    assert base("dig", changes).scripted == "dig bore_hole +2"
    position = base("dig", {**changes, "options.extra": "after"})
    assert position.play_scripted(3) == [f"dig bore_hole +{extra}" for extra in range(3)]


def test_it_does_not_depend_on_the_order_of_the_bag():
    chance = np.random.default_rng(3)
    for extra in ("before", "after"):
        for position in games(3, 29 if JIT_DISABLED else 3, extra=extra):
            if position.mover >= 0:
                snapshot = position.snapshot
                snapshot["bag"] = chance.permutation(snapshot["bag"]).tolist()
                assert Position(snapshot).scripted == position.scripted
