"""The end: GD-12 to GD-14."""

from tests.rules.go_dig.positions import arrange


def test_gd_12_when_all_skeletons_have_been_built():
    position = arrange([["MOS1", "DIL1"], ["MOS2", "DIL2"]], rest_to=0).play("ask +1 MOS")
    assert (position["phase"], position.mover) == ("ask", 0)
    position.play("ask +1 DIL")
    assert (position["phase"], position.mover, position["truncated"]) == ("over", -1, False)
    assert sum(len(museum) for museum in position["museums"]) == 23
    assert position["hands"] == [[], []]
    assert position["pile"] == []
    assert position["scores"] == [301, 0]


def test_gd_12_by_the_last_card_of_the_pile():
    """The player asked runs out and takes it (GD-10); then it is asked for."""
    position = arrange([["ALL1"], ["ALL2"]], on_top=["ALL3"], rest_to=0)
    assert position["pile"] == ["ALL3"]
    position.play("ask +1 ALL")
    assert (position["phase"], position["hands"]) == ("ask", [["ALL1", "ALL2"], ["ALL3"]])
    position.play("ask +1 ALL")
    assert (position["phase"], position["scores"], position["turn"]) == ("over", [301, 0], 1)


def test_gd_12_in_the_last_turn_is_no_truncation():
    position = arrange([["MOS1"], ["MOS2"]], rest_to=0, options__max_turns=1).play("ask +1 MOS")
    assert (position["phase"], position["truncated"]) == ("over", False)


def test_gd_13_the_most_points_win():
    """Points, not skeletons: the other has more of these."""
    museums = [["TYR", "BRA", "TRI", "ALL", "ALL", "ANK", "ANK", "QUE", "QUE"], []]
    position = arrange([["MOS1"], ["MOS2"]], museums=museums, rest_to=1).play("ask +1 MOS")
    assert [len(museum) for museum in position["museums"]] == [10, 13]
    assert (position["scores"], position["winners"]) == ([173, 128], [0])


def test_gd_13_ties_are_shared():
    """Two museums of the same value at the turn limit; returns are shared, too."""
    position = arrange([["TYR1"], ["BRA1"]], museums=[["PAC", "DIL"], ["COE", "COE"]], options__max_turns=1, on_top=["ALL1"])
    position.play("ask +1 TYR")
    assert (position["scores"], position["winners"], position["truncated"]) == ([18, 18], [0, 1], True)


def test_gd_14_the_turn_limit():
    """At the end of turn `max_turns`, not before; hands and pile stay."""
    position = arrange([["TYR1"], ["BRA1"]], options__max_turns=2, on_top=["ALL1", "ALL1"])
    position.play("ask +1 TYR")
    assert (position["phase"], position["turn"]) == ("ask", 2)
    pile = position["pile"]
    position.play("ask +1 BRA")
    assert (position["phase"], position["turn"], position["truncated"]) == ("over", 2, True)
    assert position["hands"] == [["TYR1", "ALL1"], ["BRA1", "ALL1"]]
    assert position["pile"] == pile[:-1]


def test_gd_14_requests_in_the_last_turn_go_on():
    """The limit counts turns, not requests."""
    position = arrange([["ALL1"], ["ALL2", "BRA1"]], options__max_turns=1).play("ask +1 ALL")
    assert (position["phase"], position.mover) == ("ask", 0)


def test_gd_9_gd_14_the_end_of_a_turn_without_cards_counts():
    position = arrange([["MOS1"], ["MOS2", "BRA1"]], on_top=["TYR1"], options__max_turns=1).play("ask +1 MOS")
    assert (position["phase"], position["truncated"], position["scores"]) == ("over", True, [7, 0])
