"""The scripted player is sensible in clear cases."""

import numpy as np
import pytest

from dig_envs.engine.core.grave import OWN, warning_of
from tests.games import needs_compiling
from tests.rules.cretaceous_creek.positions import GAME, Position, deal, late, start_with


def play_turn(position: Position) -> list[str]:
    """Let it play until the turn changes."""
    turn, played = position["turn"], []
    while position["turn"] == turn and position["phase"] != "over":
        played.append(position.scripted)
        position.play(played[-1])
    return played


def test_it_wins_when_it_can():
    """CC-28: the last part is excavated and carried to the corner in the same turn."""
    position = Position(
        "late",
        {
            "pos": ["B5", "C1"],
            "grid.B3": [],
            "top.B3": None,
            "storage": [["PAR1", "PAR2"], ["EDM"]],
        },
    )
    play_turn(position)
    assert position["ended"] == "won"


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
    cards = [
        "A2",
        "A3",
        "A4",
        "A5",
        "B3",
        "B4",
        "B5",
        "C2",
        "C3",
        "C4",
        "C5",
        "C1",
        "B2",
        "none",
        "none",
        "none",
    ]
    harmless = Position("late", {"deck": cards, "aside": ["A1", "B1"]}).play("end turn")
    assert harmless["revealed"] == ["none", "none", "none", "B2"]
    assert harmless.scripted == "no sandbag"


def grave_names(position: Position) -> dict[str, int]:
    """The grave actions of a position, and why they are."""
    seat = position.mover
    kinds = GAME.grave_of(position.states, np.array([seat]), position.mask(seat)[None])[0]
    return {GAME.actions[action]: int(kind) for action, kind in enumerate(kinds) if kind}


def test_it_ends_its_turn_when_nothing_helps():
    """Two parts that nobody stores cost 6 action points, and there are 5 in two turns: all but the
    end of the turn is grave, and nobody is warned of it. With a point more there is hope."""
    end = {
        "period": 2,
        "ap": 1,
        "deck": [],
        "stacks": [["C5"], ["A1", "none"]],
        "used": ["B3", "none", "none"],
        "flooded": ["A2", "A3", "A4", "A5", "B2", "B4", "C1", "C2", "C3", "C4"],
    }
    position = late(**end)
    assert position.scripted == "end turn"
    found = grave_names(position)
    assert found.keys() == position.legal - {"end turn"}
    assert all(warning_of(kind, "Sure?") == "" for kind in found.values())
    assert grave_names(late(**{**end, "ap": 2})) == {"discard PAR1": OWN}


@needs_compiling
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_does_not_evacuate(players):
    for seed in range(6):
        position = deal(seed, num_players=players)
        while position.mover >= 0:
            assert position.scripted != "evacuate"
            position.play(position.scripted)
