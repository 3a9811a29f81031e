"""The picture of The Big Dig: neither seat sees the other's choice, and a target belongs to one of
the inputs."""

from dig_envs.games.the_big_dig.picture import touched
from dig_envs.pictures import picture
from tests.rules.the_big_dig.positions import GAME, arrange, arranged

MODELS = ((["2-3-A"], ["3-3-A"]), (["2-3-A"],))


def test_a_choice_is_in_the_picture_of_the_one_who_made_it_only():
    before, after = (
        arrange("argument", models=MODELS),
        arrange("argument", models=MODELS).play("argue 1"),
    )
    shown = {
        seat: [picture(GAME, position.view(seat), seat) for position in (before, after)]
        for seat in (0, 1)
    }
    assert shown[0][0] != shown[0][1]
    assert shown[1][0] == shown[1][1]
    assert picture(GAME, GAME.to_public(before.snapshot), None) == picture(
        GAME, GAME.to_public(after.snapshot), None
    )


def test_the_target_of_a_nullification_is_one_of_the_inputs():
    view = GAME.to_view(arranged("model"), 0)
    view["models"], view["pending"] = [[["2-3-A", "3-3-A"]], []], [["argue 1", "output 18-1"], None]
    assert touched(view, 0, ["target", "1"]) == ("region:skull", "space:2-3-A")
    assert touched(view, 0, ["target", "2"]) == ("region:skull", "space:3-3-A")
