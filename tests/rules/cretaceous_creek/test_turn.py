"""CC-7 to CC-19 and CC-31: the turn, its actions, skeletons, solo."""

import pytest

from tests.rules.cretaceous_creek.positions import Position, start_with


def group(position: Position, verb: str) -> set[str]:
    return {text for text in position.legal if text.split()[0] == verb}


# ---------------------------------------------------------------- CC-7, CC-8


def test_cc7_clockwise_over_those_still_there():
    """CC-7: the turn goes clockwise, skipping the evacuated, with 4 new action points; what is left
    of them is lost."""
    position = start_with(
        [[]] * 4, evacuated=[False, True, False, False], pos=["A1", None, "A5", "C1"]
    ).play("move E", "end turn")
    assert (position["to_move"], position["player"], position["turn"], position["ap"]) == (
        2,
        2,
        2,
        4,
    )
    position.play("end turn")
    assert (position["to_move"], position["turn"]) == (3, 3)
    position.play("end turn")
    assert (position["to_move"], position["turn"]) == (0, 4)


def test_cc8_digging_in_reach():
    """CC-8: the own space and the four adjacent ones, nothing diagonal, nothing beyond the edge."""
    everywhere = {"here", "N", "E", "S", "W"}
    assert {a.split()[1] for a in group(start_with(pos=["B3", "C5"]), "excavate")} == everywhere
    assert {a.split()[1] for a in group(start_with(), "excavate")} == {"here", "E", "S"}


# ---------------------------------------------------------------- CC-9 to CC-14


def test_cc9_discard_is_free():
    """CC-9: a stored fossil goes out of the game, also without action points."""
    position = start_with([["ANK1", "ANK1", "PAC1"], []], ap=0).play("discard ANK1")
    assert (position["storage.0"], position["out"], position["ap"]) == (
        ["ANK1", "PAC1"],
        ["ANK1"],
        0,
    )
    assert group(position, "discard") == {"discard ANK1", "discard PAC1"}
    assert not group(start_with([[], ["ANK1"]]), "discard")


@pytest.mark.parametrize(("top", "verb"), [("endangered", "protect"), ("buried", "expose")])
def test_cc11_cc12_protect_and_expose(top, verb):
    """CC-11, CC-12: two points; an endangered or a buried top fossil becomes exposed, and nothing
    else."""
    position = start_with([["PAR2"], []], top__A2=top, ap=2)
    assert group(position, "protect") | group(position, "expose") == {f"{verb} E"}
    position.play(f"{verb} E")
    assert (position["top.A2"], position["grid.A2"], position["ap"]) == ("exposed", ["TYR2"], 0)
    assert not group(start_with([["PAR2"], []], top__A2=top, ap=1), verb)


def test_cc14_clear_with_full_storage_only():
    """CC-14: with full storage the fossil goes out of the game at once; with space left there is no
    clearing."""
    position = start_with([["ANK1", "ANK2", "QUE1", "QUE2"], []], pos=["B5", "C5"])
    assert not group(position, "excavate")
    assert group(position, "clear") == {"clear here", "clear N", "clear S", "clear W"}
    position.play("clear here")
    assert (position["out"], position["storage.0"], position["ap"]) == (
        ["PAC2"],
        ["ANK1", "ANK2", "QUE1", "QUE2"],
        1,
    )
    three = start_with([["ANK1", "ANK2", "QUE1"], []], pos=["B5", "C5"])
    assert not group(three, "clear")
    assert group(three, "excavate")


# ---------------------------------------------------------------- CC-15, CC-16


def test_cc15_give_and_get():
    """CC-15: two points, in both directions, counted clockwise."""
    position = start_with([["PAC1"], [], ["ANK1", "QUE1"]], pos=["B3", "C5", "B4"]).play(
        "give PAC1 to +2"
    )
    assert position["storage"] == [[], [], ["ANK1", "PAC1", "QUE1"]]
    assert (position["ap"], position["to_move"]) == (2, 0)
    position.play("get QUE1 from +2")
    assert position["storage"] == [["QUE1"], [], ["ANK1", "PAC1"]]
    assert (position["ap"], position["turn"]) == (0, 1)


def test_cc15_not_to_a_full_storage():
    """CC-15: the receiver's storage must not be full, whoever receives."""
    full = ["ANK1", "ANK2", "QUE1", "QUE2"]
    position = start_with([["PAC1"], full], pos=["B3", "B4"])
    assert not group(position, "give")
    assert group(position, "get") == {f"get {t} from +1" for t in full}
    position = start_with([full, ["PAC1"]], pos=["B3", "B4"])
    assert not group(position, "get")
    assert group(position, "give") == {f"give {t} to +1" for t in full}


