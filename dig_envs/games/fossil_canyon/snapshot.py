"""Snapshots of Fossil Canyon: their keys (the rules' section "Snapshot"); what must hold between them is in `invariants`."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    Counts,
    Flag,
    Group,
    InPhases,
    Int,
    Items,
    Name,
    PerSeat,
    Seat,
    each,
    form,
    or_null,
    own_or_null,
    own_or_size,
    size,
)
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import state as s


@form(each(or_null))
def drawn_before(events: list[int], snapshot: Mapping[str, Any], seat: int) -> list[int | None]:
    """The cards that have been drawn, which are at the bottom."""
    return [card if place < snapshot["events_seen"] else None for place, card in enumerate(events)]


@form(each(or_null, 2))
def knowledge_of_and_about(known: list[list[list[str]]], snapshot: Mapping[str, Any], seat: int) -> list[list[list[str] | None]]:
    """Return what the seat knows, and what others know of it."""
    return [[fossils if seat in (x, p) or x == p else None for p, fossils in enumerate(row)] for x, row in enumerate(known)]


@form(or_null)
def own_turn(dug: str | None, snapshot: Mapping[str, Any], seat: int) -> str | None:
    """Only for whose turn it is."""
    return dug if snapshot["player"] == seat else None


SNAPSHOT = {
    "turn": Int(0, box.MOST_TURNS),
    "scores": PerSeat(Int(0, box.MAX_SCORE)),
    "ended": Name(s.ENDS),
    "player": Seat(),
    "ending": Flag(),
    "buried": Items(deck.TYPES, bound="the fossils in play: they only leave", view=size),
    "exposed": Counts(deck.TYPES, deck.COPIES, total="num_exposed"),
    "discarded": Counts(deck.TYPES, deck.COPIES, view=size),
    "spent": Counts(deck.TRACES, 1),
    "events": Items((0, 1, 2), field="event_deck", fixed=True, bound="the 18 event cards", view=drawn_before),
    "events_seen": Int(0, box.NUM_EVENTS),
    "hidden": PerSeat(Counts(deck.TYPES, deck.COPIES, total="num_hidden"), view=own_or_size),
    "open": PerSeat(Counts(deck.TYPES, deck.COPIES, total="num_open")),
    "known": PerSeat(
        PerSeat(Items(deck.TYPES, ascending=True, bound="the hidden hand known, which a turn enlarges by 5 at most")),
        view=knowledge_of_and_about,
    ),
    "chosen": PerSeat(Items(deck.TYPES, ascending=True, bound="hidden_limit, with which a choice is over"), view=own_or_null),
    "museums": PerSeat(Counts(deck.GENERA, deck.SKELETONS)),
    "awards": PerSeat(Counts(box.AWARDS, box.AWARD_PIECES)),
    "bonuses": PerSeat(Counts(box.BONUSES, 1)),
    "digs": Int(0, box.DIGS),
    "returned": Flag(),
    "dug": InPhases(s.PHASES, (s.KEEP,), Name(deck.TYPES, first=1), view=own_turn),
    "bonus": Flag(),
    "exchanges": Int(0, box.MAX_EXCHANGES),
    "exchange": InPhases(
        s.PHASES,
        (s.GIVE, s.TAKE),
        Group(
            {
                "with": Seat(first=1, field="partner"),
                "left": Int(0, box.MAX_EXCHANGES, field="left"),
                "barred": Items(deck.TYPES, field="barred", ascending=True, bound="the price of the exchange, at most 3"),
            }
        ),
    ),
    "claim": InPhases(
        s.PHASES,
        (s.PAY,),
        Group(
            {
                "award": Name(box.AWARDS, first=1, field="claim"),
                "paid": Int(0, int(box.AWARD_VALUE.max()) - 1, field="paid"),
                "back": Name([s.PHASES[phase] for phase in s.CLAIM_PHASES], stored=s.CLAIM_PHASES, field="back"),
            }
        ),
    ),
    "scored": Flag(),
    "passes": Int(0, box.MAX_PLAYERS),
    "idle": Int(0, box.MAX_IDLE),
}
