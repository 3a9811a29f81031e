"""The picture of Twenty Questions: what follows from the answers, and to which things actions
belong."""

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


def test_each_action_has_a_thing_of_its_own():
    game = load_game("twenty_questions")
    there = things(0)
    found = [touched(game, VIEW, 0, action) for action in range(len(game.actions))]
    assert len(set(found)) == len(found)
    assert all(name in there for names in found for name in names)
