"""The codecs of snapshots: each writes what it reads, and refuses the rest with the key and what
would be right."""

import json
import sys
from contextlib import suppress

import jsonschema
import numpy as np
import pytest

from dig_envs import SnapshotError
from dig_envs.engine.core.state import record_dtype
from dig_envs.engine.snapshots import codecs as schema
from dig_envs.engine.snapshots.codecs import require_multiset
from dig_envs.engine.snapshots.snapshot import MAX_WORD, read_word
from dig_envs.registry import load_game
from tests.games import every_game, option_cases, positions

BONES = ("rib", "jaw", "toe")
PHASES = ("dig", "rest", "over")

FIELDS = {
    **dict.fromkeys(
        (
            "num_players",
            "phase",
            "holes",
            "deep",
            "digger",
            "kind",
            "num_found",
            "pile_len",
            "num_heaps",
        ),
        (),
    ),
    **dict.fromkeys(("deal_with", "deal_bone"), ()),
    "scores": (4,),
    "found": (3,),
    "marked": (4,),
    "pile": (5,),
    "row": (3,),
    "hands": (4, 3),
    "spots": (3,),
    "heaps": (2, 4),
    "heap_len": (2,),
}
STATE = record_dtype([(name, np.int8, shape) for name, shape in FIELDS.items()])


def new_state(phase=0):
    state = np.zeros(1, STATE)[0]
    state["num_players"], state["phase"] = 3, phase
    return state


DEAL = schema.Group({"with": schema.Seat(none=-1), "bone": schema.Name(BONES, first=1)})
GOOD = [
    (schema.Int(2, 9), "holes", 9),
    (schema.Flag(), "deep", True),
    (schema.Seat(), "digger", 2),
    (schema.Seat(none=-1), "digger", None),
    (schema.Seat(first=1, none=0), "digger", 0),
    (schema.Name(BONES), "kind", "toe"),
    (schema.Name((None, *BONES)), "kind", None),
    (schema.Name(BONES, first=1, none=0), "kind", None),
    (schema.Name(("jaw", "toe"), stored=(1, 2)), "kind", "toe"),
    (schema.Counts(BONES, 2, total="num_found"), "found", ["rib", "rib", "toe"]),
    (schema.Counts(BONES, (2, 1, 1)), "found", ["jaw"]),
    (schema.Flags(BONES), "found", ["rib", "toe"]),
    (schema.Seats(), "marked", [0, 2]),
    (schema.Amounts(BONES, 4), "found", {"jaw": 4}),
    (schema.Items(BONES, bound="the bones"), "pile", ["toe", "rib", "toe"]),
    (schema.Items(BONES, bound="the bones", ascending=True), "pile", ["rib", "toe", "toe"]),
    (schema.Items(range(3), bound="always three", fixed=True), "row", [2, 0, 1]),
    (schema.PerSeat(schema.Counts(BONES, 2)), "hands", [["rib"], [], ["jaw", "toe"]]),
    (schema.PerName(("a", "b", "c"), schema.Int(0, 5)), "spots", {"a": 1, "b": 5, "c": 0}),
    (
        schema.Each(schema.Items(BONES, length="heap_len", bound="4"), "num_heaps", bound="2"),
        "heaps",
        [["toe"], []],
    ),
    (DEAL, "deal", {"with": 1, "bone": "toe"}),
    (schema.InPhases(PHASES, (0,), DEAL), "deal", {"with": 0, "bone": "rib"}),
]


@pytest.mark.parametrize(
    ("codec", "name", "value"),
    GOOD,
    ids=[f"{type(c).__name__}_{k}" for k, (c, *_) in enumerate(GOOD)],
)
def test_what_is_read_is_written(codec, name, value):
    state = new_state()
    codec.read(state, name, (), value, name)
    assert codec.write(state, name, ()) == value
    assert int(state["num_found"]) == (len(value) if getattr(codec, "total", "") else 0), (
        "counts keep their total"
    )
    jsonschema.validate(value, codec.json_schema())
    json.dumps(codec.json_schema())


def refused(codec, name, value, phase=0):
    with pytest.raises(SnapshotError) as error:
        codec.read(new_state(phase), name, (), value, name)
    return str(error.value)


