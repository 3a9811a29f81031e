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


def test_why_a_place_is_closed_to_a_player_is_said():
    """OI-9, OI-15: to the viewer; for who looks on, the player to move."""
    position = base("dig", {"laird": 0, "money.0": 0})
    own, public = (sheet_of(GAME, position.view(0), seat).things for seat in (0, None))
    active = [name for name, title in own.items() if name[:6] == "place:" and ": active" in title]
    assert {"place:swamp", "place:bore_hole"} <= set(active)
    for name in active:
        laird = name in ("place:lots", "place:swamp")
        assert ("Laird keeps you away" in own[name]) == laird
        assert ("Laird keeps Player 1 away" in public[name]) == laird
    assert "You have only $0." in own["place:bore_hole"]
    assert "only" not in sheet_of(GAME, base("dig").view(0), 0).things["place:bore_hole"]


def test_the_cubes_of_a_dig_that_goes_on_lie_at_the_location():
    """OI-19: what was pulled is shown until the dig ends, and the next extra cube can be chosen."""
    position = base("dig", {"options.extra": "after", "clues.0": 2}).play("dig bore_hole +0")
    found = sheet_of(GAME, position.view(1), 1).things
    assert "Dug: brown, red." in found["place:bore_hole"]
    assert "Dug" not in found["place:swamp"]
    for text in position.legal:
        assert set(touched(position.view(0), 0, text.split())) <= set(found)
    position.play("dig bore_hole +0")
    assert "Dug" not in sheet_of(GAME, position.view(1), 1).things["place:bore_hole"]
