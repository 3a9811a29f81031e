"""Snapshots of Dino Dig: the table of their keys (the rules' section "Snapshot"), and what a seat
sees of them."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    NOBODY,
    Flag,
    InPhases,
    Int,
    Items,
    Name,
    PerSeat,
    Seat,
    each,
    form,
    or_null,
    size,
)
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.codecs import Backpacks, Hand, Museum, Site, Skeleton, Supply


def seen_form(schema: Any) -> Any:
    """The JSON Schema of cards, however deep: the code of a card may be null."""
    if isinstance(schema, list):
        return [seen_form(entry) for entry in schema]
    if isinstance(schema, Mapping):
        plain = {key: seen_form(entry) for key, entry in schema.items()}
        return {**plain, "card": or_null(plain["card"])} if "card" in plain else plain
    return schema


@form(seen_form)
def seen(value: Any, snapshot: Mapping[str, Any], seat: int) -> Any:
    """Cards, however deep in lists and objects: one that the seat does not know has no code; nobody
    knows what all know."""
    if isinstance(value, list):
        return [seen(entry, snapshot, seat) for entry in value]
    if isinstance(value, Mapping):
        if "card" in value:
            sees = (
                seat in value["known"]
                if seat != NOBODY
                else len(value["known"]) == snapshot["options"]["num_players"]
            )
            return {**value, "card": value["card"] if sees else None}
        return {key: seen(entry, snapshot, seat) for key, entry in value.items()}
    return value


@form(seen_form)
def museums_seen(value: Any, snapshot: Mapping[str, Any], seat: int) -> Any:
    """The same; at the end in table order, since all cards are turned up, and nobody says in which
    order they came (DD-23)."""
    museums = seen(value, snapshot, seat)
    if snapshot["phase"] != "over":
        return museums
    return [sorted(cards, key=lambda entry: box.CARDS.index(entry["card"])) for cards in museums]


@form(each(or_null))
def suits_seen(value: Any, snapshot: Mapping[str, Any], seat: int) -> Any:
    """DD-7: with `freelance` the suits are secret until the game is over."""
    secret = snapshot["options"]["contract"] == "freelance" and snapshot["phase"] != "over"
    return [suit if p == seat or not secret else None for p, suit in enumerate(value)]


SNAPSHOT = {
    "turn": Int(0, box.MOST_TURNS),
    "scores": PerSeat(Int(0, box.NUM_VALUES)),
    "player": Seat(),
    "site": Site(view=seen),
    "supply": Supply(view=size),
    "bases": PerSeat(Name(box.SQUARES, first=1, none=box.NONE)),
    "suits": PerSeat(Name(tuple(box.SUITS), first=1, none=0), view=suits_seen),
    "pieces": PerSeat(Items(box.PLACES, fixed=True, bound="the three pieces")),
    "acted": Items((False, True), fixed=True, bound="the three pieces"),
    "backpacks": PerSeat(Backpacks(), view=seen),
    "museums": PerSeat(Museum(), view=museums_seen),
    "hand": Hand(view=seen),
    "chain": Items(range(1, box.PIECES + 1), bound="the three pieces: nobody is handler twice"),
    "stowed": Flag(),
    "runs": InPhases(s.PHASES, (s.OVER,), PerSeat(Skeleton())),
}
