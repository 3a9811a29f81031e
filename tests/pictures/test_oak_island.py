"""The picture of The Treasure of Oak Island: to which things actions belong."""

from dig_envs.games.oak_island.picture import touched
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import load_game
from tests.rules.oak_island.positions import base
from tests.worked_examples import load_bases

GAME = load_game("oak_island")
BASES = load_bases(GAME)


def test_a_dig_belongs_to_the_place_and_to_the_cube_up_to_which_one_pulls():
    view = GAME.to_view(BASES["dig"], 0)
    found = sheet_of(GAME, view, 0).things
    assert touched(view, 0, ["dig", "swamp", "+1"]) == ("place:swamp", "pull:swamp:1")
    assert found["pull:swamp:1"] == "Dig at the swamp: 1 cube and 1 extra"
    assert "pull:swamp:2" not in found
    assert touched(view, 0, ["move", "Billy", "lots"]) == ("character:Billy", "place:lots")


def test_the_cubes_of_a_dig_that_goes_on_lie_at_the_location():
    """OI-19: what was pulled is shown until the dig ends, and the next extra cube can be chosen."""
    position = base("dig", {"options.extra": "after", "clues.0": 2}).play("dig bore_hole +0")
    found = sheet_of(GAME, position.view(1), 1).things
    assert "dug: brown, red" in found["place:bore_hole"]
    assert "dug" not in found["place:swamp"]
    for text in position.legal:
        assert set(touched(position.view(0), 0, text.split())) <= set(found)
    position.play("dig bore_hole +0")
    assert "dug" not in sheet_of(GAME, position.view(1), 1).things["place:bore_hole"]
