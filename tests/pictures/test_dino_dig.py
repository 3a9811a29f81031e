"""The picture of Dino Dig: to which pieces and places actions belong."""

import pytest

from dig_envs.games.dino_dig.picture import _blocked
from tests.pictures.looking import things, touched_by
from tests.rules.dino_dig.positions import base


@pytest.mark.parametrize(
    ("action", "touched"),
    [
        ("P1 move E", ("piece:0:1", "square:1,4")),
        ("P1 move S", ("piece:0:1", "square:2,3")),
        ("P1 move home", ("piece:0:1", "home:0")),
        ("P1 dig", ("piece:0:1", "square:1,3")),
        ("P2 unload", ("pack:0:2",)),
        ("P3 move out", ("piece:0:3", "square:1,3")),
        ("end turn", ("title",)),
    ],
)
def test_what_a_piece_does_belongs_to_it_and_to_where_it_goes(
    action: str, touched: tuple[str, ...]
) -> None:
    position = base("field")
    assert action in position.legal
    assert touched_by(position, action) == touched
    assert set(touched) <= set(things(position, 0))


@pytest.mark.parametrize(
    ("action", "touched"),
    [
        ("face-up E", "square:1,4"),
        ("face-up W", "square:1,2"),
        ("face-down", "square:1,3"),
        ("home", "museum:0"),
        ("stow", "pack:0:1"),
        ("pass P2", "piece:0:2"),
        ("pass P3", "piece:0:3"),
    ],
)
def test_where_the_card_in_hand_goes(action: str, touched: str) -> None:
    position = base("field").play("P1 dig")
    assert action in position.legal
    assert touched_by(position, action) == (touched,)
    assert touched in things(position, 0)


def test_what_blocks_a_skeleton_is_said_at_the_end() -> None:
    """DD-25: a card of another suit beside which another player has one; without contracts none."""
    museums = [[{"card": "4H"}, {"card": "5S"}, {"card": "3C"}], [{"card": "6S"}]]
    view = {
        "options": {"contract": "standard"},
        "suits": ["H", "D"],
        "museums": museums,
        "backpacks": [[None] * 3, [{"card": "X1"}, None, None]],
        "runs": [{"cards": ["4H"], "high": 4}, {"cards": [], "high": 0}],
    }
    assert _blocked(view, 0) == ["Your 5♠ is blocked: Player 2 has 6♠."]
    assert _blocked(view, 1) == ["Player 1's 5♠ is blocked: you have 6♠."]
    assert _blocked({**view, "options": {"contract": "free_for_all"}}, 0) == []


def test_places_beside_a_growing_site_can_be_laid_on() -> None:
    position = base("horizon")
    there = things(position, 0)
    places = {touched_by(position, action)[0] for action in position.legal}
    assert places == {name for name in there if name.startswith("square:")}
    assert there["square:2,3"] == "Empty place 2,3: a card may be laid here"
    assert "square:2,2" not in there