BAD = [
    (schema.Int(2, 9), "holes", value, f"'holes': must be an integer from 2 to 9, not {value!r}")
    for value in (1, 10, 2.0, "2", None, True, [2])
]
BAD += [
    (schema.Flag(), "deep", value, "'deep': must be true or false")
    for value in (0, 1, "true", None)
]
BAD += [
    (schema.Name(BONES), "kind", value, f"'kind': {value!r} is not one of 'rib', 'jaw', 'toe'")
    for value in ("ear", 1, None, ["rib"])
]
BAD += [
    (schema.Name((0, 1)), "kind", True, "'kind': True is not one of 0, 1"),
    (schema.Seat(), "digger", 3, "'digger': must be an integer from 0 to 2"),
    (schema.Seat(), "digger", None, "'digger': must be an integer"),
    (schema.Counts(BONES, 2), "found", "rib", "'found': must be a list, not 'rib'"),
    (
        schema.Counts(BONES, 2),
        "found",
        ["rib"] * 3,
        "'found': has 'rib' 3 times, at most 2 are possible",
    ),
    (
        schema.Counts(BONES, 2),
        "found",
        ["rib"] * 300,
        "'found': must have at most 6 entries, not 300",
    ),
    (
        schema.Flags(BONES),
        "found",
        ["rib", "rib"],
        "'found': has 'rib' 2 times, at most 1 are possible",
    ),
    (schema.Seats(), "marked", [3], "'marked': must be an integer from 0 to 2"),
    (
        schema.Amounts(BONES, 4),
        "found",
        {"jaw": 0},
        "'found.jaw': must be an integer from 1 to 4, not 0",
    ),
    (schema.Amounts(BONES, 4), "found", {"ear": 1}, "'found': 'ear' is not one of"),
    (
        schema.Items(BONES, bound=""),
        "pile",
        ["toe"] * 6,
        "'pile': must have at most 5 entries, not 6",
    ),
    (
        schema.Items(BONES, bound="", most=2),
        "pile",
        ["toe"] * 3,
        "'pile': must have at most 2 entries, not 3",
    ),
    (
        schema.Items(BONES, bound="", ascending=True),
        "pile",
        ["toe", "rib"],
        "'pile': must be in order: ['rib', 'toe']",
    ),
    (
        schema.Items(range(3), bound="", fixed=True),
        "row",
        [1, 2],
        "'row': must have 3 entries, not 2",
    ),
    (
        schema.PerSeat(schema.Flag()),
        "marked",
        [True, False],
        "'marked': must have 3 entries, not 2",
    ),
    (
        schema.PerSeat(schema.Flag()),
        "marked",
        [True, False, 1],
        "'marked.2': must be true or false",
    ),
    (
        schema.PerName(("a", "b", "c"), schema.Int(0, 5)),
        "spots",
        {"a": 1},
        "'spots': must have exactly the keys a, b, c",
    ),
    (
        DEAL,
        "deal",
        {"with": 1, "bone": "rib", "x": 1},
        "'deal': must have exactly the keys with, bone",
    ),
    (DEAL, "deal", {"with": 1, "bone": "ear"}, "'deal.bone': 'ear' is not one of"),
    (schema.InPhases(PHASES, (0,), DEAL), "deal", None, "'deal': is null exactly outside `dig`"),
    (
        schema.InPhases(PHASES, (0,), DEAL, optional=True),
        "deal",
        None,
        "'deal': is left out exactly outside `dig`",
    ),
]


@pytest.mark.parametrize(("codec", "name", "value", "told"), BAD)
def test_what_is_refused(codec, name, value, told):
    assert told in refused(codec, name, value)


def test_what_a_phase_does_not_have_is_null_and_cleared():
    codec = schema.InPhases(PHASES, (0,), DEAL)
    assert "is null exactly outside `dig`" in refused(
        codec, "deal", {"with": 0, "bone": "rib"}, phase=1
    )
    state = new_state(phase=1)
    codec.read(state, "deal", (), None, "deal")
    assert (int(state["deal_with"]), int(state["deal_bone"])) == (-1, 0)
    assert codec.write(state, "deal", ()) is None


def test_views():
    hands = [["rib"], [], ["jaw", "toe"]]
    assert schema.shown(hands, {}, 0) == hands
    assert schema.hidden(hands, {}, 0) is None
    assert schema.size(hands, {}, 0) == 3
    assert schema.own_or_size(hands, {}, 2) == [1, 0, ["jaw", "toe"]]
    assert schema.own_or_null(hands, {}, 0) == [["rib"], None, None]


def test_messages_stay_short():
    deep = []
    for _ in range(sys.getrecursionlimit() * 3):
        deep = [deep]
    for thing in (deep, 10**9999, "9" * 10**6, {"x": deep}):
        assert len(refused(schema.Int(0, 1), "holes", thing)) < 300


@pytest.mark.parametrize(
    "value",
    [12, "", "12x", "-1", "1.0", " 1", "²", str(MAX_WORD + 1), "9" * 6000, True, ["1"], None],
)
def test_the_generator(value):
    with pytest.raises(
        SnapshotError, match=r"snapshot key 'rng': must be a string of digits up to"
    ):
        read_word({"rng": value}, "rng")
    assert read_word({"rng": str(MAX_WORD)}, "rng") == MAX_WORD


