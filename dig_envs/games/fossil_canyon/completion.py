"""What a view of Fossil Canyon hides: fossils, event cards, the choices of others, and what they
know of each other."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.completing import Unseen, exchange_faults
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon.invariants import fossils_in_play, fossils_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal what is not in sight, so that nobody holds a complete skeleton, and who is paying can
    pay; others know what the seat knows."""
    position, known = view.snapshot, view.snapshot["known"][seat]
    require(None not in known, f"known.{seat}", f"is what seat {seat} knows: it is never null")
    return {
        **_fossils(view, seat, draw),
        "events": _events(view, draw),
        "known": [
            [known[p] if cards is None else cards for p, cards in enumerate(row)]
            for row in position["known"]
        ],
        "chosen": [cards or [] for cards in position["chosen"]],
    }


TAKEN_UNSEEN = ("dug", "looked_at", "kept", "took_blind")  # events


def fill_told(
    view: Candidate, seat: int, events: Sequence[Mapping[str, Any]], draw: random.Random
) -> tuple[Snapshot, dict[int, list[str]]]:
    """The same, with the fossils in hidden hands that events are going to turn up, and what those
    seats must have chosen to hide (FC-7, FC-24)."""
    kinds = {event["kind"] for event in events if event["seat"] not in (None, seat)}
    require(bool(kinds & {"hides", "turned_up", "built"}), "hidden", "nothing is going to be shown")
    position, known = view.snapshot, [list(row) for row in view.snapshot["known"]]
    turned: dict[tuple[str, int], Counter[Any]] = {
        (kind, p): Counter(
            event.get("fossil") for event in events if (event["kind"], event["seat"]) == (kind, p)
        )
        for kind in ("turned_up", "turned_down")
        for p in view.seats
    }
    top = None  # of the buried fossils: one that a player digs and builds with
    for event in events:
        p = event["seat"]
        if event["kind"] == "built" and p not in (None, seat) and event.get("genus"):
            parts = [f"{event['genus']}{n}" for n in event.get("revealed", ())]
            parts = [part for part in parts if part not in known[seat][p]]
            if parts and any(one["kind"] in TAKEN_UNSEEN and one["seat"] == p for one in events):
                top = parts.pop(draw.randrange(len(parts)))
            turned["turned_up", p].update(parts)
            break
    for p in view.seats:
        more: list[Any] = list((turned["turned_up", p] - Counter(known[seat][p])).elements())
        more = more[: position["hidden"][p] - len(known[seat][p])] if p != seat else []
        known[seat][p] = _sorted([*known[seat][p], *more])
    filled = fill(view, seat, draw)
    filled |= _fossils(Candidate(view.game, {**position, "known": known}), seat, draw)
    buried = filled["buried"]
    if top in buried:
        at, end = buried.index(top), draw.choice((0, -1))
        buried[at], buried[end] = buried[end], buried[at]
    chosen = {
        p: Counter(filled["hidden"][p]) - turned["turned_up", p] + turned["turned_down", p]
        for p in view.seats
        if p != seat and position["phase"] in ("setup", "adjust")
    }
    return filled, {
        p: [*(f"hide {c}" for c in own.elements()), "done"] for p, own in chosen.items()
    }


def _fossils(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    position, known = view.snapshot, view.snapshot["known"][seat]
    others = [p for p in view.seats if p != seat]
    seen = fossils_in_sight(position) + [card for p in others for card in known[p]]
    unseen = Unseen(fossils_in_play(view.state), seen, "buried", draw)
    dug = position["dug"]
    if dug is None and position["phase"] == "keep":
        dug = unseen.take(1)[0]
    places = [unseen.take(position["hidden"][p] - len(known[p])) for p in others]
    places += [unseen.take(position["buried"]), unseen.take(position["discarded"])]

    def faults(place: int, cards: list[str]) -> int:
        return (
            _faults(view, others[place], known[others[place]] + cards) if place < len(others) else 0
        )

    possible = exchange_faults(places, faults, draw)
    require(possible, "hidden", "no fossils agree with what is in sight")
    hidden = list(position["hidden"])
    for p, cards in zip(others, places, strict=False):
        hidden[p] = _sorted(known[p] + cards)
    return {"dug": dug, "hidden": hidden, "buried": places[-2], "discarded": _sorted(places[-1])}


def _sorted(cards: list[str]) -> list[str]:
    return sorted(cards, key=deck.TYPES.index)


def _faults(view: Candidate, p: int, hidden: list[str]) -> int:
    """Complete skeletons of a seat, and the research value that it lacks for what it is paying."""
    position = view.snapshot
    held = [*hidden, *position["open"][p]]
    faults = sum({*held}.issuperset(deck.parts_of(genus)) for genus in deck.GENERA)
    claim = position["claim"]
    if claim is not None and p == position["player"]:
        price = int(box.AWARD_VALUE[box.AWARDS.index(claim["award"])])
        worth = sum(
            int(deck.RESEARCH[deck.TRACES.index(card)]) for card in held if card in deck.TRACES
        )
        faults += max(0, price - claim["paid"] - worth)
    return faults


def _events(view: Candidate, draw: random.Random) -> list[int]:
    events = view.snapshot["events"]
    mix = enumerate(box.EVENT_MIXES[view.state["events"]])
    drawn = [card for card in events if card is not None]
    unseen = Unseen((kind for kind, number in mix for _ in range(number)), drawn, "events", draw)
    return [unseen.take(1)[0] if card is None else card for card in events]


def derived(first: Snapshot) -> Snapshot:
    """What follows from the rest of a seat's first view."""
    return {"scores": deck.values_of(first["museums"])}
