"""The picture of The Treasure of Oak Island: what its things are called."""

from typing import Any

from dig_envs.games.oak_island.picture import touched
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import load_game
from tests.worked_examples import load_bases, with_changes

GAME = load_game("oak_island")
BASES = load_bases(GAME)


def things(changes: dict[str, Any], seat: int | None = 0) -> dict[str, str]:
    """The things of a view of ``dig``, by name."""
    snapshot = with_changes(BASES["dig"], changes)
    return sheet_of(GAME, snapshot if seat is None else GAME.to_view(snapshot, seat), seat).things


def test_a_location_says_whether_it_is_active_and_who_is_missing():
    found = things({})
    assert found["place:swamp"] == (
        "Swamp, active; costs $100: 1 cube and up to 1 more; wants Billy; 2 of Marty, Rick, Gary, Alex, Jack; "
        "here: Billy, Marty, Rick"
    )
    assert found["place:lots"].startswith("Lots, not active; costs $0")
    assert "1 of Billy, Marty, Rick, Alex, Jack (missing); here: Gary" in found["place:lots"]


def test_the_order_of_the_bag_is_told_only_where_all_is_shown():
    counts = "Bag, 19 cubes: 6 brown, 2 green, 8 blue, 2 red, 1 yellow"
    assert things({})["bag"] == counts
    assert things({}, None)["bag"].startswith(f"{counts}; next to be pulled: brown, red, blue, green")


def test_a_cube_of_a_player_is_not_in_the_bag_any_more():
    assert things({"dazzlers": [1, 0], "scores": [1, 0]})["bag"].startswith("Bag, 19 cubes: 6 brown, 2 green, 8 blue, 1 red")


def test_laird_is_where_he_is():
    assert things({})["laird"] == "Laird, at the interpretive centre"
    assert things({"laird": 1})["laird"] == "Laird, with Player 2"


def test_a_dig_belongs_to_the_place_and_to_the_cube_up_to_which_one_pulls():
    found = things({})
    view = GAME.to_view(BASES["dig"], 0)
    assert touched(view, 0, ["dig", "swamp", "+1"]) == ("place:swamp", "pull:swamp:1")
    assert found["pull:swamp:1"] == "Dig at the swamp: 1 cube and 1 extra"
    assert "pull:swamp:2" not in found
    assert touched(view, 0, ["move", "Billy", "lots"]) == ("character:Billy", "place:lots")
