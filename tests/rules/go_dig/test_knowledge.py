"""The common knowledge: GD-15 to GD-21."""

from tests.rules.go_dig.positions import arrange
from tests.rules.go_dig.reference import GENERA

ALL, COE, MOS, TYR, BRA = (GENERA.index(genus) for genus in ("ALL", "COE", "MOS", "TYR", "BRA"))


def test_gd_16_not_if_a_card_is_known():
    """Who asks for a genus of which a card is known shows nothing."""
    position = arrange([["ALL1"], ["BRA1"]], on_top=["TYR1"], known=[["ALL1"], []], maybe__0=[0] * 13).play("ask +1 ALL")
    assert position["asked"] == [[], []]


def test_gd_16_once():
    position = arrange([["ALL1"], ["BRA1"]], on_top=["QUE1", "MOS1", "TYR2"]).play("ask +1 ALL", "ask +1 BRA", "ask +1 ALL")
    assert position["asked"] == [["ALL"], ["BRA"]]


def test_gd_16_table_order():
    position = arrange([["ALL1", "TYR1"], ["ALL2", "BRA1"]], on_top=["QUE1"]).play("ask +1 ALL", "ask +1 TYR")
    assert position["asked.0"] == ["TYR", "ALL"]


def test_gd_17_known_cards_move():
    """All of the genus leave what is known of the giver; what else is known stays."""
    changes = {"known": [[], ["BRA1", "ALL2"]], "asked": [[], ["ALL"]], "maybe__1": [2] * 13}
    position = arrange([["ALL1"], ["ALL1", "ALL2", "BRA1", "MOS1"]], **changes).play("ask +1 ALL")
    assert position["known"] == [["ALL1", "ALL2"], ["BRA1"]]
    assert position["asked"] == [["ALL"], []]
    assert position["maybe.1"] == [0 if genus == ALL else 1 for genus in range(13)]


def test_gd_17_the_giver_has_none_for_certain():
    position = arrange([["ALL1"], ["ALL2", "BRA1", "TYR1"]]).play("ask +1 ALL")
    assert position["maybe.1"] == [0 if genus == ALL else 2 for genus in range(13)]
    assert position["maybe.0"] == [1] * 13


def test_gd_18_gd_19_after_a_request_in_vain():
    """Who has none has none, and of a third player nothing more is known; the card drawn is not of the genus requested."""
    position = arrange([["ALL1"], ["BRA1", "TYR1"], ["MOS1"]], on_top=["TYR2"]).play("ask +1 ALL")
    assert position["maybe"] == [
        [1 if genus == ALL else 2 for genus in range(13)],
        [0 if genus == ALL else 2 for genus in range(13)],
        [1] * 13,
    ]


def test_gd_19_after_a_denial_one_card_may_be_of_the_genus():
    """A certainty of a moment is none after the next card drawn unseen."""
    position = arrange([["ALL1"], ["BRA1", "TYR1"]], on_top=["MOS1", "TYR2"]).play("ask +1 ALL")
    assert position["maybe.1.3"] == 0
    position.play("ask +1 BRA")
    assert position["maybe.1"] == [{ALL: 1, BRA: 2}.get(genus, 3) for genus in range(13)]


def test_gd_19_the_card_that_completes_a_skeleton_is_seen():
    """`maybe` goes up for its genus only, and down by the two cards that were not known."""
    position = arrange([["MOS1", "ALL1", "COE1"], ["BRA1"]], on_top=["MOS2"], maybe__0=[3, *[2] * 11, 2]).play("ask +1 ALL")
    assert position["hands.0"] == ["ALL1", "COE1"]
    assert position["maybe.0"] == [2] * 12 + [1]


def test_gd_19_drawn_by_gd_9_and_gd_10_it_may_be_anything():
    """The genus requested included."""
    position = arrange([["MOS1"], ["MOS2"]], on_top=["BRA1", "MOS1"]).play("ask +1 MOS")
    assert position["maybe"] == [[1] * 13, [1] * 13]


def test_gd_20_known_cards_leave_first():
    """A card of each part leaves `known`; only what was not known lowers `maybe` and ends `asked`."""
    changes = {"known": [["ALL1", "ALL2"], []], "asked": [["ALL"], []], "maybe__0": [3] * 13}
    hands = [["ALL1", "ALL1", "ALL2", "BRA1", "TYR1"], ["ALL3", "BRA2"]]
    position = arrange(hands, **changes).play("ask +1 ALL")
    assert position["museums.0"] == ["ALL"]
    assert position["known.0"] == []
    assert position["asked.0"] == ["ALL"], "all three cards were known"
    assert position["maybe.0"] == [3] * 13


def test_gd_20_an_unknown_part_ends_asked():
    changes = {"known": [["ALL1"], []], "asked": [["ALL"], []], "maybe__0": [3] * 13}
    hands = [["ALL1", "ALL2", "BRA1", "TYR1"], ["ALL3", "BRA2"]]
    position = arrange(hands, **changes).play("ask +1 ALL")
    assert (position["known.0"], position["asked.0"]) == ([], [])
    assert position["maybe.0"] == [2] * 13


def test_gd_20_what_is_left_over_is_not_asked():
    """Two of the genus not known: after the skeleton nobody can say whether one is left."""
    hands = [["ALL1", "ALL2", "ALL2", "BRA1"], ["ALL3", "BRA2"]]
    position = arrange(hands).play("ask +1 ALL")
    assert position["hands.0"] == ["BRA1", "ALL2"]
    assert (position["known.0"], position["asked.0"], position["maybe.0.3"]) == ([], [], 2)


def test_gd_21_no_more_than_unknown_cards():
    position = arrange([["ALL1", "TYR1"], ["ALL2", "BRA1", "MOS1"]], on_top=["TYR2"]).play("ask +1 ALL")
    assert position["maybe.1"] == [0 if genus == ALL else 2 for genus in range(13)]
    position.play("ask +1 ALL")
    assert position["maybe.0"] == [2 if genus == ALL else 3 for genus in range(13)]


def test_a_shown_card_is_known():
    """GD-18: drawn by GD-7."""
    position = arrange([["ALL1"], ["BRA1"]], on_top=["ALL2"]).play("ask +1 ALL")
    assert position["known.0"] == ["ALL2"]
    assert position["maybe.0"] == [1] * 13
