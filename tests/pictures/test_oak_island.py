"""The picture of The Treasure of Oak Island: to which things actions belong."""

from dig_envs.games.oak_island.picture import touched
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import load_game
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
