"""Snapshots: round trips, and refusals that name the key."""

import jsonschema
import pytest

from dig_envs.engine.errors import SnapshotError
from tests.rules.oak_island.positions import BASES, GAME, base, deal, everybody_at, next_cubes
from tests.worked_examples import with_changes

KEYS = tuple(BASES["start"])
FOUND = base("dig", next_cubes("yellow")).play("dig swamp +0").snapshot
LIMIT = {"options.max_rounds": 3, "to_move": 1, "turn": 36, "episode": 2}
TRUNCATED = base("dig", LIMIT).play("dig swamp +0").snapshot
WAR = base("start").play("move Billy swamp", "move Marty lots").snapshot
LATER = base("dig", {"to_move": 1, "turn": 36, "episode": 2}).play("dig swamp +0", "move Gary lots").snapshot
POSITIONS = {**{name: BASES[name] for name in ("start", "dig")}, "found": FOUND, "over": TRUNCATED, "war": WAR, "later": LATER}


def refused(snapshot, changes, key):
    with pytest.raises(SnapshotError) as error:
        GAME.from_snapshot(with_changes(snapshot, changes))
    assert f"snapshot key '{key}" in str(error.value)


@pytest.mark.parametrize("name", POSITIONS)
def test_round_trip(name):
    snapshot = POSITIONS[name]
    again = GAME.to_snapshot(GAME.from_snapshot(snapshot)[0])
    assert {key: again[key] for key in KEYS} == {key: snapshot[key] for key in KEYS}
    jsonschema.validate(again, GAME.json_schema)


def test_the_keys_and_their_order():
    assert tuple(deal(1).snapshot) == (*KEYS, "rng")


ALL_LOTS = everybody_at("lots")


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        ("start", {"options.bag_red": 3}, "bag"),
        ("start", {"options.bag_red": 21}, "options"),
        ("start", {"options.max_rounds": 0}, "options"),
        ("start", {"bag.0": "blue"}, "bag"),
        ("start", {"bag.2": "brown"}, "bag"),
        ("start", {"bag.0": "yellow"}, "bag"),
        ("start", {"bag.0": "pink"}, "bag"),
        ("start", {"dirt.brown": 1}, "bag"),
        ("start", {"dirt.brown": -1}, "dirt.brown"),
        ("start", {"where.Billy": "nowhere"}, "where.Billy"),
        ("start", {"where": ALL_LOTS}, "where"),
        ("start", {"where.Billy": "lots"}, "turn"),
        ("start", {"episode": 1}, "episode"),
        ("start", {"phase": "episode"}, "episode"),
        ("start", {"turn": 0}, "turn"),
        ("start", {"turn": 2}, "to_move"),
        ("start", {"turn": 2, "to_move": 1}, "to_move"),
        ("start", {"to_move": 1}, "to_move"),
        ("start", {"to_move": 1, "first": 1}, "first"),
        ("start", {"to_move": -1}, "to_move"),
        ("start", {"first": 2}, "first"),
        ("start", {"laird": 0}, "laird"),
        ("start", {"laird": 2}, "laird"),
        ("start", {"clues.0": 1}, "clues"),
        ("start", {"money.0": 150}, "money.0"),
        ("start", {"money.0": -100}, "money.0"),
        ("start", {"money.0": 1600}, "money"),
        ("start", {"found": 0}, "found"),
        ("start", {"winners": [0]}, "winners"),
        ("start", {"truncated": True}, "truncated"),
        ("start", {"round": 21}, "round"),
        ("start", {"round": 2}, "turn"),
        ("start", {"scores.0": 1}, "scores"),
        ("start", {"dazzlers": [1, 0], "scores": [1, 0], "bag.17": "brown"}, "bag"),
        ("start", {"dazzlers": [1, 0], "scores": [1, 0], "options.bag_red": 3}, "bag"),
        ("war", {"to_move": 1}, "to_move"),
        ("war", {"turn": 2}, "turn"),
        ("war", {"turn": 4}, "to_move"),
        ("war", {"turn": 41}, "turn"),
        ("later", {"to_move": 0}, "to_move"),
        ("later", {"turn": 37}, "turn"),
        ("later", {"first": 1}, "to_move"),
        ("later", {"clues.0": 7}, "clues.0"),
        ("dig", {"clues.0": 4, "ifso.0": 3, "options.bag_blue": 11}, "ifso.0"),
        ("dig", {"episode": 0}, "episode"),
        ("dig", {"where.Billy": "compass"}, "where"),
        ("dig", {"turn": 32}, "turn"),
        ("dig", {"to_move": 1}, "turn"),
        ("dig", {"first": 1}, "turn"),
        ("dig", {"episode": 2}, "turn"),
        ("dig", {"turn": 60}, "turn"),
        ("dig", {"money": [2100, 0]}, "money"),
        ("dig", {"round": 1, "turn": 9, "options.bag_brown": 7, "dirt.brown": 1}, "bag"),
        ("dig", {"phase": "war"}, "episode"),
        ("dig", {"phase": "over", "to_move": -1, "winners": [0]}, "truncated"),
        ("found", {"winners": [1]}, "winners"),
        ("found", {"winners": [0, 1]}, "winners"),
        ("found", {"truncated": True}, "truncated"),
        ("found", {"found": -1}, "truncated"),
        ("found", {"found": 1}, "turn"),
        ("found", {"episode": 0}, "episode"),
        ("found", {"turn": 32}, "turn"),
        ("found", {"phase": "episode", "to_move": 0, "winners": []}, "found"),
        ("found", {"bag": [*FOUND["bag"], "yellow"]}, "bag"),
        ("over", {"truncated": False}, "truncated"),
        ("over", {"winners": [1]}, "winners"),
        ("over", {"winners": []}, "winners"),
        ("over", {"options.max_rounds": 4}, "round"),
        ("over", {"episode": 1}, "episode"),
        ("over", {"turn": 35}, "turn"),
        ("over", {"found": 0}, "truncated"),
    ],
    ids=str,
)
def test_what_is_refused(name, changes, key):
    refused(POSITIONS[name], changes, key)


def test_what_bounds_the_turns_of_the_rest_of_the_game():
    """The most money that is accepted, all of it spent on relocations: turns still fit into 16 bits."""
    options = {"options.max_rounds": 1000, "options.num_players": 4, "round": 1000}
    seats = {key: [0] * 4 for key in ("dazzlers", "scores", "ifso", "clues")}
    most = 100 * 4 * 1000 + 100 * 2 + 100 * 8 + 200 * 2
    turn = 999 * 16 + 2
    where = {**everybody_at("compass"), "Billy": "lots"}
    changes = {
        **options,
        **seats,
        "money": [most, 0, 0, 0],
        "turn": turn,
        "episode": 0,
        "phase": "war",
        "to_move": 1,
        "where": where,
    }
    position = base("dig", changes)
    assert turn + most // 100 + 40 * 2 + 100 < 2**15
    assert position["money.0"] == most
    refused(BASES["dig"], {**changes, "money": [most + 100, 0, 0, 0]}, "money")
    assert GAME.max_actions < 2**15
