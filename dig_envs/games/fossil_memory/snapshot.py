"""Snapshots of Fossil Memory: their keys; what must hold between them is in `invariants`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    NOBODY,
    Codec,
    Flags,
    Int,
    Items,
    JsonSchema,
    PerSeat,
    Place,
    State,
    each,
    form,
    or_null,
    require,
)
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.invariants import check

__all__ = ["SNAPSHOT", "check"]


@dataclass(frozen=True)
class WithRecall(Codec):
    """Something that is kept with one value of the option `recall` only: null exactly with the others."""

    recall: int
    codec: Codec

    def write(self, state: State, name: str, at: Place) -> Any:
        return self.codec.write(state, name, at) if int(state["recall"]) == self.recall else None

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        there = int(state["recall"]) == self.recall
        require((value is not None) == there, key, f"is null exactly unless recall is {s.RECALLS[self.recall]!r}")
        if there:
            self.codec.read(state, name, at, value, key)

    def json_schema(self) -> JsonSchema:
        when = f"null exactly unless recall is {s.RECALLS[self.recall]}"
        return {"anyOf": [self.codec.json_schema(), {"type": "null"}], "description": when}


@form(each(or_null))
def cards_shown(grid: list[str], snapshot: Mapping[str, Any], seat: int) -> list[str | None]:
    """FM-11: the cards that the seat is shown, the others null."""
    places = {*snapshot["up"], *snapshot["shown"]}
    if snapshot["recent"] is not None and seat != NOBODY:
        places.update(snapshot["recent"][seat])
    seen = snapshot["seen"] or [False] * box.NUM_PLACES
    return [
        card if card == "" or is_seen or place in places else None
        for card, is_seen, place in zip(grid, seen, box.PLACES, strict=True)
    ]


SNAPSHOT = {
    "turn": Int(1, box.MOST_TURNS),
    "scores": PerSeat(Int(0, box.MAX_SCORE)),
    "genera": Flags(deck.GENERA, field="in_play"),
    "grid": Items(box.CARDS, fixed=True, bound="the 24 places", view=cards_shown),
    "seen": WithRecall(s.PERFECT, Items((False, True), fixed=True, bound="the 24 places")),
    "recent": WithRecall(s.RECENT, PerSeat(Items(box.PLACES, bound="the 24 places, each at most once"))),
    "up": Items(box.PLACES, bound="the parts of one genus, which are taken when they are complete"),
    "shown": Items(box.PLACES, bound="the cards of one turn, at most 4"),
    "museums": PerSeat(Items(deck.GENERA, bound="the 9 genera in play, each at most once")),
}
