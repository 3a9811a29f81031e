"""What a view of Go Dig hides: the pile, and the cards of others that nobody has seen."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.completing import Unseen, exchange_faults
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig.snapshot import ALL_CARDS, cards_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal the cards that are not in sight, so that no hand contradicts what is known of it."""
    return _fill(view, seat, draw, [], [[] for _ in view.seats])


def fill_told(
    view: Candidate, seat: int, events: Sequence[Mapping[str, Any]], draw: random.Random
) -> tuple[Snapshot, dict[int, list[str]]]:
    """The same, with the card that is drawn first, and the parts of the first skeleton that another
    player is going to build: in the hand, but for one that is drawn."""
    held: list[list[str]] = [[] for _ in view.seats]
    drawn, seen, top = set[int](), set[str](), list[str]()
    for event in events:
        kind, p, card = event["kind"], event["seat"], event.get("card")
        if kind == "drew":
            drawn.add(p)
        if kind in ("drew", "showed") and card is not None and not top:
            top = [card]
        if kind in ("gave", "drew", "showed"):
            seen.add(str(card))
        elif kind == "built" and p not in (None, seat) and event.get("genus"):
            parts = {*deck.parts_of(event["genus"])} - seen - {*view.snapshot["known"][p]}
            held[p] = sorted(parts)
            if p in drawn and parts and not top:
                top = [held[p].pop(draw.randrange(len(parts)))]
            break
    require(bool(top) or any(held), "hands", "nothing of it is going to be shown")
    return _fill(view, seat, draw, top, held), {}


def _fill(
    view: Candidate, seat: int, draw: random.Random, top: list[str], held: list[list[str]]
) -> Snapshot:
    """``top``: of the pile, perhaps. ``held``: cards in each hand, besides those known."""
    position = view.snapshot
    others = [p for p in view.seats if p != seat]
    known = [position["known"][p] for p in others]
    seen = cards_in_sight(position) + [card for cards in [top, *held, *known] for card in cards]
    unseen = Unseen(ALL_CARDS, seen, "pile", draw)
    places = [unseen.take(position["pile"] - len(top))]
    for p, cards in zip(others, known, strict=True):
        places.append(unseen.take(position["hands"][p] - len(cards) - len(held[p])))

    def faults(place: int, cards: list[str]) -> int:
        if place == 0:
            return 0
        p = others[place - 1]
        return _faults(position, p, cards + held[p])

    possible = exchange_faults(places, faults, draw)
    require(possible, "hands", "no cards agree with `known`, `asked` and `maybe`")
    hands = list(position["hands"])
    for p, cards, hand in zip(others, known, places[1:], strict=True):
        hands[p] = sorted(cards + held[p] + hand, key=deck.TYPES.index)
    return {"pile": [*places[0], *top], "hands": hands}


def derived(first: Snapshot) -> Snapshot:
    """What follows from the rest of a seat's first view."""
    counts = [hand if isinstance(hand, int) else len(hand) for hand in first["hands"]]
    return {
        "scores": deck.values_of(first["museums"]),
        "maybe": [[count] * deck.NUM_GENERA for count in counts],
    }


def _faults(position: Mapping[str, Any], p: int, cards: list[str]) -> int:
    """Complete skeletons in a hand, and cards too many or too few of a genus besides those known
    (GD-16, GD-19)."""
    count = Counter(card[:3] for card in cards)
    held = {*cards, *position["known"][p]}
    faults = sum(1 for genus in position["asked"][p] if not count[genus])
    for genus, most in zip(deck.GENERA, position["maybe"][p], strict=True):
        faults += max(0, count[genus] - most) + held.issuperset(deck.parts_of(genus))
    return faults
