"""Version 0, in which who is ahead wins at the round limit and the lots have two rows."""

import pytest

from dig_envs.agents.loading import load_agent
from dig_envs.registry import load_game
from tests import positions
from tests.policies import shipped
from tests.rules.oak_island.positions import everybody_at

FORMER, NEWEST = load_game("oak_island_v0"), load_game("oak_island_v1")


class Former(positions.Position):
    """A position of version 0."""

    game = FORMER


END = {
    "options.max_rounds": 3,
    "episode": 2,
    "turn": 36,
    "to_move": 1,
    "where": everybody_at("caisson", Billy="lots"),
}


@pytest.mark.parametrize(
    ("dazzlers", "money", "winners", "end"),
    [
        ([2, 1], [100, 100], [0], "the most Bobby Dazzlers win. Player 1 won."),
        (
            [1, 1],
            [0, 100],
            [1],
            "of those with the most Bobby Dazzlers the most money wins. Player 2 won.",
        ),
        (
            [1, 1],
            [100, 100],
            [0, 1],
            "equally many Bobby Dazzlers, and as much money. Player 1 and Player 2 won.",
        ),
    ],
)
def test_oi_18_who_is_ahead_wins_at_the_limit(dazzlers, money, winners, end):
    reds = {"options.bag_red": 2 + sum(dazzlers), "dazzlers": dazzlers, "scores": dazzlers}
    position = Former.base("dig", {**reds, **END, "money": money})
    told = position.happens("skip")
    assert told[-1] == f"The game is over by the round limit. Nobody has found the treasure: {end}"
    assert position["winners"] == winners
    returns = FORMER.returns_of(position.states)[0, :2].tolist()
    assert returns == {(0,): [1, -1], (1,): [-1, 1], (0, 1): [0, 0]}[tuple(winners)]


def test_oi_7_the_lots_want_gary_and_another_one():
    for where, active in (
        (everybody_at("bore_hole", Gary="lots"), False),
        (everybody_at("bore_hole", Billy="lots", Jack="lots"), False),
        (everybody_at("bore_hole", Gary="lots", Jack="lots"), True),
    ):
        assert ("dig lots +0" in Former.base("dig", {"where": where}).legal) == active


def test_a_policy_of_version_0_plays_version_1(capsys, monkeypatch):
    """The observation and the actions are the same, though the rows of the lots are not."""
    assert (FORMER.layout, FORMER.actions) == (NEWEST.layout, NEWEST.actions)
    assert FORMER.data_hash != NEWEST.data_hash
    name = shipped("oak_island/policy")
    assert load_agent(name).game is FORMER
    monkeypatch.delenv("DIG_ENVS_QUIET", raising=False)
    assert load_agent(name, env="oak_island_v1").game is NEWEST
    assert "was trained for oak_island_v0; oak_island_v1 has the same" in capsys.readouterr().err
