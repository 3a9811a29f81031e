"""Sentences about what happens that tests/playthroughs do not record: rare kinds and the order.
Everybody is told the same."""

from tests.rules.cretaceous_creek.positions import NEW_OUT, late, start_with

QUIET = ["A1", "A2", "A3", "none"]  # an erosion deck with a first card that does nothing


def test_cc16_offered_swapped_and_cc17_completed_in_order():
    """CC-16, CC-17: an offer changes nothing before `take`; after it the player whose turn it is
    completes a skeleton first."""
    position = start_with([["ANK1", "ANK2", "PAC1"], ["ANK3", "PAC2"]], pos=["C5", "C5"])
    assert position.happens("swap PAC1 with +1", viewer=1) == [
        "Player 1 offers you Pachycephalosaurus part 1 in exchange for another fossil."
    ]
    assert position.happens("take ANK3", viewer=1) == [
        "Player 1 swaps Pachycephalosaurus part 1 for your Ankylosaurus part 3.",
        "Player 1 completes an Ankylosaurus: the museum has 1 of 6 skeletons.",
        "You complete a Pachycephalosaurus: the museum has 2 of 6 skeletons.",
    ]


# ---------------------------------------------------------------- erosion


def test_cc20_cc21_drew_endangered_destroyed():
    """All cards are told before what they do; a card of a space without fossils does nothing that
    could be told (CC-22)."""
    changes = {
        "options__level": "expert",
        "storm": 4,
        "turn": 25,
        "top__C2": "buried",
        "top__B3": "endangered",
    }
    deck = [
        *["A1", "A2", "A3", "A4", "A5", "B1", "B2", "B4", "B5", "C3", "C4", "C5"],
        *["none", "C2", "C1", "B3"],
    ]
    assert start_with(**changes, deck=deck).happens("end turn")[1:-1] == [
        "Event cards from the erosion deck: B3, camp C1, C2 and no erosion.",
        "Ankylosaurus part 3 on B3 is destroyed.",
        "Quetzalcoatlus part 1 on camp C1 is endangered.",
        "Quetzalcoatlus part 2 on C2 is turned face up and endangered.",
    ]
    empty = start_with([["PAC2", "QUE1"], []], deck=["none", "A2", "A3", "C1"]).happens("end turn")
    assert empty[1:] == ["Event cards from the erosion deck: camp C1.", "Player 2 has the turn."]


def test_cc26_period_2_took_stack_storm():
    """The next turn begins after them; period 2 begins once."""
    changes = {"turn": 4, "player": 1, "to_move": 1}
    begun = start_with(**changes, deck=["none"], stacks=[["A3"], ["none"], ["none"]])
    assert begun.happens("end turn")[1:] == [
        "Event cards from the erosion deck: no erosion.",
        "The erosion deck is used up: period 2 begins.",
        "Player 1 has the turn.",
    ]
    assert begun.happens("end turn")[1:] == [
        "Event cards of the leftmost stack: A3.",
        "Triceratops part 1 on A3 is endangered.",
        "Player 2 has the turn.",
    ]
    begun.happens("end turn", "end turn")
    assert begun.happens("end turn")[2:] == [
        (
            "Storm Phase 2 begins: the event cards are shuffled, and 8 of them form the new "
            "erosion deck."
        ),
        "Player 1 has the turn.",
    ]


SECOND_SEAT = {"turn": 26, "player": 1, "to_move": 1, "grid__A1": [], "top__A1": None}
LAST_CARDS = {
    "turn": 32, "player": 1, "to_move": 1, "period": 2, "deck": [], "stacks": [["none", "A3"]],
    "flooded": ["B1"], "used": ["none", "none", "A1", "A2", "A4", "A5", "B2", "B3", "B4", "B5",
        "C1", "C2", "C5"],
    "pos": ["A2", "B5"], "storage": [["PAR1"], []], "out": NEW_OUT,
}  # fmt: skip


def test_cc25_stranded_and_the_end_by_a_part_that_is_lost():
    """The rest of the erosion step is left out (CC-29)."""
    deck = ["none", "A3", "A4", "A5", "B3", "B4", "B5", "C5", "C1", "B2", "A1", "B1"]
    out = ["ANK1", "ANK2", "ANK3", "PAC1", "PAC2", "PAR1", "PAR2", "PAR3", "QUE1", "QUE2", "QUE3"]
    position = late(
        **SECOND_SEAT, flooded=["A2", "C2"], stacks=[["none", "none"]], deck=deck, out=out
    )
    assert position.happens("end turn", "no sandbag", viewer=0)[-3:] == [
        "You stand in the water and have no dry space to escape to.",
        "You discard Parasaurolophus part 1.",
        (
            "The game is over. A missing skeleton cannot be completed any more: there is no "
            "Parasaurolophus part 1 left. Nobody won."
        ),
    ]


# ---------------------------------------------------------------- the end


def test_cc29_lost_says_why():
    left = start_with(deck=QUIET).happens("evacuate", "evacuate")
    assert left[-1] == "The game is over. Nobody is left on the dig site. Nobody won."
    floods = {
        "grid__C5": [],
        "top__C5": None,
        "storage": [["PAR1"], []],
        "grid__C4": ["PAR3"],
        "top__C4": "exposed",
    }
    out = [
        "ANK1",
        "ANK2",
        "ANK3",
        "PAC1",
        "PAC2",
        "PAR1",
        "PAR2",
        "PAR3",
        "QUE1",
        "QUE2",
        "QUE3",
        "EDM",
    ]
    deck = ["none", "none", "A3", "A4", "B1", "B2", "B3", "B4", "B5", "C3", "C4", "A1"]
    position = late(
        **SECOND_SEAT, **floods, flooded=["A5", "C1", "C5"], stacks=[["none"]], deck=deck, out=out
    )
    assert (
        position.happens("end turn")[-1]
        == "The game is over. All camps are flooded, and a skeleton is missing. Nobody won."
    )
    last = late(**LAST_CARDS).happens("end turn")
    assert last[-1] == "The game is over. The storm has flooded the dig site. Nobody won."
    assert not any("begins" in text for text in last)


def test_cc29_a_lost_part_of_each_missing_skeleton_is_named():
    """But none of a genus that the museum has."""
    position = start_with([["TYR1", "TRI1"], []], museum=("PAC",))
    assert position.happens("evacuate")[-1] == (
        "The game is over. A missing skeleton cannot be completed any more: "
        "there is no Tyrannosaurus part 1 and no Triceratops part 1 left. Nobody won."
    )
