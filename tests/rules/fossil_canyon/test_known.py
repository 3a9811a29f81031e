"""FC-29: what is known of hidden hands."""

from tests.rules.fossil_canyon.positions import arrange, base


def three(hidden, open_, known=None, phase="exchange", **changes):
    """Seat 0 of three is to move; ``known`` by "X.P"."""
    changes |= {
        f"known__{key.replace('.', '__')}": fossils for key, fossils in (known or {}).items()
    }
    return arrange(hidden, open_, phase=phase, **changes)


def test_nothing_is_known_after_setup():
    assert base("deal").play("hide TYR1", "done", "done")["known"] == [[[], []], [[], []]]


def test_a_buried_fossil_stays_unknown_also_after_keep():
    position = three(
        [[], [], []], [["TYR1"], ["BRA1"], ["ALL1"]], phase="dig", options__return_dig=True
    )
    position.play("dig buried", "keep")
    assert position["known"] == [[[]] * 3] * 3


def test_fossils_given_paid_built_or_turned_face_up_are_forgotten():
    known = {"1.0": ["MOS1", "CAM"], "2.0": ["MOS1", "CAM"]}
    hands = [["MOS1", "CAM", "SAU"], [], []], [["TYR1", "ORN"], ["MOS2"], ["ALL1"]]
    given = three(*hands, known).play("exchange +2", "give hidden CAM")
    assert given["known.1.0"] == given["known.2.0"] == ["MOS1"]
    paid = three(*hands, known).play("claim minor", "pay CAM", "pay SAU")
    assert paid["known.1.0"] == ["MOS1"]
    built = three(*hands, known).play("exchange +1", "give open TYR1", "take MOS2")
    assert built["known.1.0"] == built["known.2.0"] == ["CAM"]
    adjusted = three(*hands, known, phase="adjust").play("hide CAM", "done")
    assert adjusted["known.1.0"] == adjusted["known.2.0"] == ["CAM"]


def test_adjusting_only_the_difference_counts():
    """Two copies hidden before and after: nothing was seen; one of them turned up: one fewer, if
    one was known."""
    hands = [["MOS1", "MOS1"], [], []], [["MOS1", "TYR1"], ["BRA1"], ["ALL1"]]
    known = {"1.0": ["MOS1"]}
    same = three(*hands, known, phase="adjust").play("hide MOS1", "hide MOS1", "done")
    assert (same["known.1.0"], same["known.2.0"]) == (["MOS1"], [])
    one_up = three(*hands, known, phase="adjust").play("hide MOS1", "done")
    assert (one_up["known.1.0"], one_up["known.2.0"]) == ([], [])
    one_down = three(*hands, known, phase="adjust").play("hide MOS1", "hide MOS1", "hide MOS1")
    assert (one_down["known.1.0"], one_down["known.2.0"]) == (["MOS1", "MOS1"], ["MOS1"])


def test_a_blind_take():
    """FC-29: the former owner knows it; the taker knew it; a third player loses one of each type,
    and learns nothing new."""
    known = {"0.1": ["MOS1"], "2.1": ["MOS1", "MOS1", "CAM"], "2.0": ["TYR1"]}
    position = three([["TYR1"], ["MOS1", "MOS1", "CAM"], []], [["BRA1"], [], ["ALL1"]], known)
    position.play("exchange +1", "give open BRA1", "take blind")
    (taken,) = set(position["hidden.0"]) - {"TYR1"}
    assert position["known.1.0"] == [taken]
    assert position["known.0.1"] == ([] if taken == "MOS1" else ["MOS1"])
    assert position["known.2.1"] == ["MOS1"]
    assert position["known.2.0"] == ["TYR1"], "nothing more"


def test_a_skeleton_from_a_blind_take_is_seen_by_all():
    known = {"1.0": ["MOS1"], "2.0": ["MOS1"], "2.1": ["MOS2"]}
    position = three([["MOS1"], ["MOS2"], []], [["BRA1", "TYR1"], [], ["ALL1"]], known)
    position.play("exchange +1", "give open BRA1", "take blind")
    assert position["museums.0"] == ["MOS"]
    assert position["known"] == [[[]] * 3] * 3