def test_multisets():
    require_multiset(["a", "b", "a"], ["b", "a", "a"], "found", "the finds")
    with pytest.raises(SnapshotError) as error:
        require_multiset(["a", "c"], ["a", "a", "b"], "found", "the finds")
    assert (
        str(error.value)
        == "snapshot key 'found': the finds do not add up: missing ['a', 'b'], too many ['c']"
    )


# ---------------------------------------------------------------- of every game


@every_game
def test_the_head_is_checked(name):
    game = load_game(name)
    snapshot = next(
        env.snapshot() for env in positions(name, option_cases(name)[0], games=1, every=1000)
    )
    for changes, told in (
        ({"game": "sleeping"}, f"snapshot key 'game': must be {name[:-3]!r}, not 'sleeping'"),
        ({"bed": 3}, "snapshot key 'bed': is unknown"),
        ({"options": [3]}, "snapshot key 'options': must be an object"),
        ({"options": {}}, "snapshot key 'options.num_players': is missing"),
        (
            {"environment": f"{game.name}_v99"},
            f"snapshot key 'environment': must be {name!r}, not '{game.name}_v99'",
        ),
        ({"environment": 3}, "snapshot key 'environment': must be"),
        ({"dig_envs": 1}, "snapshot key 'dig_envs': must be a version such as"),
        ({"dig_envs": "x" * 1000}, "snapshot key 'dig_envs': must be a version such as"),
        ({"dig_envs": "99.1"}, "it was written by dig_envs 99.1, and this is "),
        ({"dig_envs": "99.1", "environment": "new_v9", "new": 1}, "update dig_envs to read it"),
        (
            {"options": {**snapshot["options"], "num_players": 99}},
            "snapshot key 'options': option 'num_players': 99 is not one of",
        ),
        ({"options": {**snapshot["options"], "x": 1}}, f"{game.name} has no option 'x'"),
        ({"phase": "lunch"}, "snapshot key 'phase': 'lunch' is not one of"),
        ({"to_move": 99}, "snapshot key 'to_move'"),
        ({"to_move": -1}, "snapshot key 'to_move'"),
        ({"turn": True}, "snapshot key 'turn'"),
        ({"rng": "12x"}, "snapshot key 'rng'"),
        ({"scores": []}, "snapshot key 'scores'"),
        ({"winners": [0, 0]}, "snapshot key 'winners'"),
        ({"winners": [0]}, "snapshot key 'winners': is empty until the game is over"),
        ({"truncated": True}, "snapshot key 'truncated'"),
    ):
        with pytest.raises(SnapshotError) as error:
            game.from_snapshot({**snapshot, **changes})
        assert told in str(error.value)
    for key in snapshot:
        if key not in ("rng", "seed", "environment", "dig_envs"):
            with pytest.raises(SnapshotError, match=f"'{key}': is missing"):
                game.from_snapshot({k: v for k, v in snapshot.items() if k != key})
    for thing in (None, [], "digging", 3):
        with pytest.raises(SnapshotError, match=r"^a snapshot is a JSON object, not"):
            game.from_snapshot(thing)


NONSENSE = ("§", {"§": 1}, [["§"]])  # fits nowhere
DOUBTFUL = (["x"], [["x", True]], [[["x"]]], 1.5, None, -3, True, 99, 999, [])  # may fit somewhere


@every_game
def test_malformed_values(name):
    """Whatever stands under a key, there is no other error than a SnapshotError, and what is taken
    is taken as it is."""
    game = load_game(name)
    for env in positions(name, option_cases(name)[0], games=1, every=40):
        snapshot = env.game.to_snapshot(env.states[0])
        for key in snapshot:
            for value in NONSENSE:
                with pytest.raises(SnapshotError, match=f"'{key}"):
                    game.from_snapshot({**snapshot, key: value})
            for value in DOUBTFUL:
                twin = {**snapshot, key: value}
                with suppress(SnapshotError):
                    taken = game.to_snapshot(game.from_snapshot(twin)[0])
                    assert {**taken, "rng": twin["rng"] or taken["rng"]} == twin


@every_game
def test_every_list_of_a_state_is_bounded_by_something(name):
    """Compiled code checks no bounds: each list of a snapshot says what keeps it from outgrowing
    its array."""

    def lists(codec):
        if isinstance(codec, schema.Items | schema.Each):
            yield codec
        for inner in [getattr(codec, "codec", None), *getattr(codec, "entries", {}).values()]:
            if inner is not None:
                yield from lists(inner)

    for key, codec in load_game(name).snapshot_table.items():
        for found in lists(codec):
            assert found.bound.strip(), key
