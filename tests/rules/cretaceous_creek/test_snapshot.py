"""Snapshots: round trips, refusals that name the key, views."""

import pytest

from tests.rules.cretaceous_creek.positions import BASES, Position, refused, start_with


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"to_move": 1}, "to_move"),
        ({"phase": "over", "to_move": -1, "ap": 0}, "ended"),
        ({"phase": "dig"}, "turn"),
        ({"scores": [1, 1]}, "scores"),
        ({"ended": "won"}, "ended"),
        ({"pos": ["A1", None]}, "pos.1"),
        ({"evacuated": [False, True]}, "pos.1"),
        ({"storage": [["TYR1"], []]}, "grid"),
        ({"top.A1": None}, "top.A1"),
        ({"museum": ["PAC"]}, "grid"),
        ({"storm": 2}, "aside"),
        ({"storm": 5}, "storm"),
        ({"period": 2}, "deck"),
        ({"deck": ["none", "B3", "A2", "A2"]}, "deck"),
        ({"deck": ["none", "B3", "A2"], "stacks": [["C5"]]}, "turn"),
        ({"deck": ["none", "B3", "A2"], "stacks": [["C5"], []]}, "stacks"),
        ({"deck": ["none", "B3"], "stacks": [["C5", "A2"]]}, "stacks"),
        ({"deck": ["none", "B3", "A2"], "revealed": ["C5"]}, "revealed"),
        ({"deck": ["none", "B3", "A2"], "used": ["C5"]}, "used"),
        ({"deck": ["none", "B3", "A2"], "sandbagged": ["C5"]}, "sandbagged"),
        ({"deck": ["none", "B3", "A2"], "flooded": ["C5"]}, "grid.C5"),
    ],
)
def test_impossible_start(changes, key):
    refused("start", changes, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"turn": 24}, "turn"),
        ({"turn": 33}, "turn"),
        ({"phase": "sandbag", "ap": 0}, "to_move"),
        ({"phase": "sandbag", "ap": 0, "to_move": 1}, "revealed"),
        ({"phase": "escape", "ap": 0}, "displaced"),
        ({"storage": [["PAR1", "PAR2", "PAR3"], ["EDM"]], "pos": ["C5", "B5"], "grid.B3": [],
          "top.B3": None, "grid.C5": [], "top.C5": None}, "storage"),
        ({"museum": ["TYR", "TRI", "ANK", "PAC", "PAR", "QUE"], "scores": [6, 6],
          "storage": [[], ["EDM"]], "pos": ["A1", "A1"], "grid.B3": [], "top.B3": None,
          "grid.C5": [], "top.C5": None}, "phase"),
        ({"grid.A1": [], "top.A1": None, "storage": [[], ["EDM"]],
            "out": ["ANK1", "ANK2", "ANK3", "PAC1", "PAC2", "PAR1", "PAR1",
          "PAR2", "PAR3", "QUE1", "QUE2", "QUE3"]}, "phase"),
    ],
)  # fmt: skip
def test_impossible_late(changes, key):
    refused("late", changes, key)


def test_water():
    """A carrier on a flooded space, and a displaced one with nowhere to go."""
    flood = {
        "turn": 26,
        "player": 1,
        "to_move": 1,
        "stacks": [["none"]],
        "flooded": ["A2", "B1", "C1"],
        "pos": ["B1", "B5"],
    }
    flood["deck"] = ["none", "A3", "A4", "A5", "B3", "B4", "B5", "C2", "C5", "C3", "B2", "A1"]
    flood["aside"] = ["none", "C4"]
    refused("late", flood, "pos.0")
    escaping = {
        **flood,
        "phase": "escape",
        "ap": 0,
        "to_move": 0,
        "displaced": [0],
        "turn": 25,
        "player": 0,
    }
    assert Position("late", escaping).legal == {"escape N", "escape E"}
    lost = {
        "flooded": ["A1", "A2", "B1", "B2", "C1", "C2"],
        "grid.A1": [],
        "top.A1": None,
        "grid.A3": ["PAR1"],
        "top.A3": "buried",
    }
    lost["deck"] = ["none", "A3", "A4", "A5", "B3", "B4", "B5", "C5"]
    lost |= {"stacks": [["none"], ["C3"]], "turn": 26, "player": 1}
    refused("late", {**escaping, **lost}, "displaced")


def test_too_many_stacks():
    """More stacks than draws would have no place for the next one."""
    changes = {"turn": 26, "player": 1, "to_move": 1, "deck": BASES["late"]["deck"][:12]}
    refused("late", {**changes, "stacks": [["B1"], ["A1"], ["B2"], ["C1"]]}, "stacks")


@pytest.mark.parametrize(
    ("swap", "key"),
    [
        (None, "swap"),
        ({"partner": 0, "gives": "PAC1"}, "swap.partner"),
        ({"partner": 1, "gives": "QUE1"}, "swap.gives"),
    ],
)
def test_swap_phase(swap, key):
    """The open swap must be possible."""
    position = start_with([["PAC1"], ["PAC2", "QUE1"]], pos=["C4", "C5"]).play("swap PAC1 with +1")
    Position.refuses(position.snapshot, {"swap": swap}, key)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"storage": [["TYR1"], []], "grid.A1": ["PAR1"], "top.A1": "exposed"}, "storage.0"),
        ({"out": ["PAR1"], "grid.A1": ["TYR1"]}, "out"),
        ({"top.C3": "endangered"}, "top"),
        ({"pos": ["A1", "B3"]}, "pos"),
    ],
)
def test_setup_positions(changes, key):
    """Before the first turn only the initial dig can have changed anything."""
    dig = {"options.level": "beginner", "phase": "dig", "turn": 0, "ap": 0}
    assert Position("start", dig).legal == {"initial dig", "no initial dig"}
    refused("start", {**dig, **changes}, key)


# ---------------------------------------------------------------- view


def test_view():
    """Face-down fossils are null, deck and aside are lengths, rng is left out; all else is as it
    is, for every seat."""
    position = start_with(
        [["TYR1"], []], options__level="expert", top__B3="buried", top__C5="endangered"
    )
    snapshot, view = position.snapshot, position.view(0)
    assert position.view(1) == view
    assert (view["grid"]["A1"], view["grid"]["B3"], view["grid"]["C5"]) == (
        [None],
        [None, None],
        [None, "TYR4"],
    )
    assert {**view, "rng": snapshot["rng"]} == {
        **snapshot,
        "grid": view["grid"],
        "deck": 4,
        "aside": 14,
    }
