"""Snapshots of Cretaceous Creek: the table of their keys (the rules' section "Snapshot")."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import state as s


@c.form(c.each(c.or_null, 2))
def without_face_down(
    grid: Mapping[str, list[str]], snapshot: Mapping[str, Any], seat: int
) -> dict[str, list[str | None]]:
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
    "turn": c.Int(0, box.MAX_TURNS),
    "scores": c.PerSeat(c.Int(0, box.NUM_GENERA)),
    "ended": c.Name(s.ENDS),
    "player": c.Seat(),
    "ap": c.Int(0, box.ACTION_POINTS),
    "pos": c.PerSeat(c.Name(box.SPACES, none=s.NOT_THERE)),
    "evacuated": c.PerSeat(c.Flag()),
    "storage": c.PerSeat(c.Counts(box.TYPES, box.MOST_COPIES, total="stored")),
    "museum": c.Flags(box.GENERA),
    "grid": c.PerName(
        box.SPACES,
        c.Items(box.TYPES, length="height", bound="set-up: fossils only leave"),
        view=without_face_down,
    ),
    "top": c.PerName(box.SPACES, c.Name(s.TOPS)),
    "out": c.Counts(box.TYPES, box.MOST_COPIES),
    "fossils": c.Content(box.TYPES, box.MOST_COPIES, field="copies", usual=box.COPIES),
    "storm": c.Int(1, box.LAST_STORM + 1),
    "period": c.Int(1, 2),
    "deck": c.Items(box.EVENT_NAMES, bound=EVENTS, most=16, view=c.size),
    "stacks": c.Each(
        c.Items(box.EVENT_NAMES, length="stack_len", bound="the cards of a draw"),
        "num_stacks",
        bound="the draws of a phase",
    ),
    "revealed": c.Items(box.EVENT_NAMES, bound=DRAW),
    "used": c.Items(box.EVENT_NAMES, bound=EVENTS),
    "aside": c.Items(box.EVENT_NAMES, bound=EVENTS, view=c.size),
    "flooded": c.Flags(box.SPACES),
    "sandbagged": c.Items(box.EVENT_NAMES, bound="the one EDM: one draw is sandbagged"),
    "swap": c.InPhases(
        s.PHASES,
        (s.SWAP,),
        c.Group({"partner": c.Seat(none=s.NOT_THERE), "gives": c.Name(box.TYPES)}),
    ),
    "displaced": c.Seats(),
}
