"""Positions for the rule tests: the worked examples' ``start`` and ``late``, with changes."""

from collections import Counter
from typing import Any

from dig_envs.registry import load_game
from tests import positions
from tests.rules.tables import table
from tests.worked_examples import set_path

GAME = load_game("cretaceous_creek")


class Position(positions.Position):
    """A position of Cretaceous Creek: a base of the worked examples, with changes by dotted
    path."""

    game = GAME

    def __init__(self, base: str = "start", changes: dict[str, Any] | None = None) -> None:
        super().__init__(changed(base, changes or {}))


BASES = Position.bases
changed, deal, refused = Position.changed, Position.deal, Position.refused
FOSSILS = Counter(
    {
        fossil: int(row["copies of each type"])
        for row in table(GAME, "genus")
        for fossil in row["types"].split()
    }
)
EVENTS = Counter([*BASES["start"]["grid"], "none", "none", "none"])
NEW_OUT = [*BASES["late"]["out"], "EDM"]  # of `late` without the one that has EDM in storage


def in_order(fossils: list[str]) -> list[str]:
    return sorted(fossils, key=list(FOSSILS).index)


def fossils_of(snapshot: dict[str, Any]) -> Counter[str]:
    found = Counter(
        fossil
        for fossils in [*snapshot["grid"].values(), *snapshot["storage"], snapshot["out"]]
        for fossil in fossils
    )
    return found + Counter(
        fossil for fossil in FOSSILS for genus in snapshot["museum"] if fossil.startswith(genus)
    )


def events_of(snapshot: dict[str, Any]) -> Counter[str]:
    """All event cards of a snapshot but those set aside."""
    lists = [snapshot[key] for key in ("deck", "revealed", "used", "flooded", "sandbagged")]
    return Counter(card for cards in [*lists, *snapshot["stacks"]] for card in cards)


def late(**changes: Any) -> Position:
    """`late` with changes; two underscores stand for a dot. The event cards that are nowhere are
    set aside."""
    return position_of(changed("late", {}), changes)


def position_of(snapshot: dict[str, Any], changes: dict[str, Any]) -> Position:
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    snapshot["aside"] = list((EVENTS - events_of(snapshot)).elements())
    return Position.of(GAME.from_snapshot(snapshot))


def taken(grid: dict[str, list[str]], top: dict[str, Any], fossil: str) -> None:
    """Take a fossil off the grid: from a bottom layer if it lies in one."""
    layer, space = min(
        (len(pile) - 1 if pile[-1] == fossil else 0, space)
        for space, pile in grid.items()
        if fossil in pile
    )
    on_top = layer == len(grid[space]) - 1
    grid[space].remove(fossil)
    if not grid[space]:
        top[space] = None
    elif on_top:
        top[space] = "buried"


def start_with(
    storage: list[list[str]] | None = None,
    museum: tuple[str, ...] = (),
    out: tuple[str, ...] = (),
    **changes: Any,
) -> Position:
    """`start` with changes as in `late`; stored fossils, those of skeletons and those out of the
    game are taken off the grid."""
    snapshot = changed("start", {})
    pieces = [fossil for fossil in FOSSILS for genus in museum if fossil.startswith(genus)]
    for fossil in [*pieces, *out, *(f for fossils in storage or [] for f in fossils)]:
        taken(snapshot["grid"], snapshot["top"], fossil)
    players = len(storage or [[], []])
    found = {
        "storage": storage or [[], []],
        "museum": list(museum),
        "out": list(out),
        "scores": [len(museum)] * players,
    }
    seats = {
        "options.num_players": players,
        "pos": ["A1", "C5", "A5", "C1"][:players],
        "evacuated": [False] * players,
    }
    return position_of(snapshot, {**found, **seats, **changes})
