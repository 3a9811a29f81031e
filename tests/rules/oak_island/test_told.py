"""Sentences about what happens that tests/playthroughs do not record: rare kinds, and what
decided."""

import pytest

from dig_envs.engine.core.errors import SnapshotError
from dig_envs.pictures.drawing import sheet_of
from dig_envs.text.sentences import headline
from dig_envs.text.telling import reveals
from tests.rules.oak_island.positions import GAME, base, everybody_at, next_cubes

RICH = {
    "options.bag_blue": 14,
    "ifso": [3, 3],
    "options.bag_red": 4,
    "dazzlers": [1, 1],
    "scores": [1, 1],
}


def test_oi_12_what_is_too_much_goes_back():
    told = base("dig", {"clues.0": 6, **next_cubes("blue", "brown")}).happens("dig bore_hole +0")
    assert told[1] == 'Player 1 puts 1 "If so" cube back into the bag, which is shuffled.'


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (
            "trade 2 clues 1 cash",
            'You trade 3 "If so" cubes for 2 clue tokens and $100 at the interpretive centre.',
        ),
        ("trade 0 clues 1 cash", 'You trade 1 "If so" cube for $100 at the interpretive centre.'),
        (
            "convert dazzler",
            "You give a Bobby Dazzler for $200 and a clue token at the interpretive centre.",
        ),
        ("visit", "You visit the interpretive centre."),
    ],
)
def test_oi_13_oi_14_oi_16_the_interpretive_centre(action, told):
    events = base("dig", {**RICH, "laird": 0}).happens(action, viewer=0)
    assert events[:2] == [told, "Laird leaves you for the interpretive centre."]
    if action != "visit":
        assert base("dig", RICH).happens(action, viewer=0)[1] == "Player 2 has the turn."


def test_oi_15_laird_comes():
    position = base("dig", {"laird": -1, "to_move": 1, "turn": 34, **next_cubes("red")})
    assert position.happens("dig swamp +0", viewer=1)[:2] == [
        "You dig at the swamp for $100 and pull 1 Bobby Dazzler.",
        "Laird comes to you.",
    ]
    position = base("dig", next_cubes("red", "red"))
    assert not any("Laird" in text for text in position.happens("dig bore_hole +0"))


def test_oi_19_extra_cubes_one_at_a_time():
    changes = {"options.extra": "after", "clues.0": 2, **next_cubes("blue", "brown", "green")}
    position = base("dig", changes)
    assert position.happens("dig bore_hole +0", viewer=0) == [
        'You dig at the bore hole for $200 and pull 1 cube of dirt and 1 blue "If so" cube.'
    ]
    view = position.view(0)
    assert headline(GAME, view, 0) == (
        "You: dig at the bore hole with one more cube, or stop with no extra cube"
    )
    labels = [GAME.label(view, action, 0, 0) for action in GAME.legal_actions(position.states, 0)]
    assert labels == ["Pull no more cubes", "Pull one more cube at the bore hole"]
    assert "  dug at bore_hole: 1 brown, 0 green, 1 blue, 0 red\n" in GAME.draw(view)
    more, stop = (GAME.action_index[f"dig bore_hole +{extra}"] for extra in (1, 0))
    assert reveals(GAME, position.states, 0, more)
    assert not reveals(GAME, position.states, 0, stop)
    assert position.happens("dig bore_hole +1", viewer=0) == [
        "You pull an extra cube: 1 green cube; you earn $100."
    ]
    assert position.happens("dig bore_hole +1")[0] == "Player 1 pulls no more cubes."
    assert "dug at" not in GAME.draw(position.view(0))


@pytest.mark.parametrize("name", [None, True, 1, [], "text", "oak_island_v", "oak_island_v9"])
def test_a_position_of_no_version_is_not_drawn(name):
    view = {**base("dig", {}).view(0), "environment": name}
    for draw in (GAME.draw, lambda view: sheet_of(GAME, view, 0)):
        with pytest.raises(SnapshotError, match="key 'environment': must be oak_island_v0 or"):
            draw(view)


def test_oi_18_nobody_wins_at_the_round_limit():
    last = {
        "options.max_rounds": 3,
        "episode": 2,
        "turn": 36,
        "to_move": 1,
        "where": everybody_at("caisson", Billy="bore_hole"),
    }
    told = base("dig", last).happens("skip")
    assert told == ["Player 2 can do nothing and skips the turn.", told[-1]]
    assert (
        told[-1]
        == "The game is over by the round limit. Nobody has found the treasure. Nobody won."
    )
