"""The scripted player is sensible in clear cases."""

import pytest

from tests.games import needs_compiling
from tests.rules.cretaceous_creek.positions import Position, deal, start_with


def play_turn(position: Position) -> list[str]:
    """Let it play until the turn changes."""
    turn, played = position["turn"], []
    while position["turn"] == turn and position["phase"] != "over":
        played.append(position.scripted)
        position.play(played[-1])
    return played


def test_it_wins_when_it_can():
    """CC-28: the last part is excavated and carried to the corner in the same turn."""
    position = Position("late", {"pos": ["B5", "C1"], "grid.B3": [], "top.B3": None, "storage": [["PAR1", "PAR2"], ["EDM"]]})
    play_turn(position)
    assert position["ended"] == "won"


def test_it_walks_to_a_corner_at_the_end():
    """CC-28: with the museum complete it goes to the nearest camp."""
    position = Position(
        "late",
        {"pos": ["B2", "A5"], "museum": ["TYR", "TRI", "ANK", "PAC", "PAR", "QUE"], "scores": [6, 6], "storage": [[], ["EDM"]]}
        | {"grid.A1": [], "top.A1": None, "grid.B3": [], "top.B3": None, "grid.C5": [], "top.C5": None}
        | {"out": ["ANK1", "ANK2", "ANK3", "PAC1", "PAC2", "PAR1", "PAR2", "PAR3", "QUE1", "QUE2", "QUE3"]},
    )
    assert len(play_turn(position)) == 2
    assert position["ended"] == "won"


def test_it_delivers_a_complete_set():
    """CC-17: a carrier of a complete skeleton takes it to a camp, at the latest in the next turn."""
    position = start_with([["TRI1", "TRI2", "TRI3"], []], pos=["B2", "C5"])
    play_turn(position)
    if not position["museum"]:
        position.play("end turn")
        play_turn(position)
    assert position["museum"] == ["TRI"]


def test_it_saves_the_only_copy():
    """CC-29: a single copy that the next card of period 2 would destroy is excavated or protected."""
    base = start_with([[], []])
    grid = base["grid"]
    space = next(s for s, pile in grid.items() if pile and pile[-1].startswith(("TYR", "TRI")) and s[1] in "24")
    used = [other for other in grid if other != space][:3]
    changes = {"turn": 8, "player": 0, "to_move": 0, "period": 2, "deck": [], "stacks": [[space]], "used": used}
    row, column = space
    beside = f"{'B' if row != 'B' else 'A'}{column}"
    position = start_with([[], []], **changes, pos=[beside, "C5"], **{f"top__{space}": "endangered"})
    unique = grid[space][-1]
    play_turn(position)
    assert unique not in position["out"]
    assert unique in position["storage.0"] or (position[f"grid.{space}"][-1] == unique and position[f"top.{space}"] != "buried")


def test_it_does_not_keep_ballast():
    """CC-9, CC-17: a fossil of a genus that the museum has is discarded at once."""
    position = start_with([["PAC1"], []], museum=("PAC",), pos=["B2", "C5"])
    assert position.scripted == "discard PAC1"


def test_it_spends_the_sandbags_on_a_disaster():
    """CC-24: when the last copy of a part would go, but not for blank cards."""
    disaster = Position("late", {"grid.A1": ["PAR2"], "top.A1": "endangered", "grid.B3": ["PAR1"]})
    disaster.play("end turn")
    assert "A1" in disaster["revealed"]
    assert disaster.scripted == "sandbag"
    cards = ["A2", "A3", "A4", "A5", "B3", "B4", "B5", "C2", "C3", "C4", "C5", "C1", "B2", "none", "none", "none"]
    harmless = Position("late", {"deck": cards, "aside": ["A1", "B1"]}).play("end turn")
    assert harmless["revealed"] == ["none", "none", "none", "B2"]
    assert harmless.scripted == "no sandbag"


@needs_compiling
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_does_not_evacuate(players):
    for seed in range(6):
        position = deal(seed, num_players=players)
        while position.mover >= 0:
            assert position.scripted != "evacuate"
            position.play(position.scripted)
