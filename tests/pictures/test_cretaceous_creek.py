"""The picture of Cretaceous Creek: to which things actions belong."""

from dig_envs.games.cretaceous_creek.picture import touched
from tests.rules.cretaceous_creek.positions import GAME, changed


def test_actions_belong_to_the_space_towards_which_they_are_done():
    view = GAME.to_view(changed("start", {}), 0)
    assert touched(view, 0, ["move", "E"]) == ("space:A2",)
    assert touched(view, 0, ["excavate", "here"]) == ("space:A1",)
    assert touched(view, 1, ["escape", "NW"]) == ("space:B4",)
    assert touched(view, 1, ["give", "EDM", "to", "+1"]) == ("storage:1:EDM", "seat:0")
    assert touched(view, 0, ["end", "turn"]) == ()
