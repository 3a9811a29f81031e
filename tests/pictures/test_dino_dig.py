"""The picture of Dino Dig: cards in words as far as a seat knows them, pieces and places that actions belong to."""

import pytest

from dig_envs.pictures.drawing import sheet_of
from tests.pictures.looking import things, touched_by
from tests.rules.dino_dig.positions import GAME, base


def test_a_card_is_named_to_those_who_have_seen_it() -> None:
    position = base("field").play("P1 dig", "face-down")
    assert things(position, 0)["square:1,3"].startswith("Square 1,3, 1 card from the bottom: 6 of hearts (seen by you)")
    for other in (1, None):
        assert things(position, other)["square:1,3"].startswith(
            "Square 1,3, 1 card from the bottom: unknown card (seen by Player 1)"
        )


def test_a_card_that_lies_face_up_is_named_to_all_and_what_is_below_to_nobody() -> None:
    position = base("field").play("P1 dig", "face-up W")
    for seat in (0, 1, None):
        assert things(position, seat)["square:1,2"] == "Square 1,2, 2 cards from the bottom: unknown card; 6 of hearts, face up"
    whole = sheet_of(GAME, position.snapshot, None).things
    assert "unknown" not in whole["square:1,2"]


def test_the_card_in_hand_is_the_players_secret() -> None:
    position = base("field").play("P1 dig")
    says = "Your card in hand: 6 of hearts (seen by you); handled by piece 1, may go into the backpack"
    assert things(position, 0)["hand"] == says
    assert "unknown card" in things(position, 1)["hand"]
    assert "hearts" not in things(position, 1)["hand"]
    unloaded = base("field").play("P2 unload")
    assert things(unloaded, 0)["hand"].endswith("from its own backpack: cannot be stowed")


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
def test_what_a_piece_does_belongs_to_it_and_to_where_it_goes(action: str, touched: tuple[str, ...]) -> None:
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


def test_from_the_base_a_card_goes_out_to_the_base_square() -> None:
    position = base("field").play("P2 dig", "stow", "pass P1", "pass P3")
    assert touched_by(position, "face-up out") == ("square:1,3",)
    assert things(position, 0)["piece:0:3"].endswith("has the card in hand")


def test_pieces_that_have_acted_are_told() -> None:
    there = things(base("field").play("P1 dig", "face-down"), 1)
    assert there["acted"] == "Player 1's pieces that have not acted in this turn: 2, 3"
    assert there["piece:0:1"].endswith("has acted")
    assert not there["piece:0:2"].endswith("has acted")


def test_places_beside_a_growing_site_can_be_laid_on() -> None:
    position = base("horizon")
    there = things(position, 0)
    places = {touched_by(position, action)[0] for action in position.legal}
    assert places == {name for name in there if name.startswith("square:")}
    assert there["square:2,3"] == "Empty place 2,3: a card may be laid here"
    assert "square:2,2" not in there


def test_secret_contracts_are_seen_by_their_owners_only() -> None:
    position = base("start", {"options.contract": "freelance"}).play("base 1,3", "suit S", "suit C")
    assert "contract: spades" in things(position, 0)["seat:0"]
    assert "contract: secret" in things(position, 0)["seat:1"]
    public = things(position, None)
    assert "contract: secret" in public["seat:0"]
    assert "contract: secret" in public["seat:1"]


def test_the_end_shows_skeletons() -> None:
    there = things(base("final").play("P1 move home"), None)
    run = "8 of spades, 9 of hearts, 10 of hearts, jack of hearts, joker 1"
    assert there["seat:0"] == f"Player 1, contract: hearts, won, 5 points, skeleton of 5, high 12: {run}"
    assert "unknown" not in there["museum:1"]