def test_cc15_not_with_the_evacuated_nor_with_one_point():
    """CC-15: the partner is still there, and it costs two points."""
    assert not group(start_with([["PAC1"], []], pos=["B3", None], evacuated=[False, True]), "give")
    assert not group(start_with([["PAC1"], []], pos=["B3", "B3"], ap=1), "give")


def test_cc16_needs_four_points_and_another_type():
    """CC-16: not with three points, and not if the partner stores nothing but the type given."""
    assert not group(start_with([["PAC1"], ["ANK1"]], pos=["B3", "B4"], ap=3), "swap")
    assert group(start_with([["ANK1"], ["ANK1"]], pos=["B3", "B4"]), "swap") == set()
    assert group(start_with([["ANK1"], []], pos=["B3", "B4"]), "swap") == set()


# ---------------------------------------------------------------- CC-17


def test_cc17_parts_of_two_players_do_not_count_together():
    """CC-17: one paleontologist stores all the parts."""
    position = start_with([["PAC1"], ["PAC2"]], pos=["A2", "A1"]).play("move W")
    assert position["museum"] == []


def test_cc17_one_piece_per_genus():
    """CC-17: one fossil of each part leaves; a second skeleton of the genus is ballast."""
    position = start_with([["PAC1", "PAC1", "PAC2", "PAC2"], []], pos=["A2", "C5"]).play("move W")
    assert (position["museum"], position["storage.0"]) == (["PAC"], ["PAC1", "PAC2"])
    position.play("move E", "move W")
    assert (position["museum"], position["storage.0"], position["scores"]) == (
        ["PAC"],
        ["PAC1", "PAC2"],
        [1, 1],
    )


def test_cc17_exchange_turn_player_first():
    """CC-17: if an exchange lets two complete the same genus, the player whose turn it is comes
    first."""
    storage = [["PAC1", "PAC1", "QUE1"], ["PAC2", "PAC2", "QUE2"]]
    position = start_with(storage, pos=["A1", "A1"]).play("swap PAC1 with +1", "take PAC2")
    assert position["museum"] == ["PAC"]
    assert position["storage"] == [["QUE1"], ["PAC1", "PAC2", "QUE2"]]
    later = {"player": 1, "to_move": 1, "turn": 2, "deck": ["none", "B3", "A2"], "stacks": [["C5"]]}
    second = start_with(storage, pos=["A1", "A1"], **later).play("swap PAC2 with +1", "take PAC1")
    assert second["storage"] == [["PAC1", "PAC2", "QUE1"], ["QUE2"]]


# ---------------------------------------------------------------- CC-18, CC-19


def test_cc18_only_on_a_camp_and_only_where_the_option_allows_it():
    """CC-18: not elsewhere, and never with evacuation = never."""
    assert "evacuate" in start_with().legal
    assert "evacuate" not in start_with(pos=["A2", "C5"]).legal
    assert "evacuate" not in start_with(options__evacuation="never").legal


def test_cc19_on_a_camp_without_evacuation():
    """CC-19: on a camp the turn ends by itself only if nobody may evacuate."""
    assert start_with(pos=["A2", "C5"], ap=1).play("move W")["turn"] == 1
    assert (
        start_with(pos=["A2", "C5"], ap=1, options__evacuation="never").play("move W")["turn"] == 2
    )


def test_cc19_unused_points_do_not_end_the_turn():
    """CC-19: with a point left there is a move, so the turn goes on."""
    assert start_with(pos=["A2", "C5"], ap=3).play("move E", "move E")["turn"] == 1


# ---------------------------------------------------------------- CC-31


def test_cc31_solo_storage():
    """CC-31: six places, `clear` only with six."""
    five = start_with([["ANK1", "ANK2", "PAR1", "PAR2", "QUE1"]], pos=["B5"])
    assert group(five, "excavate")
    assert not group(five, "clear")
    six = start_with([["ANK1", "ANK2", "PAR1", "PAR2", "QUE1", "QUE2"]], pos=["B5"])
    assert not group(six, "excavate")
    assert group(six, "clear")


def test_cc31_solo_has_no_partner():
    """CC-31: no giving, getting and swapping."""
    position = start_with([["ANK1", "PAC1"]])
    assert not group(position, "give") | group(position, "get") | group(position, "swap")


def test_cc31_solo_must_still_reach_a_camp():
    """CC-31: after the sixth skeleton, completed anywhere, the paleontologist must still be at a
    camp."""
    position = start_with([["PAC2"]], ("TYR", "TRI", "ANK", "PAR", "QUE"), pos=["B4"]).play(
        "excavate here"
    )
    assert (len(position["museum"]), position["ended"], position["phase"]) == (6, None, "act")
    position.play("move E", "move N")
    assert (position["ended"], position["winners"], position["scores"]) == ("won", [0], [6])
