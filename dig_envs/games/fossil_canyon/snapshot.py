"""Snapshots of Fossil Canyon: their keys (the rules' section "Snapshot"); what must hold between
them is in `invariants`."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import state as s


@c.form(c.each(c.or_null))
def drawn_before(events: list[int], snapshot: Mapping[str, Any], seat: int) -> list[int | None]:
    """The cards that have been drawn, which are at the bottom."""
    return [card if place < snapshot["events_seen"] else None for place, card in enumerate(events)]


@c.form(c.each(c.or_null, 2))
def knowledge_of_and_about(
    known: list[list[list[str]]], snapshot: Mapping[str, Any], seat: int
) -> list[list[list[str] | None]]:
    """The seat's own knowledge, and the others' knowledge of the seat."""
    return [
        [fossils if seat in (x, p) or x == p else None for p, fossils in enumerate(row)]
        for x, row in enumerate(known)
    ]


@c.form(c.or_null)
def own_turn(dug: str | None, snapshot: Mapping[str, Any], seat: int) -> str | None:
    """Only for whose turn it is."""
    return dug if snapshot["player"] == seat else None


SNAPSHOT = {
    "turn": c.Int(0, box.MOST_TURNS),
    "scores": c.PerSeat(c.Int(0, box.MAX_SCORE)),
    "ended": c.Name(s.ENDS),
    "player": c.Seat(),
    "ending": c.Flag(),
    "buried": c.Items(deck.TYPES, bound="the fossils in play: they only leave", view=c.size),
    "exposed": c.Counts(deck.TYPES, deck.COPIES, total="num_exposed"),
    "discarded": c.Counts(deck.TYPES, deck.COPIES, view=c.size),
    "spent": c.Counts(deck.TRACES, 1),
    "events": c.Items(
        (0, 1, 2), field="event_deck", fixed=True, bound="the 18 event cards", view=drawn_before
    ),
    "events_seen": c.Int(0, box.NUM_EVENTS),
    "hidden": c.PerSeat(c.Counts(deck.TYPES, deck.COPIES, total="num_hidden"), view=c.own_or_size),
    "open": c.PerSeat(c.Counts(deck.TYPES, deck.COPIES, total="num_open")),
    "known": c.PerSeat(
        c.PerSeat(
            c.Items(
                deck.TYPES,
                ascending=True,
                bound="the hidden hand known, which a turn enlarges by 5 at most",
            )
        ),
        view=knowledge_of_and_about,
    ),
    "chosen": c.PerSeat(
        c.Items(deck.TYPES, ascending=True, bound="hidden_limit, with which a choice is over"),
        view=c.own_or_null,
    ),
    "museums": c.PerSeat(c.Counts(deck.GENERA, deck.SKELETONS)),
    "awards": c.PerSeat(c.Counts(box.AWARDS, box.AWARD_PIECES)),
    "bonuses": c.PerSeat(c.Counts(box.BONUSES, 1)),
    "digs": c.Int(0, box.DIGS),
    "returned": c.Flag(),
    "dug": c.InPhases(s.PHASES, (s.KEEP,), c.Name(deck.TYPES, first=1), view=own_turn),
    "bonus": c.Flag(),
    "exchanges": c.Int(0, box.MAX_EXCHANGES),
    "exchange": c.InPhases(
        s.PHASES,
        (s.GIVE, s.TAKE),
        c.Group(
            {
                "with": c.Seat(first=1, field="partner"),
                "left": c.Int(0, box.MAX_EXCHANGES, field="left"),
                "barred": c.Items(
                    deck.TYPES,
                    field="barred",
                    ascending=True,
                    bound="the price of the exchange, at most 3",
                ),
            }
        ),
    ),
    "claim": c.InPhases(
        s.PHASES,
        (s.PAY,),
        c.Group(
            {
                "award": c.Name(box.AWARDS, first=1, field="claim"),
                "paid": c.Int(0, int(box.AWARD_VALUE.max()) - 1, field="paid"),
                "back": c.Name(
                    [s.PHASES[phase] for phase in s.CLAIM_PHASES],
                    stored=s.CLAIM_PHASES,
                    field="back",
                ),
            }
        ),
    ),
    "scored": c.Flag(),
    "passes": c.Int(0, box.MAX_PLAYERS),
    "idle": c.Int(0, box.MAX_IDLE),
}
