"""What a view of Fossil Canyon hides: fossils, event cards, the choices of others, and what they
know of each other."""

import random
from collections import Counter, defaultdict
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
        **_fossils(view, seat, draw, _Known(view, seat)),
        "events": _events(view, draw, []),
        "known": [
            [known[p] if cards is None else cards for p, cards in enumerate(row)]
            for row in position["known"]
        ],
        "chosen": [cards or [] for cards in position["chosen"]],
    }


def fill_told(
    view: Candidate, seat: int, events: Sequence[Mapping[str, Any]], draw: random.Random
) -> tuple[Snapshot, dict[int, list[str]]]:
    """The same, with what events are going to show of it, and what other seats must have chosen to
    hide (FC-7, FC-24)."""
    shown = _Shown(view, seat)
    for before, event in zip([{"kind": "", "seat": None}, *events], events, strict=False):
        shown.add(event, before, draw)
    filled = fill(view, seat, draw)
    filled |= _fossils(view, seat, draw, shown)
    filled["events"] = _events(view, draw, shown.event_cards)
    chosen = {
        p: Counter(filled["hidden"][p])
        - shown.turned["turned_up", p]
        + shown.turned["turned_down", p]
        for p in view.seats
        if p != seat and view.snapshot["phase"] in ("setup", "adjust")
    }
    return filled, {
        p: [*(f"hide {c}" for c in own.elements()), "done"] for p, own in chosen.items()
    }


class _Known:
    """What a seat knows of hidden cards.

    Attributes:
        hidden: by player, fossils of the hidden hand. top: the top buried fossils, the first one
            first; None for any. dug: what a player looks at. claims: by player, the value that is
            to be paid.
    """

    def __init__(self, view: Candidate, seat: int) -> None:
        position = view.snapshot
        self.seat, self.size = seat, position["hidden"]
        self.hidden = [list(cards) for cards in position["known"][seat]]
        self.top: list[str | None] = []
        self.dug, claim = position["dug"], position["claim"]
        self.claims = [0 for _ in view.seats]
        if claim is not None:
            price = int(box.AWARD_VALUE[box.AWARDS.index(claim["award"])])
            self.claims[position["player"]] = price - claim["paid"]


class _Shown(_Known):
    """What a seat knows, and what events are going to show of it.

    Attributes:
        event_cards: the top ones, the first one first.
    """

    def __init__(self, view: Candidate, seat: int) -> None:
        super().__init__(view, seat)
        self.event_cards = list[int]()
        self.got = [Counter[Any](cards) for cards in self.hidden]  # known when an event comes
        self.turned = defaultdict[tuple[str, int], Counter[Any]](Counter)

    def add(self, event: Mapping[str, Any], before: Mapping[str, Any], draw: random.Random) -> None:
        """Take what an event shows, and the one before it."""
        kind, p, fossil = event["kind"], event["seat"], event.get("fossil")
        from_hand = event.get("hidden", "hidden hand" in event.get("sentence", ""))
        if kind == "event_card":
            self.event_cards.append(event.get("card", 0))
        elif kind in ("exposed", "dug", "looked_at"):
            self.top.append(fossil)
        elif p is None:
            return  # it was not said
        elif kind == "put_back":
            self._taken(before, fossil)
        elif kind == "took_blind" and p == self.seat and fossil:
            self._had(event.get("other"), fossil)
        elif kind == "built" and p != self.seat and event.get("revealed"):
            parts = [f"{event.get('genus')}{n}" for n in event["revealed"]]
            draw.shuffle(parts)
            parts.sort(key=lambda part: self.got[p][part] > 0)
            if before["seat"] == p and before["kind"] in ("dug", "kept", "took_blind"):
                self._taken(before, parts.pop(0))
            for part in parts:
                self._had(p, part)
        elif kind == "claimed":
            self.claims[p] = event.get("value", 0)
        elif kind in ("turned_up", "turned_down"):
            self.turned[kind, p][fossil] += 1
        if kind in ("dug_exposed", "turned_down") or (kind == "took" and event.get("hidden", 1)):
            self.got[p][fossil] += 1
        elif kind == "turned_up" or (kind in ("gave", "paid") and from_hand):
            self._had(p, fossil)

    def _taken(self, taken: Mapping[str, Any], fossil: Any) -> None:
        """An event tells that a fossil was taken unseen, which was this one."""
        if taken["kind"] == "took_blind":
            self._had(taken.get("other"), fossil)
        elif taken["kind"] in ("dug", "looked_at"):
            self.top[-1] = fossil
        else:
            self.dug = fossil

    def _had(self, p: int | None, fossil: Any) -> None:
        """A player has a fossil in the hidden hand."""
        if p is None or p == self.seat or fossil is None:
            return
        if self.got[p][fossil]:
            self.got[p][fossil] -= 1
        elif len(self.hidden[p]) < self.size[p]:
            self.hidden[p].append(fossil)


def _fossils(view: Candidate, seat: int, draw: random.Random, shown: _Known) -> Snapshot:
    position, known, dug = view.snapshot, shown.hidden, shown.dug
    others = [p for p in view.seats if p != seat]
    top = shown.top[: position["buried"]]
    seen = fossils_in_sight({**position, "dug": dug}) + [card for card in top if card]
    seen += [card for p in others for card in known[p]]
    unseen = Unseen(fossils_in_play(view.state), seen, "buried", draw)
    if dug is None and position["phase"] == "keep":
        dug = unseen.take(1)[0]
    places = [unseen.take(position["hidden"][p] - len(known[p])) for p in others]
    places += [unseen.take(position["buried"] - len(top) + top.count(None))]
    places += [unseen.take(position["discarded"])]

    def faults(place: int, cards: list[str]) -> int:
        if place >= len(others):
            return 0
        p = others[place]
        return _faults(view, p, known[p] + cards, shown.claims[p])

    possible = exchange_faults(places, faults, draw)
    require(possible, "hidden", "no fossils agree with what is in sight")
    hidden = list(position["hidden"])
    for p, cards in zip(others, places, strict=False):
        hidden[p] = _sorted(known[p] + cards)
    buried = places[-2]
    buried += [card or buried.pop() for card in reversed(top)]
    return {"dug": dug, "hidden": hidden, "buried": buried, "discarded": _sorted(places[-1])}


def _sorted(cards: list[str]) -> list[str]:
    return sorted(cards, key=deck.TYPES.index)


def _faults(view: Candidate, p: int, hidden: list[str], price: int) -> int:
    """Complete skeletons of a seat, and the research value that it lacks for what it is paying."""
    held = [*hidden, *view.snapshot["open"][p]]
    faults = sum({*held}.issuperset(deck.parts_of(genus)) for genus in deck.GENERA)
    worth = sum(int(deck.RESEARCH[deck.TRACES.index(card)]) for card in held if card in deck.TRACES)
    return faults + max(0, price - worth)


def _events(view: Candidate, draw: random.Random, top: Sequence[int]) -> list[int]:
    """The event cards, some of which on top are known."""
    events = list(view.snapshot["events"])
    for place, card in enumerate(top[: len(events)], 1):
        events[-place] = card if events[-place] is None else events[-place]
    mix = enumerate(box.EVENT_MIXES[view.state["events"]])
    drawn = [card for card in events if card is not None]
    unseen = Unseen((kind for kind, number in mix for _ in range(number)), drawn, "events", draw)
    return [unseen.take(1)[0] if card is None else card for card in events]


def derived(first: Snapshot) -> Snapshot:
    """What follows from the rest of a seat's first view."""
    return {"scores": deck.values_of(first["museums"])}
