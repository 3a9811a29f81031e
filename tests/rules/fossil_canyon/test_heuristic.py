"""The scripted player knows what it is doing."""

from tests.rules.fossil_canyon.positions import arrange


def test_it_digs_what_completes_a_skeleton():
    assert (
        arrange([["ALL1"], []], [["ALL2"], ["TYR1"]], exposed=["ALL3", "MOS1"]).scripted
        == "dig ALL3"
    )


def test_it_takes_what_completes_a_skeleton_and_pays_with_what_it_needs_least():
    position = arrange(
        [["TYR1"], []], [["BRA1", "BRA2", "MOS1"], ["BRA3", "STE1"]], phase="exchange"
    )
    texts = position.play_scripted(3)
    assert texts[0] == "exchange +1"
    assert texts[1] in {"give open MOS1", "give hidden TYR1"}
    assert texts[2] == "take BRA3"
    assert position["museums.0"] == ["BRA"]


def test_it_does_not_pay_three_for_nothing():
    hands = [["PAC1", "DEI1"], []], [["TRI1", "ALL1", "MOS1", "UTA"], ["MOS1", "COE1"]]
    assert arrange(*hands, phase="exchange", exchanges=2).scripted == "finish"


def test_it_does_not_complete_the_others_skeleton():
    """Of two fossils it gives the one that does not help."""
    position = arrange(
        [[], []], [["TRI3", "MOS1", "BRA1"], ["TRI1", "TRI2", "BRA2", "BRA3"]], phase="exchange"
    )
    texts = position.play_scripted(2)
    assert texts[1] not in ("give open TRI3", "give open BRA1")


def test_it_cashes_research_at_the_end_of_its_turn():
    position = arrange([["CAM", "UTA"], []], [["TYR1"], ["MOS2"]], phase="adjust")
    assert position.play_scripted(3) == ["claim major", "pay CAM", "pay UTA"]
