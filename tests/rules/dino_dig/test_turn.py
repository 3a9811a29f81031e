"""The turn: DD-9 to DD-12."""

import pytest

from tests.rules.dino_dig.positions import base, card, deal


def test_dd_9_each_piece_acts_once_in_any_order():
    position = base("field").play("P3 move out")
    assert position["acted"] == [False, False, True]
    assert not any(text.startswith("P3") for text in position.legal)
    position.play("P1 move E")
    assert {text[:2] for text in position.legal} == {"P2", "en"}
    position.play("P2 move S")
    assert (position["turn"], position.mover, position["acted"]) == (6, 1, [False] * 3)


def test_dd_9_it_is_not_over_while_a_card_is_in_hand():
    position = base("field").play("P3 move out", "P1 move E", "P2 dig")
    assert (position["phase"], position.mover, position["acted"]) == ("card", 0, [True] * 3)
    assert "end turn" not in position.legal
    position.play("face-down")
    assert (position["turn"], position.mover) == (6, 1)


def test_dd_9_turns_go_clockwise():
    position = deal(1, num_players=4)
    while position["phase"] != "act":
        position.play(position.scripted)
    seats = []
    for _ in range(6):
        seats.append(position.mover)
        position.play("end turn")
    assert seats == [0, 1, 2, 3, 0, 1]


def test_dd_10_to_adjacent_squares_only():
    position = base("field", {"pieces.0": ["1,1", "4,5", "2,3"]})
    ways = {text for text in position.legal if " move " in text}
    assert ways == {"P1 move E", "P1 move S", "P2 move N", "P2 move W", "P3 move N", "P3 move E", "P3 move S"}
    position.play("P1 move S", "P2 move W", "P3 move E")
    assert position["pieces"][0] == ["2,1", "4,4", "2,4"]


@pytest.mark.parametrize(("way", "to"), [("N", "1,3"), ("E", "2,4"), ("S", "3,3"), ("W", "2,2")])
def test_dd_10_directions(way, to):
    position = base("field", {"pieces.1": ["home"] * 3}).play(f"P2 move {way}")
    assert position["pieces"][0][1] == to


def test_dd_10_home_and_out():
    position = base("field").play("P1 move home")
    assert position["pieces"][0] == ["home", "2,3", "home"]
    position = base("field").play("P3 move out")
    assert position["pieces"][0] == ["1,3", "2,3", "1,3"]
    assert "P2 move home" not in base("field").legal, "not on the base square"
    assert not any(text.startswith("P3 dig") for text in base("field").legal), "no cards on the base"


def test_dd_10_opponents_count_together():
    """One piece each of two opponents blocks, one of them alone does not."""
    for third, free in (("3,3", True), ("2,2", False)):
        position = deal(2, num_players=3)
        while position["phase"] != "act":
            position.play(position.scripted)
        snapshot = position.snapshot
        snapshot["pieces"] = [["2,1", "home", "home"], ["2,2", "home", "home"], [third, "home", "home"]]
        assert ("P1 move E" in type(position)(snapshot).legal) == free


def test_dd_10_own_pieces_never_hinder():
    position = base("field", {"pieces.0": ["1,3", "1,3", "1,2"]})
    assert "P3 move E" in position.legal


def test_dd_10_the_base_square_can_be_blocked_the_base_cannot():
    blocked = {"pieces.1": ["1,3", "1,3", "2,2"]}
    position = base("field", {**blocked, "pieces.0": ["1,3", "1,2", "home"]})
    assert "P3 move out" not in position.legal
    assert "P2 move E" not in position.legal
    assert "P1 move home" in position.legal


def test_dd_11_only_the_player_sees_it():
    position = base("field").play("P1 dig")
    assert position.view(0)["hand"] == card("6H", 0)
    assert position.view(1)["hand"] == card(None, 0)


def test_dd_12_unload_on_a_square_and_on_the_base():
    packs = [None, card("5H", 0), card("9H", 0)]
    position = base("field", {"backpacks.0": packs, "backpacks.1.0": card("4H", 1), "site.1,2": []})
    assert {"P2 unload", "P3 unload"} <= position.legal
    assert "P1 unload" not in position.legal, "its backpack is empty"
    position.play("P3 unload")
    assert (position["hand"], position["chain"], position["stowed"]) == (card("9H", 0), [3], True)
    assert position["backpacks"][0] == [None, card("5H", 0), None]
    assert position.legal == {"face-up out", "home", "pass P1"}


def test_dd_12_it_is_the_action_of_the_piece():
    position = base("field").play("P2 unload", "face-down")
    assert position["acted"] == [False, True, False]
    assert "P2 dig" not in position.legal
