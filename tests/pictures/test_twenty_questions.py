"""The picture of Twenty Questions: who may see the card in play, what has been heard, and what follows from it."""

from typing import Any

import pytest

from dig_envs.pictures import touched
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import load_game
from tests.games import needs_compiling

pytestmark = needs_compiling

VIEW = {
    "game": "twenty_questions",
    "options": {"num_players": 2, "questions": 20, "passing": "asked"},
    "to_move": 0,
    "phase": "question",
    "turn": 2,
    "scores": [1, 0],
    "winners": [],
    "truncated": False,
    "answerer": 1,
    "deck": 60,
    "card": None,
    "asked": [["ask period K", False], ["ask length<8", True], ["guess CAM", False]],
    "left": [15, 20],
    "taken": [["STE"], []],
    "discards": ["MOS", "STE"],
}


def things(viewer: int | None, **changes: Any) -> dict[str, str]:
    """Name and title of what is in the picture."""
    return sheet_of(load_game("twenty_questions"), {**VIEW, **changes}, viewer).things


def test_the_card_in_play_is_named_where_the_view_has_it_only():
    assert things(0)["card"] == "The card in play, face down; Player 2 knows it"
    assert things(1, card="COE")["card"] == "The card in play: Coelophysis; You know it"
    assert [name for name, title in things(0).items() if "Coelophysis" in title] == ["guess:COE"]


def test_answers_are_told_in_order_and_on_their_questions():
    there = things(0)
    assert there["asked"] == (
        "Heard about this card: Did it live in the Cretaceous? No. Was it less than 8 m long? Yes. Is it Camptosaurus? No."
    )
    assert there["ask:period:K"] == "Did it live in the Cretaceous? No"
    assert there["ask:length:8"] == "Was it less than 8 m long? Yes"
    assert there["ask:weight:7000"] == "Did it weigh less than 7,000 kg?"


@pytest.mark.parametrize(
    ("genus", "state"),
    [
        ("COE", "may be the card in play"),
        ("ALL", "not the card in play"),  # 9 m long
        ("MOS", "not the card in play"),  # of the Cretaceous
        ("STE", "not the card in play"),  # both cards have been seen
        ("CAM", "guessed wrongly"),
    ],
)
def test_a_genus_says_whether_it_may_be_the_card(genus, state):
    assert things(0)[f"guess:{genus}"].endswith(state)


def test_what_is_printed_on_cards_is_said():
    there = things(0)
    assert there["guess:MOS"].startswith(
        "Mosasaurus, Cretaceous, carnivore, no dinosaur, 12 m, 10,000 kg, 2 parts, 4 skeletons, worth 7, 7 of 8 cards not seen yet"
    )
    assert there["guess:UTA"].startswith(
        "Utahraptor feather impression, Cretaceous, carnivore, 5 m, 300 kg, research 3, 1 of 1 card"
    )


def test_when_it_is_over_no_card_is_in_play():
    there = things(0, phase="over", to_move=-1, answerer=-1, asked=[], winners=[0])
    assert "card" not in there
    assert "asked" not in there
    assert not any("may be" in title for title in there.values())
    assert there["seat:0"] == "You; won; 15 questions left; 1 card: Stegosaurus"


def test_each_action_has_a_thing_of_its_own():
    game = load_game("twenty_questions")
    there = things(0)
    found = [touched(game, VIEW, 0, action) for action in range(len(game.actions))]
    assert len(set(found)) == len(found)
    assert all(name in there for names in found for name in names)
