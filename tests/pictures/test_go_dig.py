"""The picture of Go Dig: what a cell of the table says, and what it does not."""

from dig_envs.pictures import touched
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import load_game
from tests.games import needs_compiling

pytestmark = needs_compiling

NOTHING = [0] * 13
VIEW = {
    "game": "go_dig",
    "options": {"num_players": 2, "max_turns": 200},
    "to_move": 0,
    "phase": "ask",
    "turn": 3,
    "scores": [0, 25],
    "winners": [],
    "truncated": False,
    "pile": 20,
    "museums": [[], ["TYR"]],
    "hands": [["TRI1", "ALL2", "ALL2"], 3],
    "known": [["ALL2"], ["TRI3"]],
    "asked": [["ALL"], ["MOS"]],
    "maybe": [[0, 0, 0, 2, *NOTHING[4:]], [0, 0, 1, *NOTHING[3:12], 2]],
}


def things(viewer: int | None, **changes: object) -> dict[str, str]:
    """Name and title of what is in the picture."""
    return sheet_of(load_game("go_dig"), {**VIEW, **changes}, viewer).things


def test_a_cell_says_what_is_held_and_what_everybody_knows():
    there = things(0)
    assert there["hand:0:ALL"] == (
        "You, Allosaurus; in hand part 2 (2 copies) of 3; known to all part 2 of 3; "
        "besides what is known to all at least 1 and at most 2"
    )
    assert there["hand:1:TRI"] == "Player 2, Triceratops; known to all part 3 of 3; besides what is known to all at most 1"
    assert (
        there["hand:1:MOS"] == "Player 2, Mosasaurus; known to all no card; besides what is known to all at least 1 and at most 2"
    )
    assert there["hand:1:TYR"].endswith("none; 1 skeleton built")
    assert "1 of 1 skeleton built" in there["genus:TYR"]
    assert there["pile"] == "Dig pile: 20 cards, face down"


def test_a_hand_that_is_not_shown_is_a_number_only():
    there = things(None, hands=[3, 3])
    assert "in hand" not in there["hand:0:TRI"]
    assert "known to all no card" in there["hand:0:TRI"]
    assert there["seat:0"].startswith("Player 1; 0 points; 3 cards in hand, 1 known to all")


def test_a_request_belongs_to_the_cell_of_who_is_asked():
    game = load_game("go_dig")
    assert touched(game, VIEW, 0, game.actions.index("ask +1 ALL")) == ("hand:1:ALL",)
