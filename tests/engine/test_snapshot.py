"""The reader of snapshots: each check names the key and what would be right."""

import pytest

from dig_envs import SnapshotError
from dig_envs.engine.options import Option
from dig_envs.engine.snapshot import MAX_WORD, Reader, require, require_multiset

OPTIONS = (Option("num_players", (2, 3), 2, "seats"),)


def snapshot(**changes):
    common = {"game": "digging", "options": {"num_players": 3}, "to_move": 0, "phase": "dig", "turn": 1}
    return {**common, "scores": [0, 0, 0], "winners": [], "truncated": False, "holes": 4, "found": ["bone"], **changes}


def reader(**changes):
    return Reader(snapshot(**changes), "digging", OPTIONS, ("holes", "found"))


def refused(call):
    with pytest.raises(SnapshotError) as error:
        call()
    return str(error.value)


def test_a_good_snapshot_is_read():
    good = reader(rng="123", found=["bone", "tooth"])
    assert good.options == {"num_players": 3}
    assert good.integer("holes", 0, 4) == 4
    assert good.boolean("truncated") is False
    assert good.choice("phase", ("rest", "dig")) == 1
    assert good.choices("found", ("tooth", "bone")) == [1, 0]
    assert good.mapping("options", ["num_players"]) == {"num_players": 3}
    assert good.rng() == 123


@pytest.mark.parametrize("thing", [None, [], "digging", 3])
def test_a_snapshot_is_an_object(thing):
    assert refused(lambda: Reader(thing, "digging", OPTIONS, ())) == f"a snapshot is a JSON object, not {type(thing).__name__}"


@pytest.mark.parametrize("key", [*snapshot()])
def test_missing_keys_are_named(key):
    short = {k: v for k, v in snapshot().items() if k != key}
    assert refused(lambda: Reader(short, "digging", OPTIONS, ("holes", "found"))).startswith(f"snapshot key {key!r}: ")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "sleeping"}, "snapshot key 'game': must be 'digging', not 'sleeping'"),
        ({"depth": 3}, "snapshot key 'depth': is unknown"),
        ({"options": [3]}, "snapshot key 'options': must be an object"),
        ({"options": {}}, "snapshot key 'options.num_players': is missing"),
        ({"options": {"num_players": 9}}, "snapshot key 'options': option 'num_players': 9 is not one of 2, 3"),
        ({"options": {"num_players": 2, "x": 1}}, "snapshot key 'options': digging has no option 'x'; its options are num_players"),
    ],
)
def test_what_the_reader_refuses_at_once(changes, told):
    assert refused(lambda: reader(**changes)) == told


@pytest.mark.parametrize("value", [-1, 5, 2.0, "2", None, True, [2]])
def test_integers(value):
    told = refused(lambda: reader(holes=value).integer("holes", 0, 4))
    assert told == f"snapshot key 'holes': must be an integer from 0 to 4, not {value!r}"


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_booleans(value):
    assert "'truncated': must be true or false" in refused(lambda: reader(truncated=value).boolean("truncated"))


@pytest.mark.parametrize("value", ["lunch", 1, None, ["dig"], {}])
def test_choices(value):
    told = refused(lambda: reader(phase=value).choice("phase", ("rest", "dig")))
    assert told == f"snapshot key 'phase': {value!r} is not one of 'rest', 'dig'"


def test_true_is_not_one():
    assert "True is not one of 0, 1" in refused(lambda: Reader.choice_value(True, "flag", (0, 1)))


def test_lists():
    assert refused(lambda: reader(found="bone").array("found")) == "snapshot key 'found': must be a list, not 'bone'"
    assert refused(lambda: reader().array("found", 2)) == "snapshot key 'found': must have 2 entries, not 1"
    assert refused(lambda: reader(found=["bone"] * 4).array("found", most=3)).endswith("must have at most 3 entries, not 4")
    assert "'found': 'shoe' is not one of 'bone'" in refused(lambda: reader(found=["bone", "shoe"]).choices("found", ["bone"]))


def test_objects():
    assert "'holes': must be an object, not 4" in refused(lambda: reader().mapping("holes", ["A"]))
    for wrong in ({}, {"A": 1, "B": 2}, {"B": 1}):
        assert refused(lambda w=wrong: reader(holes=w).mapping("holes", ["A"])).endswith("must have exactly the keys A")


@pytest.mark.parametrize("value", [12, "", "12x", "-1", "1.0", " 1", "²", str(MAX_WORD + 1), "9" * 6000, True, ["1"]])
def test_the_generator(value):
    assert refused(lambda: reader(rng=value).rng()).startswith("snapshot key 'rng': must be a string of digits up to")


def test_the_largest_and_a_missing_generator():
    assert reader(rng=str(MAX_WORD)).rng() == MAX_WORD
    drawn = {reader().rng() for _ in range(5)}
    assert len(drawn) == 5
    assert all(0 <= rng <= MAX_WORD for rng in drawn)


def test_require():
    require(True, "holes", "must be deep")
    assert refused(lambda: require(False, "holes", "must be deep")) == "snapshot key 'holes': must be deep"


def test_multisets():
    require_multiset(["a", "b", "a"], ["b", "a", "a"], "found", "the finds")
    told = refused(lambda: require_multiset(["a", "c"], ["a", "a", "b"], "found", "the finds"))
    assert told == "snapshot key 'found': the finds do not add up: missing ['a', 'b'], too many ['c']"
