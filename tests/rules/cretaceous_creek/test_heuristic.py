"""The scripted player: sensible in clear cases, always legal, and blind to what nobody can see."""

from typing import Any

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.cretaceous_creek.positions import GAME, Position, deal, start_with

FEW = 1 if JIT_DISABLED else 6


def choice(position: Position, states: Any = None) -> str:
    """What the scripted player does."""
    states = position.states if states is None else states
    actions = np.zeros(1, np.int64)
    GAME.kernels.heuristic_actions(states, 0, 1, np.array([int(states["to_move"][0])]), actions)
    return GAME.actions[actions[0]]


def play_turn(position: Position) -> list[str]:
    """Let it play until the turn changes."""
    turn, played = position["turn"], []
    while position["turn"] == turn and position["phase"] != "over":
        played.append(choice(position))
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
    others = [c for c in (f"{r}{k}" for r in "ABC" for k in range(1, 6)) if c != space]
    aside = [*others, "none", "none", "none"]
    changes = {"turn": 8, "player": 0, "to_move": 0, "period": 2, "deck": [], "stacks": [[space]]}
    used, aside = aside[:3], aside[3:]
    row, column = space
    beside = f"{'B' if row != 'B' else 'A'}{column}"
    position = start_with([[], []], **changes, used=used, aside=aside, pos=[beside, "C5"], **{f"top__{space}": "endangered"})
    unique = grid[space][-1]
    play_turn(position)
    assert unique not in position["out"]
    assert unique in position["storage.0"] or (position[f"grid.{space}"][-1] == unique and position[f"top.{space}"] != "buried")


def test_it_does_not_keep_ballast():
    """CC-9, CC-17: a fossil of a genus that the museum has is discarded at once."""
    position = start_with([["PAC1"], []], museum=("PAC",), pos=["B2", "C5"])
    assert choice(position) == "discard PAC1"


def test_it_spends_the_sandbags_on_a_disaster():
    """CC-24: when the last copy of a part would go, but not for blank cards."""
    disaster = Position("late", {"grid.A1": ["PAR2"], "top.A1": "endangered", "grid.B3": ["PAR1"]})
    disaster.play("end turn")
    assert "A1" in disaster["revealed"]
    assert choice(disaster) == "sandbag"
    cards = ["A2", "A3", "A4", "A5", "B3", "B4", "B5", "C2", "C3", "C4", "C5", "C1", "B2", "none", "none", "none"]
    harmless = Position("late", {"deck": cards, "aside": ["A1", "B1"]}).play("end turn")
    assert harmless["revealed"] == ["none", "none", "none", "B2"]
    assert choice(harmless) == "no sandbag"


OPTIONS = [
    {"num_players": 1, "level": "intermediate"},
    {"num_players": 2, "level": "beginner"},
    {"num_players": 2, "level": "expert", "evacuation": "never"},
    {"num_players": 3, "level": "advanced"},
    {"num_players": 4, "level": "intermediate"},
]


@pytest.mark.parametrize("options", OPTIONS[:2] if JIT_DISABLED else OPTIONS)
def test_whole_games_legal_and_blind(options: dict[str, Any]):
    """Every choice is legal, and the same after what is hidden was dealt anew; nobody evacuates."""
    for seed in range(FEW):
        position = deal(seed, **options)
        count = 0
        while position.states["to_move"][0] >= 0:
            action = choice(position)
            assert action in position.legal
            assert action != "evacuate"
            if count % 10 == 0:
                other = position.states.copy()
                GAME.kernels.determinize_one(other, int(other["to_move"][0]), np.uint64(seed + 1000 + count))
                assert choice(position, other) == action
            position.play(action)
            count += 1
            assert count < 240  # CC-30
