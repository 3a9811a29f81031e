"""Snapshots of Cretaceous Creek: the table of their keys (the rules' section "Snapshot")."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    Counts,
    Each,
    Flag,
    Flags,
    Group,
    InPhases,
    Int,
    Items,
    Name,
    PerName,
    PerSeat,
    Seat,
    Seats,
    each,
    form,
    or_null,
    size,
)
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import state as s


@form(each(or_null, 2))
def without_face_down(grid: Mapping[str, list[str]], snapshot: Mapping[str, Any], seat: int) -> dict[str, list[str | None]]:
    """The fossils that everybody sees: those on top that lie face up."""
    seen = {}
    for space, fossils in grid.items():
        shown: list[str | None] = [None] * len(fossils)
        if snapshot["top"][space] in ("exposed", "endangered"):
            shown[-1] = fossils[-1]
        seen[space] = shown
    return seen


EVENTS, DRAW = "the 18 event cards", "the cards of a draw"  # what bounds the lists
SNAPSHOT = {
    "turn": Int(0, box.MAX_TURNS),
    "scores": PerSeat(Int(0, box.NUM_GENERA)),
    "ended": Name(s.ENDS),
    "player": Seat(),
    "ap": Int(0, box.ACTION_POINTS),
    "pos": PerSeat(Name(box.SPACES, none=s.NOT_THERE)),
    "evacuated": PerSeat(Flag()),
    "storage": PerSeat(Counts(box.TYPES, box.COPIES, total="stored")),
    "museum": Flags(box.GENERA),
    "grid": PerName(box.SPACES, Items(box.TYPES, length="height", bound="set-up: fossils only leave"), view=without_face_down),
    "top": PerName(box.SPACES, Name(s.TOPS)),
    "out": Counts(box.TYPES, box.COPIES),
    "storm": Int(1, box.LAST_STORM + 1),
    "period": Int(1, 2),
    "deck": Items(box.EVENT_NAMES, bound=EVENTS, most=16, view=size),
    "stacks": Each(
        Items(box.EVENT_NAMES, length="stack_len", bound="the cards of a draw"), "num_stacks", bound="the draws of a phase"
    ),
    "revealed": Items(box.EVENT_NAMES, bound=DRAW),
    "used": Items(box.EVENT_NAMES, bound=EVENTS),
    "aside": Items(box.EVENT_NAMES, bound=EVENTS, view=size),
    "flooded": Flags(box.SPACES),
    "sandbagged": Items(box.EVENT_NAMES, bound="the one EDM: one draw is sandbagged"),
    "swap": InPhases(s.PHASES, (s.SWAP,), Group({"partner": Seat(none=s.NOT_THERE), "gives": Name(box.TYPES)})),
    "displaced": Seats(),
}
