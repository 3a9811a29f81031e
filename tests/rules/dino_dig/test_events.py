"""Sentences about what happens that tests/playthroughs do not record: rare kinds, the order, and
who is told how much."""

import pytest

from tests.rules.dino_dig.positions import Position, base, card, changed, lying

PUBLIC = None
MUSEUMS = ("9H", "JH", "8S", "TH", "X1", "6D", "7D")  # of the base position `final`
THREE = {
    "options.num_players": 3,
    "scores": [0, 0, 0],
    "turn": 4,
    "bases": ["1,1", "1,5", "4,1"],
    "suits": ["H", "D", "S"],
    "pieces": [["1,3", "1,3", "home"], ["2,2", "2,2", "3,3"], ["home"] * 3],
    "backpacks": [[None, None, None], [card("9H", 1), None, None], [None] * 3],
    "museums": [[card("7H", 0)], [], []],
    "site.2,3.2": lying("8D"),
    "site.1,2": [lying("4H"), lying("5H")],
}


def told(name, *actions, viewer=PUBLIC, **changes):
    """The last event that somebody is told of actions."""
    return base(name, {key.replace("__", "."): value for key, value in changes.items()}).happens(
        *actions, viewer=viewer
    )[-1]


# ---------------------------------------------------------------- set-up


def test_dd_7_wrote_contract_is_secret():
    position = base("start", {"options.contract": "freelance"}).play("base 1,3")
    assert position.copy().happens("suit S", viewer=0) == [
        "You write down spades in secret (the contract)."
    ]
    assert position.copy().happens("suit S", viewer=1) == [
        "Player 1 writes down a suit in secret (the contract)."
    ]
    assert position.happens("suit S", viewer=PUBLIC) == [
        "Player 1 writes down a suit in secret (the contract)."
    ]


# ---------------------------------------------------------------- actions of pieces


def test_dd_20_who_has_seen_a_card_is_told_which_it_is():
    """The digger and Player 3 know it, Player 2 and the public do not; a card that lay face up is
    told to all."""
    for viewer, words in enumerate(
        ["You dig the 6 of hearts", "Player 1 digs a card", "Player 1 digs the 6 of hearts"]
    ):
        changes = {**THREE, "site.1,3.0.known": [2]}
        assert base("field", changes).happens("P1 dig", viewer=viewer) == [
            f"{words} with piece 1 on square 1,3."
        ]
        home = base("field", changes).happens("P1 dig", "face-down", viewer=viewer)[-1]
        assert ("the 6 of hearts" in home) == (viewer != 1)
    assert told("field", "P2 dig") == "Player 1 digs the 8 of diamonds with piece 2 on square 2,3."
    assert (
        told("field", "P2 dig", viewer=1)
        == "Player 1 digs the 8 of diamonds with piece 2 on square 2,3."
    )


# ---------------------------------------------------------------- the end


def test_dd_21_dd_23_dd_27_the_end_in_its_order():
    assert base("final").happens("P1 move home", viewer=0) == [
        "You move piece 1 home.",
        "You have all three pieces at home and 5 cards in the museum: the dig is over.",
        "You turn up the museum: 9 of hearts, 10 of hearts, jack of hearts, 8 of spades, joker 1.",
        "Player 2 turns up the museum: 6 of diamonds, 7 of diamonds.",
        "Player 2's piece 1 has the king of hearts in the backpack.",
        "Player 2's piece 3 has the 4 of spades in the backpack.",
        (
            "You declare a skeleton of 5 cards: 8 of spades, 9 of hearts, 10 of hearts, jack of "
            "hearts, joker 1 as queen."
        ),
        "Player 2 declares a skeleton of 2 cards: 6 of diamonds, 7 of diamonds.",
        (
            "The game is over. All pieces of a player are at home, with five or more cards in the "
            "museum. You won."
        ),
    ]


def test_dd_7_showed_contract_before_anything_is_turned_up():
    position = base("final", {"options.contract": "freelance", "suits": ["H", "H"]})
    assert position.happens("P1 move home", viewer=1)[2:4] == [
        "Player 1 has collected hearts.",
        "You have collected hearts.",
    ]
    assert not any("has collected" in text for text in base("final").happens("P1 move home"))


def skeletons(*museums):
    """The end of a game with these museums and empty backpacks: its last event."""
    snapshot = changed("final", {"backpacks.1": [None, None, None]})
    snapshot["museums"] = [[card(code, p) for code in museum] for p, museum in enumerate(museums)]
    kept = {code for museum in museums for code in museum}
    rest = [one["card"] for stack in snapshot["site"].values() for one in stack] + [
        *MUSEUMS,
        "KH",
        "4S",
    ]
    snapshot["site"] = {text: [] for text in snapshot["site"]}
    snapshot["site"]["2,2"] = [lying(code) for code in rest if code not in kept]
    return Position(snapshot).happens("P1 move home")[-1]


@pytest.mark.parametrize(
    ("museums", "how"),
    [
        (
            (("2H", "4H", "6H", "8H", "TH"), ("QD",)),
            "Of the longest skeletons, that with the greatest high has won. Player 2 won.",
        ),
        (
            (("2H", "4H", "6H", "8H", "TH"), ("TD",)),
            "The longest skeletons have the same high. Player 1 and Player 2 won.",
        ),
        ((("2H", "3H", "6H", "8H", "TH"), ("QD",)), "Player 1 won."),
    ],
)
def test_dd_30_what_has_decided(museums, how):
    why = "All pieces of a player are at home, with five or more cards in the museum."
    assert skeletons(*museums) == f"The game is over. {why} {how}"
