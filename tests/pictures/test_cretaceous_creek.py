"""The picture of Cretaceous Creek: what its things are called."""

from typing import Any

from dig_envs.games.cretaceous_creek.picture import touched
from dig_envs.pictures.drawing import sheet_of
from tests.rules.cretaceous_creek.positions import GAME, changed


def things(changes: dict[str, Any], base: str = "start", seat: int | None = 0) -> dict[str, str]:
    """The things of a view of a position, by name."""
    snapshot = changed(base, changes)
    return sheet_of(GAME, snapshot if seat is None else GAME.to_view(snapshot, seat), seat).things


def test_a_space_says_what_lies_on_it_and_who_is_there():
    assert things({})["space:A1"] == (
        "A1, camp; Tyrannosaurus, part 1 of 4, exposed; below it a face-down fossil; here: Player 1"
    )  # fmt: skip


def test_a_face_down_fossil_has_no_name_but_where_all_is_shown():
    buried = {"top.A1": "buried"}
    seen = things(buried)["space:A1"]
    assert seen == "A1, camp; face-down fossil, buried; below it a face-down fossil; here: Player 1"
    assert "Tyrannosaurus, part 1 of 4, buried" in things(buried, seat=None)["space:A1"]


def test_the_order_of_the_erosion_deck_is_told_only_where_all_is_shown():
    assert things({})["deck"] == "Erosion deck, 4 cards"
    assert things({}, seat=None)["deck"] == "Erosion deck, 4 cards: C5, A2, B3, no erosion"


def test_a_space_tells_in_which_stack_its_event_card_is():
    found = things({"deck": ["none"], "stacks": [["B3"], ["A2", "C5"]]})
    assert "event card in stack 2" in found["space:A2"]
    assert "event card" not in found["space:A1"]
    assert found["stack:1"] == "Stack 2: A2, C5"


def test_the_museum_counts_the_copies_that_are_left():
    found = things({}, "late")
    assert found["genus:PAR"] == (
        "Parasaurolophus: missing; not out of the game are part 1: 2 copies, part 2: 1 copy, part 3: 1 copy"
    )  # fmt: skip
    assert found["genus:TYR"] == "Tyrannosaurus: complete, in the museum"


def test_a_flooded_space_says_so():
    assert things({"flooded": ["A2"], "deck": ["none"]}, "late")["space:A2"] == "A2; flooded"


def test_actions_belong_to_the_space_towards_which_they_are_done():
    view = GAME.to_view(changed("start", {}), 0)
    assert touched(view, 0, ["move", "E"]) == ("space:A2",)
    assert touched(view, 0, ["excavate", "here"]) == ("space:A1",)
    assert touched(view, 1, ["escape", "NW"]) == ("space:B4",)
    assert touched(view, 1, ["give", "EDM", "to", "+1"]) == ("storage:1:EDM", "seat:0")
    assert touched(view, 0, ["end", "turn"]) == ()
