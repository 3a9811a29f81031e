"""The turn: GD-4 to GD-11."""

from tests.rules.go_dig.positions import arrange, base


def test_gd_4_of_every_other_player():
    position = arrange([["TYR1"], ["BRA1"], ["ALL1"], ["MOS1"]])
    assert position.legal == {"ask +1 TYR", "ask +2 TYR", "ask +3 TYR"}


def test_gd_4_others_than_the_mover_have_their_own_requests():
    """Whoever has the turn asks for what it holds itself; seats that there are not are never asked."""
    position = arrange([["TYR1"], ["BRA1"], ["ALL1"]], on_top=["MOS1"]).play("ask +1 TYR")
    assert position.legal == position.legal_for(1) == {"ask +1 BRA", "ask +2 BRA"}
    assert position.legal_for(0) == position.legal_for(2) == set(), "it is not their turn"


def test_gd_4_in_vain_is_legal():
    """Asking for what is known not to be there, and for a genus whose cards are all known to be elsewhere."""
    changes = {"maybe.1": [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 7, 7]}
    assert "ask +1 COE" in base("start", changes).legal


def test_gd_4_places_are_counted_over_empty_seats():
    """+2 stays the player two seats on when the one between has no card and cannot be asked."""
    position = arrange([["MOS1"], [], ["MOS2", "DIL1"], ["DIL2"]], rest_to=1)
    assert position.legal == {"ask +2 MOS", "ask +3 MOS"}
    position.play("ask +2 MOS")
    assert position["museums.0"] == ["MOS"]


def test_gd_5_all_cards_of_the_genus_and_no_other():
    position = arrange([["ALL1", "TYR1"], ["ALL1", "ALL2", "ALL2", "BRA1", "MOS1"]]).play("ask +1 ALL")
    assert position["hands"] == [["TYR1", "ALL1", "ALL1", "ALL2", "ALL2"], ["BRA1", "MOS1"]]


def test_gd_5_everybody_sees_the_parts():
    position = arrange([["ALL1"], ["ALL2", "BRA1"], ["MOS1"]]).play("ask +1 ALL")
    for seat in range(3):
        assert position.view(seat)["known"] == [["ALL2"], [], []]


def test_gd_6_the_turn_goes_on_until_somebody_has_none():
    position = arrange([["ALL1", "QUE1"], ["ALL2", "BRA1"], ["ALL2", "QUE2", "MOS1"]], on_top=["TYR1"])
    for text in ("ask +2 ALL", "ask +1 ALL", "ask +2 QUE"):
        position.play(text)
        assert (position.mover, position["turn"]) == (0, 1)
    position.play("ask +1 QUE")
    assert (position.mover, position["turn"]) == (1, 2)


def test_gd_8_another_genus_is_kept_unseen():
    position = arrange([["ALL1"], ["BRA1"]], on_top=["TYR1"]).play("ask +1 ALL")
    assert (position["hands.0"], position["known.0"], position.mover) == (["TYR1", "ALL1"], [], 1)
    assert position.view(1)["hands"][0] == 2


def test_gd_9_after_the_card_that_was_shown():
    """The same when the last skeleton is completed by GD-7."""
    position = arrange([["MOS1"], ["BRA1"]], on_top=["TYR1", "MOS2"]).play("ask +1 MOS")
    assert (position["museums.0"], position["hands.0"], position.mover) == (["MOS"], ["TYR1"], 1)


def test_gd_9_out_with_an_empty_pile():
    """A player without cards is skipped, begins no turn and cannot be asked."""
    position = arrange([["MOS1"], ["DIL1", "PAC1"], ["MOS2", "DIL2"], ["PAC2"]], rest_to=1)
    position.play("ask +2 MOS")
    assert (position["hands.0"], position.mover, position["turn"]) == ([], 1, 2)
    position.play("ask +2 DIL")  # in vain: seat 3 has none
    assert (position.mover, position["turn"]) == (2, 3)
    position.play("ask +1 DIL")  # in vain; after seat 3 comes seat 1, not seat 0
    assert (position.mover, position["turn"]) == (3, 4)
    assert position.legal == {"ask +2 PAC", "ask +3 PAC"}
    position.play("ask +3 PAC")
    assert (position.mover, position["turn"]) == (1, 5)


def test_gd_10_the_player_asked_runs_out():
    """It takes the top card unseen, and may be asked for it in the same turn."""
    position = arrange([["ALL1", "TYR1"], ["ALL2"]], on_top=["TYR2"]).play("ask +1 ALL")
    assert (position["hands"], position.mover) == ([["TYR1", "ALL1", "ALL2"], ["TYR2"]], 0)
    assert position["known.1"] == []
    position.play("ask +1 TYR")
    assert position["hands.0"] == ["TYR1", "TYR2", "ALL1", "ALL2"]


def test_gd_10_nothing_with_an_empty_pile():
    position = arrange([["MOS1", "DIL1"], ["MOS2"], ["DIL2"]], rest_to=0).play("ask +1 MOS")
    assert (position["hands"], position.mover) == ([["DIL1"], [], ["DIL2"]], 0)
    assert position.legal == {"ask +2 DIL"}


def test_gd_11_two_skeletons_of_a_genus():
    position = arrange([["MOS1", "MOS1", "TYR1"], ["MOS2", "MOS2", "MOS2"]], on_top=["BRA1"]).play("ask +1 MOS")
    assert position["museums.0"] == ["MOS", "MOS"]
    assert position["hands.0"] == ["TYR1", "MOS2"]
    assert position["scores"] == [14, 0]


def test_gd_11_in_the_order_built():
    """The museum keeps the order, the seats after it their own."""
    museums = [["MOS"], ["TYR", "BRA"]]
    position = arrange([["DIL1", "ALL1"], ["DIL2", "PAC1"]], museums=museums).play("ask +1 DIL")
    assert position["museums"] == [["MOS", "DIL"], ["TYR", "BRA"]]


def test_gd_11_all_parts_are_needed():
    """Three of four parts, or two of the same, are no skeleton."""
    position = arrange([["TYR1", "MOS1"], ["TYR2", "TYR3", "MOS1"]]).play("ask +1 TYR", "ask +1 MOS")
    assert position["museums"] == [[], []]


def test_gd_11_the_player_asked_builds_nothing_of_it():
    """The asker alone builds with what is handed over."""
    position = arrange([["ALL1"], ["ALL2", "ALL3", "BRA1"]]).play("ask +1 ALL")
    assert position["museums"] == [["ALL"], []]
