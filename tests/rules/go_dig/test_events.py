"""Sentences about what happens that tests/playthroughs do not record: rare kinds, the order, and
who is told how much."""

from tests.rules.go_dig.positions import arrange


def test_gd_9_gd_10_pile_empty_and_skipped():
    position = arrange([["MOS1"], ["DIL1", "PAC1"], ["MOS2", "DIL2"], ["PAC2"]], rest_to=1)
    assert "The pile is empty: Player 1 draws nothing." in position.happens("ask +2 MOS")
    position.happens("ask +2 DIL")
    assert position.happens("ask +1 DIL", viewer=0)[-2:] == [
        "The pile is empty: Player 3 draws nothing.",
        "Player 4 has the turn.",
    ]
    assert "You have no cards and are skipped." in position.happens("ask +3 PAC", viewer=0)


def test_gd_11_built_and_gd_12_the_end_with_its_reason():
    position = arrange([["MOS1"], ["MOS2"]], rest_to=1)
    assert (
        position.happens("ask +1 MOS", viewer=0)[-1]
        == "The game is over. All 23 skeletons are built. Player 2 won."
    )
    assert "You build a Mosasaurus for 7 points." in arrange(
        [["MOS1"], ["MOS2"]], rest_to=1
    ).happens("ask +1 MOS", viewer=0)


def test_the_label_of_a_request_says_what_everybody_knows():
    """GD-15, GD-16: who has one of the genus for sure, and who has none."""
    position = arrange([["ALL1", "TYR1"], ["ALL2", "ALL2", "BRA1"], ["MOS1"]], on_top=["QUE1"])
    game, view = position.game, position.view(0)

    def label(text):
        return game.label(view, game.action_index[text], 0, 0)

    assert label("ask +1 ALL") == "Ask Player 2 for an Allosaurus"
    view["asked"][1] = ["ALL"]
    assert label("ask +1 ALL") == "Ask Player 2 for an Allosaurus (has one for sure)"
    view["asked"][1], view["maybe"][1] = [], [0] * 13
    assert label("ask +1 ALL") == (
        "Ask Player 2 for an Allosaurus (has none: you only draw a card)"
    )
    view["known"][1] = ["ALL2"]
    assert label("ask +1 ALL") == "Ask Player 2 for an Allosaurus (has one for sure)"
