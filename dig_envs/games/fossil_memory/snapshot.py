"""Snapshots of Fossil Memory: their keys; what must hold between them is in `invariants`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.invariants import check

__all__ = ["SNAPSHOT", "check"]


@dataclass(frozen=True)
class WithRecall(c.Codec):
    """Something that is kept with one value of the option `recall` only: null exactly with the
    others."""

    recall: int
    codec: c.Codec

    def write(self, state: c.State, name: str, at: c.Place) -> Any:
        return self.codec.write(state, name, at) if int(state["recall"]) == self.recall else None

    def read(self, state: c.State, name: str, at: c.Place, value: Any, key: str) -> None:
        there = int(state["recall"]) == self.recall
        c.require(
            (value is not None) == there,
            key,
            f"is null exactly unless recall is {s.RECALLS[self.recall]!r}",
        )
        if there:
            self.codec.read(state, name, at, value, key)

    def json_schema(self) -> c.JsonSchema:
        when = f"null exactly unless recall is {s.RECALLS[self.recall]}"
        return {"anyOf": [self.codec.json_schema(), {"type": "null"}], "description": when}


@c.form(c.each(c.or_null))
def cards_shown(grid: list[str], snapshot: Mapping[str, Any], seat: int) -> list[str | None]:
    """FM-11: the cards that the seat is shown, the others null."""
    places = {*snapshot["up"], *snapshot["shown"]}
    if snapshot["recent"] is not None and seat != c.NOBODY:
        places.update(snapshot["recent"][seat])
    seen = snapshot["seen"] or [False] * box.NUM_PLACES
    return [
        card if card == "" or is_seen or place in places else None
        for card, is_seen, place in zip(grid, seen, box.PLACES, strict=True)
    ]


SNAPSHOT = {
    "turn": c.Int(1, box.MOST_TURNS),
    "scores": c.PerSeat(c.Int(0, box.MAX_SCORE)),
    "genera": c.Flags(deck.GENERA, field="in_play"),
    "grid": c.Items(box.CARDS, fixed=True, bound="the 24 places", view=cards_shown),
    "seen": WithRecall(s.PERFECT, c.Items((False, True), fixed=True, bound="the 24 places")),
    "recent": WithRecall(
        s.RECENT, c.PerSeat(c.Items(box.PLACES, bound="the 24 places, each at most once"))
    ),
    "up": c.Items(
        box.PLACES, bound="the parts of one genus, which are taken when they are complete"
    ),
    "shown": c.Items(box.PLACES, bound="the cards of one turn, at most 4"),
    "museums": c.PerSeat(c.Items(deck.GENERA, bound="the 9 genera in play, each at most once")),
}
