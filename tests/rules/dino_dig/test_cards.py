"""The card in hand and what players know: DD-13 to DD-20."""

import pytest

from tests.rules.dino_dig.positions import base, card, lying


def test_dd_13_all_that_depends_on_a_place_depends_on_the_handlers():
    position = base("field").play("P2 dig", "pass P1")
    assert position["chain"] == [2, 1]
    assert "home" in position.legal, "P1 is on the base square"
    assert "face-up N" not in position.legal, "there is nothing north of 1,3"
    position.play("face-down")
    assert position["site"]["1,3"][-1]["card"] == "8D"


@pytest.mark.parametrize(("way", "to"), [("N", "1,3"), ("E", "2,4"), ("S", "3,3"), ("W", "2,2")])
def test_dd_14_face_up_on_an_adjacent_square(way, to):
    position = base("field").play("P2 dig", f"face-up {way}")
    assert position["site"][to][-1] == lying("8D", 0, 1, up=True)
    assert position["hand"] is None


def test_dd_14_from_the_base_on_the_base_square():
    position = base("field").play("P2 unload", "pass P1", "pass P3")
    assert {text for text in position.legal if text.startswith("face")} == {"face-up out"}
    position.play("face-up out")
    assert position["site"]["1,3"][-1] == lying("5H", 0, 1, up=True)


def test_dd_14_pieces_on_the_square_do_not_matter():
    assert "face-up W" in base("field").play("P2 dig").legal, "two opponents are on 2,2"


def test_dd_15_it_stays_there():
    """No action takes a card out of a museum."""
    position = base("field", {"museums.0": [], "site.1,3": [lying("6H"), lying("7H", 0)]}).play("P1 dig", "home")
    for _ in range(40):
        position.play(position.scripted)
        if position.mover < 0:
            break
        assert "7H" in [entry["card"] for entry in position["museums"][0]]


def test_dd_16_face_down_on_the_own_square():
    position = base("field").play("P2 dig", "face-down")
    assert position["site"]["2,3"][-1] == lying("8D", 0, 1)
    assert position.view(1)["site"]["2,3"][-1]["card"] == "8D", "it lay face up before: everybody remembers it"
    assert "face-down" not in base("field").play("P1 dig", "pass P3").legal, "not on the base"


def test_dd_17_the_old_card_comes_to_the_hand_and_cannot_be_stowed_by_the_same_piece():
    position = base("field").play("P2 dig", "stow")
    assert (position["hand"], position["stowed"], position["chain"]) == (card("5H", 0), True, [2])
    assert "stow" not in position.legal
    assert position["backpacks"][0][1] == card("8D", 0, 1)
    position.play("pass P1")
    assert "stow" in position.legal, "another piece can"
    position.play("stow")
    assert position["backpacks"][0] == [card("5H", 0), card("8D", 0, 1), None]


def test_dd_17_a_chain_of_swaps():
    """Each handler can swap once; in the end the last old card has to find a place."""
    packs = [card("9H", 0), card("5H", 0), card("8H", 0)]
    changes = {"backpacks.0": packs, "backpacks.1.0": card("4H", 1), "site.1,2": [], "site.1,4": []}
    position = base("field", changes).play("P2 dig", "stow", "pass P1", "stow", "pass P3", "stow")
    assert [entry["card"] for entry in position["backpacks"][0]] == ["5H", "8D", "9H"]
    assert (position["hand"], position["chain"], position["stowed"]) == (card("8H", 0), [2, 1, 3], True)
    assert position.legal == {"face-up out", "home"}


def test_dd_18_to_pieces_on_the_same_or_an_adjacent_space():
    position = base("field", {"pieces.0": ["1,3", "2,3", "3,3"], "pieces.1": ["home"] * 3}).play("P2 dig")
    assert {"pass P1", "pass P3"} <= position.legal
    position = base("field", {"pieces.0": ["2,2", "2,3", "1,2"], "pieces.1": ["home"] * 3}).play("P2 dig")
    assert "pass P1" in position.legal
    assert "pass P3" not in position.legal, "diagonal squares are not adjacent"
    position = base("field", {"pieces.0": ["2,3", "2,3", "4,3"], "pieces.1": ["home"] * 3}).play("P2 dig")
    assert "pass P1" in position.legal
    assert "pass P3" not in position.legal


def test_dd_18_base_and_base_square_are_adjacent_no_other_square_is_to_the_base():
    assert "pass P3" in base("field").play("P1 dig").legal
    assert "pass P3" not in base("field").play("P2 dig").legal


def test_dd_18_nobody_is_handler_twice():
    position = base("field").play("P2 dig", "pass P1")
    assert "pass P2" not in position.legal
    assert "pass P1" not in position.legal
    position.play("pass P3")
    assert not any(text.startswith("pass") for text in position.legal)


def test_dd_18_it_is_no_action_and_who_has_acted_can_receive():
    position = base("field").play("P1 dig", "face-down", "P2 dig", "pass P1", "stow")
    assert position["acted"] == [True, True, False]
    position = base("field").play("P2 dig", "pass P1", "home")
    assert position["acted"] == [False, True, False]
    assert "P1 dig" in position.legal


def test_dd_18_not_to_pieces_of_others():
    """Only own pieces are in the chain, though one of an opponent is adjacent."""
    position = base("field", {"pieces.0": ["1,5", "2,3", "home"]}).play("P2 dig")
    assert not any(text.startswith("pass") for text in position.legal)


# ---------------------------------------------------------------- knowledge


def test_dd_19_when_it_has_found_a_place_the_chain_is_over():
    for text in ("face-up N", "face-down"):
        position = base("field").play("P2 dig", text)
        assert (position["phase"], position["chain"], position["stowed"]) == ("act", [], False)


def test_dd_20_who_has_seen_it_knows_it_wherever_it_goes():
    position = base("field").play("P1 dig", "pass P3", "stow")
    assert position["backpacks"][0][2] == card("6H", 0)
    position.play("P3 unload", "face-up out")
    assert position["site"]["1,3"] == [lying("6H", 0, 1, up=True)]


def test_dd_20_face_up_is_known_to_all_also_when_covered_and_turned_down():
    position = base("field").play("P2 dig", "face-up N", "P1 dig", "home")
    assert position["museums"][0][-1] == card("8D", 0, 1)
    assert position.view(1)["museums"][0] == [card(None, 0), card("8D", 0, 1)]
    covered = base("field").play("P2 dig", "face-up N", "P1 dig", "face-down")
    assert covered["site"]["1,3"][-1] == lying("8D", 0, 1)


def test_dd_20_a_covered_card_stays_face_up():
    position = base("field", {"pieces.0.1": "3,3", "pieces.1": ["home"] * 3}).play("P2 unload", "face-up N")
    stack = position["site"]["2,3"]
    assert [entry["up"] for entry in stack] == [False, False, True, True]


def test_dd_20_another_who_digs_it_knows_it_too():
    position = base("field", {"site.2,2.3.known": [0]}).play("end turn", "P1 dig")
    assert position["hand"] == card("5D", 0, 1)


def test_dd_20_nobody_may_look_into_stacks():
    """To walk onto a square tells nothing."""
    position = base("field").play("P2 move E")
    assert all(entry["known"] == [] for entry in position["site"]["2,4"])
    assert all(entry["card"] is None for entry in position.view(0)["site"]["2,4"])
