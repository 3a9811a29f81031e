"""Positions for the rule tests: the worked examples' ``start`` and ``late``, with changes."""

from typing import Any

from dig_envs.registry import load_game
from tests import positions
from tests.worked_examples import set_path

GAME = load_game("cretaceous_creek")
OTHERS_OUT = ["ANK1", "ANK2", "ANK3", "PAC1", "PAC2", "PAR2", "PAR3", "QUE1", "QUE2", "QUE3"]  # in `late`


class Position(positions.Position):
    """A position of Cretaceous Creek: a base of the worked examples, with changes by dotted path."""

    game = GAME

    def __init__(self, base: str = "start", changes: dict[str, Any] | None = None) -> None:
        super().__init__(changed(base, changes or {}))


BASES = Position.bases
changed, deal, refused = Position.changed, Position.deal, Position.refused


def taken(grid: dict[str, list[str]], top: dict[str, Any], fossil: str) -> None:
    """Take a fossil off the grid: from a bottom layer if it lies in one."""
    layer, space = min((len(pile) - 1 if pile[-1] == fossil else 0, space) for space, pile in grid.items() if fossil in pile)
    on_top = layer == len(grid[space]) - 1
    grid[space].remove(fossil)
    if not grid[space]:
        top[space] = None
    elif on_top:
        top[space] = "buried"


def start_with(
    storage: list[list[str]] | None = None, museum: tuple[str, ...] = (), out: tuple[str, ...] = (), **changes: Any
) -> Position:
    """`start`, where stored fossils, those of skeletons and those out of the game are taken off the grid; more changes by path."""
    snapshot = changed("start", {})
    parts = {"TYR": 4, "PAC": 2}
    pieces = [f"{genus}{part + 1}" for genus in museum for part in range(parts.get(genus, 3))]
    for fossil in [*pieces, *out, *(f for fossils in storage or [] for f in fossils)]:
        taken(snapshot["grid"], snapshot["top"], fossil)
    players = len(storage or [[], []])
    found = {"storage": storage or [[], []], "museum": list(museum), "out": list(out), "scores": [len(museum)] * players}
    seats = {"options.num_players": players, "pos": ["A1", "C5", "A5", "C1"][:players], "evacuated": [False] * players}
    for key, value in {"grid": snapshot["grid"], "top": snapshot["top"], **found, **seats, **changes}.items():
        set_path(snapshot, key.replace("__", "."), value)
    return Position.of(GAME.from_snapshot(snapshot))
