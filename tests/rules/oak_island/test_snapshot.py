"""Snapshots: round trips, and refusals that name the key."""

import pytest

from tests.positions import refusals
from tests.rules.oak_island.positions import BASES, GAME, Position, base, everybody_at, next_cubes

FOUND = base("dig", next_cubes("yellow")).play("dig swamp +0").snapshot
LIMIT = {"options.max_rounds": 3, "to_move": 1, "turn": 36, "episode": 2}
TRUNCATED = base("dig", LIMIT).play("dig swamp +0").snapshot
WAR = base("start").play("move Billy swamp", "move Marty lots").snapshot
LATER = (
    base("dig", {"to_move": 1, "turn": 36, "episode": 2})
    .play("dig swamp +0", "move Gary lots")
    .snapshot
)
GOES_ON = {"options.extra": "after", "clues.0": 2, **next_cubes("red", "blue")}
EXTRA = base("dig", GOES_ON).play("dig bore_hole +0").snapshot
SWAMP = base("dig", {**GOES_ON, "laird": 1}).play("dig swamp +0").snapshot
POSITIONS = {
    "extra": EXTRA,
    "swamp": SWAMP,
    **{name: BASES[name] for name in ("start", "dig")},
    "found": FOUND,
    "over": TRUNCATED,
    "war": WAR,
    "later": LATER,
}


ALL_LOTS = everybody_at("lots")


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        *refusals("start", "bag", {"options.bag_red": 3}, {"bag.0": "blue"}),
        *refusals(
            "start",
            "bag",
            {"dirt.brown": 1},
            {"dazzlers": [1, 0], "scores": [1, 0], "bag.17": "brown"},
        ),
        *refusals("start", "bag", {"dazzlers": [1, 0], "scores": [1, 0], "options.bag_red": 3}),
        *refusals("start", "where", {"where": ALL_LOTS}),
        *refusals("start", "turn", {"where.Billy": "lots"}, {"round": 2}),
        *refusals("start", "episode", {"episode": 1}, {"phase": "episode"}),
        *refusals("start", "to_move", {"turn": 2}, {"turn": 2, "to_move": 1}, {"to_move": 1}),
        *refusals("start", "first", {"to_move": 1, "first": 1}, {"first": 2}),
        *refusals("start", "laird", {"laird": 0}, {"laird": 2}),
        *refusals("start", "clues", {"clues.0": 1}),
        *refusals("start", "money.0", {"money.0": 150}),
        *refusals("start", "money", {"money.0": 1600}),
        *refusals("start", "found", {"found": 0}),
        *refusals("war", "to_move", {"to_move": 1}, {"turn": 4}),
        *refusals("war", "turn", {"turn": 2}, {"turn": 41}),
        *refusals("dig", "ifso.0", {"clues.0": 4, "ifso.0": 3, "options.bag_blue": 11}),
        *refusals("dig", "episode", {"episode": 0}, {"phase": "war"}),
        *refusals("dig", "where", {"where.Billy": "compass"}),
        *refusals(
            "dig", "turn", {"turn": 32}, {"to_move": 1}, {"first": 1}, {"episode": 2}, {"turn": 60}
        ),
        *refusals("dig", "money", {"money": [2100, 0]}),
        *refusals("dig", "bag", {"round": 1, "turn": 9, "options.bag_brown": 7, "dirt.brown": 1}),
        *refusals("dig", "truncated", {"phase": "over", "to_move": -1, "winners": [0]}),
        *refusals("found", "winners", {"winners": [1]}),
        *refusals("found", "truncated", {"truncated": True}, {"found": -1}),
        *refusals("found", "found", {"phase": "episode", "to_move": 0, "winners": []}),
        *refusals("over", "truncated", {"truncated": False}, {"found": 0}),
        *refusals("over", "winners", {"winners": [1]}),
        *refusals("over", "episode", {"episode": 1}),
        *refusals("over", "turn", {"turn": 35}),
        *refusals("extra", "phase", {"options.extra": "before"}),
        *refusals("extra", "dig", {"phase": "episode"}, {"dig": None}, {"dig": {}}),
        *refusals("dig", "dig", {"dig": None}, {"dig": EXTRA["dig"]}, {"phase": "extra"}),
        *refusals("extra", "dig.place", {"dig.place": "caisson"}, {"where.Jack": "lots"}),
        *refusals("extra", "dig.place", {"dig.place": "interpretive_centre"}),
        *refusals("extra", "dig.cubes", {"clues.0": 0}, {"dig.cubes.red": 0}, {"dig.cubes": {}}),
        *refusals("extra", "dig.cubes", {"dig.cubes.brown": 2}, {"dig.place": "swamp"}),
        *refusals("extra", "dig.cubes.brown", {"dig.cubes.brown": 1, "dig.cubes.red": 0}),
        *refusals("extra", "money.0", {"dig.cubes.green": 1, "dirt.green": 1, "money.0": 0}),
        *refusals("extra", "ifso.0", {"clues.0": 6, "ifso.0": 2, "options.bag_blue": 9}),
        *refusals("extra", "bag", {"round": 1, "turn": 9, "dirt.brown": 1}),
        *refusals("swamp", "laird", {"laird": 1}, {"laird": -1}),
    ],
    ids=str,
)
def test_what_is_refused(name, changes, key):
    Position.refuses(POSITIONS[name], changes, key)


def test_only_a_dig_that_goes_on_is_written():
    """Positions with the option's default have the same keys as before the option came; so have
    views."""
    for snapshot in (BASES["dig"], FOUND, WAR):
        assert "dig" not in Position(snapshot).snapshot
        assert "dig" not in Position(snapshot).view(0)
    cubes = {"brown": 0, "green": 0, "blue": 1, "red": 1}
    assert Position(EXTRA).view(1)["dig"] == {"place": "bore_hole", "cubes": cubes}


def test_what_bounds_the_turns_of_the_rest_of_the_game():
    """The most money that is accepted, all of it spent on relocations: turns still fit into 16
    bits."""
    options = {"options.max_rounds": 1000, "options.num_players": 4, "round": 1000}
    seats = {key: [0] * 4 for key in ("dazzlers", "scores", "ifso", "clues")}
    most = 100 * 4 * 1000 + 100 * 2 + 100 * 8 + 200 * 2
    turn = 999 * 16 + 2
    where = {**everybody_at("compass"), "Billy": "lots"}
    changes = {**options, **seats, "money": [most, 0, 0, 0], "turn": turn, "to_move": 1}
    changes |= {"episode": 0, "phase": "war", "where": where}
    position = base("dig", changes)
    assert turn + most // 100 + 40 * 2 + 100 < 2**15
    assert position["money.0"] == most
    Position.refuses(BASES["dig"], {**changes, "money": [most + 100, 0, 0, 0]}, "money")
    assert GAME.json_schema["properties"]["turn"]["maximum"] < 2**15
